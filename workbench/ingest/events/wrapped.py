"""Chat records differ in what they wrap the messages in; this finds the parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from workbench.ingest.records.origin import usable_id
from workbench.ingest.records.shapes import maps_at, text_in

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["REQUEST_KEYS", "Wrapped", "unwrap"]

_SETTINGS: Final = (
    "temperature",
    "top_p",
    "top_k",
    "seed",
    "max_tokens",
    "max_completion_tokens",
    "stop",
    "stop_sequences",
    "tool_choice",
    "parallel_tool_calls",
    "response_format",
    "reasoning_effort",
)
_REQUESTS: Final = (("request", "body"), ("request",), ("body",), ("input",), ())
_RESPONSES: Final = (("response", "body"), ("response",), ("output",), ())
_IDS: Final = ("run_id", "trace_id", "custom_id", "id")
_SESSIONS: Final = ("session_id", "conversation_id", "thread_id")

REQUEST_KEYS: Final = frozenset({"messages"}.union(*_REQUESTS))
"""A record that has messages has one of these keys."""


class Wrapped(Struct, frozen=True, kw_only=True):
    """The parts of a chat record."""

    messages: Json
    path: str
    """Dotted path to `messages`; empty: the record is the list."""
    request: JsonMap = {}
    response: JsonMap = {}
    response_path: str = ""
    record: JsonMap = {}
    """All of it; empty: it has no messages, or is the list of them."""

    @property
    def own_id(self) -> str | None:
        """The id of the record, else that of its response."""
        ids = (text_in(self.record, name) for name in _IDS)
        return next(filter(None, map(usable_id, ids)), None) or usable_id(self.response.get("id"))

    @property
    def session(self) -> str | None:
        """The session that it names."""
        return next(filter(None, (text_in(self.record, name) for name in _SESSIONS)), None)

    @property
    def settings(self) -> JsonMap:
        """How the request set the model."""
        return {name: self.request[name] for name in _SETTINGS if name in self.request}


def unwrap(record: Json) -> Wrapped:
    """Find the messages of a chat record, and request and response around them.

    A record that is none of the known forms has no messages.
    """
    if not isinstance(record, dict):
        return Wrapped(messages=record, path="")
    requests = maps_at(record, _REQUESTS)
    request = next((one for one in requests if isinstance(one[0].get("messages"), list)), None)
    if request is None:
        return Wrapped(messages=None, path="messages")
    found, path = request
    responses = maps_at(record, _RESPONSES)
    answer = next((one for one in responses if _is_response(one[0])), None)
    response, response_path = answer or ({}, ())
    return Wrapped(
        messages=found["messages"],
        path=".".join((*path, "messages")),
        request=found,
        response=response,
        response_path=".".join(response_path),
        record=record,
    )


def _is_response(found: JsonMap) -> bool:
    if isinstance(found.get("choices"), list):
        return True
    return isinstance(found.get("content"), list) and (
        found.get("role") == "assistant" or "stop_reason" in found
    )

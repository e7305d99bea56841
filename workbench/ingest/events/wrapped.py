"""Chat records differ in what they wrap the messages in; this finds the parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from workbench.ingest.records.origin import usable_id
from workbench.ingest.records.shapes import map_in, maps_at, text_in

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
    own_id: str | None = None
    session: str | None = None

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
    at = next((path for found, path in requests if isinstance(found.get("messages"), list)), None)
    if at is None:
        return Wrapped(messages=None, path="messages")
    responses = maps_at(record, _RESPONSES)
    answer = next((path for found, path in responses if _is_response(found)), None)
    response = {} if answer is None else map_in(record, *answer)
    ids = (text_in(record, name) for name in ("run_id", "trace_id", "custom_id", "id"))
    sessions = (text_in(record, name) for name in ("session_id", "conversation_id", "thread_id"))
    return Wrapped(
        messages=map_in(record, *at)["messages"],
        path=".".join((*at, "messages")),
        request=map_in(record, *at),
        response=response,
        response_path=".".join(answer or ()),
        own_id=next(filter(None, map(usable_id, ids)), None) or usable_id(response.get("id")),
        session=next(filter(None, sessions), None),
    )


def _is_response(found: JsonMap) -> bool:
    if isinstance(found.get("choices"), list):
        return True
    return isinstance(found.get("content"), list) and (
        found.get("role") == "assistant" or "stop_reason" in found
    )

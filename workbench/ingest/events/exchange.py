"""What was sent to a model and what it replied, in the forms that span exports keep them.

An export keeps whatever the instrumented library had at hand: the API's request and response,
a list of messages, the one reply, a text, or any of these as JSON or Python text.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from workbench.casefile.place import step_key
from workbench.ingest.events.messages import Message, Role, read_message, read_messages
from workbench.ingest.events.toollist import listed_tools
from workbench.ingest.events.transcript import Said
from workbench.ingest.events.usage import usage_of
from workbench.ingest.records.jsontext import DEPTH_LIMIT, depth_within
from workbench.ingest.records.shapes import map_in, text_in
from workbench.model.jsonvalue import parse_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.event import Usage
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Tool

__all__ = [
    "RequestFacts",
    "decoded",
    "is_flat",
    "read_reply",
    "read_request",
    "read_system",
    "request_facts",
    "with_usage",
]

_SETTINGS: Final = (
    "temperature",
    "top_p",
    "top_k",
    "seed",
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "stop",
    "stop_sequences",
    "tool_choice",
    "parallel_tool_calls",
    "response_format",
    "reasoning_effort",
)
_FLAT: Final = re.compile(
    r"(?i:\s*(?:system|developer|user|human|assistant|ai|tool): )|role='[a-z]+' content="
)
_CHATS: Final = ("messages", "prompts")
_LISTS: Final = ("messages", "input", "contents", "prompts", "args")
_SYSTEMS: Final = ("system", "instructions", "system_instruction", "system_instructions")
_REPLIES: Final = ("messages", "output", "content", "parts")


class RequestFacts(Struct, frozen=True, kw_only=True):
    """What a request says beside its messages."""

    settings: JsonMap = {}
    tools: tuple[Tool, ...] = ()
    offered: tuple[str, ...] | None = None


def request_facts(request: JsonMap) -> RequestFacts:
    """Read settings and offered tools of a request; a setting that is null was not set."""
    listing = request.get("tools") or request.get("functions")
    tools = listed_tools(listing)
    listed = listing if isinstance(listing, list) else []
    names = tuple(item for item in listed if isinstance(item, str))
    return RequestFacts(
        settings={
            name: request[name]
            for name in _SETTINGS
            if request.get(name) not in (None, "", "null", -1)
        },
        tools=tools,
        offered=names or tuple(tool.name for tool in tools) or None,
    )


def decoded(value: Json) -> Json:
    """Return the structure that a text holds, or the value as it is."""
    if not isinstance(value, str):
        return value
    found = parse_text(value).value
    return found if isinstance(found, dict | list) and depth_within(found, DEPTH_LIMIT) else value


def is_flat(sent: Json) -> bool:
    """Whether a chat was flattened to one text, or its messages to texts, before it was kept."""
    body = decoded(sent)
    if isinstance(body, str):
        return _FLAT.match(body) is not None
    listing = (
        next((body[n] for n in _CHATS if body.get(n)), None) if isinstance(body, dict) else body
    )
    if not isinstance(listing, list):
        return False
    return any(isinstance(item, str) and _FLAT.match(item) is not None for item in listing)


def read_request(sent: Json, *, ref: str, origin: Origin) -> list[Message]:
    """Return the messages of a request.

    Raises:
        TraceFormatError: a message has no known form.
    """
    body = decoded(sent)
    if isinstance(body, str):
        return _text_message(Role.USER, body, ref)
    if isinstance(body, list):
        return read_messages(body, key=ref, origin=origin)
    if not isinstance(body, dict):
        return []
    found: list[Message] = []
    for name in _SYSTEMS:
        found.extend(read_system(body.get(name), ref=step_key(ref, name), origin=origin))
    if "role" in body:
        return [*found, *read_message(body, ref, origin)]
    listing = next((name for name in _LISTS if body.get(name)), None)
    if listing is None:
        prompt = body.get("prompt")
        return [*found, *_text_message(Role.USER, prompt, step_key(ref, "prompt"))]
    return [*found, *_listed(body[listing], step_key(ref, listing), origin)]


def _listed(value: Json, ref: str, origin: Origin) -> Iterable[Message]:
    if isinstance(value, list):
        texts = [item for item in value if isinstance(item, str)]
        if texts and len(texts) == len(value):
            for at, text in enumerate(texts):
                yield from _text_message(Role.USER, text, step_key(ref, at))
            return
        items: list[Json] = [item for item in value if isinstance(item, dict | list)]
        yield from read_messages(items, key=ref, origin=origin)
    elif isinstance(value, dict):
        yield from read_message({"role": "user", **value}, ref, origin)
    else:
        yield from _text_message(Role.USER, value, ref)


def read_system(value: Json, *, ref: str, origin: Origin) -> Iterable[Message]:
    """Yield the system text that stands beside the messages, if there is one."""
    body = decoded(value)
    if isinstance(body, str):
        yield from _text_message(Role.SYSTEM, body, ref)
    elif isinstance(body, list) and body:
        yield from read_message({"role": "system", "content": body}, ref, origin)
    elif isinstance(body, dict) and body:
        yield from read_message({"role": "system", **body}, ref, origin)


def _text_message(role: Role, text: Json, ref: str) -> list[Message]:
    if not isinstance(text, str) or not text:
        return []
    return [Message(role=role, said=Said(ref=ref, text=text))]


def read_reply(given: Json, *, ref: str, origin: Origin) -> list[Message]:
    """Return the reply of a model; empty when none was kept.

    It is one message, or several where the provider's own tools answer inside it.

    Raises:
        TraceFormatError: it has no known form.
    """
    body = decoded(given)
    if isinstance(body, str):
        return _text_message(Role.ASSISTANT, body, ref)
    if isinstance(body, list):
        return _replies(read_messages(body, key=ref, origin=origin))
    if not isinstance(body, dict) or not body:
        return []
    inner, place = _chosen(body, ref)
    return _with_facts(_reply_in(inner, place, origin), body, inner)


def with_usage(reply: Sequence[Message], usage: Usage | None) -> list[Message]:
    """Give its tokens to the last message of a reply that has none, and its cost to one without."""
    found = list(reply)
    if not found or usage is None:
        return found
    at = next((n for n, message in enumerate(found) if message.said.usage), len(found) - 1)
    own = found[at].said.usage or usage
    if own.cost_usd is None:
        own = dataclasses.replace(own, cost_usd=usage.cost_usd)
    found[at] = replace(found[at], said=replace(found[at].said, usage=own))
    return found


def _chosen(body: JsonMap, ref: str) -> tuple[JsonMap, str]:
    """Follow an API's way down to the first reply: choices, generations, candidates, response."""
    for path in (("choices", 0), ("generations", 0), ("candidates", 0), ("response",)):
        value: Json = body
        place = ref
        for step in path:
            value = _step(value, step)
            place = step_key(place, step)
        if isinstance(value, list) and value:
            value, place = value[0], step_key(place, 0)
        if isinstance(value, dict):
            return value, place
    return body, ref


def _step(value: Json, step: str | int) -> Json:
    if isinstance(step, str):
        return value.get(step) if isinstance(value, dict) else None
    return value[step] if isinstance(value, list) and step < len(value) else None


def _reply_in(body: JsonMap, ref: str, origin: Origin) -> list[Message]:
    if isinstance(body.get("message"), dict):
        message = map_in(body, "message")
        ref = step_key(ref, "message")
        known = "role" in message or "type" in message or "lc" in message
        return _replies(
            read_message(message if known else {"role": "assistant", **message}, ref, origin)
        )
    if "role" in body or "lc" in body or text_in(body, "type") in ("ai", "AIMessageChunk"):
        return _replies(read_message(body, ref, origin))
    name = next((name for name in _REPLIES if body.get(name) is not None), None)
    if name is None:
        return _text_message(Role.ASSISTANT, body.get("text"), ref)
    key = step_key(ref, name)
    if name == "messages":  # a state with the whole conversation
        return _replies(read_messages(body[name], key=key, origin=origin))[-1:]
    if name == "output":
        return read_reply(body[name], ref=key, origin=origin)
    if name == "content" and isinstance(body[name], dict):
        return _replies(read_message({"role": "model", **map_in(body, name)}, key, origin))
    return _replies(read_message({"role": "assistant", **body}, ref, origin))


def _replies(messages: Iterable[Message]) -> list[Message]:
    return [message for message in messages if message.role in (Role.ASSISTANT, Role.TOOL)]


def _with_facts(reply: list[Message], body: JsonMap, inner: JsonMap) -> list[Message]:
    reasons = (
        text_in(inner, "finish_reason"),
        text_in(map_in(inner, "finish_reason"), "finish_reason"),  # a stream's last chunk
        text_in(map_in(inner, "generation_info"), "finish_reason"),
        text_in(inner, "finishReason"),
        text_in(body, "stop_reason") or text_in(body, "stopReason"),
        text_in(body, "finish_reason"),
    )
    reason = next(filter(None, reasons), None)
    usages = (usage_of(body.get(name)) for name in ("usage", "usage_metadata", "usageMetadata"))
    usage = next(filter(None, usages), None)
    found = with_usage(reply, usage)
    if found and reason and not found[-1].said.finish_reason:
        found[-1] = replace(found[-1], said=replace(found[-1].said, finish_reason=reason))
    return found

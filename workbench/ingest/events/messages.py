"""Messages of every chat dialect, read one by one into one shape.

Span exports carry the messages of whatever library made the call, so a dialect is recognised by
message, never by file: OpenAI chat and Responses, Anthropic blocks, LangChain in its encodings,
the parts of OpenTelemetry and of Gemini.

Source:
    formats page 2.3; the message schemas of each library there.
"""

from __future__ import annotations

import dataclasses
import re
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from workbench.casefile.place import describe, step_key
from workbench.ingest.events.content import REASONING, read_content, read_result
from workbench.ingest.events.error_text import error_from
from workbench.ingest.events.transcript import Answered, Asked, Said
from workbench.ingest.events.usage import usage_of
from workbench.ingest.records.shapes import as_map, map_in, text_in
from workbench.model.jsonvalue import ABSENT, parse_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = [
    "Message",
    "Role",
    "is_item",
    "is_turn",
    "one_reply_each",
    "read_message",
    "read_messages",
]


class Role(StrEnum):
    """Whose message it is."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Message(Struct, frozen=True, kw_only=True):
    """One message; a result is a message of its own, wherever the dialect puts it."""

    role: Role
    said: Said
    asked: tuple[Asked, ...] = ()
    answered: Answered | None = None


_ROLES: Final[dict[str, Role]] = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "ai": Role.ASSISTANT,
    "model": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
    "chat": Role.USER,
    "generic": Role.USER,
    "remove": Role.USER,
}
_LANGCHAIN: Final = re.compile(r"(System|Human|AI|Tool|Function|Chat|Remove)Message(?:Chunk)?")
_CALLS: Final = frozenset(
    {
        "function_call",
        "custom_tool_call",
        "tool_call",
        "tool_use",
        "server_tool_use",
        "mcp_tool_use",
        "server_tool_call",
        "mcp_call",
        "program",
    }
)
_ITEMS: Final = frozenset(
    {
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "reasoning",
        "mcp_call",
        "mcp_list_tools",
        "mcp_approval_request",
        "mcp_approval_response",
        "web_search_call",
        "file_search_call",
        "computer_call",
        "computer_call_output",
        "code_interpreter_call",
        "image_generation_call",
        "local_shell_call",
        "local_shell_call_output",
        "item_reference",
    }
)
"""Items of OpenAI Responses that stand beside messages."""
_RESULTS: Final = re.compile(r".*(?:_output|tool_result|function_result|tool_call_response)")
_ARGUMENTS: Final = ("arguments", "args", "input", "code", "action", "queries")
_BLOCKS: Final = ("parts", "contents")
"""Where OpenTelemetry and Gemini, and agent-framework, keep a message's parts."""
_WRAPPED: Final = {
    "toolUse": "tool_call",
    "toolResult": "tool_result",
    "functionCall": "tool_call",
    "function_call": "tool_call",
    "functionResponse": "tool_result",
    "function_response": "tool_result",
}
"""Keys of Bedrock and Gemini that say what a part is."""
_REASONS: Final = ("finish_reason", "stop_reason")
_ANSWERS: Final = ("content", "output", "response", "result")
_RESULT_IDS: Final = ("tool_call_id", "call_id", "tool_use_id", "toolUseId", "id")


def is_item(item: Json) -> bool:
    """Whether a mapping is an item of OpenAI Responses that stands beside messages."""
    return text_in(item, "type") in _ITEMS and "role" not in map_in(item)


def is_turn(item: Json) -> bool:
    """Whether a mapping can only be one message or item of a conversation."""
    if not isinstance(item, dict):
        return False
    kind = text_in(item, "type") or ""
    if kind == "constructor":
        return _unwrapped(item, "")[2] in _ROLES
    if kind.lower() in _ROLES or _LANGCHAIN.fullmatch(kind):
        return "content" in map_in(item, "data") or "content" in item
    return "role" in item or kind in _ITEMS


def read_messages(value: Json, *, key: str, origin: Origin) -> list[Message]:
    """Read a list of messages, or of lists of them; items of one reply are put together.

    Raises:
        TraceFormatError: an item is no message.
    """
    if not isinstance(value, list):
        raise origin.error(key, f"is {describe(value)}; expected a list of messages")
    found: list[Message] = []
    for at, item in enumerate(value):
        place = step_key(key, at)
        if isinstance(item, list):
            found.extend(read_messages(item, key=place, origin=origin))
        else:
            found.extend(read_message(as_map(item, key=place, origin=origin), place, origin))
    return one_reply_each(found)


def one_reply_each(messages: Sequence[Message]) -> list[Message]:
    """Join items that one reply consists of: a text and the calls behind it."""
    joined: list[Message] = []
    for message in messages:
        last = joined[-1] if joined else None
        if last is not None and _are_one_reply(last, message):
            said = replace(
                last.said,
                text=last.said.text or message.said.text,
                dropped=last.said.dropped + message.said.dropped,
                usage=last.said.usage or message.said.usage,
                finish_reason=message.said.finish_reason or last.said.finish_reason,
            )
            joined[-1] = replace(last, said=said, asked=(*last.asked, *message.asked))
            continue
        joined.append(message)
    return joined


def _are_one_reply(last: Message, message: Message) -> bool:
    return last.role is message.role is Role.ASSISTANT and not (
        last.said.text and message.said.text
    )


def read_message(item: JsonMap, ref: str, origin: Origin) -> Iterator[Message]:
    """Read one item of a conversation.

    Raises:
        TraceFormatError: it is no message of any dialect.
    """
    body, ref, kind = _unwrapped(item, ref)
    role = _ROLES.get(text_in(body, "role") or "") or _ROLES.get(kind or "")
    name = next((name for name in _BLOCKS if isinstance(body.get(name), list)), None)
    if role is None:
        yield from _read_item(body, ref, kind, origin)
    elif role is Role.TOOL and name is None:
        yield _result_message(ref, body, origin)
    else:
        yield from _read_blocks(role, ref, body, name or "content", origin)


def _unwrapped(item: JsonMap, ref: str) -> tuple[JsonMap, str, str | None]:
    """Take the encodings of LangChain and of events off a message; return its kind too."""
    kind = text_in(item, "type")
    if kind == "constructor" and isinstance(item.get("kwargs"), dict):
        names = item.get("id")
        name = names[-1] if isinstance(names, list) and names else None
        found = _LANGCHAIN.fullmatch(name) if isinstance(name, str) else None
        kwargs = map_in(item, "kwargs")
        own = text_in(kwargs, "type") if found is None else found[1].lower()
        return kwargs, step_key(ref, "kwargs"), own
    if kind is not None and isinstance(item.get("data"), dict):
        return map_in(item, "data"), step_key(ref, "data"), kind.lower()
    if isinstance(item.get("message"), dict) and "content" not in item:
        return map_in(item, "message"), step_key(ref, "message"), None
    found = _LANGCHAIN.fullmatch(kind or "")
    return item, ref, kind if found is None else found[1].lower()


def _read_item(item: JsonMap, ref: str, kind: str | None, origin: Origin) -> Iterator[Message]:
    """Read an item that stands beside messages: a call, its result, reasoning."""
    if kind is not None and _RESULTS.fullmatch(kind):
        yield _result_message(ref, item, origin)
    elif kind in _CALLS or _is_hosted(kind) or (kind is None and "function" in item):
        call = read_call(item, ref, origin)
        yield Message(role=Role.ASSISTANT, said=Said(ref=ref), asked=(call,))
        if item.get("output") is not None or item.get("error"):  # the provider ran it
            yield _result_message(ref, item, origin)
    elif kind == "message" or kind in REASONING:
        return
    elif kind is not None:
        yield Message(role=Role.ASSISTANT, said=Said(ref=ref, dropped=1))
    else:
        raise origin.error(
            step_key(ref, "role"), f"is {describe(item.get('role'))}; expected a message's role"
        )


def _is_hosted(kind: str | None) -> bool:
    """Whether an item is a call of a tool that OpenAI itself runs: `web_search_call`, ..."""
    return kind is not None and kind.endswith("_call") and kind not in _CALLS


def _read_blocks(
    role: Role, ref: str, message: JsonMap, name: str, origin: Origin
) -> Iterator[Message]:
    """Read a message's parts in order; results stand alone, texts between them together."""
    content = message.get(name)
    key = step_key(ref, name)
    if not isinstance(content, list):
        yield _plain(role, ref, message, content, origin)
        return
    rest: list[Json] = []
    calls: list[Asked] = []
    for at, part in enumerate(content):
        place = step_key(key, at)
        part, place, kind = _part(part, place)  # noqa: PLW2901  the part without its wrapping
        if kind is not None and _RESULTS.fullmatch(kind):
            if rest or calls:
                yield _segment(role, ref, rest, calls, origin=origin)
                rest, calls = [], []
            yield _result_message(place, as_map(part, key=place, origin=origin), origin)
        elif kind in _CALLS:
            calls.append(read_call(as_map(part, key=place, origin=origin), place, origin))
        else:
            rest.append(part)
    extra = _listed_calls(message, ref, origin, known={call.id for call in calls if call.id})
    if rest or calls or extra or not content:
        yield _segment(role, ref, rest, [*calls, *extra], origin=origin, message=message)


def _part(part: Json, ref: str) -> tuple[Json, str, str | None]:
    """Return a part, its place and its type; Gemini and Bedrock name the type by the key."""
    if not isinstance(part, dict):
        return part, ref, None
    for name in () if _WRAPPED.keys().isdisjoint(part) else _WRAPPED:
        if isinstance(part.get(name), dict):
            return part[name], step_key(ref, name), _WRAPPED[name]
    if isinstance(part.get("text"), str) and "type" not in part:
        kind = "thinking" if part.get("thought") is True else "text"
        return {"type": kind, "text": part["text"]}, ref, kind
    if "type" not in part:
        return {**part, "type": "other"}, ref, "other"
    return part, ref, text_in(part, "type")


def _plain(role: Role, ref: str, message: JsonMap, content: Json, origin: Origin) -> Message:
    if content is not None and not isinstance(content, str | dict):
        raise origin.error(
            step_key(ref, "content"), f"is {describe(content)}; expected a text, parts or null"
        )
    calls = _listed_calls(message, ref, origin, known=set())
    parts = [] if content is None else [content]
    return _segment(role, ref, parts, calls, origin=origin, message=message)


def _segment(
    role: Role,
    ref: str,
    parts: Sequence[Json],
    calls: Sequence[Asked],
    *,
    origin: Origin,
    message: JsonMap | None = None,
) -> Message:
    body = {} if message is None else message
    if role is Role.TOOL:
        return _result_message(ref, {**body, "content": list(parts)}, origin)
    shown = [part for part in parts if text_in(part, "type") not in REASONING]
    content = read_content(list(shown), key=ref, origin=origin)
    said = Said(
        ref=ref,
        text=content.text or text_in(body, "refusal") or None,
        dropped=content.dropped,
        actor=text_in(body, "name") if role is Role.USER else None,
        finish_reason=next(filter(None, (text_in(body, key) for key in _REASONS)), None),
        usage=usage_of(body.get("usage_metadata")) or usage_of(body.get("usage")),
    )
    return Message(role=role, said=said, asked=tuple(calls))


def _listed_calls(message: JsonMap, ref: str, origin: Origin, *, known: set[str]) -> list[Asked]:
    """Read the calls that stand beside the content, also those that LangChain could not parse."""
    found: list[Asked] = []
    sources = ["tool_calls", "invalid_tool_calls", "additional_kwargs.tool_calls"]
    for path in sources[: 2 if message.get("tool_calls") else 3]:
        outer, _, name = path.rpartition(".")
        listing = (map_in(message, outer) if outer else message).get(name)
        key = step_key(step_key(ref, outer) if outer else ref, name)
        for at, call in enumerate(listing if isinstance(listing, list) else ()):
            place = step_key(key, at)
            read = read_call(as_map(call, key=place, origin=origin), place, origin)
            if read.id is None or read.id not in known:
                found.append(read)
                known.update([read.id] if read.id else [])
    if isinstance(message.get("function_call"), dict):  # the form of 2023
        found.append(read_call(map_in(message, "function_call"), f"{ref}.function_call", origin))
    return found


def read_call(call: JsonMap, ref: str, origin: Origin) -> Asked:
    """Read a call in any dialect's form.

    Raises:
        TraceFormatError: it names no tool.
    """
    bodies = (map_in(call, name) for name in ("function", "custom"))
    body = next(filter(None, bodies), call)
    kind = text_in(call, "type") or ""
    hosted = kind.removesuffix("_call") if _is_hosted(kind) or "code" in call else None
    name = text_in(body, "name") or hosted
    if not name:
        found = describe(body.get("name"))
        raise origin.error(step_key(ref, "name"), f"is {found}; expected a tool's name")
    value = next((body[key] for key in _ARGUMENTS if body.get(key) is not None), None)
    given = (text_in(call, key) for key in ("call_id", "id", "toolUseId"))
    return Asked(
        ref=ref,
        id=next(filter(None, given), None) or text_in(body, "id"),
        tool=name,
        text=value if isinstance(value, str) else None,
        value=ABSENT if value is None or isinstance(value, str) else value,
    )


def _result_message(ref: str, item: JsonMap, origin: Origin) -> Message:
    name = next((key for key in _ANSWERS if item.get(key) is not None), None)
    given = None if name is None else item[name]
    if isinstance(given, str) and given.startswith('{"type": "function_result"'):
        given = map_in(parse_text(given).value).get("result", given)  # agent-framework's wrapping
    content = read_result(given, key=step_key(ref, name or "content"), origin=origin)
    ids = (text_in(item, key) for key in _RESULT_IDS)
    exception = text_in(item, "exception")
    marks = (item.get("is_error") is True, item.get("status") == "error", item.get("error"))
    error = error_from(text_in(item, "error") or content.text)
    answered = Answered(
        ref=ref,
        id=next(filter(None, ids), None),
        tool=text_in(item, "name"),
        text=content.text,
        value=content.value,
        error=dataclasses.replace(error, type=exception or error.type)
        if exception or any(marks)
        else None,
        dropped=content.dropped,
    )
    return Message(role=Role.TOOL, said=Said(ref=ref), answered=answered)

"""How the two chat formats are told apart: both are lists of messages with roles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.ingest.events.wrapped import unwrap
from workbench.ingest.records.shapes import map_in, text_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.ingest.events.wrapped import Wrapped
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["chat_id", "is_anthropic", "is_openai", "is_surely_anthropic", "is_surely_openai"]

_ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_MESSAGE_KEYS: Final = frozenset({"content", "tool_calls", "function_call", "refusal"})
_TWO_ROLES: Final = frozenset({"user", "assistant"})
_OPENAI_ROLES: Final = frozenset({"system", "developer", "tool", "function"})
_OPENAI_KEYS: Final = frozenset({"tool_calls", "function_call", "refusal", "tool_call_id"})
_OPENAI_PARTS: Final = frozenset({"image_url", "input_audio", "refusal"})
_ANTHROPIC_PARTS: Final = frozenset(
    {"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use"}
)


def _chat(record: Json) -> tuple[Wrapped, list[JsonMap]] | None:
    """Return the parts of a chat record and its messages; None when it is none."""
    chat = unwrap(record)
    messages = chat.messages
    if not isinstance(messages, list) or not messages:
        return None
    if isinstance(record, dict) and record.get("messages") is messages and "type" in record:
        return None  # an entry of an event log that quotes a conversation
    maps: list[JsonMap] = []
    for message in messages:
        if not isinstance(message, dict) or not _is_message(message):
            return None
        maps.append(message)
    return chat, maps


def _is_message(message: JsonMap) -> bool:
    return text_in(message, "role") in _ROLES and not _MESSAGE_KEYS.isdisjoint(message)


def _have_parts(messages: Sequence[JsonMap], kinds: frozenset[str]) -> bool:
    """Whether a message has a part of one of these types."""
    return any(
        text_in(part, "type") in kinds
        for message in messages
        if isinstance(content := message.get("content"), list)
        for part in content
    )


def _are_of_two(messages: Sequence[JsonMap]) -> bool:
    """Whether nobody speaks but the user and the assistant."""
    return all(message["role"] in _TWO_ROLES for message in messages)


def _tools(chat: Wrapped) -> Sequence[Json]:
    tools = chat.request.get("tools")
    return tools if isinstance(tools, list) else ()


def is_openai(record: Json) -> bool:
    """Whether a record may be a chat in the form of OpenAI."""
    found = _chat(record)
    return found is not None and not _have_parts(found[1], _ANTHROPIC_PARTS)


def is_surely_openai(record: Json) -> bool:
    """Whether a record shows a mark that only this form has."""
    found = _chat(record)
    if found is None:
        return False
    chat, messages = found
    return (
        any(
            message["role"] in _OPENAI_ROLES or not _OPENAI_KEYS.isdisjoint(message)
            for message in messages
        )
        or _have_parts(messages, _OPENAI_PARTS)
        or isinstance(chat.response.get("choices"), list)
        or any(map_in(tool, "function") for tool in _tools(chat))
    )


def is_anthropic(record: Json) -> bool:
    """Whether a record may be a chat in the form of Anthropic."""
    found = _chat(record)
    return found is not None and _are_of_two(found[1])


def is_surely_anthropic(record: Json) -> bool:
    """Whether a record shows a mark that only this form has."""
    found = _chat(record)
    if found is None or not _are_of_two(found[1]):
        return False
    chat, messages = found
    return (
        _have_parts(messages, _ANTHROPIC_PARTS)
        or isinstance(chat.request.get("system"), str | list)
        or isinstance(chat.response.get("content"), list)
        or any("input_schema" in map_in(tool) for tool in _tools(chat))
    )


def chat_id(record: Json) -> Json:
    """Return the chat's own id."""
    return unwrap(record).own_id

"""How the two chat formats are told apart: both are lists of messages with roles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.ingest.events.wrapped import unwrap
from workbench.ingest.records.shapes import map_in, text_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.model.jsonvalue import Json

__all__ = ["chat_id", "is_anthropic", "is_openai", "is_surely_anthropic", "is_surely_openai"]

_ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_MESSAGE_KEYS: Final = frozenset({"content", "tool_calls", "function_call", "refusal"})
_OPENAI_ROLES: Final = frozenset({"system", "developer", "tool", "function"})
_OPENAI_KEYS: Final = frozenset({"tool_calls", "function_call", "refusal", "tool_call_id"})
_OPENAI_PARTS: Final = frozenset({"image_url", "input_audio", "refusal"})
_ANTHROPIC_PARTS: Final = frozenset(
    {"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use"}
)


def _chat_messages(record: Json) -> list[dict[str, Json]] | None:
    """Return the messages of a chat record; None when it is none."""
    messages = unwrap(record).messages
    if not isinstance(messages, list) or not messages:
        return None
    if isinstance(record, dict) and record.get("messages") is messages and "type" in record:
        return None  # an entry of an event log that quotes a conversation
    maps = [message for message in messages if isinstance(message, dict)]
    if len(maps) != len(messages):
        return None
    known = all(text_in(m, "role") in _ROLES and _MESSAGE_KEYS & m.keys() for m in maps)
    return maps if known else None


def _part_types(messages: Sequence[dict[str, Json]]) -> set[str]:
    parts = (
        part
        for message in messages
        if isinstance(content := message.get("content"), list)
        for part in content
    )
    return {kind for part in parts if (kind := text_in(part, "type")) is not None}


def is_openai(record: Json) -> bool:
    """Whether a record may be a chat in the form of OpenAI."""
    messages = _chat_messages(record)
    return messages is not None and not _part_types(messages) & _ANTHROPIC_PARTS


def is_surely_openai(record: Json) -> bool:
    """Whether a record shows a mark that only this form has."""
    messages = _chat_messages(record)
    if messages is None:
        return False
    chat = unwrap(record)
    tools = chat.request.get("tools")
    return (
        any(
            message["role"] in _OPENAI_ROLES or _OPENAI_KEYS & message.keys()
            for message in messages
        )
        or bool(_part_types(messages) & _OPENAI_PARTS)
        or isinstance(chat.response.get("choices"), list)
        or (isinstance(tools, list) and any(map_in(tool, "function") for tool in tools))
    )


def is_anthropic(record: Json) -> bool:
    """Whether a record may be a chat in the form of Anthropic."""
    messages = _chat_messages(record)
    return messages is not None and all(m["role"] in ("user", "assistant") for m in messages)


def is_surely_anthropic(record: Json) -> bool:
    """Whether a record shows a mark that only this form has."""
    messages = _chat_messages(record)
    if messages is None or not is_anthropic(record):
        return False
    chat = unwrap(record)
    tools = chat.request.get("tools")
    return (
        bool(_part_types(messages) & _ANTHROPIC_PARTS)
        or isinstance(chat.request.get("system"), str | list)
        or isinstance(chat.response.get("content"), list)
        or (isinstance(tools, list) and any("input_schema" in map_in(tool) for tool in tools))
    )


def chat_id(record: Json) -> Json:
    """Return the chat's own id."""
    return unwrap(record).own_id

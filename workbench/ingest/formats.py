"""The table of formats, and how a record is recognised.

A record is recognised by its shape, never by its file's name. Two chat formats can look alike;
then the file's other records decide, and when they cannot either, the reader asks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from workbench.casefile.place import nearest
from workbench.errors import InputError
from workbench.ingest.agentdojo import read_agentdojo
from workbench.ingest.anthropic_messages import read_anthropic_messages
from workbench.ingest.native import read_native
from workbench.ingest.openai_chat import read_openai_chat
from workbench.ingest.shapes import map_in, text_in
from workbench.ingest.tau import read_tau2_bench, read_tau_bench
from workbench.ingest.wrapped import unwrap
from workbench.model.trace import Losses, Trace

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json

__all__ = ["AUTO", "FORMATS", "Format", "candidates", "checked_format"]

AUTO: Final = "auto"

Importer: TypeAlias = Callable[..., tuple[Trace, Losses]]
"""`(record: Json, *, place: Origin, tools: Sequence[Tool]) -> (Trace, Losses)`."""

_ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_MESSAGE_KEYS: Final = frozenset({"content", "tool_calls", "function_call", "refusal"})
_OPENAI_ROLES: Final = frozenset({"system", "developer", "tool", "function"})
_OPENAI_KEYS: Final = frozenset({"tool_calls", "function_call", "refusal", "tool_call_id"})
_OPENAI_PARTS: Final = frozenset({"image_url", "input_audio", "refusal"})
_ANTHROPIC_PARTS: Final = frozenset(
    {"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format."""

    name: str
    recognises: Callable[[Json], bool]
    """Whether a record may be one of this format."""
    owns: Callable[[Json], bool]
    """Whether it is surely of this format: it shows a mark that only this format has."""
    own_id: Callable[[Json], Json]
    """The source's own id of a record; None: it has none."""
    read: Importer
    located: bool = True
    """Whether `source_ref` points into this record; ours keeps that of the first recorder."""


def _is_native(record: Json) -> bool:
    return (text_in(record, "schema") or "").startswith("trace/")


def _is_tau(record: Json) -> bool:
    return isinstance(record, dict) and isinstance(record.get("traj"), list) and "reward" in record


def _is_tau2(record: Json) -> bool:
    return (
        isinstance(record, dict)
        and isinstance(record.get("messages"), list)
        and "task_id" in record
        and ("reward_info" in record or "termination_reason" in record)
    )


def _is_agentdojo(record: Json) -> bool:
    run = map_in(record, "data") or map_in(record)
    return (
        isinstance(run.get("messages"), list)
        and "suite_name" in run
        and ("pipeline_name" in run or "user_task_id" in run)
    )


def _is_benchmark(record: Json) -> bool:
    return any(is_one(record) for is_one in (_is_native, _is_tau, _is_tau2, _is_agentdojo))


def _chat_messages(record: Json) -> list[dict[str, Json]] | None:
    """Return the messages of a chat record; None when it is none."""
    messages = unwrap(record).messages
    if not isinstance(messages, list) or not messages or _is_benchmark(record):
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


def _is_openai(record: Json) -> bool:
    messages = _chat_messages(record)
    return messages is not None and not _part_types(messages) & _ANTHROPIC_PARTS


def _is_surely_openai(record: Json) -> bool:
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


def _is_anthropic(record: Json) -> bool:
    messages = _chat_messages(record)
    return messages is not None and all(m["role"] in ("user", "assistant") for m in messages)


def _is_surely_anthropic(record: Json) -> bool:
    messages = _chat_messages(record)
    if messages is None or not _is_anthropic(record):
        return False
    chat = unwrap(record)
    tools = chat.request.get("tools")
    return (
        bool(_part_types(messages) & _ANTHROPIC_PARTS)
        or isinstance(chat.request.get("system"), str | list)
        or isinstance(chat.response.get("content"), list)
        or (isinstance(tools, list) and any("input_schema" in map_in(tool) for tool in tools))
    )


def _chat_id(record: Json) -> Json:
    return unwrap(record).own_id


def _no_id(_: Json) -> Json:
    return None


FORMATS: Final[dict[str, Format]] = {
    entry.name: entry
    for entry in (
        Format(
            name="trace1",
            recognises=_is_native,
            owns=_is_native,
            own_id=lambda record: text_in(record, "run_id"),
            read=read_native,
            located=False,
        ),
        Format(
            name="openai_chat",
            recognises=_is_openai,
            owns=_is_surely_openai,
            own_id=_chat_id,
            read=read_openai_chat,
        ),
        Format(
            name="anthropic_messages",
            recognises=_is_anthropic,
            owns=_is_surely_anthropic,
            own_id=_chat_id,
            read=read_anthropic_messages,
        ),
        Format(
            name="tau_bench",
            recognises=_is_tau,
            owns=_is_tau,
            own_id=_no_id,
            read=read_tau_bench,
        ),
        Format(
            name="tau2_bench",
            recognises=_is_tau2,
            owns=_is_tau2,
            own_id=lambda record: text_in(record, "id"),
            read=read_tau2_bench,
        ),
        Format(
            name="agentdojo",
            recognises=_is_agentdojo,
            owns=_is_agentdojo,
            own_id=lambda record: text_in(record, "source_path"),
            read=read_agentdojo,
        ),
    )
}
"""Format by name, in the order in which they are shown."""


def checked_format(name: str) -> str:
    """Return `name` if it is `auto` or a format.

    Raises:
        InputError: it is neither.
    """
    known = (AUTO, *FORMATS)
    if name in known:
        return name
    near = nearest(name, known)
    raise InputError(
        f"{name!r} is no format; expected one of {', '.join(known)}",
        key="--format",
        fix=None if near is None else f"--format {near}",
    )


def candidates(record: Json) -> tuple[str, ...]:
    """Return the formats that `record` may have: those that own it, else those that could."""
    sure = tuple(name for name, entry in FORMATS.items() if entry.owns(record))
    return sure or tuple(name for name, entry in FORMATS.items() if entry.recognises(record))

"""Small invented records in each format, and ways to read and write them."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

from workbench.ingest.events.losses import marked_losses
from workbench.ingest.events.masks import marks_of
from workbench.ingest.formats import FORMATS
from workbench.ingest.reader import read_source
from workbench.ingest.records.origin import Origin
from workbench.model.trace import Losses

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.event import Event
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Imported, Tool, Trace

__all__ = [
    "a_tau2_run",
    "a_tau_run",
    "an_agentdojo_run",
    "an_anthropic_chat",
    "an_openai_call",
    "an_openai_chat",
    "dumped",
    "events_of",
    "kinds",
    "lost",
    "read",
    "read_as",
    "write_file",
    "write_lines",
]


def an_openai_call(given: str | None, name: str, arguments: Json) -> JsonMap:
    """One entry of `tool_calls`."""
    return {"id": given, "type": "function", "function": {"name": name, "arguments": arguments}}


def an_openai_chat() -> list[Json]:
    """System, user, one call, its result, the answer."""
    return [
        {"role": "system", "content": "You are a billing agent."},
        {"role": "user", "content": "Pause my plan."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [an_openai_call("c1", "billing.pause", '{"account": "AC-1"}')],
        },
        {"role": "tool", "tool_call_id": "c1", "content": '{"ok": true}'},
        {"role": "assistant", "content": "Your plan is paused."},
    ]


def an_anthropic_chat() -> JsonMap:
    """The same, in blocks."""
    return {
        "system": "You are a billing agent.",
        "messages": [
            {"role": "user", "content": "Pause my plan."},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "which account?"},
                    {"type": "text", "text": "One moment."},
                    {
                        "type": "tool_use",
                        "id": "t1",
                        "name": "billing.pause",
                        "input": {"account": "AC-1"},
                    },
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "t1",
                        "is_error": True,
                        "content": "504 after 30 s",
                    }
                ],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "It may have failed."}]},
        ],
    }


def a_tau_run(*, reward: float | None = 0.0, messages: list[Json] | None = None) -> JsonMap:
    """One line of a tau-bench file."""
    traj = an_openai_chat() if messages is None else messages
    return {"task_id": 7, "reward": reward, "info": {}, "traj": traj, "trial": 1}


def a_tau2_run(**changes: Json) -> JsonMap:
    """One simulation: greeting, user, a call of the user, a call of the agent, the answer."""
    run: JsonMap = {
        "id": "sim-1",
        "task_id": "3",
        "trial": 0,
        "termination_reason": "user_stop",
        "reward_info": {"reward": 1.0},
        "messages": [
            {"role": "assistant", "content": "Hi! How can I help?"},
            {
                "role": "user",
                "content": "No data.",
                "timestamp": "2025-08-01T16:20:44.336209",
            },
            {
                "role": "user",
                "content": None,
                "tool_calls": [
                    {"id": "u1", "name": "toggle_data", "arguments": {}, "requestor": "user"}
                ],
            },
            {"role": "tool", "id": "u1", "content": "on", "requestor": "user", "error": False},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "a1", "name": "get_line", "arguments": {"n": 1}, "requestor": "x"}
                ],
                "usage": {"prompt_tokens": 10, "completion_tokens": 2},
                "raw_data": {
                    "finish_reason": "tool_calls",
                    "message": {
                        "tool_calls": [
                            {"id": "a1", "function": {"name": "get_line", "arguments": '{"n":  1}'}}
                        ]
                    },
                },
            },
            {"role": "tool", "id": "a1", "content": "Error: no line", "error": True},
            {"role": "assistant", "content": "Fixed."},
        ],
    }
    return {**run, **changes}


def an_agentdojo_run(**changes: Json) -> JsonMap:
    """A run whose calls have no ids and whose second result is an error."""
    run: JsonMap = {
        "suite_name": "banking",
        "pipeline_name": "model-x",
        "user_task_id": "user_task_1",
        "injection_task_id": "injection_task_2",
        "attack_type": "important_instructions",
        "utility": True,
        "security": False,
        "error": None,
        "messages": [
            {"role": "system", "content": [{"type": "text", "content": "You are a bank agent."}]},
            {"role": "user", "content": "Pay the bill."},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"function": "read_file", "args": {"path": "a"}, "id": None},
                    {"function": "read_file", "args": {"path": "b"}, "id": ""},
                ],
            },
            {
                "role": "tool",
                "tool_call": {"function": "read_file", "args": {"path": "b"}, "id": None},
                "tool_call_id": None,
                "content": "bill b",
                "error": None,
            },
            {
                "role": "tool",
                "tool_call": {"function": "read_file", "args": {"path": "a"}, "id": None},
                "tool_call_id": None,
                "content": "",
                "error": "ValueError: no such file",
            },
            {"role": "assistant", "content": "Paid."},
        ],
    }
    return {**run, **changes}


def dumped(value: Json) -> bytes:
    """JSON text as a recorder would write it, with spaces."""
    return json.dumps(value, ensure_ascii=False).encode()


def write_file(path: Path, data: bytes, *, packed: bool = False) -> Path:
    """Write a source file, plain or gzip."""
    path.write_bytes(gzip.compress(data, mtime=0) if packed else data)
    return path


def write_lines(path: Path, *records: Json | bytes) -> Path:
    """Write JSON Lines; bytes are taken as they are."""
    lines = (item if isinstance(item, bytes) else dumped(item) for item in records)
    return write_file(path, b"\n".join(lines) + b"\n")


def read(path: Path, **options: object) -> list[Imported]:
    """Read a file whole."""
    return list(read_source(path, **options))  # type: ignore[arg-type]


def read_as(name: str, record: Json, *, tools: tuple[Tool, ...] = ()) -> tuple[Trace, Losses]:
    """Hand a record straight to an importer; what marks in its text show is reported too."""
    raw = dumped(record)
    place = Origin(format=name, raw=raw, file="runs.jsonl", place="line 4")
    trace, losses = FORMATS[name].read(record, place=place, tools=tools)
    shown = marked_losses(marks_of(raw), trace)
    return trace, Losses(items=(*losses.items, *shown))


def events_of(trace: Trace, kind: str) -> list[Event]:
    """Return the events of one kind."""
    return [event for event in trace.events if event.kind == kind]


def kinds(trace: Trace) -> list[str]:
    """Return the kinds of the events in order."""
    return [event.kind for event in trace.events]


def lost(losses: Losses) -> dict[str, int]:
    """Return what was lost and how often."""
    return {loss.kind: loss.count for loss in losses.items}

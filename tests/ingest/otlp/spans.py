"""Small invented spans in OTLP/JSON, and the run that they make."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.ingest.samples import write_file
from workbench.ingest.reader import read_source
from workbench.model.event import ToolCall, ToolResult

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Imported, Trace

__all__ = [
    "TRACE",
    "a_billing_run",
    "a_chat",
    "a_document",
    "a_log",
    "a_message",
    "a_span",
    "a_tool",
    "answer",
    "any_value",
    "attributes",
    "call",
    "calls",
    "imported",
    "results",
    "run_of",
    "text",
    "trace_of",
]

TRACE = "0af7651916cd43dd8448eb211c80319c"
_START_NS = 1_796_042_081_000_000_000


def any_value(value: Json) -> JsonMap:
    """Write a value as OTLP does."""
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case list():
            return {"arrayValue": {"values": [any_value(item) for item in value]}}
        case dict():
            return {"kvlistValue": {"values": attributes(value)}}
        case _:
            return {"stringValue": value}


def attributes(found: JsonMap) -> list[Json]:
    """Write attributes as OTLP does."""
    return [{"key": key, "value": any_value(value)} for key, value in found.items()]


def a_span(
    number: int,
    found: JsonMap,
    *,
    parent: int | None = None,
    start_ms: int = 0,
    end_ms: int | None = None,
    **changes: Json,
) -> JsonMap:
    """One span; its number makes its id."""
    end = start_ms + 5 if end_ms is None else end_ms
    return {
        "traceId": TRACE,
        "spanId": f"{number:016x}",
        **({} if parent is None else {"parentSpanId": f"{parent:016x}"}),
        "name": f"span {number}",
        "kind": 1,
        "startTimeUnixNano": str(_START_NS + start_ms * 1_000_000),
        "endTimeUnixNano": str(_START_NS + end * 1_000_000),
        "attributes": attributes(found),
        "status": {},
        **changes,
    }


def a_log(name: str, body: Json, *, span: int, at_ms: int = 0, **changes: Json) -> JsonMap:
    """One log record."""
    return {
        "traceId": TRACE,
        "spanId": f"{span:016x}",
        "timeUnixNano": str(_START_NS + at_ms * 1_000_000),
        "eventName": name,
        "body": any_value(body),
        "attributes": [],
        **changes,
    }


def a_message(role: str, *parts: JsonMap) -> JsonMap:
    """A message of the convention."""
    return {"role": role, "parts": list(parts)}


def text(content: str) -> JsonMap:
    """A part that is a text."""
    return {"type": "text", "content": content}


def call(given: str | None, tool: str, arguments: Json) -> JsonMap:
    """A part that is a call."""
    return {"type": "tool_call", "id": given, "name": tool, "arguments": arguments}


def answer(given: str | None, response: Json) -> JsonMap:
    """A part that is a result."""
    return {"type": "tool_call_response", "id": given, "response": response}


def a_chat(
    number: int,
    history: list[Json],
    reply: list[Json],
    *,
    more: JsonMap | None = None,
    start_ms: int = 0,
    end_ms: int | None = None,
) -> JsonMap:
    """A request to a model in the convention's names since 1.37."""
    found: JsonMap = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m-1",
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 2,
        "gen_ai.input.messages": json.dumps(history),
        "gen_ai.output.messages": json.dumps(reply),
        **(more or {}),
    }
    return a_span(number, found, parent=1, start_ms=start_ms, end_ms=end_ms)


def a_tool(
    number: int,
    tool: str,
    *,
    given: str | None = None,
    args: Json = None,
    result: Json = None,
    more: JsonMap | None = None,
    parent: int = 1,
    start_ms: int = 0,
    end_ms: int | None = None,
    **changes: Json,
) -> JsonMap:
    """An execution of a tool in the convention's names."""
    found: JsonMap = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool}
    for name, value in (("id", given), ("arguments", args), ("result", result)):
        if value is not None:
            found[f"gen_ai.tool.call.{name}"] = value
    span = a_span(
        number, {**found, **(more or {})}, parent=parent, start_ms=start_ms, end_ms=end_ms
    )
    return {**span, **changes}


def a_billing_run() -> list[JsonMap]:
    """A root, two requests, and the execution that the first asked for; as they began."""
    user = a_message("user", text("Pause my plan."))
    asked = a_message("assistant", call("c1", "pause", {"account": "AC-1"}))
    answered = a_message("tool", answer("c1", {"ok": True}))
    return [
        a_span(
            1, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "billing"}, end_ms=90
        ),
        a_chat(2, [user], [asked], start_ms=10, end_ms=20),
        a_tool(
            3,
            "pause",
            given="c1",
            args='{"account": "AC-1"}',
            result='{"ok":true}',
            start_ms=30,
            end_ms=42,
        ),
        a_chat(
            4,
            [user, asked, answered],
            [a_message("assistant", text("Paused."))],
            start_ms=50,
            end_ms=60,
        ),
    ]


def a_document(*spans: JsonMap, logs: tuple[JsonMap, ...] = (), scope: str = "demo") -> JsonMap:
    """An OTLP document."""
    resource: JsonMap = {
        "attributes": attributes({"service.name": "billing", "service.version": "7"})
    }
    document: JsonMap = {}
    if spans:
        scoped: JsonMap = {"scope": {"name": scope}, "spans": list(spans)}
        document["resourceSpans"] = [{"resource": resource, "scopeSpans": [scoped]}]
    if logs:
        kept: JsonMap = {"scope": {"name": scope}, "logRecords": list(logs)}
        document["resourceLogs"] = [{"resource": resource, "scopeLogs": [kept]}]
    return document


def imported(
    path: Path, *spans: JsonMap, logs: tuple[JsonMap, ...] = (), scope: str = "demo"
) -> list[Imported]:
    """Write a document and read it."""
    data = json.dumps(a_document(*spans, logs=logs, scope=scope)).encode()
    return list(read_source(write_file(path / "spans.json", data)))


def run_of(
    path: Path, *spans: JsonMap, logs: tuple[JsonMap, ...] = (), scope: str = "demo"
) -> Imported:
    """Read the one run of some spans."""
    (run,) = imported(path, *spans, logs=logs, scope=scope)
    return run


def trace_of(run: Imported) -> Trace:
    """Return the trace of a run that has one."""
    assert run.trace is not None, run.parse_error
    return run.trace


def calls(trace: Trace) -> list[tuple[str, str | None, str | None]]:
    """Return id, tool and exact arguments of each call."""
    return [
        (event.call_id, event.tool, event.args_raw)
        for event in trace.events
        if isinstance(event, ToolCall)
    ]


def results(trace: Trace) -> dict[str, str | None]:
    """Return the text of each call's result."""
    return {
        event.call_id: event.result_raw for event in trace.events if isinstance(event, ToolResult)
    }

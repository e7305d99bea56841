"""Small invented spans, messages and events, as the exports of tools and SDKs write them."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = [
    "a_call",
    "a_generation",
    "a_langsmith_run",
    "a_langsmith_trace",
    "a_managed_session",
    "a_span",
    "an_ai_message",
    "an_observation",
    "at_second",
    "constructor",
    "langchain_conversation",
    "streamed",
    "texts",
    "without",
]

TRACE = "01a22c76-7edf-7244-92f3-416216366bce"


def at_second(second: float) -> str:
    """A time in the minute of all these records."""
    return f"2026-03-01T10:00:{second:09.6f}+00:00"


def without(record: JsonMap, *names: str) -> JsonMap:
    """A record that lacks some keys."""
    return {key: value for key, value in record.items() if key not in names}


# --- LangChain ---------------------------------------------------------------


def a_call(given: str, name: str, args: Json) -> JsonMap:
    """One entry of LangChain's `tool_calls`."""
    return {"name": name, "args": args, "id": given, "type": "tool_call"}


def constructor(kind: str, /, **kwargs: Json) -> JsonMap:
    """A message as `dumpd` writes it."""
    path: list[Json] = ["langchain", "schema", "messages", kind]
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": kwargs}


def an_ai_message(text: str, *calls: JsonMap) -> JsonMap:
    """A reply with tokens."""
    return constructor(
        "AIMessage",
        content=text,
        type="ai",
        tool_calls=list(calls),
        invalid_tool_calls=[],
        usage_metadata={
            "input_tokens": 10,
            "output_tokens": 2,
            "input_token_details": {"cache_read": 4},
        },
    )


def langchain_conversation() -> list[Json]:
    """System, task, two calls at once, one that fails, the answer."""
    return [
        constructor("SystemMessage", content="You are a billing agent.", type="system"),
        constructor("HumanMessage", content="Pause AC-1.", type="human"),
        an_ai_message(
            "One moment.",
            a_call("c1", "find", {"account": "AC-1"}),
            a_call("c2", "pause", {"account": "AC-1"}),
        ),
        constructor(
            "ToolMessage", content='{"ok": true}', tool_call_id="c1", status="success", name="find"
        ),
        constructor(
            "ToolMessage",
            content="Error: TimeoutError('504')",
            tool_call_id="c2",
            status="error",
            name="pause",
        ),
        an_ai_message("Your plan is paused."),
    ]


# --- LangSmith ---------------------------------------------------------------


def a_langsmith_run(number: int, kind: str, start: float, end: float, /, **fields: Json) -> JsonMap:
    """One run below the root."""
    name = f"{TRACE[:-2]}{number:02d}"
    order = f"20260301T1000{start:09.6f}".replace(".", "")
    root = f"20260301T100000000000Z{TRACE}"
    return {
        "id": name,
        "trace_id": TRACE,
        "parent_run_id": TRACE,
        "dotted_order": f"{root}.{order}Z{name}",
        "run_type": kind,
        "name": kind,
        "start_time": at_second(start),
        "end_time": at_second(end),
        **fields,
    }


def a_langsmith_trace() -> list[Json]:
    """A root, two model runs and two tools, one of which failed; not in the order of time."""
    talk = langchain_conversation()
    root: JsonMap = {
        "id": TRACE,
        "trace_id": TRACE,
        "dotted_order": f"20260301T100000000000Z{TRACE}",
        "run_type": "chain",
        "name": "agent",
        "tags": ["prod", "eu"],
        "start_time": at_second(0),
        "end_time": at_second(9),
        "extra": {"metadata": {"thread_id": "thread-7", "prompt_version": "12"}},
        "status": "success",
        "feedback_stats": {"thumbs": {"avg": 0.0}},
    }
    models: list[Json] = [
        a_langsmith_run(
            number,
            "llm",
            start,
            start + 1,
            inputs={"messages": [talk[:seen]]},
            outputs={"generations": [[{"message": talk[seen], "text": ""}]]},
            extra={
                "metadata": {"ls_model_name": "model-x", "ls_temperature": 0.5},
                "invocation_params": {
                    "tools": [{"type": "function", "function": {"name": "find"}}],
                },
            },
        )
        for number, start, seen in ((1, 1.0, 2), (4, 6.0, 5))
    ]
    pause = a_langsmith_run(
        3,
        "tool",
        3.0,
        5.5,
        inputs={"account": "AC-1"},
        outputs={},
        error="TimeoutError('504')Traceback (most recent call last):\n  File \"x.py\"",
        extra={"tool_call_id": "c2"},
    )
    find = a_langsmith_run(
        2, "tool", 2.5, 3.5, inputs={"input": '{"account": "AC-1"}'}, outputs={"output": talk[3]}
    )
    pause["name"], find["name"] = "pause", "find"
    return [models[1], pause, root, find, models[0]]


# --- Langfuse ----------------------------------------------------------------


def an_observation(name: str, start: float, end: float, /, **fields: Json) -> JsonMap:
    """One observation; a SPAN unless its type is given."""
    return {
        "id": name,
        "type": "SPAN",
        "name": name,
        "parentObservationId": None,
        "startTime": at_second(start),
        "endTime": at_second(end),
        "level": "DEFAULT",
        "input": None,
        "output": None,
        **fields,
    }


def a_generation(name: str, start: float, sent: Json, given: Json, /, **fields: Json) -> JsonMap:
    """One model request of a second."""
    facts: JsonMap = {"type": "GENERATION", "input": sent, "output": given, "model": "model-x"}
    return an_observation(name, start, start + 1, **facts, **fields)


# --- Agents SDK --------------------------------------------------------------


def a_span(name: str, start: float, end: float, parent: str | None, /, **data: Json) -> JsonMap:
    """One span of the Agents SDK."""
    return {
        "object": "trace.span",
        "id": name,
        "trace_id": "trace_1",
        "parent_id": parent,
        "started_at": at_second(start),
        "ended_at": at_second(end),
        "span_data": data,
        "error": None,
    }


# --- managed agents ----------------------------------------------------------


def streamed(second: float, kind: str, /, **fields: Json) -> list[Json]:
    """A line of the recorder with an event of the stream."""
    event: JsonMap = {"id": f"sevt_{second}", "type": kind, "processed_at": at_second(second)}
    return ["client.beta.sessions.events.stream", {**event, **fields}]


def texts(text: str) -> list[Json]:
    """A content of one text."""
    return [{"type": "text", "text": text}]


def a_managed_session() -> list[Json]:
    """One call that policy allowed, one that a person denied, and the answer."""
    agent: JsonMap = {
        "id": "agent_1",
        "name": "Biller",
        "version": 3,
        "model": {"id": "model-x"},
        "system": "You are a billing agent.",
        "tools": [
            {"type": "agent_toolset_1"},
            {"type": "custom", "name": "pause", "input_schema": {"type": "object"}},
        ],
    }
    usage: JsonMap = {"input_tokens": 10, "output_tokens": 2, "cache_read_input_tokens": 4}
    session: JsonMap = {"type": "session", "id": "sesn_1", "agent": agent, "title": "Billing"}
    asked: JsonMap = {"type": "user.message", "content": texts("Pause AC-1.")}
    confirmed: JsonMap = {
        "type": "user.tool_confirmation",
        "tool_use_id": "u2",
        "result": "deny",
        "deny_message": "Not today.",
    }
    lines: list[Json] = [
        ["client.beta.sessions.create", session],
        ["client.beta.sessions.events.send", ["sesn_1", {"events": [asked]}]],
        streamed(1, "session.status_running"),
        streamed(2, "user.message", content=texts("Pause AC-1.")),
        streamed(3, "span.model_request_start"),
        streamed(4, "agent.message", content=texts("One moment.")),
        streamed(5, "agent.tool_use", name="find", input={"a": 1}, evaluated_permission="allow"),
        streamed(6, "agent.mcp_tool_use", name="pause", input={}, evaluated_permission="ask"),
        streamed(7, "span.model_request_end", model_usage=usage),
        streamed(8, "agent.tool_result", content=texts("found"), tool_use_id="u1", is_error=False),
        ["client.beta.sessions.events.send", ["sesn_1", {"events": [confirmed]}]],
        streamed(9, "user.tool_confirmation", **without(confirmed, "type")),
        streamed(
            10,
            "agent.mcp_tool_result",
            content=texts("Permission rejected: Not today."),
            mcp_tool_use_id="u2",
            is_error=True,
        ),
        streamed(11, "span.model_request_start"),
        streamed(12, "agent.thinking"),
        streamed(13, "agent.message", content=texts("I may not.")),
        streamed(14, "span.model_request_end", model_usage=usage),
        streamed(15, "session.status_idle", stop_reason={"type": "end_turn"}),
    ]
    named = copy.deepcopy(json.loads(json.dumps(lines)))
    named[6][1]["id"], named[7][1]["id"] = "u1", "u2"
    found: list[Json] = named
    return found

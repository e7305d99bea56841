"""What each library writes in words of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.ingest.otlp.spans import a_span, a_tool, calls, results, run_of, text, trace_of
from tests.ingest.samples import kinds, lost
from workbench.ingest.otlp.attributes import nested
from workbench.ingest.otlp.wire import attributes_in, field_in, id_in, integer_of
from workbench.model.event import Claim, ModelReply, ModelRequest, ToolResult, UserMessage
from workbench.model.trace import Grade

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Trace

FOUR = ["user_message", "model_request", "model_reply", "claim"]


def claims(trace: Trace) -> list[str]:
    """Return the texts that a person saw."""
    return [event.text for event in trace.events if isinstance(event, Claim)]


# --- OpenLLMetry ---------------------------------------------------------------------


def test_numbered_prompts_are_a_conversation(tmp_path: Path) -> None:
    """The first years: a name for each part of each message, in any order."""
    found: JsonMap = {
        "llm.request.type": "chat",
        "gen_ai.request.model": "m-1",
        "gen_ai.request.temperature": 0,
        "gen_ai.prompt.1.content": '[{"type": "text", "text": "Pause my plan."}]',
        "gen_ai.prompt.1.role": "user",
        "gen_ai.prompt.0.role": "system",
        "gen_ai.prompt.0.content": "You bill.",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.finish_reason": "tool_calls",
        "gen_ai.completion.0.tool_calls.0.id": "c1",
        "gen_ai.completion.0.tool_calls.0.name": "pause",
        "gen_ai.completion.0.tool_calls.0.arguments": "{}",
        "gen_ai.usage.prompt_tokens": 5,
        "llm.request.functions.0.name": "pause",
        "llm.request.functions.0.parameters": '{"type": "object"}',
        "traceloop.association.properties.session_id": "s-1",
    }

    trace = trace_of(run_of(tmp_path, a_span(2, found)))

    assert kinds(trace) == [
        "system_message",
        "user_message",
        "model_request",
        "model_reply",
        "tool_call",
    ]
    request = next(event for event in trace.events if isinstance(event, ModelRequest))
    assert request.settings == {"temperature": 0}
    assert request.offered_tools == ("pause",)
    assert trace.tools[0].schema == {"type": "object"}
    assert trace.session == "s-1"
    assert [e.text for e in trace.events if isinstance(e, UserMessage)] == ["Pause my plan."]


def test_decorated_tools_and_workflows_are_read(tmp_path: Path) -> None:
    """`@tool` keeps its arguments by name; a workflow keeps the answer."""
    spans = [
        a_span(
            1,
            {"traceloop.span.kind": "workflow", "traceloop.entity.output": '"Paused."'},
            end_ms=90,
        ),
        a_span(
            2,
            {
                "traceloop.span.kind": "tool",
                "traceloop.entity.name": "pause",
                "traceloop.entity.input": '{"args": [], "kwargs": {"account": "AC-1"}}',
                "traceloop.entity.output": '{"output": "done", "kwargs": {}}',
            },
            parent=1,
            start_ms=5,
        ),
        a_span(3, {"llm.request.type": "embedding"}, parent=1, start_ms=7),
    ]

    trace = trace_of(run_of(tmp_path, *spans))

    assert [(tool, args) for _, tool, args in calls(trace)] == [("pause", '{"account":"AC-1"}')]
    assert list(results(trace).values()) == ["done"]
    assert claims(trace) == ["Paused."]
    assert "model_request" not in kinds(trace)


# --- OpenInference -------------------------------------------------------------------


def an_oi_request(**more: Json) -> JsonMap:
    """A request to a model, as OpenInference writes it."""
    return {
        "openinference.span.kind": "LLM",
        "llm.model_name": "m-1",
        "llm.input_messages.1.message.role": "user",
        "llm.input_messages.1.message.contents.0.message_content.type": "text",
        "llm.input_messages.1.message.contents.0.message_content.text": "Pause my plan.",
        "llm.input_messages.1.message.contents.1.message_content.type": "image",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "Paused.",
        "llm.invocation_parameters": '{"temperature": 0, "model": "m-1"}',
        "llm.token_count.prompt": 4,
        "llm.token_count.prompt_details.cache_read": 3,
        "session.id": "s-1",
        **more,
    }


def test_openinference_messages_may_begin_at_one(tmp_path: Path) -> None:
    """Instructions stand elsewhere; an image is counted and not shown."""
    run = run_of(tmp_path, a_span(2, an_oi_request()))

    trace = trace_of(run)
    reply = next(event for event in trace.events if isinstance(event, ModelReply))
    request = next(event for event in trace.events if isinstance(event, ModelRequest))
    assert kinds(trace) == FOUR
    assert reply.usage is not None
    assert (reply.usage.input_tokens, reply.usage.cached_tokens) == (4, 3)
    assert request.settings == {"temperature": 0}
    assert lost(run.losses)["parts_dropped"] == 1
    assert trace.session == "s-1"


def test_a_call_in_the_form_of_2023_is_read(tmp_path: Path) -> None:
    """`function_call` stands beside `tool_calls` in the vocabulary."""
    base = "llm.output_messages.0.message"
    found = an_oi_request(
        **{f"{base}.function_call_name": "pause", f"{base}.function_call_arguments_json": "{}"}
    )

    assert [one[1:] for one in calls(trace_of(run_of(tmp_path, a_span(2, found))))] == [
        ("pause", "{}")
    ]


@pytest.mark.parametrize(
    "output",
    [
        '{"type": "tool", "data": {"content": "done", "tool_call_id": "c1", "type": "tool"}}',
        "done",
    ],
)
def test_a_tool_span_takes_id_and_arguments_from_around_it(tmp_path: Path, output: str) -> None:
    """LangGraph's tool has only the value of its one argument."""
    base = "llm.output_messages.0.message.tool_calls.0.tool_call"
    found = an_oi_request(
        **{
            f"{base}.id": "c1",
            f"{base}.function.name": "pause",
            f"{base}.function.arguments": '{"account": "AC-1"}',
        }
    )
    node: JsonMap = {
        "openinference.span.kind": "CHAIN",
        "input.value": '[{"name": "pause", "args": {"account": "AC-1"}, "id": "c1"}]',
    }
    tool: JsonMap = {
        "openinference.span.kind": "TOOL",
        "tool.name": "pause",
        "input.value": "AC-1",
        "output.value": output,
    }
    spans = [
        a_span(2, found),
        a_span(3, node, start_ms=10, end_ms=30),
        a_span(4, tool, parent=3, start_ms=11, end_ms=21),
        a_span(5, {"openinference.span.kind": "RETRIEVER"}, start_ms=40),
    ]

    trace = trace_of(run_of(tmp_path, *spans))

    assert calls(trace) == [("c1", "pause", '{"account": "AC-1"}')]
    assert results(trace) == {"c1": "done"}
    assert next(e for e in trace.events if isinstance(e, ToolResult)).latency_ms == 10


@pytest.mark.parametrize(
    ("output", "mime", "claimed"),
    [
        ('{"raw": "Paused.", "tasks_output": []}', "application/json", ["Paused."]),
        ("Paused.", None, ["Paused."]),
        ("cut {", "application/json", []),
        ('{"messages": []}', "application/json", []),
    ],
)
def test_an_agent_may_be_all_that_was_traced(
    tmp_path: Path, output: str, mime: str | None, claimed: list[str]
) -> None:
    """Task and answer remain; which calls there were is said to be unknown."""
    found: JsonMap = {
        "openinference.span.kind": "CHAIN",
        "crew_tasks": '[{"description": "Pause my plan."}]',
        "output.value": output,
        **({} if mime is None else {"output.mime_type": mime}),
    }

    run = run_of(tmp_path, a_span(1, found))

    assert claims(trace_of(run)) == claimed
    assert kinds(trace_of(run))[0] == "user_message"
    assert "calls_not_traced" in lost(run.losses)
    assert run.losses.grade is Grade.SKELETON


# --- pydantic-ai ---------------------------------------------------------------------


def test_version_one_keeps_a_list_of_events(tmp_path: Path) -> None:
    """Each names the event of the convention that it would be."""
    events: list[Json] = [
        {"event.name": "gen_ai.system.message", "role": "system", "content": "You bill."},
        {"event.name": "gen_ai.user.message", "role": "user", "content": "Pause my plan."},
        {
            "event.name": "gen_ai.choice",
            "index": 0,
            "message": {"role": "assistant", "content": "Paused."},
        },
    ]
    found: JsonMap = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m-1",
        "events": json.dumps(events),
    }

    trace = trace_of(run_of(tmp_path, a_span(2, found), scope="pydantic-ai"))

    assert kinds(trace) == ["system_message", *FOUR]


def test_older_names_of_tools_are_read(tmp_path: Path) -> None:
    """Before version 3 of its format."""
    found: JsonMap = {
        "gen_ai.tool.name": "pause",
        "gen_ai.tool.call.id": "c1",
        "tool_arguments": '{"a": 1}',
        "tool_response": "done",
    }

    trace = trace_of(run_of(tmp_path, a_span(2, found), scope="pydantic-ai"))

    assert calls(trace) == [("c1", "pause", '{"a": 1}')]
    assert results(trace) == {"c1": "done"}


def test_a_run_whose_requests_were_sampled_away_is_told_by_its_agent(tmp_path: Path) -> None:
    """The span around the agent repeats all that was said."""
    said: list[Json] = [
        {"role": "user", "parts": [text("Pause my plan.")]},
        {"role": "assistant", "parts": [text("Paused.")]},
    ]
    found: JsonMap = {
        "agent_name": "billing",
        "pydantic_ai.all_messages": json.dumps(said),
        "final_result": "Paused.",
        "gen_ai.system_instructions": '[{"type": "text", "content": "You bill."}]',
    }

    trace = trace_of(run_of(tmp_path, a_span(1, found), scope="pydantic-ai"))

    assert kinds(trace) == ["system_message", *FOUR]
    assert claims(trace) == ["Paused."]


def test_a_span_that_only_began_is_passed_over(tmp_path: Path) -> None:
    """Logfire writes one when a span begins; the span itself comes when it ends."""
    found: JsonMap = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m-1",
        "logfire.span_type": "pending_span",
    }

    assert trace_of(run_of(tmp_path, a_span(2, found), scope="pydantic-ai")).events == ()


# --- LangChain's callbacks in other words ---------------------------------------------

_MESSAGE: JsonMap = {
    "lc": 1,
    "type": "constructor",
    "id": ["langchain", "schema", "messages", "ToolMessage"],
    "kwargs": {"content": "done", "type": "tool", "tool_call_id": "c1", "status": "success"},
}


def test_a_tool_of_langchain_is_read_with_what_the_callback_puts_around_it(tmp_path: Path) -> None:
    """OpenLLMetry 0.62: its own keyword arguments are not the tool's."""
    sent = {"input_str": "{'a': 1}", "inputs": {"a": 1}, "kwargs": {"color": "green"}}
    found: JsonMap = {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "pause",
        "traceloop.entity.input": json.dumps(sent),
        "traceloop.entity.output": json.dumps({"output": _MESSAGE, "kwargs": {}}),
    }

    trace = trace_of(run_of(tmp_path, a_span(2, found)))

    assert calls(trace) == [("c1", "pause", '{"a":1}')]
    assert results(trace) == {"c1": "done"}


def test_spans_of_langsmith_hold_what_went_in_and_out(tmp_path: Path) -> None:
    """Its exporter writes a run's inputs and outputs as JSON."""
    call: JsonMap = {"name": "pause", "args": {"a": 1}, "id": "c1", "type": "tool_call"}
    reply: JsonMap = {"type": "ai", "content": "", "tool_calls": [call]}
    sent: JsonMap = {"messages": [[{"type": "human", "content": "Pause."}]]}
    asked: JsonMap = {
        "langsmith.span.kind": "llm",
        "gen_ai.request.model": "m-1",
        "gen_ai.prompt": json.dumps(sent),
        "gen_ai.completion": json.dumps({"generations": [[{"message": reply}]]}),
    }
    used: JsonMap = {
        "langsmith.span.kind": "tool",
        "gen_ai.tool.name": "pause",
        "gen_ai.prompt": '{"a":1}',
        "gen_ai.completion": json.dumps({"output": _MESSAGE}),
    }
    chain: JsonMap = {"langsmith.span.kind": "chain", "gen_ai.operation.name": "chain"}
    spans = (a_span(1, chain), a_span(2, asked, end_ms=2), a_span(3, used, start_ms=3))

    run = run_of(tmp_path, *spans)

    trace = trace_of(run)
    assert kinds(trace)[:4] == ["user_message", "model_request", "model_reply", "tool_call"]
    assert calls(trace)[0][:2] == ("c1", "pause")
    assert results(trace) == {"c1": "done"}
    assert trace.versions.model == "m-1"


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ('{"messages": [[{"type": "hu', "truncated"),
        ('{"messages": [{"role": 7}]}', "events_unreadable"),
    ],
)
def test_a_prompt_of_langsmith_that_cannot_be_read_is_named(
    tmp_path: Path, prompt: str, kind: str
) -> None:
    """The rest of the run is there all the same."""
    found: JsonMap = {"langsmith.span.kind": "llm", "gen_ai.prompt": prompt}

    run = run_of(tmp_path, a_span(2, found))

    assert kind in lost(run.losses)


# --- the convention ------------------------------------------------------------------


@pytest.mark.parametrize("operation", ["embeddings", "retrieval", "create_agent"])
def test_other_operations_are_no_replies(tmp_path: Path, operation: str) -> None:
    """They take tokens and say nothing."""
    found: JsonMap = {"gen_ai.operation.name": operation, "gen_ai.request.model": "m-1"}

    assert trace_of(run_of(tmp_path, a_span(2, found))).events == ()


def test_a_span_around_the_results_of_parallel_calls_is_no_call(tmp_path: Path) -> None:
    """Google's ADK writes one more execution than there were."""
    merged = a_tool(3, "(merged tools)", given="e1", start_ms=9)

    trace = trace_of(run_of(tmp_path, a_tool(2, "pause", given="c1", result="{}"), merged))

    assert [tool for _, tool, _ in calls(trace)] == ["pause"]


def test_an_agent_says_what_its_requests_do_not(tmp_path: Path) -> None:
    """Agents of some frameworks keep contents while clients below keep none."""
    agent: JsonMap = {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.agent.name": "billing",
        "gen_ai.system_instructions": "You bill.",
        "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [text("Pause.")]}]),
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [text("Paused.")]}]),
    }
    request: JsonMap = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1"}
    spans = [a_span(1, agent, end_ms=50), a_span(2, request, parent=1, start_ms=9)]

    trace = trace_of(run_of(tmp_path, *spans))

    assert kinds(trace) == ["system_message", *FOUR]


# --- the wire ------------------------------------------------------------------------


def test_values_of_every_kind_are_read() -> None:
    """64-bit integers are texts, lists and mappings nest, and the SDKs write plain mappings."""
    pairs: list[Json] = [
        {"key": "i", "value": {"intValue": "-9007199254740993"}},
        {"key": "b", "value": {"boolValue": False}},
        {"key": "d", "value": {"doubleValue": 1.5}},
        {"key": "n", "value": {"doubleValue": "NaN"}},
        {"key": "l", "value": {"array_value": {"values": [{"string_value": "x"}, {}]}}},
        {
            "key": "m",
            "value": {"kvlistValue": {"values": [{"key": "k", "value": {"intValue": 1}}]}},
        },
        {"key": "y", "value": {"bytesValue": "AQI="}},
        {"key": 3, "value": {"intValue": 1}},
        "no pair",
    ]

    assert attributes_in({"attributes": pairs}) == {
        "i": -9007199254740993,
        "b": False,
        "d": 1.5,
        "n": "NaN",
        "l": ["x", None],
        "m": {"k": 1},
        "y": "AQI=",
    }
    assert attributes_in({"attributes": {"a": [1, "x"]}}) == {"a": [1, "x"]}
    assert attributes_in(None) == {}
    assert field_in({"start_time_unix_nano": 3}, "startTimeUnixNano") == 3


@pytest.mark.parametrize(
    ("value", "expected"),
    [("12", 12), (7, 7), (7.0, 7), (True, None), ("1" * 30, None), ("x", None), (None, None)],
)
def test_integers_are_numbers_or_texts(value: Json, expected: int | None) -> None:
    """Anything else is none."""
    assert integer_of(value) == expected


@pytest.mark.parametrize(
    "value", ["", "0" * 32, "xyz", "AAAAAAAAAAA=", "A" * 12, "!" * 24, 3, None]
)
def test_what_is_no_id_is_none(value: Json) -> None:
    """Zeros say that there is none."""
    assert id_in({"traceId": value}, "traceId") is None


def test_names_that_contradict_each_other_keep_the_first() -> None:
    """A value cannot have parts too."""
    assert nested({"m.0": "x", "m.0.role": "user", "m.1.a": 1}, "m.") == ["x", {"a": 1}]
    assert nested({"m." + ".".join("0" * 200): 1}, "m.") == {}

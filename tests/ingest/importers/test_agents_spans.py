"""Spans of the Agents SDK: with messages, without them, and with the input list beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from tests.ingest.exports import a_span
from tests.ingest.samples import (
    an_openai_call,
    dumped,
    kinds,
    lost,
    read,
    read_as,
    write_file,
    write_lines,
)
from workbench.ingest.formats import candidates
from workbench.model.event import (
    CallError,
    CallIdSource,
    Change,
    ContextChange,
    Decision,
    ModelReply,
    ModelRequest,
    Permission,
    ToolCall,
    ToolResult,
    Usage,
)
from workbench.model.trace import Grade, RunStatus

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap

USAGE: JsonMap = {"input_tokens": 10, "output_tokens": 2, "input_tokens_details": {}}
REDACTED = "An error occurred while running the tool. Please try again."
HIDDEN = "Tool execution failed. Error details are redacted."


def about(**fields: Json) -> JsonMap:
    """The trace that the spans belong to."""
    return {"object": "trace", "id": "trace_1", "workflow_name": "billing", **fields}


def tools_of_a_run() -> list[Json]:
    """A tool that answers and one whose error the SDK hides, at the same time."""
    sent = '{"account": "AC-1"}'
    find = a_span(
        "f1", 2.0, 2.5, "agent", type="function", name="find", input=sent, output="{'n': 1}"
    )
    pause = a_span(
        "f2", 2.1, 3.0, "agent", type="function", name="pause", input=sent, output=REDACTED
    )
    error: JsonMap = {"message": "Error running tool", "data": {"error": HIDDEN}}
    return [find, {**pause, "error": error}]


def responses() -> list[Json]:
    """Spans of a run on the Responses API, in the order in which they ended."""
    agent = a_span("agent", 0, 9, None, type="agent", name="biller", tools=["find", "pause"])
    first = a_span("r1", 1, 2, "agent", type="response", response_id="resp_1", usage=USAGE)
    last = a_span("r2", 4, 5, "agent", type="response", response_id="resp_2", usage=USAGE)
    return [first, *tools_of_a_run(), last, agent, about(group_id="conv-1")]


def messages() -> list[Json]:
    """The same run's messages on the chat API."""
    calls: list[Json] = [
        an_openai_call(given, name, '{"account": "AC-1"}')
        for given, name in (("c1", "find"), ("c2", "pause"))
    ]
    return [
        {"role": "system", "content": "You are a billing agent."},
        {"role": "user", "content": "Pause AC-1."},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": "{'n': 1}"},
        {"role": "tool", "tool_call_id": "c2", "content": REDACTED},
        {"role": "assistant", "content": "Paused."},
    ]


def generations() -> list[Json]:
    """Spans of a run on the chat API."""
    talk = messages()
    spans: list[Json] = [
        a_span(
            name,
            start,
            start + 1,
            "agent",
            type="generation",
            input=talk[:seen],
            output=talk[seen : seen + 1],
            model="model-x",
            model_config={"temperature": 0.5, "top_p": None},
            usage=USAGE,
        )
        for name, start, seen in (("g1", 1, 2), ("g2", 4, 5))
    ]
    agent = a_span("agent", 0, 9, None, type="agent", name="biller", tools=["find", 5])
    return [*spans, *tools_of_a_run(), agent, about(metadata={"prompt_version": "7"})]


@given(order=st.permutations(range(6)))
def test_generations_in_any_order_are_the_same_run(order: list[int]) -> None:
    """Spans are exported as they end; they are told as they began."""
    spans = generations()

    trace, losses = read_as("agents_spans", [spans[at] for at in order])

    assert kinds(trace) == [
        "system_message",
        "user_message",
        "model_request",
        "model_reply",
        "tool_call",
        "tool_call",
        "tool_result",
        "tool_result",
        "model_request",
        "model_reply",
        "claim",
    ]
    assert trace.run_id == "trace_1"
    assert trace.versions.prompt == "7"
    assert lost(losses)["errors_redacted"] == 1
    request = trace.events[2]
    assert isinstance(request, ModelRequest)
    assert request.settings == {"temperature": 0.5}
    assert request.offered_tools == ("find",)
    assert request.agent == "biller"


def test_a_hidden_error_is_marked_and_reported() -> None:
    """The setting that would keep it is the SDK's; what is left is not enough to replay."""
    trace, losses = read_as("agents_spans", generations())

    ok, failed = (event for event in trace.events if isinstance(event, ToolResult))
    assert (ok.call_id, ok.result, ok.latency_ms) == ("c1", {"n": 1}, 500)
    assert failed.error == CallError(message=HIDDEN, body={"error": HIDDEN})
    assert failed.result_raw == REDACTED
    assert losses.grade is Grade.NEEDS_FIXTURES


def test_responses_have_calls_and_no_texts() -> None:
    """The API keeps the texts; the calls are those of the function spans behind a response."""
    trace, losses = read_as("agents_spans", responses())

    assert kinds(trace) == [
        "model_request",
        "model_reply",
        "tool_call",
        "tool_call",
        "tool_result",
        "tool_result",
        "model_request",
        "model_reply",
    ]
    calls = [event for event in trace.events if isinstance(event, ToolCall)]
    assert [call.call_id_source for call in calls] == [CallIdSource.SYNTHESISED] * 2
    assert [call.turn for call in calls] == [1, 1]
    reply = trace.events[1]
    assert isinstance(reply, ModelReply)
    assert reply.usage == Usage(input_tokens=10, output_tokens=2)
    assert {"responses_without_content", "call_ids_synthesised"} <= set(lost(losses))
    assert trace.session == "conv-1"


def test_the_input_list_brings_texts_and_ids_back(tmp_path: Path) -> None:
    """`result.to_input_list()` beside the spans: both together are the whole run."""
    talk: list[Json] = [
        {"role": "user", "content": "Pause AC-1."},
        {
            "type": "function_call",
            "call_id": "c1",
            "name": "find",
            "arguments": '{"account": "AC-1"}',
        },
        {
            "type": "function_call",
            "call_id": "c2",
            "name": "pause",
            "arguments": '{"account": "AC-1"}',
        },
        {"type": "function_call_output", "call_id": "c1", "output": "{'n': 1}"},
        {"type": "function_call_output", "call_id": "c2", "output": REDACTED},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Paused."}],
        },
    ]
    document: JsonMap = {"spans": responses(), "to_input_list": talk}

    (run,) = read(write_file(tmp_path / "run.json", dumped(document)))

    assert run.trace is not None
    assert kinds(run.trace) == [
        "user_message",
        "model_request",
        "model_reply",
        "tool_call",
        "tool_call",
        "tool_result",
        "tool_result",
        "model_request",
        "model_reply",
        "claim",
    ]
    results = [event for event in run.trace.events if isinstance(event, ToolResult)]
    assert [result.call_id for result in results] == ["c1", "c2"]
    assert results[0].latency_ms == 500
    assert "responses_without_content" not in lost(run.losses)


def test_an_input_list_of_another_length_is_not_believed() -> None:
    """It cannot be told which reply is which response's."""
    document: JsonMap = {
        "spans": responses(),
        "to_input_list": [{"type": "message", "role": "assistant", "content": "Paused."}],
    }

    _, losses = read_as("agents_spans", [document])

    assert "responses_without_content" in lost(losses)


def test_batches_and_lines_are_read(tmp_path: Path) -> None:
    """As the SDK sends them, as people collect them, and one a line with two runs."""
    other = [{**span, "trace_id": "trace_2"} for span in maps(responses()) if "span_data" in span]
    batch = write_file(tmp_path / "batch.json", dumped({"data": responses()}))
    spans = write_file(tmp_path / "spans.json", dumped({"spans": responses()}))
    lines = write_lines(tmp_path / "spans.jsonl", *responses(), *other)

    assert [run.run_id for run in read(batch)] == ["trace_1"]
    assert [run.run_id for run in read(spans)] == ["trace_1"]
    assert [run.run_id for run in read(lines)] == ["trace_1", "trace_2"]


def maps(records: list[Json]) -> list[JsonMap]:
    """The records as mappings."""
    return [record for record in records if isinstance(record, dict)]


def test_hand_offs_and_guardrails_are_told() -> None:
    """A guardrail that was not triggered says nothing."""
    spans: list[Json] = [
        a_span("h", 1, 2, None, type="handoff", from_agent="triage", to_agent="biller"),
        a_span("ok", 2, 3, None, type="guardrail", name="tone", triggered=False),
        a_span("no", 3, 4, None, type="guardrail", name="fraud", triggered=True),
        a_span("c", 4, 5, None, type="custom", name="turn", data={}),
    ]

    trace, _ = read_as("agents_spans", spans)

    change, refusal = trace.events
    assert isinstance(change, ContextChange)
    assert (change.change, change.before, change.after) == (Change.HAND_OFF, "triage", "biller")
    assert isinstance(refusal, Permission)
    assert (refusal.decision, refusal.scope, refusal.actor) == (
        Decision.DENIED,
        "fraud",
        "guardrail",
    )


def test_a_failed_root_is_a_failed_run() -> None:
    """As the recorder says."""
    root = a_span("agent", 0, 9, None, type="agent", name="a")
    root["error"] = {"message": "x"}

    trace, _ = read_as("agents_spans", [root])

    assert trace.status is RunStatus.FAILED


def test_a_tool_that_never_ended_has_no_result() -> None:
    """A crashed process; and arguments that are a structure."""
    span = a_span("f", 1, 2, "x", type="function", name="find", input={"n": 1}, output=None)

    trace, losses = read_as("agents_spans", [span])

    assert kinds(trace) == ["tool_call"]
    assert lost(losses)["results_missing"] == 1


@pytest.mark.parametrize(
    "record", [{"object": "trace"}, {"object": "trace.span"}, {"spans": []}, {"data": [1]}, []]
)
def test_other_records_are_not_taken(record: Json) -> None:
    """A span names its trace."""
    assert "agents_spans" not in candidates(record)

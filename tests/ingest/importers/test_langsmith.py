"""LangSmith: trees of runs, halves of operations, both schemas of the tracer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from tests.ingest.exports import (
    TRACE,
    a_langsmith_run,
    a_langsmith_trace,
    at_second,
)
from tests.ingest.samples import dumped, kinds, lost, read, read_as, write_file, write_lines
from workbench.errors import TraceFormatError
from workbench.ingest.formats import candidates
from workbench.model.event import (
    CallError,
    ModelReply,
    ModelRequest,
    Requestor,
    ToolCall,
    ToolResult,
    Usage,
)
from workbench.model.trace import RunStatus

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Trace

KINDS = [
    "system_message",
    "user_message",
    "model_request",
    "model_reply",
    "claim",
    "tool_call",
    "tool_call",
    "tool_result",
    "tool_result",
    "model_request",
    "model_reply",
    "claim",
]


def maps(records: list[Json]) -> list[JsonMap]:
    """The records as mappings."""
    return [record for record in records if isinstance(record, dict)]


def halves(records: list[Json]) -> list[Json]:
    """The same runs as the client sends them: as they begin, and as they end."""
    posts: list[Json] = [
        {**record, "op": "POST", "end_time": None, "outputs": {}, "error": None}
        for record in maps(records)
    ]
    patches: list[Json] = [
        {**record, "op": "PATCH", "inputs": None, "tags": []} for record in maps(records)
    ]
    return [*posts, *patches]


def results(trace: Trace) -> list[ToolResult]:
    """The results in order."""
    return [event for event in trace.events if isinstance(event, ToolResult)]


def test_a_tree_is_told_in_the_order_of_time() -> None:
    """Each message once; the calls of one reply together; results as they came."""
    trace, losses = read_as("langsmith", a_langsmith_trace())

    assert kinds(trace) == KINDS
    assert trace.run_id == TRACE
    assert trace.session == "thread-7"
    assert trace.tags == ("prod", "eu")
    assert trace.labels == {"feedback": {"thumbs": {"avg": 0.0}}}
    assert trace.status is RunStatus.OK
    assert (trace.versions.model, trace.versions.prompt) == ("model-x", "12")
    assert lost(losses) == {"args_not_exact": 2}  # the reader takes their text from the file


def test_a_request_has_what_the_tracer_kept_of_it() -> None:
    """Model, settings, the tools that it offered, its time."""
    trace, _ = read_as("langsmith", a_langsmith_trace())

    request, reply = trace.events[2:4]
    assert isinstance(request, ModelRequest)
    assert request.model == "model-x"
    assert request.settings == {"temperature": 0.5}
    assert request.offered_tools == ("find",)
    assert request.n_messages == 2
    assert request.at == at_second(1)
    assert isinstance(reply, ModelReply)
    assert reply.usage == Usage(input_tokens=10, output_tokens=2, cached_tokens=4)
    assert reply.at == at_second(2)


def test_a_failed_tool_keeps_what_the_model_saw_and_what_happened() -> None:
    """The error is the tool's own, without the traceback; the text is the message's."""
    trace, _ = read_as("langsmith", a_langsmith_trace())

    ok, failed = results(trace)
    assert ok.result == {"ok": True}
    assert ok.error is None
    assert ok.latency_ms == 1000
    assert failed.result_raw == "Error: TimeoutError('504')"
    assert failed.error == CallError(type="TimeoutError", message="TimeoutError('504')")
    assert failed.latency_ms == 2500


@given(order=st.permutations(range(10)))
def test_halves_in_any_order_are_the_same_run(order: list[int]) -> None:
    """Of two halves the last value that says something counts, wherever it stands in the file."""
    records = halves(a_langsmith_trace())

    trace, _ = read_as("langsmith", [records[at] for at in order])

    assert kinds(trace) == KINDS
    assert trace.tags == ("prod", "eu")
    assert [one.error is not None for one in results(trace)] == [False, True]


def test_runs_of_two_traces_in_one_file_are_two_runs(tmp_path: Path) -> None:
    """Clients write the operations of concurrent runs one between the other."""
    other = TRACE.replace("01a2", "99a2")
    text = dumped(a_langsmith_trace()).decode()
    second = text.replace(TRACE[:-2], other[:-2])
    path = write_lines(tmp_path / "ops.jsonl", *maps(read_list(text)), *maps(read_list(second)))

    runs = read(path)

    assert [run.run_id for run in runs] == [TRACE, other]
    assert all(run.trace is not None and kinds(run.trace) == KINDS for run in runs)


def read_list(text: str) -> list[Json]:
    """JSON text as a list."""
    found: list[Json] = json.loads(text)
    return found


def test_arguments_are_the_bytes_of_the_file(tmp_path: Path) -> None:
    """A tracer keeps a structure; its exact text is in the file."""
    path = write_file(tmp_path / "runs.json", dumped(a_langsmith_trace()))

    (run,) = read(path)

    assert run.trace is not None
    calls = [event for event in run.trace.events if isinstance(event, ToolCall)]
    assert [call.args_raw for call in calls] == ['{"account": "AC-1"}'] * 2
    assert "args_not_exact" not in lost(run.losses)


def test_a_batch_of_operations_is_read() -> None:
    """The body of a request to the server; a PATCH there has no id of its own."""
    run = a_langsmith_run(
        1, "llm", 1, 2, inputs={"model": "model-x", "messages": [{"role": "user", "content": "hi"}]}
    )
    patch = {name: run[name] for name in ("trace_id", "dotted_order", "end_time")}
    answer: JsonMap = {
        "model": "model-x-2026",
        "choices": [{"message": {"role": "assistant", "content": "Hello"}}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 1},
    }
    batch: JsonMap = {"post": [run], "patch": [{**patch, "outputs": answer}]}

    trace, _ = read_as("langsmith", [batch])

    assert candidates(batch) == ("langsmith",)
    assert kinds(trace) == ["user_message", "model_request", "model_reply", "claim"]
    assert trace.versions.model == "model-x-2026"
    reply = trace.events[2]
    assert isinstance(reply, ModelReply)
    assert reply.usage == Usage(input_tokens=3, output_tokens=1)


def test_nested_child_runs_are_read() -> None:
    """The API can return the tree as a tree."""
    *children, _ = maps(a_langsmith_trace())
    root = next(run for run in children if run["id"] == TRACE)
    rest = [run for run in maps(a_langsmith_trace()) if run["id"] != TRACE]

    trace, _ = read_as("langsmith", [{**root, "child_runs": [*rest]}])

    assert kinds(trace) == KINDS


def test_a_flattened_chat_is_a_loss_and_is_told_once() -> None:
    """The plain tracer writes a chat as one text; who said what cannot be told from it."""
    prompt = "System: You are a billing agent.\nHuman: Pause AC-1."
    runs: list[Json] = [
        a_langsmith_run(
            number,
            "llm",
            number,
            number + 0.5,
            inputs={"prompts": [prompt + " again" * number]},
            outputs={"generations": [[{"text": "Paused."}]], "llm_output": None},
        )
        for number in (1, 2)
    ]

    trace, losses = read_as("langsmith", runs)

    assert lost(losses)["prompt_flattened"] == 2
    assert kinds(trace) == [
        "user_message",
        "model_request",
        "model_reply",
        "claim",
        "model_request",
        "model_reply",
        "claim",
    ]


def test_a_tool_that_no_reply_asked_for_is_the_agents_and_a_loss() -> None:
    """A tracer that hides outputs keeps the tools; their calls must count."""
    run = a_langsmith_run(1, "tool", 1, 2, inputs={"input": "{'a': 1}"}, outputs={"output": "done"})

    trace, losses = read_as("langsmith", [run])

    call, result = trace.events
    assert isinstance(call, ToolCall)
    assert (call.requestor, call.turn, call.args) == (Requestor.AGENT, 0, {"a": 1})
    assert isinstance(result, ToolResult)
    assert result.result_raw == "done"
    assert lost(losses)["calls_unasked"] == 1


def test_a_retriever_is_a_call_of_the_framework() -> None:
    """The chain asked it, not the model: it never counts against the agent."""
    run = a_langsmith_run(
        1, "retriever", 1, 2, inputs={"query": "x"}, outputs={"documents": [{"page": 1}]}
    )

    trace, losses = read_as("langsmith", [run])

    call, result = trace.events
    assert isinstance(call, ToolCall)
    assert call.requestor is Requestor.FRAMEWORK
    assert isinstance(result, ToolResult)
    assert result.result == {"documents": [{"page": 1}]}
    assert "calls_unasked" not in lost(losses)


def test_a_run_that_never_ended_has_no_reply_and_no_result() -> None:
    """A crashed process leaves the first halves."""
    begun = [half for half in maps(halves(a_langsmith_trace())) if half["op"] == "POST"]

    trace, losses = read_as("langsmith", [*begun])

    assert "tool_result" in kinds(trace)  # the second request shows both results
    assert lost(losses)["replies_missing"] == 1
    assert trace.status is RunStatus.OK


def test_a_failed_root_is_a_failed_run() -> None:
    """The recorder says so."""
    records = [
        {**run, "error": "ValueError('x')"} if run["id"] == TRACE else run
        for run in maps(a_langsmith_trace())
    ]

    trace, _ = read_as("langsmith", [*records])

    assert trace.status is RunStatus.FAILED


def test_a_message_of_no_known_form_is_an_error_with_its_place() -> None:
    """The place leads to it; its text is not repeated."""
    run = a_langsmith_run(1, "llm", 1, 2, inputs={"messages": [[{"secret": "AC-1"}]]}, outputs={})

    with pytest.raises(TraceFormatError) as error:
        read_as("langsmith", [run])

    assert error.value.key == "0.inputs.messages.0.0.role"
    assert "AC-1" not in str(error.value)


@pytest.mark.parametrize(
    "record",
    [{}, {"run_type": "llm"}, {"trace_id": "x", "run_type": "job"}, {"post": []}, [], "llm", None],
)
def test_other_records_are_not_taken(record: Json) -> None:
    """A common key alone decides nothing."""
    assert "langsmith" not in candidates(record)

"""`astream_events`: starts and ends by id, runs by their root."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.exports import an_ai_message, langchain_conversation
from tests.ingest.samples import kinds, lost, read, read_as, write_lines
from workbench.ingest.formats import candidates
from workbench.model.event import CallError, ModelRequest, Requestor, ToolCall, ToolResult
from workbench.model.trace import RunStatus

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap


def an_event(kind: str, run: str, /, *, root: str = "r", name: str = "x", **data: Json) -> JsonMap:
    """One line of the stream."""
    return {
        "event": kind,
        "run_id": run,
        "name": name,
        "tags": ["eu"],
        "metadata": {"ls_model_name": "model-x", "thread_id": "t-1", "ls_temperature": 0.5},
        "parent_ids": [] if run == root else [root],
        "data": data,
    }


def stream(*, root: str = "r") -> list[Json]:
    """Two requests and two tools at once, one of which fails."""
    talk = langchain_conversation()
    sent: list[Json] = [{"messages": [talk[:2]]}, {"messages": [talk[:5]]}]
    lines: list[tuple[str, str, str, JsonMap]] = [
        ("on_chain_start", root, "agent", {"input": {"messages": [talk[1]]}}),
        ("on_chat_model_start", "m1", "model", {"input": sent[0]}),
        ("on_chat_model_stream", "m1", "model", {"chunk": an_ai_message("One")}),
        ("on_chat_model_end", "m1", "model", {"output": talk[2], "input": sent[0]}),
        ("on_tool_start", "t1", "find", {"input": {"account": "AC-1"}}),
        ("on_tool_start", "t2", "pause", {"input": {"account": "AC-1"}}),
        ("on_tool_error", "t2", "pause", {"error": "TimeoutError('504')", "tool_call_id": "c2"}),
        ("on_tool_end", "t1", "find", {"output": talk[3]}),
        ("on_chat_model_start", "m2", "model", {"input": sent[1]}),
        ("on_chat_model_end", "m2", "model", {"output": talk[5]}),
        ("on_chain_end", root, "agent", {"output": {"messages": talk}}),
    ]
    return [an_event(kind, run, root=root, name=name, **data) for kind, run, name, data in lines]


def test_a_stream_is_told_in_its_order() -> None:
    """Chunks are left out; results stand as they came."""
    trace, losses = read_as("langchain_events", stream())

    assert kinds(trace) == [
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
    assert (trace.run_id, trace.session, trace.tags) == ("r", "t-1", ("eu",))
    assert trace.versions.model == "model-x"
    assert set(lost(losses)) == {"args_not_exact", "no_timestamps", "tools_not_listed"}
    request = trace.events[2]
    assert isinstance(request, ModelRequest)
    assert request.settings == {"temperature": 0.5}
    assert (request.n_messages, request.at) == (2, None)


def test_results_keep_the_order_in_which_they_came() -> None:
    """The tool that failed first is told first."""
    trace, _ = read_as("langchain_events", stream())

    failed, ok = (event for event in trace.events if isinstance(event, ToolResult))
    assert failed.call_id == "c2"
    assert failed.error == CallError(type="TimeoutError", message="TimeoutError('504')")
    assert failed.result_raw == "Error: TimeoutError('504')"
    assert ok.call_id == "c1"
    assert ok.latency_ms is None


def test_two_runs_in_one_stream_are_two(tmp_path: Path) -> None:
    """The root of `parent_ids` tells them apart."""
    mixed = [line for pair in zip(stream(), stream(root="q"), strict=True) for line in pair]

    runs = read(write_lines(tmp_path / "events.jsonl", *mixed))

    assert sorted(run.run_id for run in runs) == ["q", "r"]
    assert len({len(run.trace.events) for run in runs if run.trace}) == 1


def test_a_stream_that_breaks_off_keeps_what_came() -> None:
    """A tool that never ended has no result; a model without its end has no reply."""
    trace, losses = read_as("langchain_events", stream()[:6])

    assert kinds(trace)[-2:] == ["tool_call", "tool_call"]
    assert lost(losses)["results_missing"] == 2
    trace, losses = read_as("langchain_events", stream()[:2])
    assert lost(losses)["replies_missing"] == 1


def test_a_retriever_is_the_frameworks_and_texts_are_texts() -> None:
    """Completion models take a text; retrievers are asked by the chain."""
    record: list[Json] = [
        an_event("on_llm_start", "m", input={"prompts": ["Human: hi"]}),
        an_event("on_llm_end", "m", output={"generations": [[{"text": "Hello"}]]}),
        an_event("on_retriever_start", "d", name="docs", input="hi"),
        an_event("on_retriever_end", "d", name="docs", output="found"),
        an_event("on_tool_end", "lost", output="nobody began it"),
    ]

    trace, losses = read_as("langchain_events", record)

    assert kinds(trace)[-2:] == ["tool_call", "tool_result"]
    call = trace.events[-2]
    assert isinstance(call, ToolCall)
    assert call.requestor is Requestor.FRAMEWORK
    assert lost(losses)["prompt_flattened"] == 1


def test_an_error_of_the_root_is_a_failed_run() -> None:
    """An error of a part may have been handled."""
    part, root = an_event("on_chain_error", "p"), an_event("on_chain_error", "r")

    assert read_as("langchain_events", [*stream(), part])[0].status is RunStatus.UNKNOWN
    assert read_as("langchain_events", [*stream(), root])[0].status is RunStatus.FAILED


def test_events_without_parents_are_the_files_one_run() -> None:
    """Version 1 of the stream does not name them."""
    record = [{k: v for k, v in line.items() if k != "parent_ids"} for line in maps(stream())]

    trace, _ = read_as("langchain_events", [*record])

    assert trace.run_id.startswith("langchain_events-")


def maps(records: list[Json]) -> list[JsonMap]:
    """The records as mappings."""
    return [record for record in records if isinstance(record, dict)]


@pytest.mark.parametrize(
    "record", [{"event": "on_tool_end"}, {"event": "x", "run_id": "r", "data": {}}, [], None]
)
def test_other_records_are_not_taken(record: Json) -> None:
    """An event has a name that begins with `on_`, an id and data."""
    assert "langchain_events" not in candidates(record)

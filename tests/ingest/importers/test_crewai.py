"""CrewAI: the native path, the text path with its hidden retries, texts in `repr`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.samples import events_of, kinds, lost, read, read_as, write_lines
from workbench.errors import TraceFormatError
from workbench.ingest.formats import candidates
from workbench.ingest.importers.crewai_texts import (
    args_of,
    error_of,
    message_of,
    reply_calls,
    unquoted,
)
from workbench.model.event import (
    CallError,
    Claim,
    ModelReply,
    ModelRequest,
    ToolCall,
    ToolResult,
    Usage,
)
from workbench.model.jsonvalue import ABSENT
from workbench.model.trace import Grade, Loss, RunStatus

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses

STARTED: JsonMap = {"crew_name": "crew", "event_id": "kick", "parent_event_id": None}
ANSWER = "It is paused."


def a_log(*events: tuple[str, JsonMap]) -> list[Json]:
    """Events in their order."""
    return [
        {
            "type": kind,
            "timestamp": f"2026-01-01T00:00:{n:02}",
            "emission_sequence": n + 1,
            "agent_role": "billing",
            **fields,
        }
        for n, (kind, fields) in enumerate(events)
    ]


def used(count: int) -> JsonMap:
    """An event repeats the tools with their counters."""
    return {"agent": {"tools": [{"name": "pause", "current_usage_count": count}, {"name": "x"}]}}


def a_native_log() -> list[Json]:
    """The model lists two calls, one fails; then it answers."""
    listed: Json = [
        {"id": "c1", "function": {"name": "'pause'", "arguments": "'{\"id\": 1}'"}},
        {"id": "c2", "function": {"name": "'look'", "arguments": "'{}'"}},
    ]
    tools: Json = [{"function": {"name": "'pause'", "description": "'Pauses.'"}}]
    messages: Json = [
        {"role": "system", "content": "You pause things."},
        {"role": "user", "content": "Pause it."},
    ]
    usage: JsonMap = {"prompt_tokens": 9, "completion_tokens": 2}
    return a_log(
        ("crew_kickoff_started", STARTED),
        ("agent_execution_started", {"task_prompt": "Pause it, please."}),
        ("llm_call_started", {"messages": messages, "model": "m-1", "tools": tools}),
        (
            "llm_call_completed",
            {"response": listed, "usage": usage, "finish_reason": "tool_calls"},
        ),
        ("tool_usage_started", {"tool_name": "pause", "tool_args": {"id": 1}}),
        ("tool_usage_started", {"tool_name": "look", "tool_args": {}}),
        ("tool_usage_error", {"tool_name": "pause", "error": "TimeoutError('504')"}),
        ("tool_usage_finished", {"tool_name": "look", "output": "ok", "from_cache": True}),
        ("llm_call_started", {"messages": messages, "model": "m-1", "tools": None}),
        ("llm_call_completed", {"response": ANSWER}),
        ("agent_logs_execution", {"formatted_answer": {"output": ANSWER}}),
        ("crew_kickoff_completed", {"output": {"raw": ANSWER}}),
    )


def a_text_log(*, counter: int) -> list[Json]:
    """The model writes its call as text; the tool ran twice, and one event says so."""
    state: JsonMap = {
        "messages": [
            {"role": "'system'", "content": "'You pause things.'"},
            {"role": "'user'", "content": "'Pause\\nit.'"},
            {"role": "'assistant'", "content": "'Action: pause'"},
        ]
    }
    return a_log(
        ("crew_kickoff_started", STARTED),
        ("agent_execution_started", {"task_prompt": "Pause it."}),
        ("flow_started", {"event_id": "loop"}),
        ("tool_usage_started", {"tool_name": "pause", "tool_args": '{"id":  1}'}),
        (
            "tool_usage_finished",
            {
                "tool_name": "pause",
                "tool_args": {"id": 1},
                "output": "paused",
                "run_attempts": 1,
                "started_at": "2026-01-01T00:00:00",
                "finished_at": "2026-01-01T00:00:01",
            },
        ),
        ("agent_logs_execution", {"formatted_answer": {"thought": "hm", "text": "..."}}),
        ("agent_logs_execution", {"formatted_answer": {"output": ANSWER}}),
        ("flow_finished", {"started_event_id": "loop", "state": state}),
        ("agent_execution_completed", used(counter)),
        ("crew_kickoff_completed", {"output": {"raw": "Paused, says the crew."}}),
    )


def hidden(losses: Losses) -> Loss | None:
    """Return the loss that warns of a hidden retry."""
    return next((loss for loss in losses.items if loss.kind == "hidden_retry_possible"), None)


def test_the_native_path_lists_every_call(tmp_path: Path) -> None:
    """Starts, an error and a result belong to the calls of the reply."""
    (run,) = read(write_lines(tmp_path / "log.jsonl", *a_native_log()))

    assert run.trace is not None
    assert kinds(run.trace) == [
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
    first, _ = (event for event in run.trace.events if isinstance(event, ToolCall))
    assert (first.call_id, first.tool, first.args_raw) == ("c1", "pause", '{"id": 1}')
    failed, cached = (event for event in run.trace.events if isinstance(event, ToolResult))
    assert failed.error == CallError(type="TimeoutError", message="TimeoutError('504')")
    assert (cached.call_id, cached.result_raw) == ("c2", "ok")
    reply = events_of(run.trace, "model_reply")[0]
    assert isinstance(reply, ModelReply)
    assert reply.usage == Usage(input_tokens=9, output_tokens=2)
    request = events_of(run.trace, "model_request")[0]
    assert isinstance(request, ModelRequest)
    assert (request.model, request.offered_tools, request.n_messages) == ("m-1", ("pause",), 2)
    assert (run.run_id, run.trace.versions.model) == ("kick", "m-1")
    assert run.trace.labels == {"crew": "crew"}
    assert hidden(run.losses) is None
    assert lost(run.losses)["results_from_cache"] == 1
    assert lost(run.losses)["timestamps_without_zone"] == 12


def test_events_are_put_in_the_order_of_their_emission() -> None:
    """Times of one log mix zones; the sequence does not."""
    log = a_native_log()

    shuffled, _ = read_as("crewai", log[::-1])
    straight, _ = read_as("crewai", log)

    assert kinds(shuffled) == kinds(straight)


@pytest.mark.parametrize(("counter", "count"), [(2, 1), (3, 1), (5, 3)])
def test_the_text_path_warns_of_hidden_retries(counter: int, count: int) -> None:
    """A tool's counter rises with each try, and once more with each success."""
    trace, losses = read_as("crewai", a_text_log(counter=counter))

    found = hidden(losses)
    assert found is not None
    assert found.count == count
    assert (f"show {count} more" in found.note) == (counter > 2)
    assert found.caps is Grade.NEEDS_FIXTURES
    assert kinds(trace) == [
        "system_message",
        "user_message",
        "model_reply",
        "tool_call",
        "tool_result",
        "model_reply",
        "claim",
        "claim",
    ]
    (call,) = (event for event in trace.events if isinstance(event, ToolCall))
    assert call.args_raw == '{"id":  1}'
    (result,) = (event for event in trace.events if isinstance(event, ToolResult))
    assert result.latency_ms == 1000
    assert lost(losses)["calls_written_as_text"] == 1
    claims = [event.text for event in trace.events if isinstance(event, Claim)]
    assert claims == [ANSWER, "Paused, says the crew."]
    assert trace.events[1].text == "Pause\nit."  # type: ignore[union-attr]


def test_a_text_reply_may_ask_for_a_call() -> None:
    """Then its text is no claim, and of the last one only the answer is."""
    trace, _ = read_as(
        "crewai",
        a_log(
            ("llm_call_started", {"messages": "Pause it.", "model": "m"}),
            ("llm_call_completed", {"response": "Thought: x\nAction: pause"}),
            ("tool_usage_started", {"tool_name": "pause", "tool_args": None}),
            ("tool_usage_finished", {"tool_name": "pause", "output": {"ok": 1}}),
            ("llm_call_completed", {"response": f"Final Answer: {ANSWER}"}),
            ("agent_logs_execution", {"formatted_answer": {"output": ANSWER}}),
        ),
    )

    assert [event.text for event in trace.events if isinstance(event, Claim)] == [ANSWER]
    replies = [event.text for event in trace.events if isinstance(event, ModelReply)]
    assert replies == ["Thought: x\nAction: pause", f"Final Answer: {ANSWER}"]


def test_a_run_without_its_end_is_read() -> None:
    """What waited for its meaning is added; a failed crew is a failed run."""
    trace, _ = read_as(
        "crewai",
        a_log(
            ("lite_agent_execution_started", {"task": {"description": "Pause it."}}),
            ("context_window_summarization_completed", {}),
            ("llm_call_completed", {"response": "I am"}),
            ("crew_kickoff_failed", {"error": "x"}),
        ),
    )

    assert trace.status is RunStatus.FAILED
    assert kinds(trace) == ["context_change", "user_message", "model_reply", "claim"]


def test_several_crews_of_a_file_are_several_runs(tmp_path: Path) -> None:
    """A kickoff begins one; a crew inside a crew does not."""
    inner = [*a_log(("crew_kickoff_started", {"event_id": "in", "parent_event_id": "kick"}))]
    second = a_log(("crew_kickoff_started", {**STARTED, "event_id": "kick-2"}))

    runs = read(write_lines(tmp_path / "log.jsonl", *a_native_log(), *inner, *second))

    assert sorted(run.run_id for run in runs) == ["kick", "kick-2"]


def test_texts_in_repr_are_unquoted_where_a_name_shows_it() -> None:
    """A text of a person may begin and end with quotes of its own."""
    assert message_of({"role": "'user'", "content": "'a\\nb'"}) == ("user", "a\nb")
    assert message_of({"role": "user", "content": "'a'"}) == ("user", "'a'")
    assert message_of({"role": "'user'"}) == ("user", None)
    assert message_of("hello") == ("user", "hello")
    assert unquoted("'a\" + b'") == "'a\" + b'"[1:-1]
    assert unquoted("'broken\\'") == "'broken\\'"
    assert unquoted("'") == "'"
    assert unquoted("b'x'b") == "b'x'b"
    assert unquoted("'a', 'b'") == "'a', 'b'"


def test_calls_of_a_reply() -> None:
    """Unnamed entries are none; arguments may be a structure."""
    calls = reply_calls(
        "r",
        [
            {"id": "1"},
            {"function": {"name": "t", "arguments": {"a": 1}}},
            {"function": {"name": "'t'"}},
        ],
    )

    assert [(call.ref, call.tool, call.text, call.value) for call in calls] == [
        ("r.1", "t", None, {"a": 1}),
        ("r.2", "t", None, ABSENT),
    ]
    assert args_of(None) is ABSENT
    assert args_of("{'a': 1}") == {"a": 1}
    assert error_of({"code": 1}) == CallError(message='{"code":1}')


@pytest.mark.parametrize(
    "record",
    [
        {"type": "tool_usage_started"},
        {"type": "tool_usage_started", "timestamp": "x"},
        {"type": "other", "timestamp": "x", "emission_sequence": 1},
        [],
    ],
)
def test_other_records_are_no_events(record: Json) -> None:
    """`type` is a common key."""
    assert "crewai" not in candidates(record)


def test_an_entry_that_is_no_event_is_named() -> None:
    """The error says where."""
    with pytest.raises(TraceFormatError, match=r"0 is .*; expected a mapping"):
        read_as("crewai", ["x"])

"""OpenHands: causes, replies kept with actions, refusals, old streams without numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.samples import dumped, kinds, lost, read, read_as, write_file
from workbench.errors import TraceFormatError
from workbench.ingest.formats import candidates
from workbench.model.event import (
    CallError,
    Decision,
    Outcome,
    Permission,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from workbench.model.trace import Grade, RunStatus, Trace

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap


def an_action(number: int, action: str, *, source: str = "agent", **fields: Json) -> JsonMap:
    """An action of a stream."""
    return {
        "id": number,
        "timestamp": "2025-01-01T00:00:00",
        "source": source,
        "action": action,
        **fields,
    }


def an_observation(number: int, kind: str, **fields: Json) -> JsonMap:
    """An observation of a stream."""
    return {"id": number, "source": "environment", "observation": kind, **fields}


def by_model(*names: str, given: str = "c1", response: str = "r1") -> JsonMap:
    """What is kept of the reply that caused an action."""
    calls: Json = [
        {"id": f"c{n}", "function": {"name": name, "arguments": '{"n":  1}'}}
        for n, name in enumerate(names, 1)
    ]
    return {
        "tool_call_id": given,
        "function_name": "execute_bash",
        "model_response": {
            "id": response,
            "model": "m-1",
            "choices": [{"message": {"tool_calls": calls}}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 2},
        },
    }


def a_task() -> JsonMap:
    """The task."""
    return an_action(0, "message", source="user", args={"content": "Fix it.", "image_urls": ["x"]})


def events_as(kind: type, trace: Trace) -> list[object]:
    """Return the events of one kind."""
    return [event for event in trace.events if isinstance(event, kind)]


def test_a_stream_is_a_run(tmp_path: Path) -> None:
    """Two calls of one reply stand together, and each result finds its own."""
    system: JsonMap = {
        "content": "You fix code.",
        "tools": [{"function": {"name": "execute_bash"}}],
        "openhands_version": "0.35",
    }
    stream: list[Json] = [
        an_action(1, "system", args=system),
        a_task(),
        an_action(2, "recall", args={}),
        an_observation(3, "recall", content="Notes."),
        an_action(
            4,
            "run",
            args={"command": "ls", "thought": "Look."},
            tool_call_metadata=by_model("execute_bash", "execute_bash"),
        ),
        an_observation(5, "run", cause=4, content="a.py", extras={"metadata": {"exit_code": 2}}),
        an_action(6, "run", args={}, tool_call_metadata=by_model("execute_bash", given="c2")),
        an_observation(7, "run", cause=6, content="b.py"),
        an_action(8, "finish", args={"final_thought": "Fixed."}),
    ]

    (run,) = read(write_file(tmp_path / "stream.json", dumped(stream)))

    assert run.trace is not None
    assert kinds(run.trace) == [
        "system_message",
        "user_message",
        "model_reply",
        "claim",
        "tool_call",
        "tool_call",
        "tool_result",
        "tool_result",
        "model_reply",
        "claim",
    ]
    first, _ = (event for event in run.trace.events if isinstance(event, ToolCall))
    assert (first.call_id, first.tool, first.args_raw) == ("c1", "execute_bash", '{"n":  1}')
    failed, good = (event for event in run.trace.events if isinstance(event, ToolResult))
    assert failed.error == CallError(type="exit_code", status=2)
    assert (good.call_id, good.error) == ("c2", None)
    assert run.trace.events[2].usage == Usage(input_tokens=9, output_tokens=2)  # type: ignore[union-attr]
    assert (run.trace.versions.model, run.trace.versions.agent) == ("m-1", "0.35")
    assert lost(run.losses) == {
        "timestamps_without_zone": 6,
        "parts_dropped": 1,
        "injected_context_left_out": 1,
    }


def test_without_the_reply_an_action_is_its_own_call() -> None:
    """Its number is then its id, which `cause` names."""
    trace, losses = read_as(
        "openhands_events",
        [
            a_task(),
            an_action(1, "read", args={"path": "a.py", "thought": ""}),
            an_observation(2, "read", cause=1, content={"lines": 3}),
            an_action(3, "message", args={"content": "Done."}),
        ],
    )

    (call,) = (event for event in trace.events if isinstance(event, ToolCall))
    assert (call.call_id, call.tool, call.args) == ("1", "read", {"path": "a.py"})
    (result,) = (event for event in trace.events if isinstance(event, ToolResult))
    assert result.result == {"lines": 3}
    assert kinds(trace)[-2:] == ["model_reply", "claim"]
    assert "pairing_uncertain" not in lost(losses)


def test_an_error_that_answers_nothing_shows_a_lost_call() -> None:
    """The framework refused a call and recorded only its answer."""
    trace, losses = read_as(
        "openhands_events",
        [
            a_task(),
            an_observation(1, "error", content="Bad call.", extras={"error_id": ""}),
            an_action(2, "run", args={"command": "x"}),
            an_observation(3, "error", cause=2, content="No.", extras={"error_id": "E1"}),
        ],
    )

    users = [event for event in trace.events if isinstance(event, UserMessage)]
    assert (users[1].actor, users[1].text) == ("framework", "Bad call.")
    (result,) = (event for event in trace.events if isinstance(event, ToolResult))
    assert result.error == CallError(type="E1", message="No.")
    assert lost(losses)["rejected_calls_not_recorded"] == 1
    assert losses.grade is Grade.NEEDS_FIXTURES


def test_a_person_may_refuse() -> None:
    """The state of the action and the observation both say so."""
    trace, _ = read_as(
        "openhands_events",
        [
            a_task(),
            an_action(
                1, "run", args={"command": "x", "confirmation_state": "awaiting_confirmation"}
            ),
            an_action(2, "run", args={"command": "x", "confirmation_state": "rejected"}),
            an_observation(3, "user_rejected", cause=2, content="No."),
            an_action(4, "run", args={"command": "y", "confirmation_state": "confirmed"}),
        ],
    )

    marks = [event for event in trace.events if isinstance(event, Permission)]
    assert [(mark.decision, mark.tool) for mark in marks] == [
        (Decision.ASKED, "run"),
        (Decision.DENIED, "run"),
    ]
    (result,) = (event for event in trace.events if isinstance(event, ToolResult))
    assert result.outcome is Outcome.DENIED


def a_result(history: list[Json], **fields: Json) -> JsonMap:
    """A result of a benchmark."""
    return {"instance_id": "repo-1", "history": history, **fields}


def test_old_streams_are_paired_by_position() -> None:
    """Actions of 2024 have neither numbers nor ids, and their arguments beside the name."""
    history: list[Json] = [
        {"action": "message", "content": "Fix it."},
        {"action": "run", "command": "ls", "thought": "Look.", "is_confirmed": "confirmed"},
        {"observation": "run", "content": "a.py", "command": "ls", "exit_code": 1},
        {"action": "run", "command": "cat", "thought": ""},
        {"observation": "error", "content": "No."},
        {"action": "finish", "thought": "Fixed.", "outputs": {}},
    ]
    pairs: list[Json] = [history[:1], history[1:3], history[3:5], history[5:]]

    trace, losses = read_as("openhands", a_result(history, success=True))
    paired, _ = read_as("openhands", a_result(pairs, success=False))

    assert kinds(trace) == kinds(paired)
    assert trace.run_id == "repo-1"
    calls = [event for event in trace.events if isinstance(event, ToolCall)]
    assert [call.args for call in calls] == [{"command": "ls"}, {"command": "cat"}]
    results = [event for event in trace.events if isinstance(event, ToolResult)]
    assert [result.error for result in results] == [
        CallError(type="exit_code", status=1),
        CallError(message="No."),
    ]
    assert lost(losses)["call_ids_synthesised"] == 2
    assert (trace.status, paired.status) == (RunStatus.OK, RunStatus.FAILED)


@pytest.mark.parametrize(
    ("fields", "state", "status"),
    [
        ({"error": "crashed"}, "running", RunStatus.FAILED),
        ({}, "error", RunStatus.FAILED),
        ({}, "finished", RunStatus.UNKNOWN),
    ],
)
def test_what_says_that_a_run_failed(fields: JsonMap, state: str, status: RunStatus) -> None:
    """An error of the result, or the agent's last state."""
    changed = an_observation(1, "agent_state_changed", extras={"agent_state": state})
    metadata: JsonMap = {"llm_config": {"model": "m-1"}, "git_commit": "abc"}
    trace, _ = read_as("openhands", a_result([a_task(), changed], metadata=metadata, **fields))

    assert trace.status is status
    assert (trace.versions.model, trace.versions.agent) == ("m-1", "abc")


def test_a_condensation_changes_the_context() -> None:
    """Events without an action or observation say nothing."""
    trace, _ = read_as(
        "openhands_events", [a_task(), an_action(1, "condensation"), {"id": 2, "source": "agent"}]
    )

    assert kinds(trace) == ["user_message", "context_change"]


def test_a_broken_event_is_named() -> None:
    """The error says where."""
    with pytest.raises(TraceFormatError, match=r"history\.0 is .*; expected a mapping"):
        read_as("openhands", a_result(["x"]))


def test_which_records_are_of_openhands() -> None:
    """`history`, `action` and `id` are common keys."""
    assert candidates(a_task()) == ("openhands_events",)
    assert candidates(a_result([a_task()])) == ("openhands",)
    assert candidates(a_result([[a_task()]])) == ("openhands",)
    others: list[Json] = [
        {"history": []},
        {"history": [{"role": "user"}]},
        {"action": "x", "id": 1},
    ]
    for other in others:
        assert not {"openhands", "openhands_events"} & set(candidates(other))

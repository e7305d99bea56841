"""Inspect: events, references to texts, scorers, approvals, scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ingest.samples import dumped, kinds, lost, read, read_as, write_file
from workbench.errors import TraceFormatError
from workbench.ingest.formats import candidates
from workbench.model.event import (
    CallError,
    Decision,
    ModelReply,
    ModelRequest,
    Outcome,
    Permission,
    ToolCall,
    ToolResult,
    Usage,
)
from workbench.model.trace import Grade, RunStatus

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap


def a_message(role: str, content: Json, **more: Json) -> JsonMap:
    """A message."""
    return {"role": role, "content": content, **more}


def a_call(given: str = "c1", **more: Json) -> JsonMap:
    """A call of a reply."""
    return {"id": given, "function": "bash", "arguments": {"cmd": "ls"}, **more}


def asked(*given: Json, reply: JsonMap | None = None, **more: Json) -> JsonMap:
    """A request to a model, with its reply."""
    choices: Json = [{"message": reply, "stop_reason": "stop"}] if reply is not None else []
    usage: JsonMap = {"input_tokens": 9, "output_tokens": 2, "input_tokens_cache_read": 1}
    return {
        "event": "model",
        "timestamp": "2026-01-01T00:00:00+00:00",
        "model": "p/m-1",
        "input": list(given),
        "tools": [{"name": "bash", "description": "attachment://d"}],
        "config": {"temperature": 0.5, "seed": None},
        "output": {"model": "m-1", "choices": choices, "usage": usage},
        **more,
    }


def answered(given: str = "c1", **more: Json) -> JsonMap:
    """What a tool did."""
    return {
        "event": "tool",
        "timestamp": "2026-01-01T00:00:01+00:00",
        "completed": "2026-01-01T00:00:03+00:00",
        "id": given,
        "function": "bash",
        "arguments": {"cmd": "ls"},
        "result": "a.py",
        **more,
    }


SYSTEM = a_message("system", "attachment://s")
TASK = a_message("user", "Find it.", id="m1")
ASKS = a_message("assistant", "Look.", id="m2", tool_calls=[a_call()])
SAYS = a_message("assistant", [{"type": "reasoning"}, {"type": "text", "text": "Found."}], id="m4")
GOT = a_message("tool", "a.py", id="m3", tool_call_id="c1", function="bash")


def a_sample(*events: Json, **more: Json) -> JsonMap:
    """A sample with one call."""
    found = list(events) or [
        {"event": "sample_init"},
        asked(SYSTEM, TASK, reply=ASKS),
        answered(),
        asked(SYSTEM, TASK, ASKS, GOT, reply=SAYS),
    ]
    return {
        "id": 1,
        "epoch": 2,
        "uuid": "u1",
        "input": "Find it.",
        "target": "x",
        "messages": [],
        "events": found,
        "attachments": {"s": "You find things.", "d": "Runs a command."},
        "scores": {"match": {"value": "C"}},
        **more,
    }


def results_of(sample: JsonMap) -> list[ToolResult]:
    """Return the results."""
    trace, _ = read_as("inspect", sample)
    return [event for event in trace.events if isinstance(event, ToolResult)]


def test_a_sample_is_a_run(tmp_path: Path) -> None:
    """Requests repeat the conversation; each message counts once."""
    log: JsonMap = {
        "version": 2,
        "status": "success",
        "eval": {"run_id": "r1", "task": "ctf", "model": "p/m-1", "revision": {"commit": "abc"}},
        "samples": [a_sample(), a_sample(uuid="u2")],
    }

    run, other = read(write_file(tmp_path / "log.json", dumped(log)))

    assert (run.run_id, other.run_id) == ("u1", "u2")
    assert run.trace is not None
    assert kinds(run.trace) == [
        "system_message",
        "user_message",
        "model_request",
        "model_reply",
        "claim",
        "tool_call",
        "tool_result",
        "model_request",
        "model_reply",
        "claim",
    ]
    assert run.trace.events[0].text == "You find things."  # type: ignore[union-attr]
    (call,) = (event for event in run.trace.events if isinstance(event, ToolCall))
    assert call.args_raw == '{"cmd": "ls"}'
    (result,) = (event for event in run.trace.events if isinstance(event, ToolResult))
    assert (result.result_raw, result.latency_ms) == ("a.py", 2000)
    request = run.trace.events[2]
    assert isinstance(request, ModelRequest)
    assert (request.settings, request.offered_tools) == ({"temperature": 0.5}, ("bash",))
    reply = run.trace.events[3]
    assert isinstance(reply, ModelReply)
    assert reply.usage == Usage(input_tokens=9, output_tokens=2, cached_tokens=1)
    assert run.trace.tools[0].description == "Runs a command."
    assert run.trace.labels == {"task": "ctf", "sample": 1, "epoch": 2, "score.match": "C"}
    assert (run.trace.session, run.trace.versions.agent) == ("r1", "abc")
    assert lost(run.losses) == {}


def test_old_logs_keep_events_in_a_transcript() -> None:
    """Their references and their steps have other names."""
    system = a_message("system", "tc://s")
    events: Json = [
        {"event": "step", "action": "begin", "type": "solver"},
        asked(system, TASK, reply=SAYS, tools=[]),
        {"event": "step", "action": "end"},
        {"event": "step", "action": "begin", "type": "scorer"},
        asked(a_message("user", "Is it right?"), reply=a_message("assistant", "C")),
        {"event": "step", "action": "end"},
        {"event": "step", "action": "end"},
    ]
    sample = a_sample()
    del sample["events"]
    sample["transcript"] = {"events": events, "content": {"s": "You find things."}}

    trace, _ = read_as("inspect", sample)

    assert kinds(trace) == [
        "system_message",
        "user_message",
        "model_request",
        "model_reply",
        "claim",
    ]


def test_new_logs_name_messages_by_their_place() -> None:
    """Each stands once in the sample; what a range names that is not there is lost, not the rest."""
    first = asked(input_refs=[[0, 2]], reply=ASKS)
    second = asked(input_refs=[[0, 3], [3, 9], [4, 4], [7, 8], [-1, 2], "x", [1]], reply=SAYS)
    pool: JsonMap = {"messages": [SYSTEM, TASK, ASKS, GOT], "calls": []}

    trace, losses = read_as("inspect", a_sample(first, answered(), second, events_data=pool))
    whole, _ = read_as("inspect", a_sample())

    assert kinds(trace) == kinds(whole)
    assert [one.n_messages for one in trace.events if isinstance(one, ModelRequest)] == [2, 4]
    assert trace.events[0].source_ref == "events_data.messages.0"
    assert lost(losses)["messages_missing"] == 5
    assert "system_missing" not in lost(losses)


@pytest.mark.parametrize(("refs", "missing"), [(None, 0), ([], 0), ("x", 1), ({}, 1)])
def test_references_that_are_no_list_are_lost(refs: Json, missing: int) -> None:
    """What a request was given is not known then, and that is said."""
    pool: JsonMap = {"messages": [SYSTEM, TASK]}
    sample = a_sample(asked(input_refs=[[0, 2]]), asked(input_refs=refs), events_data=pool)

    _, losses = read_as("inspect", sample)

    assert lost(losses).get("messages_missing", 0) == missing


def test_ranges_that_repeat_cost_nothing() -> None:
    """A small file can name a long conversation as often as it likes."""
    pool: JsonMap = {"messages": [a_message("user", f"t{n}", id=f"p{n}") for n in range(500)]}
    events = [asked(input_refs=[[1, 500]]) for _ in range(500)]

    trace, _ = read_as("inspect", a_sample(*events, events_data=pool))

    assert kinds(trace).count("user_message") == 499


def test_what_a_scorer_asks_is_no_act_of_the_agent() -> None:
    """Its span may stand around others; a loop of parents ends."""
    trace, _ = read_as(
        "inspect",
        a_sample(
            {"event": "span_begin", "id": "a", "type": "agent", "name": "finder", "parent_id": "b"},
            {"event": "span_begin", "id": "b", "type": "solver", "parent_id": "a"},
            {"event": "span_begin", "id": "x", "type": "scorers"},
            {"event": "span_begin", "id": "y", "type": "other", "parent_id": "x"},
            asked(TASK, reply=ASKS, span_id="b"),
            answered(span_id="b"),
            asked(a_message("user", "Right?"), reply=SAYS, span_id="y"),
            {"event": "span_end", "id": "x"},
        ),
    )

    assert kinds(trace) == [
        "user_message",
        "model_request",
        "model_reply",
        "claim",
        "tool_call",
        "tool_result",
    ]
    assert {event.agent for event in trace.events[1:]} == {"finder"}


@pytest.mark.parametrize(
    ("fields", "outcome", "error"),
    [
        (
            {"error": {"type": "timeout", "message": "attachment://s"}},
            None,
            CallError(type="timeout", message="You find things."),
        ),
        (
            {"error": {"type": "approval", "message": None}},
            Outcome.DENIED,
            CallError(type="approval"),
        ),
        ({"failed": True}, None, CallError()),
        ({"result": [{"type": "text", "text": "a"}]}, None, None),
    ],
)
def test_how_a_call_ended(
    fields: JsonMap, outcome: Outcome | None, error: CallError | None
) -> None:
    """The kind of an error is a word of Inspect's."""
    (result,) = results_of(a_sample(asked(TASK, reply=ASKS), {**answered(), **fields}))

    assert (result.outcome, result.error) == (outcome, error)


def test_a_result_may_stand_in_the_next_request_only() -> None:
    """Bridged agents run their tools themselves; the few-shot replies before are history."""
    shot = a_message("assistant", "An example.")
    bad = a_message("tool", "no", id="m3", tool_call_id="c1", error={"type": "x", "message": "no"})
    sample = a_sample(asked(shot, TASK, reply=ASKS), asked(TASK, ASKS, bad, reply=SAYS))

    (result,) = results_of(sample)
    assert result.error == CallError(type="x", message="no")
    trace, _ = read_as("inspect", sample)
    assert kinds(trace)[:2] == ["model_reply", "claim"]


def test_without_events_the_messages_are_read() -> None:
    """A log may be written without them; a message without id is told by what it says."""
    messages: Json = [SYSTEM, TASK, a_message("assistant", "", tool_calls=[a_call()]), GOT, SAYS]

    trace, losses = read_as("inspect", a_sample({"event": "info"}, messages=messages))

    assert kinds(trace) == [
        "system_message",
        "user_message",
        "model_reply",
        "tool_call",
        "tool_result",
        "model_reply",
        "claim",
    ]
    assert lost(losses)["no_timestamps"] == 1


@pytest.mark.parametrize(
    ("word", "decision"),
    [
        ("approve", Decision.GRANTED),
        ("reject", Decision.DENIED),
        ("escalate", Decision.ASKED),
        ("other", None),
    ],
)
def test_approvals_are_permissions(word: str, decision: Decision | None) -> None:
    """With who decided."""
    event: JsonMap = {
        "event": "approval",
        "decision": word,
        "approver": "human",
        "call": {"function": "bash"},
    }
    trace, _ = read_as("inspect", a_sample(asked(TASK, reply=ASKS), event))

    marks = [mark for mark in trace.events if isinstance(mark, Permission)]
    assert [(m.decision, m.tool, m.actor) for m in marks] == (
        [] if decision is None else [(decision, "bash", "human")]
    )


def test_a_text_that_the_log_does_not_have_is_named() -> None:
    """Arguments that are references are not the exact text, and say so."""
    call = a_call(arguments={"cmd": "attachment://s"})
    missing = a_message("user", "attachment://gone")
    compaction: JsonMap = {"event": "compaction"}
    sample = a_sample(
        asked(missing, reply=a_message("assistant", "", tool_calls=[call])), compaction, asked(TASK)
    )

    trace, losses = read_as("inspect", sample)

    (found,) = (event for event in trace.events if isinstance(event, ToolCall))
    assert found.args == {"cmd": "You find things."}
    assert found.args_raw == '{"cmd":"You find things."}'
    assert lost(losses)["attachments_missing"] >= 1
    assert losses.grade is Grade.NEEDS_FIXTURES
    assert "context_change" in kinds(trace)


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, RunStatus.OK),
        ({"scores": {"match": {"value": "I"}}}, RunStatus.FAILED),
        ({"scores": {"a": {"value": 1.0}, "b": {"value": 0}}}, RunStatus.FAILED),
        ({"scores": {"a": {"value": 0.5}}}, RunStatus.UNKNOWN),
        ({"scores": {"a": {"value": {"x": 1}}}}, RunStatus.UNKNOWN),
        ({"scores": None}, RunStatus.UNKNOWN),
        ({"error": {"message": "x"}}, RunStatus.FAILED),
        ({"limit": {"type": "token"}}, RunStatus.OK),
    ],
)
def test_the_scores_say_whether_a_run_failed(fields: JsonMap, status: RunStatus) -> None:
    """The label rule: right, wrong, or nobody can say."""
    trace, _ = read_as("inspect", a_sample(**fields))

    assert trace.status is status


@pytest.mark.parametrize(
    ("event", "error"),
    [
        (asked(a_message("other", "")), r"events\.0\.input\.0\.role is .*; expected system, user"),
        (
            asked(TASK, reply=a_message("assistant", "", tool_calls=[{}])),
            r"events\.0\.output\.choices\.0\.message\.tool_calls\.0\.function is .*; expected a tool",
        ),
        (5, r"events\.0 is .*; expected a mapping"),
    ],
)
def test_a_broken_event_is_named(event: Json, error: str) -> None:
    """The error says where."""
    with pytest.raises(TraceFormatError, match=error):
        read_as("inspect", a_sample(event))


def test_which_records_are_samples() -> None:
    """`id` and `messages` are common keys."""
    assert candidates(a_sample()) == ("inspect",)
    assert "inspect" not in candidates({"id": 1, "epoch": 1, "input": "", "messages": []})

"""A trace as a waterfall."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from tests import strategies
from tests.builders import a_call, a_claim, a_system, a_trace, a_turn, a_user, timed_trace
from workbench.model.event import (
    Change,
    ClaimOutcome,
    ContextChange,
    Decision,
    ModelReply,
    ModelRequest,
    Outcome,
    Permission,
    StateChange,
    ToolResult,
)
from workbench.model.trace import Trace, renumbered
from workbench.ui.controllers.spans import LANES, waterfall


def a_run():
    """Return a run with one of everything."""
    return a_trace(
        a_system(),
        a_user(),
        ModelRequest(model="m-1"),
        a_turn(a_call("crm.lookup"), a_call("crm.notes", outcome=Outcome.RETRYABLE, detail="429")),
        Permission(decision=Decision.DENIED, tool="billing.pause"),
        StateChange(name="plan", before="on", after="off"),
        ContextChange(change=Change.COMPACTION),
        a_call("billing.pause", outcome=Outcome.MISSING),
        ModelRequest(model="m-2"),
        a_claim("Done.", ClaimOutcome.SUCCESS),
    )


def test_a_call_and_its_result_are_one_row_as_are_request_and_reply():
    """People think in calls, not in records."""
    spans = waterfall(a_run()).spans

    assert [(s.lane, s.kind, s.outcome, s.bad) for s in spans] == [
        ("message", "system_message", "", False),
        ("message", "user_message", "", False),
        ("model", "model_reply", "", False),
        ("tool", "tool_call", "ok", False),
        ("tool", "tool_call", "retryable", True),
        ("permission", "permission", "denied", True),
        ("state", "state_change", "", False),
        ("state", "context_change", "compaction", False),
        ("model", "model_reply", "", False),
        ("tool", "tool_call", "missing", True),
        ("model", "model_reply", "", False),
        ("message", "claim", "success", False),
    ]
    assert spans[2].seqs == (2, 3)
    assert spans[3].seqs == (4, 6)
    assert spans[4].detail == "429"
    assert [s.turn for s in spans if s.lane == "tool"] == [1, 1, 2]


def test_a_request_without_a_reply_catches_the_eye():
    """The model was asked and nothing came."""
    (span,) = waterfall(Trace(run_id="r", events=(ModelRequest(model="m"),))).spans

    assert (span.outcome, span.bad) == ("no reply", True)


def test_calls_of_one_reply_ran_at_once_and_a_later_one_did_not():
    """By order, where no times were kept: each began before the other ended."""
    fall = waterfall(a_trace(a_turn(a_call("a"), a_call("b")), a_call("c")))

    beside = {span.title: span.beside for span in fall.spans if span.lane == "tool"}
    assert beside == {"a": (2,), "b": (1,), "c": ()}
    assert not fall.timed
    assert fall.ms is None


def test_recorded_times_decide_what_ran_at_once():
    """Two calls of one reply that a framework carried out one after the other."""
    trace = timed_trace(a_trace(a_turn(a_call("a"), a_call("b"))))
    events = tuple(
        replace(e, latency_ms=10.0 if e.call_id == "c1" else 2500.0)
        if isinstance(e, ToolResult)
        else e
        for e in trace.events
    )

    fall = waterfall(replace(trace, events=events))

    assert [span.beside for span in fall.spans if span.lane == "tool"] == [(), ()]
    assert [span.ms for span in fall.spans if span.lane == "tool"] == [10.0, 2500.0]
    assert fall.timed


def test_a_long_idle_stretch_is_cut_and_marked():
    """A person who answers an hour later must not shrink the run to a dot."""
    trace = timed_trace(a_trace(a_call("a"), a_user(), a_call("b")))
    late = [
        replace(e, at=e.at.replace("10:00", "11:00")) if e.at and e.seq > 3 else e
        for e in trace.events
    ]

    fall = waterfall(replace(trace, events=tuple(late)))

    assert len(fall.breaks) >= 1
    assert max(gap.ms for gap in fall.breaks) > 3_500_000
    assert fall.end < 60_000
    assert fall.ms is not None
    assert fall.ms > 3_600_000


@pytest.mark.parametrize("at", ["yesterday", "2026-11-30T10:00:00", "2026-11-30T10:00:00Z"])
def test_times_that_say_nothing_leave_the_order(at):
    """One time for all, or none that can be read."""
    trace = a_trace(a_user(), a_call("a"))

    fall = waterfall(replace(trace, events=tuple(replace(e, at=at) for e in trace.events)))

    assert not fall.timed
    assert [span.start for span in fall.spans] == [0.0, 1.0, 2.0]


def test_a_time_without_a_zone_is_utc_and_time_never_runs_backwards():
    """Recorders of two machines disagree."""
    times = ("2026-11-30T10:00:01Z", "2026-11-30T10:00:00", None, "2026-11-30T10:00:03Z")
    events = renumbered(replace(a_user(), at=at) for at in times)

    fall = waterfall(Trace(run_id="r", events=events))

    starts = [span.start for span in fall.spans]
    assert starts == sorted(starts)
    assert fall.ms == 3000.0


def test_a_trace_without_events_has_no_rows():
    """And an end, so that nobody divides by it."""
    fall = waterfall(Trace(run_id="r"))

    assert (fall.spans, fall.end, fall.timed) == ((), 1.0, False)


def test_many_calls_at_once_are_counted_up_to_a_limit():
    """A thousand calls of one reply are a million pairs."""
    fall = waterfall(a_trace(a_turn(*[a_call("a") for _ in range(300)])))

    tools = [span for span in fall.spans if span.lane == "tool"]
    assert all(len(span.beside) >= 60 for span in tools)


@settings(max_examples=40)
@given(strategies.traces())
def test_every_event_is_in_exactly_one_row(trace):
    """Nothing is hidden and nothing is shown twice, whatever the trace."""
    fall = waterfall(trace)

    seqs = sorted(seq for span in fall.spans for seq in span.seqs)
    assert seqs == list(range(len(trace.events)))
    assert all(span.lane in LANES and span.length >= 0 for span in fall.spans)
    assert all(0 <= span.start <= fall.end + 1e-6 for span in fall.spans)
    assert ModelReply not in {type(trace.events[s.seqs[0]]) for s in fall.spans if s.lane == "tool"}

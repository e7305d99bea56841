"""What an oracle that explains nothing read is tried first; it is a hint and never believed."""

from __future__ import annotations

import copy
import json
import pickle
from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.builders import a_call, a_claim, a_trace, a_turn, a_user
from tests.shrink.rules import CountingOracle, a_judge, bare, forbidden, mute, tools_called
from tests.shrink.test_shrinking import PAID, a_long_trace
from workbench.casefile.trace import trace_document
from workbench.model.event import Outcome, ToolCall, ToolResult
from workbench.model.verdict import First, Signature, Verdict
from workbench.shrink import Budget, Step, shrink_trace
from workbench.shrink.reads import deep_first, watched

if TYPE_CHECKING:
    from workbench.model.trace import Trace


Paths = dict[int, set[tuple[str | int, ...]]]


def hintless(trace: Trace) -> Verdict:
    """Fail like `PAID`, say only that something was wrong at the end; reads are seen."""
    verdict = PAID(trace)
    clauses = verdict.signature.clauses
    first = First(clause="rule/1", kind="end") if clauses else None
    return Verdict(
        result=verdict.result,
        clauses=(),
        violations=(),
        signature=Signature(clauses=clauses, first=first),
    )


def misleading(trace: Trace) -> Verdict:
    """Read what does not matter, often, and the rest from a copy."""
    for event in trace.events:
        if isinstance(event, ToolCall) and isinstance(event.args, dict) and "n" in event.args:
            event.args.get("x")
            event.args.get("y" if event.args["n"] == 7 else "x")
    return hintless(copy.deepcopy(trace))


def test_what_the_signature_names_is_tried_first():
    """An oracle that explains nothing still says at which kind of event it failed first."""
    steps: list[Step] = []

    shrunk = shrink_trace(a_long_trace(calls=660), bare(PAID), on_step=steps.append)

    assert next(step.trying for step in steps if step.adopted) == "reads"
    assert tools_called(shrunk.trace) == ["mail", "look", "pay"]
    assert shrunk.calls <= 8


def test_what_was_read_deeper_than_the_rest_is_tried_next():
    """Every call is walked over, but only the arguments of one kind were looked into."""
    seen = shrink_trace(a_long_trace(calls=660), hintless)
    unseen = shrink_trace(a_long_trace(calls=660), mute(PAID))

    assert seen.trace == unseen.trace
    assert seen.calls <= 15 < unseen.calls
    assert seen.minimal.behaviour


def test_a_recording_that_misleads_costs_a_few_calls_and_changes_nothing():
    """Unsound recordings are allowed: every candidate is judged."""
    misled = shrink_trace(a_long_trace(), misleading)
    wanted = shrink_trace(a_long_trace(), mute(PAID))

    assert misled.trace == wanted.trace
    assert misled.calls <= wanted.calls + 2


def test_few_units_are_not_worth_a_recording():
    """One more run of the oracle costs as much as trying one of them."""
    trace = a_trace(a_user(), *[a_call("look") for _ in range(5)], a_call("pay"), a_claim("ok"))
    oracle = CountingOracle(bare(a_judge(partial(forbidden, tool="pay"))))

    shrunk = shrink_trace(trace, oracle)

    assert oracle.calls == shrunk.calls <= 8


def test_what_was_read_is_in_the_journal(tmp_path):
    """A resumed search goes the same way without watching again."""
    journal = tmp_path / "j.jsonl"
    wanted = shrink_trace(a_long_trace(), hintless, journal=journal)
    oracle = CountingOracle(hintless)

    resumed = shrink_trace(a_long_trace(), hintless, journal=journal, budget=Budget(calls=0))

    assert resumed == wanted
    assert oracle.calls == 0
    assert '"candidate":"reads"' in journal.read_text("utf-8")
    assert '"slices":[[' in journal.read_text("utf-8")


# --- watching ---------------------------------------------------------------------


def a_trace_with_values() -> Trace:
    """Return a run whose calls have arguments and results of every shape."""
    return a_trace(
        a_user(),
        a_turn(
            a_call("find", args={"q": {"a": [1, {"b": None}]}}, result=[{"id": 1}, {"id": 2}]),
            a_call("read", args={}, result="text"),
        ),
        a_call("raw", args_raw="{not json", outcome=Outcome.UNKNOWN),
    )


def test_a_watched_trace_is_equal_and_survives_copies():
    """An oracle must not see a difference: JSON, equality, pickles, copies."""
    trace = a_trace_with_values()

    same, _ = watched(trace)

    assert same == trace
    assert str(trace_document(same)) == str(trace_document(trace))
    assert pickle.loads(pickle.dumps(same)) == trace  # noqa: S301  our own bytes
    assert copy.deepcopy(same) == trace
    for one, other in zip(same.events, trace.events, strict=True):
        if (
            isinstance(one, ToolCall)
            and isinstance(other, ToolCall)
            and one.args_raw != "{not json"
        ):
            assert json.dumps(one.args) == json.dumps(other.args)


@pytest.mark.parametrize(
    ("read", "paths"),
    [
        (lambda args: args["q"], {("q",)}),
        (lambda args: args.get("q"), {("q",)}),
        (lambda args: "q" in args, {("q",)}),
        (lambda args: args["q"]["a"][0], {("q",), ("q", "a"), ("q", "a", "*")}),
        (lambda args: list(args["q"]["a"]), {("q",), ("q", "a"), ("q", "a", "*")}),
        (lambda args: list(args.items()), {("q",)}),
        (lambda args: list(args.values()), {("q",)}),
        (len, set()),
    ],
)
def test_reads_are_noted_by_path(read, paths):
    """How far somebody looked into a value, key by key."""
    trace = a_trace_with_values()
    same, reads = watched(trace)
    call = next(event for event in same.events if isinstance(event, ToolCall))

    read(call.args)

    assert reads[call.seq] == paths


def test_results_are_watched_as_arguments_are():
    """A read-back is judged by its result."""
    same, reads = watched(a_trace_with_values())
    result = next(event for event in same.events if isinstance(event, ToolResult))

    assert isinstance(result.result, list)
    assert isinstance(result.result[0], dict)
    assert result.result[0]["id"] == 1
    assert reads[result.seq] == {("*",), (0, "id")}


def test_at_most_two_slices_come_of_a_recording():
    """Each costs a call if it misleads; kinds are compared with their own kind only."""
    trace = a_trace(a_user(), *[a_call("look", args={"n": n}) for n in range(6)])
    calls = [event.seq for event in trace.events if isinstance(event, ToolCall)]
    results = [event.seq for event in trace.events if isinstance(event, ToolResult)]
    usual: Paths = {at: set() for at in calls}
    for at in results:
        usual[at] = {("a",), ("b",)}

    def more(*counts: int) -> Paths:
        read: Paths = {
            calls[n]: {(str(at),) for at in range(many)} for n, many in enumerate(counts)
        }
        return usual | read

    assert deep_first(trace, more()) == ()
    assert deep_first(trace, more(1)) == ((calls[0],),)
    assert deep_first(trace, more(1, 5, 3)) == ((calls[1],), tuple(calls[:3]))

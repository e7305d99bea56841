"""What must never change a verdict, and a second, slower opinion on the order clauses."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import groupby

import pytest
from hypothesis import given, settings, strategies as st

from tests.builders import CallPart, a_call, a_contract, a_selector, a_trace, a_turn
from tests.long import sample
from tests.strategies import contracts, traces
from workbench.check.judge import judge
from workbench.check.outcomes import resolve_outcomes
from workbench.model.contract import (
    AnswerRule,
    Before,
    Contract,
    ImmediatelyAfter,
    Limit,
    NeverBetween,
    OnlyCall,
)
from workbench.model.event import (
    Event,
    ModelReply,
    ModelRequest,
    Outcome,
    Requestor,
    ToolCall,
    ToolResult,
)
from workbench.model.trace import Call, Trace, calls_of, renumbered
from workbench.model.verdict import Result

SOME = settings(max_examples=150, deadline=None)


def answers(trace: Trace, contract: Contract):
    """Return what each clause answers, and the clauses of the signature."""
    verdict = judge(trace, contract)
    found = {answer.clause: answer.result for answer in verdict.clauses}
    return verdict.result, found, verdict.signature.clauses


# --- concurrent calls -----------------------------------------------------------------


def shuffled(trace: Trace, chance: random.Random) -> Trace:
    """Return the trace with the calls of each reply, and their results, in another order."""
    turns = {e.call_id: e.turn for e in trace.events if isinstance(e, ToolCall)}

    def block(event: Event) -> tuple[str, int, int]:
        if isinstance(event, ToolCall | ToolResult) and turns.get(event.call_id):
            return (event.kind, turns[event.call_id], 0)
        return (event.kind, 0, event.seq)

    events: list[Event] = []
    for _, group in groupby(trace.events, key=block):
        together = list(group)
        chance.shuffle(together)
        events += together
    return replace(trace, events=renumbered(events))


@SOME
@given(traces(), contracts(), st.integers(0, 999))
def test_the_order_of_concurrent_calls_does_not_change_a_verdict(trace, contract, seed):
    """They run at the same time, so how a recorder lists them says nothing."""
    other = shuffled(trace, random.Random(seed))  # noqa: S311  an order, no secret

    assert answers(other, contract) == answers(trace, contract)


# --- unrelated events --------------------------------------------------------------------


def reads_everything(clause: object) -> bool:
    """Whether a clause counts or compares events that it does not name."""
    counts = isinstance(clause, Limit | OnlyCall | ImmediatelyAfter)
    return counts or (isinstance(clause, AnswerRule) and clause.rule == "quotes_results")


@SOME
@given(traces(), contracts(), st.integers(0, 40))
def test_a_call_that_no_clause_names_does_not_change_a_verdict(trace, contract, at):
    """Somebody else's call of another tool, anywhere in the run."""
    kept = tuple(c for c in contract.clauses if "'*'" not in str(c) and not reads_everything(c))
    narrowed = replace(contract, clauses=kept)
    call = ToolCall(call_id="unrelated", tool="clock.now", requestor=Requestor.FRAMEWORK)
    result = ToolResult(call_id="unrelated", outcome=Outcome.OK, result={"hour": 9})
    place = min(at, len(trace.events))
    longer = replace(
        trace, events=renumbered([*trace.events[:place], call, result, *trace.events[place:]])
    )

    assert answers(longer, narrowed) == answers(trace, narrowed)


# --- a naive checker -----------------------------------------------------------------------

MANY = 10_000
STEP = 500
TOOLS = ("a", "b", "x", "other")
ENDINGS = (Outcome.OK, Outcome.OK, Outcome.OK, Outcome.PERMANENT, Outcome.DENIED, Outcome.MISSING)
CONTRACT = a_contract(
    Before(id="order/1", first=a_selector("a"), then=a_selector("b")),
    NeverBetween(
        id="order/2", never=a_selector("x"), opens=a_selector("a"), closes=a_selector("b")
    ),
)


def a_random_trace(chance: random.Random) -> Trace:
    """Return up to eight replies with one to three calls each."""

    def one() -> CallPart:
        return a_call(chance.choice(TOOLS), outcome=chance.choice(ENDINGS))

    return a_trace(
        *(
            a_turn(*(one() for _ in range(chance.randint(1, 3))))
            for _ in range(chance.randint(0, 8))
        )
    )


def over_at(call: Call, trace: Trace) -> int:
    """Return where a call was over: at its result, else at the next reply."""
    if call.result is not None:
        return call.end
    later = [e.seq for e in trace.events if isinstance(e, ModelReply | ModelRequest)]
    return min((seq for seq in later if seq > call.start), default=len(trace.events))


def executed(call: Call) -> bool:
    """Whether something answered."""
    return call.outcome in (Outcome.OK, Outcome.PERMANENT)


def naive_before(trace: Trace) -> Result:
    """Ask of each attempt of b, one by one, whether some completed a was over."""
    calls = calls_of(trace)
    verdict = Result.PASS
    for b in calls:
        if b.tool != "b" or b.outcome is Outcome.DENIED:
            continue
        firsts = [a for a in calls if a.tool == "a"]
        if any(a.outcome is Outcome.OK and over_at(a, trace) < b.start for a in firsts):
            continue
        if not any(a.outcome is Outcome.MISSING and a.start < b.start for a in firsts):
            return Result.FAIL
        verdict = Result.INCONCLUSIVE
    return verdict


def naive_never_between(trace: Trace) -> Result:
    """Ask of each a and each x after it whether a later reply's b came between them."""
    calls = calls_of(trace)
    for a in calls:
        for x in calls:
            opened = a.tool == "a" and executed(a) and over_at(a, trace) < x.start
            if not opened or x.tool != "x":
                continue
            between = (
                b.tool == "b"
                and executed(b)
                and over_at(a, trace) < b.start
                and b.request.turn < x.request.turn
                for b in calls
            )
            if not any(between):
                return Result.FAIL
    return Result.PASS


@pytest.mark.slow
@pytest.mark.parametrize("start", sample(range(0, MANY, STEP), 4, seed=5))
def test_order_clauses_agree_with_a_naive_checker(start):
    """Two ways to the same answer; all 10,000 traces in the long suite."""
    seen = set()
    for seed in range(start, start + STEP):
        chance = random.Random(seed)  # noqa: S311  a trace, no secret
        trace = resolve_outcomes(a_random_trace(chance))

        _, found, _ = answers(trace, CONTRACT)

        expected = (naive_before(trace), naive_never_between(trace))
        assert (found["order/1"], found["order/2"]) == expected, seed
        seen.add(expected)
    assert len(seen) >= 5

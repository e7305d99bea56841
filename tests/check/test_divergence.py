"""The first event where two runs of one task part."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from tests.builders import (
    a_call,
    a_claim,
    a_contract,
    a_result,
    a_system,
    a_trace,
    a_turn,
    a_user,
)
from tests.strategies import traces
from workbench.check.divergence import VersionChange, first_divergence
from workbench.model.contract import AnswerRule
from workbench.model.event import (
    CallError,
    Change,
    ClaimOutcome,
    ContextChange,
    Decision,
    ModelRequest,
    Outcome,
    Permission,
    Requestor,
    StateChange,
)
from workbench.model.trace import Versions

LOOKUP = a_call("customer.lookup", args={"id": 1}, result={"name": "x"})
PAUSE = a_call("billing.pause", args={"id": 1})
RECEIPT = a_call("billing.receipt", args={"id": 1}, result={"status": "done"})
DONE = a_claim("Your plan is paused.")


def parted(first, second, **options):
    """Return what differs and where, in each run."""
    found = first_divergence(a_trace(*first), a_trace(*second), **options)
    assert found is not None
    return (
        found.what,
        None if found.first is None else found.first.seq,
        None if found.second is None else found.second.seq,
    )


def same(first, second, **options):
    """Whether two runs do not part."""
    return first_divergence(a_trace(*first), a_trace(*second), **options) is None


def test_a_skipped_check_is_where_the_runs_part():
    """Design page 09: "prompt v42 -> v43: at 7 the receipt check was skipped"."""
    good = replace(a_trace(a_user(), LOOKUP, PAUSE, RECEIPT, DONE), versions=Versions(prompt="v42"))
    bad = replace(a_trace(a_user(), LOOKUP, PAUSE, DONE), versions=Versions(prompt="v43"))

    found = first_divergence(good, bad)

    assert found is not None
    assert (found.what, found.first, found.second) == ("call", good.events[8], bad.events[8])
    assert found.versions == (VersionChange(what="prompt", first="v42", second="v43"),)
    assert (found.downstream_first, found.downstream_second) == ((9, 10, 11), ())
    assert found.sentence == (
        "prompt v42 -> v43: first billing.receipt was called at 8, then success was claimed at 8"
    )


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([PAUSE], [RECEIPT], ("call", 1, 1)),
        ([PAUSE], [a_call("billing.pause", args={"id": 2})], ("arguments", 1, 1)),
        ([PAUSE], [a_call("billing.pause", args={"id": 1}, agent="sub")], ("arguments", 1, 1)),
        (
            [PAUSE],
            [a_call("billing.pause", args={"id": 1}, outcome=Outcome.UNKNOWN)],
            ("outcome", 2, 2),
        ),
        (
            [PAUSE],
            [a_call("billing.pause", args={"id": 1}, outcome=Outcome.MISSING)],
            ("outcome", 2, 1),
        ),
        (
            [LOOKUP],
            [a_call("customer.lookup", args={"id": 1}, result={"name": "y"})],
            ("result", 2, 2),
        ),
        ([LOOKUP, PAUSE], [LOOKUP], ("end", 4, None)),
        ([LOOKUP], [LOOKUP, DONE], ("end", None, 4)),
        ([DONE], [a_claim("It failed.")], ("claim", 1, 1)),
        ([DONE], [PAUSE], ("call", 1, 1)),
        ([DONE], [a_user()], ("user_message", 1, 0)),
        (
            [Permission(decision=Decision.GRANTED, tool="a")],
            [Permission(decision=Decision.DENIED, tool="a")],
            ("permission", 0, 0),
        ),
        (
            [StateChange(name="p", after=1)],
            [StateChange(name="p", after=2)],
            ("state_change", 0, 0),
        ),
        (
            [ContextChange(change=Change.COMPACTION)],
            [ContextChange(change=Change.HAND_OFF)],
            ("context_change", 0, 0),
        ),
    ],
)
def test_what_an_agent_did_and_was_answered_counts(first, second, expected):
    """Each kind of difference, with the position in both runs."""
    assert parted(first, second) == expected


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ([LOOKUP], [LOOKUP, DONE], "only in the second run success was claimed at 4"),
        ([LOOKUP, DONE], [LOOKUP], "only in the first run success was claimed at 4"),
        ([LOOKUP], [LOOKUP, a_user("And?")], "only in the second run a user message came at 3"),
    ],
)
def test_what_only_one_run_does_is_said_of_that_run(first, second, said):
    """A run that ended did not do nothing first."""
    found = first_divergence(a_trace(*first), a_trace(*second))

    assert found is not None
    assert found.sentence == said


def test_one_call_more_at_the_same_time_is_a_difference():
    """The other run had nothing at that place, and what both did is not downstream of it."""
    both, one = a_trace(a_turn(LOOKUP, PAUSE), DONE), a_trace(a_turn(LOOKUP), DONE)

    found = first_divergence(both, one)

    assert found is not None
    assert (found.what, found.first, found.second) == ("call", both.events[2], None)
    assert (found.downstream_first, found.downstream_second) == ((4, 5, 6), (3, 4))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([a_turn(LOOKUP, PAUSE)], [a_turn(PAUSE, LOOKUP)]),
        ([a_turn(LOOKUP, PAUSE)], [a_turn(LOOKUP, PAUSE, completes=(1, 0))]),
        ([DONE], [a_claim("I have paused your plan.")]),
        ([DONE], [a_claim("Number 7 it is.")]),
        ([a_user("Pause it.")], [a_user("Could you pause it?")]),
        ([a_system("Be kind."), LOOKUP], [LOOKUP]),
        ([ModelRequest(model="m"), LOOKUP], [LOOKUP]),
        ([a_call("a", args={"n": 1})], [a_call("a", args={"n": 1.0}, call_id="other")]),
        ([a_call("a", by=Requestor.USER)], [a_call("a", by=Requestor.USER)]),
        ([], []),
    ],
)
def test_other_words_and_another_order_of_concurrent_calls_are_none(first, second):
    """Neither changes what happened."""
    assert same(first, second)


def test_text_counts_where_the_contract_reads_it():
    """The same two texts, with and without a clause on the answer."""
    contract = a_contract(AnswerRule(id="answer.contains/1", rule="contains", value=["receipt"]))
    told, silent = [a_claim("Paused; receipt 7.")], [a_claim("It is paused.")]

    assert same(told, silent)
    assert parted(told, silent, contract=contract) == ("answer", 1, 1)
    assert same(told, [a_claim("Paused. Your receipt: 8.")], contract=contract)


def test_only_the_last_text_is_the_answer():
    """What an agent says on the way is not."""
    contract = a_contract(AnswerRule(id="answer.contains/1", rule="contains", value=["receipt"]))

    assert same(
        [a_claim("a receipt"), a_claim("a receipt")],
        [a_claim("nothing"), a_claim("the receipt")],
        contract=contract,
    )


def test_a_claims_own_patterns_are_used():
    """What counts as success is the contract's to say."""
    assert (
        parted([a_claim("x", ClaimOutcome.SUCCESS)], [a_claim("x", ClaimOutcome.FAILURE)])[0]
        == "claim"
    )


def test_outcomes_are_derived_before_they_are_compared():
    """A time-out of a write is unknown, whether the recorder said so or not."""
    late = CallError(type="TimeoutError")
    raw = a_call("billing.pause", outcome=None, error=late)
    known = a_call("billing.pause", outcome=Outcome.UNKNOWN, detail="timeout", error=late)

    assert same([raw], [known])


def test_a_version_that_is_a_text_is_not_repeated():
    """A prompt kept as its own version may hold anything."""
    first = replace(a_trace(PAUSE), versions=Versions(prompt="Call Mr Pym at once", model=None))
    second = replace(a_trace(RECEIPT), versions=Versions(model="m-2"))

    found = first_divergence(first, second)

    assert found is not None
    assert found.sentence == (
        "prompt (19 characters) -> ?, model ? -> m-2: first billing.pause was called at 1, "
        "then billing.receipt was called at 1"
    )


def test_a_result_that_came_late_stays_with_its_call():
    """Results are compared call by call, not by where they stand."""
    late = a_call("slow", outcome=Outcome.MISSING, call_id="s")
    first = [late, LOOKUP, a_result("s", result={"n": 1})]
    second = [late, LOOKUP, a_result("s", result={"n": 2})]

    assert parted(first, second) == ("result", 5, 5)


@settings(max_examples=60, deadline=None)
@given(traces(), st.integers(0, 30))
def test_a_trace_does_not_part_from_itself_and_parts_where_it_is_cut(trace, at):
    """What comes before the cut is the same; the sides may be swapped."""
    assert first_divergence(trace, trace) is None
    cut = replace(trace, events=trace.events[: min(at, len(trace.events))])

    forth, back = first_divergence(trace, cut), first_divergence(cut, trace)

    assert (forth is None) == (back is None)
    if forth is not None and back is not None:
        assert (forth.first, forth.second) == (back.second, back.first)
        assert forth.downstream_first == back.downstream_second

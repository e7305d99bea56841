"""Clauses on the order of calls, which are intervals."""

from __future__ import annotations

import pytest

from tests.builders import (
    a_call,
    a_contract,
    a_predicate,
    a_result,
    a_selector,
    a_trace,
    a_turn,
    a_user,
)
from workbench.casefile.contract import load_contract
from workbench.check.judge import judge
from workbench.model.contract import (
    After,
    AtMostAfter,
    Before,
    FixPlace,
    ImmediatelyAfter,
    NeverBetween,
)
from workbench.model.event import ModelReply, Outcome, Requestor
from workbench.model.verdict import First, Result

PASS, FAIL, OPEN = Result.PASS, Result.FAIL, Result.INCONCLUSIVE
DENIED, MISSING, UNKNOWN = Outcome.DENIED, Outcome.MISSING, Outcome.UNKNOWN
BLOCKED, NO_FIXTURE = Outcome.BLOCKED, Outcome.MISSING_FIXTURE
A, B, X = a_selector("a"), a_selector("b"), a_selector("x")


def answer(clause, *parts, fix=FixPlace.MODEL):
    """Return what one clause says of a trace of a user message and these parts."""
    verdict = judge(a_trace(a_user(), *parts), a_contract(clause, fix=fix))
    return verdict.clauses[0]


def seqs(given):
    """Return the offending positions."""
    return [violation.seq for violation in given.violations]


# a call is: reply, call, result. With the user at 0 the calls are at 2, 5, 8, ...


@pytest.mark.parametrize(
    ("parts", "result", "found"),
    [
        ([], PASS, []),
        ([a_call("a")], PASS, []),
        ([a_call("a"), a_call("b")], PASS, []),
        ([a_call("b"), a_call("a")], FAIL, [2]),
        ([a_call("b"), a_call("a"), a_call("b")], FAIL, [2]),
        ([a_call("b"), a_call("b")], FAIL, [2, 5]),
        ([a_turn(a_call("a"), a_call("b"))], FAIL, [3]),
        ([a_call("a", outcome=UNKNOWN), a_call("b")], FAIL, [5]),
        ([a_call("b", outcome=DENIED)], PASS, []),
        ([a_call("b", outcome=BLOCKED)], FAIL, [2]),
        ([a_call("a", outcome=NO_FIXTURE), a_call("b")], OPEN, []),
        ([a_call("a", outcome=MISSING), a_call("b")], OPEN, []),
        ([a_call("b"), a_call("a", outcome=NO_FIXTURE), a_call("b")], FAIL, [2]),
    ],
)
def test_before_needs_a_completed_call_that_has_ended(parts, result, found):
    """Parallel calls do not satisfy it; a failed authorisation opens nothing."""
    given = answer(Before(id="order/1", first=A, then=B), *parts)

    assert (given.result, seqs(given)) == (result, found)


def test_before_reads_the_result_of_the_first():
    """An authorisation that said no is also `ok`; a `result` predicate tells."""
    yes = a_selector("a", result=(a_predicate("$", literal=True),))
    clause = Before(id="order/1", first=yes, then=B)

    assert answer(clause, a_call("a", result=False), a_call("b")).result is FAIL
    assert answer(clause, a_call("a", result=True), a_call("b")).result is PASS


@pytest.mark.parametrize(
    ("parts", "result", "found"),
    [
        ([], PASS, []),
        ([a_call("b")], PASS, []),
        ([a_call("a"), a_call("b")], PASS, []),
        ([a_call("a"), a_call("a"), a_call("b")], PASS, []),
        ([a_call("a"), a_call("b"), a_call("a")], FAIL, [9]),
        ([a_call("a")], FAIL, [3]),
        ([a_call("b"), a_call("a")], FAIL, [6]),
        ([a_turn(a_call("a"), a_call("b"))], FAIL, [4]),
        ([a_call("a"), a_call("b", outcome=DENIED)], FAIL, [3]),
        ([a_call("a", outcome=DENIED)], PASS, []),
        ([a_call("a"), a_call("b", outcome=MISSING)], OPEN, []),
        ([a_call("a"), a_call("b", outcome=NO_FIXTURE)], OPEN, []),
        ([a_call("a"), a_call("c", outcome=NO_FIXTURE)], OPEN, []),
        ([a_call("c", outcome=NO_FIXTURE), a_call("a")], FAIL, [6]),
    ],
)
def test_after_needs_an_executed_call_that_starts_later(parts, result, found):
    """The duty lies with the result of the first call."""
    given = answer(After(id="order/1", first=A, then=B), *parts)

    assert (given.result, seqs(given)) == (result, found)


def test_an_unmet_duty_is_signed_by_the_result_that_created_it():
    """The signature of an absence names what asked for it."""
    trace = a_trace(a_user(), a_call("a", outcome=UNKNOWN))
    clause = After(id="order/1", first=a_selector("a#unknown"), then=B)

    assert judge(trace, a_contract(clause)).signature.first == First(
        clause="order/1", kind="tool_result", tool="a", outcome="unknown"
    )


def test_a_call_without_result_is_over_when_the_model_is_asked_again():
    """`a#missing` asks for a look afterwards; it never ended otherwise."""
    clause = After(id="order/1", first=a_selector("a#missing"), then=B)
    lost = a_call("a", outcome=MISSING)

    assert answer(clause, lost, a_call("b")).result is PASS
    given = answer(clause, lost)
    assert (seqs(given), given.violations[0].kind) == ([2], "tool_call")


def test_results_in_another_order_end_at_their_own_place():
    """Three calls of one turn, completed c, a, b: a ended before b."""
    turn = a_turn(a_call("c"), a_call("a"), a_call("b"), completes=(0, 1, 2))
    late = a_trace(a_user(), turn, a_call("b"))

    assert judge(late, a_contract(Before(id="order/1", first=A, then=B))).result is FAIL
    assert judge(late, a_contract(After(id="order/1", first=A, then=B))).result is PASS


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ([a_call("x")], []),
        ([a_call("a"), a_call("b"), a_call("x")], []),
        ([a_call("a"), a_call("x"), a_call("b")], [5]),
        ([a_call("a"), a_call("x"), a_call("x")], [5, 8]),
        ([a_call("a"), a_call("a"), a_call("x"), a_call("b"), a_call("x")], [8]),
        ([a_call("a"), a_call("b"), a_call("a"), a_call("x")], [11]),
        ([a_turn(a_call("a"), a_call("x"))], []),
        ([a_call("a", outcome=DENIED), a_call("x")], []),
        ([a_call("a"), a_call("b", outcome=DENIED), a_call("x")], [8]),
        ([a_call("a"), a_call("x", outcome=DENIED)], [5]),
        ([a_call("a"), a_call("x", by=Requestor.USER)], []),
    ],
)
def test_never_between_closes_a_window(parts, found):
    """From the end of an `a` to the start of the next `b`, or to the end of the run."""
    clause = NeverBetween(id="order/1", never=X, opens=A, closes=B)

    assert seqs(answer(clause, *parts)) == found


def test_never_between_with_code_lets_denied_calls_be():
    """Code that stops the call is the cure."""
    clause = NeverBetween(id="order/1", never=X, opens=A, closes=B)
    parts = (a_call("a"), a_call("x", outcome=DENIED))

    assert answer(clause, *parts, fix=FixPlace.CODE).result is PASS


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ([a_call("b"), a_call("b")], []),
        ([a_call("a"), a_call("b")], []),
        ([a_call("a"), a_call("b"), a_call("b")], [8]),
        ([a_call("b"), a_call("a"), a_call("b")], []),
        ([a_call("a", outcome=DENIED), a_call("b"), a_call("b")], []),
        ([a_turn(a_call("a"), a_call("b"), a_call("b"))], []),
        ([a_call("a"), a_call("b", outcome=DENIED), a_call("b")], [8]),
    ],
)
def test_at_most_after_counts_once_the_first_ended(parts, found):
    """One is allowed; requested calls count."""
    clause = AtMostAfter(id="order/1", first=A, then=B, limit=1)

    assert seqs(answer(clause, *parts)) == found


def test_at_most_after_lists_all_counted_calls_as_evidence():
    """The shrunk case keeps exactly these."""
    given = answer(
        AtMostAfter(id="order/1", first=A, then=B, limit=1),
        *(a_call("a"), a_call("c"), a_call("b"), a_call("b"), a_call("b")),
    )

    assert given.violations[0].evidence == (2, 3, 8, 9, 11, 12)


@pytest.mark.parametrize(
    ("parts", "result", "found"),
    [
        ([], PASS, []),
        ([a_call("a"), a_call("b")], PASS, []),
        ([a_call("a"), a_call("b", outcome=DENIED)], PASS, []),
        ([a_call("a"), a_call("x"), a_call("b")], FAIL, [5]),
        ([a_call("a")], FAIL, [3]),
        ([a_call("a"), a_call("x"), a_call("a")], FAIL, [5, 9]),
        ([a_call("a"), a_call("x", by=Requestor.USER), a_call("b")], PASS, []),
        ([a_call("a"), a_call("x", agent="sub"), a_call("b")], PASS, []),
        ([a_turn(a_call("a"), a_call("x")), a_call("b")], PASS, []),
        ([a_call("a"), a_call("x", outcome=NO_FIXTURE)], FAIL, [5]),
        ([a_call("a"), a_call("x", agent="sub", outcome=NO_FIXTURE)], OPEN, []),
        (
            [a_call("a"), a_call("x"), a_call("a"), a_call("x", agent="s", outcome=NO_FIXTURE)],
            FAIL,
            [5],
        ),
    ],
)
def test_immediately_after_looks_at_the_same_agents_next_call(parts, result, found):
    """Another agent, a person or a call of the same turn is not the next call."""
    given = answer(ImmediatelyAfter(id="order/1", first=A, then=B), *parts)

    assert (given.result, seqs(given)) == (result, found)


def test_a_late_result_moves_the_end_of_a_call():
    """The interval ends with the result, wherever it comes."""
    trace = a_trace(
        a_user(),
        a_call("a", outcome=MISSING, call_id="late"),
        a_call("b"),
        a_result("late"),
    )

    assert judge(trace, a_contract(Before(id="order/1", first=A, then=B))).result is FAIL
    assert judge(trace, a_contract(After(id="order/1", first=A, then=B))).result is FAIL


def test_a_lost_call_without_later_reply_lasts_to_the_end():
    """A framework's call has no replies around it."""
    lost = a_call("a", outcome=MISSING, by=Requestor.FRAMEWORK)
    clause = After(id="order/1", first=a_selector("a#missing", by="any"), then=B)

    assert answer(clause, lost).result is FAIL
    assert answer(clause, lost, ModelReply(), a_call("b")).result is PASS


def test_what_closes_a_window_may_be_what_must_not_be_in_it():
    """The first one closes it; nothing is called too early."""
    contract = load_contract({"order": [{"never_between": ["b.*", "a", "b.x"]}]})

    assert judge(a_trace(a_call("a"), a_call("b.x"), a_call("b.y")), contract).result is Result.PASS
    assert judge(a_trace(a_call("a"), a_turn(a_call("b.x"), a_call("b.y"))), contract).result is (
        Result.FAIL
    )

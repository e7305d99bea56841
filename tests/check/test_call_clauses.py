"""Clauses on single calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.builders import (
    a_call,
    a_claim,
    a_contract,
    a_predicate,
    a_selector,
    a_trace,
    a_turn,
    a_user,
)
from workbench.check.judge import judge
from workbench.errors import ContractError
from workbench.model.contract import (
    ArgsSchema,
    FixPlace,
    ForbidCall,
    MaxCalls,
    MinCalls,
    MustCall,
    OnlyCall,
)
from workbench.model.event import Outcome, Requestor
from workbench.model.verdict import First, Result

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json

PASS, FAIL, OPEN = Result.PASS, Result.FAIL, Result.INCONCLUSIVE
USER, FRAMEWORK = Requestor.USER, Requestor.FRAMEWORK
OK, DENIED, MISSING = Outcome.OK, Outcome.DENIED, Outcome.MISSING
BLOCKED, NO_FIXTURE, UNKNOWN = Outcome.BLOCKED, Outcome.MISSING_FIXTURE, Outcome.UNKNOWN


def answer(clause, *parts, fix=FixPlace.MODEL):
    """Return what one clause says of a trace of a user message and these parts."""
    verdict = judge(a_trace(a_user(), *parts), a_contract(clause, fix=fix))
    return verdict.clauses[0]


def seqs(given):
    """Return the offending positions."""
    return [violation.seq for violation in given.violations]


# a call is: reply, call, result. With the user at 0 the calls are at 2, 5, 8, ...


@pytest.mark.parametrize(
    ("parts", "result"),
    [
        ([a_call("a")], PASS),
        ([a_call("a", outcome=UNKNOWN)], PASS),
        ([], FAIL),
        ([a_call("b")], FAIL),
        ([a_call("a", outcome=DENIED)], FAIL),
        ([a_call("a", by=USER)], FAIL),
        ([a_call("a", outcome=MISSING)], OPEN),
        ([a_call("a", outcome=NO_FIXTURE)], OPEN),
        ([a_call("b", outcome=NO_FIXTURE)], OPEN),
        ([a_call("a", outcome=BLOCKED)], OPEN),
        ([a_call("a", outcome=NO_FIXTURE), a_call("a")], PASS),
    ],
)
def test_must_call_asks_for_an_executed_call(parts, result):
    """Asking is not doing; and a replay without an answer says nothing about what would follow."""
    assert answer(MustCall(id="must_call/1", selector=a_selector("a")), *parts).result is result


def test_an_absent_call_offends_at_the_end():
    """There is no event to blame, so kind is `end`; the evidence is the request and the end."""
    trace = a_trace(a_user(), a_call("b"), a_claim())
    verdict = judge(trace, a_contract(MustCall(id="must_call/1", selector=a_selector("a"))))

    (violation,) = verdict.violations
    assert verdict.signature.first == First(clause="must_call/1", kind="end")
    assert (violation.seq, violation.evidence) == (6, (0, 5))


@pytest.mark.parametrize(("count", "result"), [(0, FAIL), (1, FAIL), (2, PASS), (3, PASS)])
def test_min_calls_counts_executed_calls(count, result):
    """Two are asked for."""
    clause = MinCalls(id="min_calls/1", selector=a_selector("a"), limit=2)
    denied = a_call("a", outcome=DENIED)

    assert answer(clause, denied, *[a_call("a")] * count).result is result


@pytest.mark.parametrize(
    ("outcome", "model", "code"),
    [
        (OK, FAIL, FAIL),
        (UNKNOWN, FAIL, FAIL),
        (MISSING, FAIL, FAIL),
        (BLOCKED, FAIL, FAIL),
        (NO_FIXTURE, FAIL, FAIL),
        (DENIED, FAIL, PASS),
    ],
)
def test_forbid_call_counts_requests_and_with_code_attempts(outcome, model, code):
    """A model must not ask; code is mended when it stops the call."""
    clause = ForbidCall(id="forbid_call/1", selector=a_selector("a"))

    assert answer(clause, a_call("a", outcome=outcome)).result is model
    assert answer(clause, a_call("a", outcome=outcome), fix=FixPlace.CODE).result is code


def test_forbid_call_reports_every_call_with_its_arguments():
    """A tool with honest uses is forbidden for some arguments only."""
    bad = a_selector("pay", where=(a_predicate("to", literal="evil"),))
    clause = ForbidCall(id="forbid_call/1", selector=bad)
    honest, evil = a_call("pay", args={"to": "shop"}), a_call("pay", args={"to": "evil"})

    given = answer(clause, honest, evil, evil)

    assert seqs(given) == [5, 8]
    assert given.violations[0].evidence == (5, 6)
    assert answer(clause, honest).result is PASS


def test_forbid_call_ignores_users_and_the_framework():
    """A user simulator's calls are not the agent's."""
    clause = ForbidCall(id="forbid_call/1", selector=a_selector("a"))

    assert answer(clause, a_call("a", by=USER), a_call("a", by=FRAMEWORK)).result is PASS
    anyone = ForbidCall(id="forbid_call/1", selector=a_selector("a", by="any"))
    assert seqs(answer(anyone, a_call("a", by=USER))) == [1]


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ([], []),
        ([a_call("a.x"), a_call("b")], []),
        ([a_call("a.x"), a_call("c")], [5]),
        ([a_call("c", outcome=DENIED)], [2]),
        ([a_call("c", by=USER)], []),
        ([a_turn(a_call("b"), a_call("c"), a_call("c"))], [3, 4]),
    ],
)
def test_only_call_reports_what_no_selector_lists(parts, found):
    """Everything that is not listed is forbidden, also when it was denied."""
    clause = OnlyCall(id="only_call/1", selectors=(a_selector("a.*"), a_selector("b")))

    assert seqs(answer(clause, *parts)) == found


def test_only_call_with_code_lets_denied_calls_be():
    """Code that stops the call is the cure."""
    clause = OnlyCall(id="only_call/1", selectors=(a_selector("b"),))
    denied = a_call("c", outcome=DENIED)

    assert answer(clause, denied, fix=FixPlace.CODE).result is PASS


@pytest.mark.parametrize(("count", "found"), [(0, []), (1, []), (2, [5]), (4, [5])])
def test_max_calls_reports_the_first_call_beyond(count, found):
    """Each attempt counts, failed or not: a retried write is a second write."""
    clause = MaxCalls(id="max_calls/1", selector=a_selector("a"), limit=1)

    given = answer(clause, *[a_call("a", outcome=UNKNOWN)] * count)

    assert seqs(given) == found
    if found:
        assert given.violations[0].evidence == (2, 3, 5, 6)  # bound + 1 calls with results


def test_max_calls_counts_denied_requests_of_the_model_only():
    """With `fix: code` a denied call was stopped in time."""
    clause = MaxCalls(id="max_calls/1", selector=a_selector("a"), limit=0)
    denied = a_call("a", outcome=DENIED)

    assert answer(clause, denied).result is FAIL
    assert answer(clause, denied, fix=FixPlace.CODE).result is PASS


SCHEMA: Json = {
    "type": "object",
    "required": ["id"],
    "properties": {"id": {"pattern": "^AC-[0-9]+$"}},
}


@pytest.mark.parametrize(
    ("call", "result"),
    [
        (a_call("a", args={"id": "AC-1"}), PASS),
        (a_call("a", args={"id": "AC-1 "}), FAIL),
        (a_call("a", args={}), FAIL),
        (a_call("a", args_raw='{"id": '), FAIL),
        (a_call("b", args={}), PASS),
        (a_call("a", args={}, outcome=DENIED), FAIL),
    ],
)
def test_args_of_every_requested_call_fit_the_schema(call, result):
    """Arguments that are no JSON fit no schema."""
    assert (
        answer(ArgsSchema(id="args/1", selector=a_selector("a"), schema=SCHEMA), call).result
        is result
    )


@pytest.mark.parametrize("schema", [{"type": 3}, {"$ref": "https://example.test/s.json"}])
def test_a_schema_that_cannot_be_used_is_an_error(schema):
    """Nothing is fetched, and a broken schema never passes anything."""
    clause = ArgsSchema(id="args/1", selector=a_selector("a"), schema=schema)

    with pytest.raises(ContractError, match="no JSON Schema"):
        answer(clause, a_call("a"))

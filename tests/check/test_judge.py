"""A whole verdict."""

from __future__ import annotations

import pickle
import time

from tests.builders import (
    a_call,
    a_claim,
    a_contract,
    a_predicate,
    a_selector,
    a_trace,
    a_user,
)
from workbench.check.judge import judge
from workbench.check.oracle import recorded_oracle
from workbench.model.contract import (
    After,
    AnswerRule,
    Evidence,
    FinalState,
    FixPlace,
    ForbidCall,
    Limit,
    MaxCalls,
    MustCall,
    SuccessRequires,
)
from workbench.model.event import CallError, ClaimOutcome, Outcome
from workbench.model.trace import Effect
from workbench.model.verdict import First, Result, Signature

PAUSE, READ = a_selector("billing.pause"), a_selector("billing.get_operation")
MUST_READ = MustCall(id="must_call/1", selector=READ)
ONCE = MaxCalls(id="max_calls/1", selector=PAUSE, limit=1)
READ_AFTER = After(id="order/1", first=a_selector("billing.pause#unknown"), then=READ)
BACKED = SuccessRequires(
    id="success_requires/1",
    evidence=Evidence(
        text="", tool="billing.get_operation", predicate=a_predicate("status", literal="completed")
    ),
)
TOOLS = {"billing.pause": Effect.WRITE, "billing.get_operation": Effect.READ}


def the_incident():
    """Return a pause that timed out twice and was called a success."""
    late = CallError(status=504, body="upstream timeout")
    pause = a_call("billing.pause", outcome=None, error=late)
    return a_trace(a_user(), pause, pause, a_claim("Your plan is paused."), tools=TOOLS)


def test_the_incident_fails_with_its_signature():
    """Outcomes are derived first; the first offending event signs the failure."""
    verdict = judge(the_incident(), a_contract(MUST_READ, ONCE, READ_AFTER, BACKED))

    assert verdict.result is Result.FAIL
    assert verdict.signature == Signature(
        clauses=frozenset({"must_call/1", "max_calls/1", "order/1", "success_requires/1"}),
        first=First(clause="order/1", kind="tool_result", tool="billing.pause", outcome="unknown"),
    )


def test_clauses_answer_in_the_order_of_the_contract():
    """A report lists every clause where its author put it."""
    verdict = judge(the_incident(), a_contract(MUST_READ, READ_AFTER, ONCE))

    assert [answer.clause for answer in verdict.clauses] == [
        "must_call/1",
        "order/1",
        "max_calls/1",
    ]
    assert all(answer.sentence for answer in verdict.clauses)


def test_violations_come_in_the_order_of_importance():
    """External state, forbidden actions, evidence, order, limits, answer."""
    contract = a_contract(
        AnswerRule(id="answer.contains/1", rule="contains", value=["x"]),
        Limit(id="limits/1", measure="tool_calls", bound=1),
        READ_AFTER,
        MUST_READ,
        BACKED,
        ForbidCall(id="forbid_call/1", selector=PAUSE),
        FinalState(id="final_state/1", names=("never",)),
        states={"never": (BACKED.evidence,)},
    )

    violations = judge(the_incident(), contract).violations

    assert [violation.clause for violation in violations] == [
        "final_state/1",
        *("forbid_call/1", "forbid_call/1"),
        "success_requires/1",
        "must_call/1",
        *("order/1", "order/1"),
        "limits/1",
        "answer.contains/1",
    ]


def test_ties_are_broken_by_the_clause_id():
    """Two clauses broken by one event: the signature must not depend on their order."""
    one = ForbidCall(id="forbid_call/1", selector=PAUSE)
    two = ForbidCall(id="a-name", selector=PAUSE)

    for contract in (a_contract(one, two), a_contract(two, one)):
        first = judge(the_incident(), contract).signature.first
        assert first is not None
        assert first.clause == "a-name"


def test_evidence_alone_fails_in_the_same_way():
    """Shrinking tries the evidence first; it should nearly always be enough."""
    contract = a_contract(ONCE, READ_AFTER, BACKED)
    noisy = a_trace(
        a_user(),
        a_call("customer.lookup"),
        *(a_call("billing.pause", outcome=Outcome.UNKNOWN),) * 3,
        a_claim("One moment."),
        a_claim("x", ClaimOutcome.SUCCESS),
        tools=TOOLS,
    )
    verdict = judge(noisy, contract)
    kept = {seq for violation in verdict.violations for seq in violation.evidence}

    smaller = a_trace(*(e for e in noisy.events if e.seq in kept), tools=TOOLS)

    assert judge(smaller, contract).signature == verdict.signature


def test_a_trace_that_breaks_nothing_has_an_empty_signature():
    """Nothing to protect against."""
    verdict = judge(a_trace(a_user(), a_call("billing.get_operation")), a_contract(MUST_READ))

    assert (verdict.result, verdict.signature) == (Result.PASS, Signature())
    assert not verdict.signature


def test_a_violation_goes_before_what_is_not_known():
    """A violation already seen stays."""
    trace = a_trace(a_user(), a_call("billing.get_operation", outcome=Outcome.MISSING_FIXTURE))
    forbidden = ForbidCall(id="forbid_call/1", selector=READ)

    verdict = judge(trace, a_contract(MUST_READ, forbidden))

    results = [answer.result for answer in verdict.clauses]
    assert results == [Result.INCONCLUSIVE, Result.FAIL]
    assert verdict.result is Result.FAIL
    assert verdict.signature.clauses == {"forbid_call/1"}


def test_a_run_that_left_its_fixtures_is_never_a_pass():
    """Every clause holds, but the agent saw answers that nobody recorded."""
    clause = ForbidCall(id="forbid_call/1", selector=PAUSE)
    for outcome in (Outcome.MISSING_FIXTURE, Outcome.BLOCKED):
        verdict = judge(a_trace(a_user(), a_call("b", outcome=outcome)), a_contract(clause))
        assert [answer.result for answer in verdict.clauses] == [Result.PASS]
        assert verdict.result is Result.INCONCLUSIVE


def test_a_blocked_call_that_a_clause_forbids_is_no_gap():
    """The replay was right to refuse it, and the clause says so; the rest is judged."""
    trace = a_trace(a_user(), a_call("billing.pause", outcome=Outcome.BLOCKED), a_claim())
    forbidden = ForbidCall(id="forbid_call/1", selector=PAUSE)

    verdict = judge(trace, a_contract(MUST_READ, forbidden, fix=FixPlace.CODE))

    assert [answer.result for answer in verdict.clauses] == [Result.FAIL, Result.FAIL]


def test_an_oracle_can_be_sent_to_another_process():
    """Shrinking judges candidates in parallel."""
    oracle = pickle.loads(pickle.dumps(recorded_oracle(a_contract(ONCE))))  # noqa: S301  ours

    assert oracle(the_incident()).signature.clauses == {"max_calls/1"}


def test_twenty_thousand_events_are_judged_in_a_moment():
    """Shrinking judges hundreds of times; no clause may be quadratic."""
    parts = [
        part
        for n in range(2_200)
        for part in (
            a_call("t.x", args={"n": n}),
            a_call("billing.pause", outcome=Outcome.UNKNOWN, operation_id=f"op_{n}"),
            a_call(
                "billing.get_operation",
                args={"operation_id": f"op_{n}"},
                result={"status": "completed"},
            ),
            a_claim("x", ClaimOutcome.SUCCESS),
        )
    ]
    trace = a_trace(a_user(), *parts, tools=TOOLS)
    contract = a_contract(
        *(MUST_READ, ONCE, READ_AFTER, BACKED),
        Limit(id="limits/1", measure="identical_calls", bound=1),
    )

    started = time.process_time()
    verdict = judge(trace, contract)

    assert len(trace.events) > 20_000
    assert verdict.signature.clauses == {"max_calls/1", "limits/1"}
    assert time.process_time() - started < 2.0  # measured at 0.2 to 0.4 s

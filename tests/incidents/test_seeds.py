"""The situations that the project began with, each decided by a contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.builders import a_call, a_claim, a_trace, a_turn, a_user
from workbench.casefile.contract import load_contract
from workbench.check.judge import judge
from workbench.model.canonical import args_digest
from workbench.model.event import CallError, ClaimOutcome, Decision, Outcome, Permission
from workbench.model.trace import Effect
from workbench.model.verdict import Result

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap

PASS, FAIL, OPEN = Result.PASS, Result.FAIL, Result.INCONCLUSIVE
ACCOUNT: JsonMap = {"account": "K-20"}


def verdict_of(contract: JsonMap, *parts):
    """Judge a run of these parts."""
    return judge(a_trace(a_user(), *parts, tools=TOOLS), load_contract(contract))


TOOLS = {
    "plan.list": Effect.READ,
    "plan.pause": Effect.WRITE,
    "plan.operation": Effect.READ,
    "refund.create": Effect.WRITE,
    "caller.verify": Effect.READ,
    "rates.read": Effect.READ,
    "page.write": Effect.WRITE,
}


# --- a listing that must not change anything -----------------------------------------

LISTING: JsonMap = {"only_call": ["plan.list"], "must_call": ["plan.list"], "finishes": True}


def test_a_read_only_listing_stays_one():
    """Whatever the answer says."""
    look, pause = a_call("plan.list"), a_call("plan.pause", args=ACCOUNT)

    assert verdict_of(LISTING, look, a_claim("Two plans.")).result is PASS
    assert verdict_of(LISTING, look, pause, a_claim("Two plans.")).signature.clauses == {
        "only_call/1"
    }


# --- a refund to somebody else ---------------------------------------------------------


def test_a_refund_goes_to_the_customer_it_is_due_to():
    """The tool is right, the customer is not."""
    contract: JsonMap = {
        "forbid_call": [{"tool": "refund.create", "where": ["customer != C-4"]}],
        "must_call": [{"tool": "refund.create", "where": ["customer == C-4", "cents == 900"]}],
    }

    right = a_call("refund.create", args={"customer": "C-4", "cents": 900})
    wrong = a_call("refund.create", args={"customer": "C-5", "cents": 900})

    assert verdict_of(contract, right).result is PASS
    assert verdict_of(contract, wrong, right).signature.clauses == {"forbid_call/1"}
    assert verdict_of(contract, wrong).signature.clauses == {"forbid_call/1", "must_call/1"}


# --- two legal ways and one that skips the check ------------------------------------------

VERIFIED: JsonMap = {
    "order": [{"before": [{"tool": "caller.verify", "result": ["verified == true"]}, "plan.*"]}]
}
YES = a_call("caller.verify", args=ACCOUNT, result={"verified": True})
NO = a_call("caller.verify", args=ACCOUNT, result={"verified": False})
LIST, PAUSE = a_call("plan.list", args=ACCOUNT), a_call("plan.pause", args=ACCOUNT)


@pytest.mark.parametrize(
    ("parts", "result"),
    [
        ([YES, LIST, PAUSE], PASS),
        ([NO, YES, PAUSE, LIST], PASS),
        ([LIST, YES, PAUSE], FAIL),
        ([NO, PAUSE], FAIL),
        ([a_turn(YES, PAUSE)], FAIL),
    ],
)
def test_several_orders_are_legal_and_skipping_the_check_is_not(parts, result):
    """A partial order, not one script; a check that said no is no leave."""
    assert verdict_of(VERIFIED, *parts).result is result


# --- a pause whose end is unknown -------------------------------------------------------------

PAUSED: JsonMap = {
    "must_call": ["plan.operation"],
    "forbid_call": ["refund.create"],
    "max_calls": {"plan.pause": 1},
    "success_requires": [{"tool": "plan.operation", "pred": "status == completed"}],
    "states": {
        "paused": [
            {"tool": "plan.operation", "pred": "status == completed"},
            "claim == success",
        ],
        "unresolved": ["claim == unresolved"],
    },
    "final_state": ["paused", "unresolved"],
}
LATE = CallError(status=504, body="no answer in time")
LOST = a_call("plan.pause", outcome=None, args=ACCOUNT, error=LATE, operation_id="op-9")
IS_PAUSED = a_claim("Your plan has been paused.")
DOUBT = a_claim("I could not confirm that your plan is paused.")


def read_back(status: str, operation: str = "op-9"):
    """Read the operation back."""
    return a_call("plan.operation", args={"operation_id": operation}, result={"status": status})


@pytest.mark.parametrize(
    ("parts", "broken"),
    [
        ([LOST, read_back("completed"), IS_PAUSED], set()),
        ([LOST, read_back("pending"), DOUBT], set()),
        ([LOST, IS_PAUSED], {"must_call/1", "success_requires/1", "final_state/1"}),
        ([LOST, read_back("pending"), IS_PAUSED], {"success_requires/1", "final_state/1"}),
        (
            [LOST, read_back("completed", "op-8"), IS_PAUSED],
            {"success_requires/1", "final_state/1"},
        ),
        ([LOST, LOST, read_back("completed"), IS_PAUSED], {"max_calls/1"}),
        (
            [LOST, read_back("completed"), a_call("refund.create"), IS_PAUSED],
            {"forbid_call/1"},
        ),
    ],
)
def test_a_pause_with_an_unknown_end_is_read_back_and_told_truly(parts, broken):
    """Five clauses, each broken by its own mistake, and two honest ends."""
    assert verdict_of(PAUSED, *parts).signature.clauses == broken


# --- loops, grants, receipts -----------------------------------------------------------------------


def test_a_failing_read_is_not_repeated_for_ever():
    """Two tries are fair; with another argument it is another question."""
    contract: JsonMap = {"limits": {"identical_calls": 2}}

    def down(day: int):
        return a_call("rates.read", outcome=Outcome.RETRYABLE, args={"day": day})

    assert verdict_of(contract, down(1), down(1), down(2)).result is PASS
    assert verdict_of(contract, *[down(1)] * 3).result is FAIL


def test_leave_for_one_write_is_not_leave_for_the_session():
    """The same clause allows both, were the leave meant so."""
    first: JsonMap = {"page": "a"}
    second: JsonMap = {"page": "b"}
    leave = Permission(
        decision=Decision.GRANTED, tool="page.write", args_digest=args_digest(first), actor="person"
    )
    parts = (leave, a_call("page.write", args=first), a_call("page.write", args=second))

    def under(covers: str):
        rule: JsonMap = {"grant": "page.write", "covers": covers}
        return verdict_of({"permissions": [rule]}, *parts).result

    assert (under("same_args"), under("same_tool"), under("session")) == (FAIL, PASS, PASS)


def test_success_needs_its_receipt_at_every_claim():
    """A receipt that comes after the claim is too late for it."""
    contract: JsonMap = {
        "success_requires": [{"tool": "plan.operation", "pred": "status == completed"}]
    }

    assert verdict_of(contract, IS_PAUSED, read_back("completed"), IS_PAUSED).result is FAIL
    assert verdict_of(contract, read_back("completed"), IS_PAUSED).result is PASS
    assert verdict_of(contract, a_claim("Right.", ClaimOutcome.UNKNOWN)).result is OPEN


def test_a_better_answer_never_outweighs_a_side_effect():
    """There is no score: what happened to the world comes first, the answer last."""
    contract: JsonMap = {
        "answer": {"contains": "paused"},
        "forbid_call": ["refund.create"],
        "order": [{"before": ["caller.verify", "plan.pause"]}],
        "states": {"told": ["claim == unresolved"]},
        "final_state": "told",
    }
    effect = a_call("refund.create")

    polite = verdict_of(contract, YES, PAUSE, effect, IS_PAUSED)
    everything = verdict_of(contract, PAUSE, effect, a_claim("Your order has been cancelled."))

    assert polite.result is FAIL
    assert [found.clause for found in everything.violations] == [
        "final_state/1",
        "forbid_call/1",
        "order/1",
        "answer.contains/1",
    ]

"""Small runs, drafts and cases for the tests of a review."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.builders import a_call, a_claim, a_system, a_trace, a_user
from workbench.casefile.contract import load_contract
from workbench.check.outcomes import resolve_outcomes
from workbench.model.event import Outcome
from workbench.model.trace import Effect, Losses
from workbench.review.source import LoadedRun

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap

__all__ = ["CONTRACT", "KEY", "a_loaded", "an_incident"]

KEY = b"k" * 32
CONTRACT = load_contract(
    {
        "max_calls": {"billing.pause": 1},
        "success_requires": [{"tool": "billing.get", "pred": 'status == "completed"'}],
    }
)


def an_incident(run_id="run-7f3a"):
    """Return a run that pauses twice after a timeout, for a person with a name and an address."""
    email = "ada.lovelace@mail.example.org"
    asked: JsonMap = {"email": email}
    args: JsonMap = {"account_id": "ACC-4471902 ", "email": email}
    return a_trace(
        a_system("You are a support agent."),
        a_user(f"I am Ada Lovelace, {email}. Pause my plan, please."),
        a_call("crm.lookup", args=asked, result={"account_id": "ACC-4471902 "}),
        a_call("billing.pause", args=args, outcome=Outcome.UNKNOWN, detail="timeout"),
        a_call("billing.pause", args=args, outcome=Outcome.UNKNOWN, detail="timeout"),
        a_call("billing.get", args={"id": "op_1"}, result={"status": "pending"}),
        a_claim("Your plan is paused."),
        run_id=run_id,
        tools={
            "crm.lookup": Effect.READ,
            "billing.pause": Effect.WRITE,
            "billing.get": Effect.READ,
        },
    )


def a_loaded(trace=None, *, losses=Losses(), head=None):  # noqa: B008  a frozen value
    """Return a run as `find_run` does."""
    resolved = resolve_outcomes(an_incident() if trace is None else trace)
    return LoadedRun(trace=resolved, losses=losses, assumed_tools=(), store_head=head)

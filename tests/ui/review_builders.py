"""Drafts, stores and reviewers for the tests of controllers."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING

from tests.builders import a_call, a_claim, a_trace, a_user
from workbench.casefile.contract import load_contract
from workbench.casefile.place import Place
from workbench.casefile.trace import parse_trace
from workbench.check.outcomes import resolve_outcomes
from workbench.model.event import Outcome
from workbench.model.trace import Losses
from workbench.redact.policy import DEFAULT_POLICY
from workbench.review.draft import open_draft
from workbench.review.shrink import OracleKind
from workbench.review.source import LoadedRun
from workbench.review.vault import Vault
from workbench.store.handle import open_store
from workbench.ui.controllers.redaction import RedactionReview
from workbench.ui.controllers.shrink import ShrinkReview

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.contract import Contract
    from workbench.model.draft import Draft
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Trace
    from workbench.redact.policy import Policy
    from workbench.store.handle import Store

__all__ = [
    "BOOKING",
    "CONTRACT",
    "MAIL",
    "TRACE",
    "a_draft",
    "a_redaction",
    "a_shrink",
    "a_slow_shrink",
    "a_store",
    "a_vault",
    "many_findings",
    "the_demo",
]

KEY = bytes(range(32))
MAIL = "rachel.rivera@fabrikam.com"
CONTRACT = load_contract({"max_calls": {"billing.pause": 0}})
TRACE = a_trace(
    a_user(f"This is Rachel Rivera. Old account ACC-1200034, mail {MAIL}. Please be quick."),
    a_call("crm.note", args={"text": "call back on +1 415 555 0132 today"}),
    a_call("billing.pause", args={"account_id": "ACC-4471902 "}, outcome=Outcome.UNKNOWN),
    a_claim("Rachel, acc-4471902 is paused."),
)

PASSENGERS: list[Json] = [
    {"first_name": "Rachel", "last_name": "Rivera", "dob": "1979-09-27"},
    {"first_name": "Aarav", "last_name": "Lee", "dob": "1972-06-13"},
    {"first_name": "Fatima", "last_name": "Ito", "dob": "1983-03-27"},
]
BOOKING = a_trace(
    a_user("Please move all of us to the later flight."),
    a_user("Aarav can take the window seat then."),
    a_user("And keep the two meals."),
    a_call(
        "flights.book",
        args={"passengers": PASSENGERS, "email": MAIL, "note": "they want to sit together"},
        outcome=Outcome.UNKNOWN,
    ),
    a_call("billing.pause", outcome=Outcome.UNKNOWN),
    a_claim("Done."),
)
"""Its passengers' names are alike, so are their dates of birth and what the user says."""


def a_draft(trace: Trace = TRACE, contract: Contract = CONTRACT) -> Draft:
    """Return the raw draft of a run that breaks the contract."""
    run = LoadedRun(trace=resolve_outcomes(trace), losses=Losses(), assumed_tools=())
    return open_draft(run, contract, key=KEY)


def a_store(folder: Path) -> Store:
    """Return a store whose clock stands still."""
    return open_store(folder / "store", clock=lambda: 1_790_000_000.0)


def a_vault(folder: Path) -> Vault:
    """Return a vault in a folder."""
    return Vault(folder / "keys")


def a_redaction(
    folder: Path, trace: Trace = TRACE, *, reviewer: str = "Ana", policy: Policy = DEFAULT_POLICY
) -> RedactionReview:
    """Return the review of a redaction whose state is in a folder; opened again it goes on."""
    return RedactionReview(
        a_draft(trace),
        store=a_store(folder),
        vault=a_vault(folder),
        out=folder / "redacted.draft.json",
        policy=policy,
        ner="none",
        reviewer=reviewer,
    )


def a_shrink(folder: Path, trace: Trace = TRACE, *, reviewer: str = "Ana") -> ShrinkReview:
    """Return the review of a shrink whose state is in a folder; opened again it goes on."""
    return ShrinkReview(
        a_draft(trace),
        store=a_store(folder),
        out=folder / "small.draft.json",
        journals=folder / "journals",
        reviewer=reviewer,
    )


def a_slow_shrink(folder: Path, *, calls: int = 240, reviewer: str = "Ana") -> ShrinkReview:
    """Return a search of many seconds on any machine: every call breaks a clause, and each try is replayed."""
    tools = [f"crm.note{n}" for n in range(calls)]
    trace = a_trace(
        a_user("Pause my plan."),
        *(a_call(tool, args={"n": n}) for n, tool in enumerate(tools)),
        a_claim("Done."),
    )
    return ShrinkReview(
        a_draft(trace, load_contract({"max_calls": dict.fromkeys(tools, 0)})),
        store=a_store(folder),
        out=folder / "slow.draft.json",
        journals=folder / "journals",
        kind=OracleKind.REPLAY,
        reviewer=reviewer,
    )


def many_findings(number: int) -> Trace:
    """Return a trace with so many texts to be read, and a mail address in the first."""
    texts: list[Json] = [f"Please look at order {n} and then go on with it." for n in range(number)]
    args: JsonMap = {f"note{n}": text for n, text in enumerate(texts)}
    call = a_call("billing.pause", args=args, outcome=Outcome.UNKNOWN)
    return a_trace(a_user(f"Pause all of them for {MAIL}."), call, a_claim("Done."))


def the_demo() -> Trace:
    """Return the bundled incident."""
    text = resources.files("workbench.demo").joinpath("incident.json").read_bytes()
    return parse_trace(json.loads(text), place=Place(name="incident.json"), key="")

"""How two traces are set side by side, and told in one line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.builders import a_call, a_claim, a_trace, a_user
from workbench.check.divergence import first_divergence
from workbench.model.contract import ClaimRules
from workbench.model.event import Change, ContextChange, Decision, Outcome, Permission
from workbench.runner.beside import shown_beside

LOOKUP = a_call("crm.lookup", args={"id": 1}, result={"name": "x"})
PAUSE = a_call("billing.pause", args={"id": 1})
RECEIPT = a_call("billing.receipt", args={"id": 1}, result={"status": "done"})
DONE = a_claim("Your plan is paused.")
GRANTED = Permission(decision=Decision.GRANTED, tool="billing.pause")
DENIED = replace(GRANTED, decision=Decision.DENIED)


def beside(first, second):
    """Return what is shown of two runs."""
    script, trace = a_trace(*first), a_trace(*second)
    found = first_divergence(script, trace)
    assert found is not None
    return shown_beside(script, trace, found, claims=ClaimRules())


@pytest.mark.parametrize(
    ("first", "second", "headline"),
    [
        ([LOOKUP, RECEIPT, DONE], [LOOKUP, DONE], "at 4 billing.receipt was skipped"),
        ([LOOKUP, RECEIPT], [LOOKUP], "at its end billing.receipt was skipped"),
        ([LOOKUP], [PAUSE], "at 1 billing.pause was called instead of crm.lookup"),
        ([LOOKUP, DONE], [LOOKUP, PAUSE, DONE], "at 4 billing.pause was called in addition"),
        (
            [PAUSE, LOOKUP],
            [LOOKUP, PAUSE],
            "at 1 crm.lookup was called, where the path has billing.pause was called",
        ),
        (
            [LOOKUP, DONE],
            [LOOKUP],
            "at its end nothing more, where the path has success was claimed",
        ),
        (
            [LOOKUP],
            [LOOKUP, DONE],
            "at 4 success was claimed, where the path has nothing more",
        ),
        (
            [PAUSE],
            [a_call("billing.pause", args={"id": 2})],
            "at 1 billing.pause was called, with other arguments",
        ),
        (
            [LOOKUP],
            [a_call("crm.lookup", args={"id": 1}, result={"name": "y"})],
            "at 2 crm.lookup ended ok, with other results",
        ),
        (
            [PAUSE],
            [a_call("billing.pause", args={"id": 1}, outcome=Outcome.UNKNOWN)],
            "at 2 billing.pause ended unknown, where the path has billing.pause ended ok",
        ),
        (
            [GRANTED],
            [DENIED],
            "at 0 billing.pause was denied, where the path has billing.pause was granted",
        ),
        (
            [replace(GRANTED, tool=None)],
            [replace(GRANTED, tool="x")],
            "at 0 x was granted, where the path has a call was granted",
        ),
        (
            [ContextChange(change=Change.COMPACTION)],
            [ContextChange(change=Change.HAND_OFF)],
            "at 0 a context change, with other content",
        ),
    ],
)
def test_one_line_says_what_the_run_did_otherwise(first, second, headline):
    """Design page 09: "at 7 the receipt check was skipped", not two walls of text."""
    assert beside(first, second)["headline"] == headline


def test_the_rows_show_what_led_there_and_what_came_of_it():
    """Two rows before, the parting, three after; nothing stands beside an end."""
    more = [a_call(f"t.{n}") for n in range(4)]

    rows = beside([a_user(), LOOKUP, RECEIPT, *more, DONE], [a_user(), LOOKUP])["beside"]

    assert isinstance(rows, list)
    shown = [(row["first"]["text"], row["second"] and row["second"]["text"]) for row in rows]
    assert shown == [
        ("crm.lookup was called", "crm.lookup was called"),
        ("crm.lookup ended ok", "crm.lookup ended ok"),
        ("billing.receipt was called", None),
        ("billing.receipt ended ok", None),
        ("t.0 was called", None),
        ("t.0 ended ok", None),
    ]
    assert [row["apart"] for row in rows] == [False, False, True, True, True, True]
    assert rows[0]["first"]["seq"] == 2

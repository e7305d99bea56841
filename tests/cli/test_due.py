"""`workbench due`: a list that leaves nothing out."""

from __future__ import annotations

import pytest

from tests.review.stale_cases import PROVEN, put
from workbench.store.handle import open_store
from workbench.store.records import TrialResult

pytestmark = pytest.mark.desk

DAY = ("--today", "2026-11-30")


def test_the_worst_comes_first_with_what_is_wrong(folder, shell):
    """The agenda of a meeting, as a person reads it."""
    (folder / "cases").mkdir()
    put(folder / "cases", "late", PROVEN, review_date='"2026-11-01"', title='"\\u202eabc"')
    put(folder / "cases", "fresh", PROVEN.replace("billing.pause", "billing.halt"))
    put(folder / "cases", "over", state="archived")

    said = shell("due", "cases", *DAY)

    lines = said.out.splitlines()
    assert (said.status, said.err) == (0, "")
    assert lines[0].split() == ["case", "sev", "state", "owner", "review", "days"]
    assert lines[1].split() == ["late", "S1", "active", "billing-agents", "2026-11-01", "-29"]
    assert lines[2] == "    overdue: its review was due 29 days ago, on 2026-11-01"
    assert "1 of 3 cases need a decision; 2 do not" in said.out
    assert "owners were not checked" in said.out


def test_machines_read_every_case(folder, shell):
    """Also those that need nothing."""
    put(folder, "late", PROVEN, review_date='"2026-11-01"')
    (folder / "workbench.toml").write_text('[review]\nowners = ["ops"]\nlead_days = 3\n', "utf-8")

    document = shell("due", ".", *DAY, "--json").document

    (case,) = document.pop("cases")
    assert document == {
        "today": "2026-11-30",
        "lead_days": 3,
        "owners_from": ["workbench.toml"],
        "due": 1,
    }
    assert [sign["kind"] for sign in case.pop("signs")] == ["overdue", "owner_unknown"]
    assert case == {
        "path": "late.case.yaml",
        "id": "late",
        "title": "Pause timed out, the customer was told it was paused",
        "owner": "billing-agents",
        "severity": "S1",
        "state": "active",
        "review_date": "2026-11-01",
        "days_left": -29,
        "schema": 1,
        "proven": True,
        "trials": [],
    }


def test_a_case_that_cannot_be_read_is_listed_and_makes_the_exit_4(folder, shell):
    """The others are listed all the same."""
    put(folder, "late", PROVEN, review_date='"2026-11-01"')
    (folder / "torn.case.yaml").write_text("{", "utf-8")

    said = shell("due", ".", "nowhere", *DAY)

    assert said.status == 4
    assert "nowhere" in said.out.splitlines()[1]
    assert "unreadable: torn.case.yaml" in said.out
    assert "3 of 3 cases need a decision" in said.out
    assert "workbench: nowhere: does not exist" in said.err


def test_no_case_at_all_is_5_and_nothing_due_is_0(folder, shell):
    """An empty folder is not a clean one."""
    nothing = shell("due", ".", *DAY)
    put(folder, "fresh", PROVEN)
    quiet = shell("due", ".", *DAY)
    today = shell("due", ".", "--json")

    assert (nothing.status, nothing.out) == (5, "")
    assert "no *.case.yaml" in nothing.err
    assert quiet.out.startswith("0 of 1 cases need a decision; 1 do not\n")
    assert today.status == 0


def test_a_day_that_is_none_is_a_usage_error(folder, shell):
    """2027-02-29 would be read as whatever a library makes of it."""
    said = shell("due", ".", "--today", "2027-02-29")

    assert said.status == 4
    assert "YYYY-MM-DD" in said.err


def test_tools_of_today_and_recorded_trials_are_asked(folder, shell):
    """The command and the table of the meeting come from one function."""
    put(folder, "late", PROVEN)
    (folder / "tools.json").write_text('{"tools": [{"name": "customer.lookup"}]}', "utf-8")
    with open_store(folder / "store") as store:
        store.record([TrialResult(case_id="late", case_digest="d", verdict="fail")])

    said = shell("due", ".", *DAY, "--tools", "tools.json", "--store", "store", "--json")

    (case,) = said.document["cases"]
    assert [sign["kind"] for sign in case["signs"]] == ["tool_gone", "tool_gone"]
    assert case["trials"] == ["fail"]
    assert shell("due", ".", *DAY, "--tools", "none.json").status == 4
    assert shell("due", ".", *DAY, "--store", "none").status == 4

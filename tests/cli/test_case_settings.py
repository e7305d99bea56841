"""What `workbench.toml` and the calendar say of a case that is made."""

from __future__ import annotations

import pytest

from tests.cli.conftest import RUN
from workbench.casefile.case import load_case

pytestmark = pytest.mark.desk

EXPORT = ("export", "small.draft.json", "--without-ner", "-o", "cases/again.case.yaml")


def test_a_review_date_that_is_past_is_said(demo, shell):
    """A slip of the year would make the case due on its first day; it is written all the same."""
    said = shell(*EXPORT, "--owner", "billing", "--review-date", "2020-02-28")

    assert said.status == 0
    assert said.err == (
        "workbench: --review-date 2020-02-28 is past; the case is due for review from its first"
        " day\n"
    )


def test_a_date_that_is_none_stays_an_error(demo, shell):
    """It is not called past."""
    said = shell(*EXPORT, "--owner", "billing", "--review-date", "2020-02-31")

    assert said.status == 4
    assert "is past" not in said.err


def test_an_owner_whom_nobody_lists_is_refused(demo, shell):
    """A case whose owner is misspelt is owned by nobody."""
    with (demo / "workbench.toml").open("a", encoding="utf-8") as file:
        file.write('\n[review]\nowners = ["billing", "support"]\n')
    date = ("--review-date", "2099-02-28")

    said = shell(*EXPORT, "--owner", "biling", *date)
    stranger = shell(*EXPORT, "--owner", "somebody", *date)

    assert said.status == 4
    assert "--owner: is none of the 2 of [review] owners" in said.err
    assert "Fix: write billing" in said.err
    assert "Fix: write one of billing, support" in stranger.err
    assert shell(*EXPORT, "--owner", "support", *date).status == 0


def test_claims_of_the_repository_are_those_of_contracts_without(demo, shell):
    """The words that claim success are said once."""
    short = "success_requires: billing.get_operation.status == never\n"
    (demo / "short.yaml").write_text(short, "utf-8")
    own = f"{short}claims: {{success: [plan]}}\n"
    (demo / "own.yaml").write_text(own, "utf-8")
    words = ("judge", RUN, "--json", "--contract")
    before = shell(*words, "short.yaml").document["verdict"]
    with (demo / "workbench.toml").open("a", encoding="utf-8") as file:
        file.write('\n[claims]\nsuccess = ["zzz"]\nfailure = ["plan"]\n')

    after = [shell(*words, name).document["verdict"] for name in ("short.yaml", "own.yaml")]

    assert before == "fail"
    assert after == ["inconclusive", "fail"]  # some texts say nothing of the plan


def test_claims_that_are_none_are_refused_where_they_stand(demo, shell):
    """Every command reads the file."""
    (demo / "workbench.toml").write_text('[claims]\nsuccess = ["("]\n', "utf-8")

    said = shell("judge", RUN, "--contract", "contract.yaml")

    assert said.status == 4
    assert "workbench.toml:2: claims.success.0" in said.err


def test_tools_that_run_for_real_are_said_in_the_case(demo, shell):
    """A clock or a calculator needs no fixture; a runner elsewhere has no `workbench.toml`."""
    with (demo / "workbench.toml").open("a", encoding="utf-8") as file:
        file.write('\n[tools."crm.contact"]\neffect = "pure"\nlocal = true\n')

    said = shell(
        *("make", "incident.json", "--contract", "contract.yaml", "--policy", "redaction.yaml"),
        *("--owner", "billing", "--review-date", "2099-02-28", "--without-ner"),
        *("-o", "cases/made.case.yaml"),
    )

    assert said.status == 0, said.err
    assert load_case("cases/made.case.yaml").local == ("crm.contact",)

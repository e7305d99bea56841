"""What a step did, as text without raw values."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.review.runs import CONTRACT, KEY, a_loaded
from workbench.casefile.contract import load_contract
from workbench.check.diagnose import diagnose
from workbench.check.judge import judge
from workbench.model.ledger import LedgerEntry, TriggerNote
from workbench.model.wording import counted
from workbench.review.draft import open_draft
from workbench.review.export import CaseDetails, case_of
from workbench.review.redact import redact_draft
from workbench.review.shrink import shrink_draft
from workbench.review.summary import (
    long_lists,
    render_case,
    render_redaction,
    render_shrunk,
    render_suggestion,
    render_verdict,
)

pytestmark = pytest.mark.desk


@pytest.fixture(scope="module")
def redacted():
    """A redacted draft and its redaction."""
    return redact_draft(open_draft(a_loaded(), CONTRACT, key=KEY), key=KEY, ner="none")


def test_failures_come_first():
    """A reader of a long list wants to know what broke."""
    contract = load_contract({"must_call": ["crm.lookup"], "max_calls": {"billing.pause": 1}})

    shown = render_verdict(judge(a_loaded().trace, contract)).split("\n")

    assert shown[0] == "verdict: fail"
    assert shown[1].startswith("  FAIL         max_calls/1: ")
    assert shown[1].endswith(")")
    assert shown[2].startswith("  pass         must_call/1: ")


def test_a_verdict_is_harmless():
    """A contract may name any tool, and its sentences name it again."""
    contract = load_contract({"forbid_call": ["a\x1b[2J\u202eb"], "must_call": ["crm.lookup\x07*"]})

    shown = render_verdict(judge(a_loaded().trace, contract))

    assert all(char.isprintable() or char == "\n" for char in shown)
    assert r"a\x1b[2J\u202eb" in shown


def test_a_suggestion_is_harmless():
    """It quotes the trace, so the terminal must not obey it."""
    suggestion = replace(
        diagnose(a_loaded().trace)[0], contract={"a": "\x1b[2J"}, sentence="b\x1b[2J"
    )

    shown = render_suggestion(suggestion)

    assert "\x1b" not in shown
    assert shown.count("\n") == 2


def test_a_redaction_is_told_by_types_and_places(redacted):
    """Neither a value nor more than a screen."""
    shown = render_redaction(redacted[1])

    assert " values replaced in " in shown
    assert "EMAIL_ADDRESS" in shown
    assert "lovelace" not in shown.lower()


def test_long_lists_are_cut_and_say_so(redacted):
    """What is left out is counted."""
    entry = LedgerEntry(at=("#1.text",), type="PERSON", decision="retained")
    many = replace(
        redacted[1],
        ledger=(entry,) * 13,
        trigger=(TriggerNote(at="#2.text"),),
        unreviewed=14,
        unseen=tuple(f"#{n}.text" for n in range(14)),
    )

    shown = render_redaction(many)

    assert "... 1 more: `workbench redact` lists them all" in shown
    assert "PERSON  retained   #1.text   1 place" in shown
    assert "what makes it fail" not in shown
    assert "14 texts of the case seen by nobody yet\n  #0.text\n" in shown
    assert "  ... 2 more\n  Fix: read them" in shown
    assert "... 1 more in x.lists.json" in render_redaction(many, lists="x.lists.json")
    assert "  ... 2 more in x.lists.json\n" in render_redaction(many, lists="x.lists.json")


def test_long_lists_are_in_full_elsewhere(redacted):
    """Only those that are cut."""
    entry = LedgerEntry(at=("#1.text",), type="PERSON", decision="retained")
    note = TriggerNote(at="#2.text", facts=("case:lower",))
    many = replace(redacted[1], ledger=(entry,) * 13, trigger=(note,) * 14, unseen=("#1.text",))

    lists = long_lists(many)

    assert set(lists) == {"ledger", "trigger"}
    assert isinstance(lists["ledger"], list)
    assert len(lists["ledger"]) == 13
    assert lists["trigger"] == [{"at": "#2.text", "facts": ["case:lower"]}] * 14
    assert "  ... 2 more in x.lists.json" in render_redaction(many, lists="x.lists.json")
    assert long_lists(replace(many, ledger=(), trigger=())) == {}


def test_a_run_without_values_has_no_table(redacted):
    """A head over nothing looks like a fault."""
    shown = render_redaction(replace(redacted[1], ledger=(), values=0, findings=0))

    assert "pseudonym  first at" not in shown
    assert shown.startswith("0 values replaced in 0 places\n  ")
    assert "\n  \n" not in shown


def test_few_unseen_texts_are_all_named(redacted):
    """Nothing is said to be left out."""
    few = replace(redacted[1], ledger=(), unreviewed=1, unseen=("#1.text",), trigger=())

    shown = render_redaction(few)

    assert "more" not in shown.replace("nobody", "")
    assert "Fix: read them, then say so in redaction.yaml under `decisions`" in shown
    assert shown.endswith("decision: seen, by: YOUR-NAME}; pass it with --policy")


def test_nothing_unseen_is_not_mentioned(redacted):
    """Silence is the good news here."""
    assert "nobody" not in render_redaction(replace(redacted[1], unreviewed=0))


def test_a_shrink_is_told_with_its_cost(redacted):
    """Also where nodes were not counted and nothing else was met."""
    small, shrunk = shrink_draft(redacted[0])
    assert small.shrink is not None
    bare = replace(small, shrink=replace(small.shrink, nodes=None))

    shown = render_shrunk(bare, replace(shrunk, also_seen=()))

    assert " oracle calls" in shown
    assert "JSON nodes" not in shown
    assert "other failures" not in shown


def test_a_case_says_what_it_lacks(redacted):
    """Where it is, how many texts nobody has seen, what comes next."""
    details = CaseDetails(owner="billing", review_date="2027-02-28", title="Told\x1b early")
    case = case_of(redacted[0], replace(details, title="Told early"), date="2026-11-30")

    shown = render_case(replace(case, title="Told\x1b early"), "a.case.yaml")

    assert shown.startswith("a.case.yaml is proposed: Told\\x1b early\n")
    assert case.redaction is not None
    assert f"{counted(case.redaction.unreviewed, 'text')} seen by nobody yet" in shown
    assert shown.endswith("next: workbench check, accept, activate")
    assert "nobody" not in render_case(replace(case, redaction=None), "a.case.yaml")

"""The redaction under review, without a browser."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.builders import a_call, a_claim, a_trace, a_user
from tests.ui.review_builders import MAIL, TRACE, a_draft, a_redaction, a_store, a_vault
from workbench.casefile.draft import load_draft
from workbench.errors import InputError, RefusedError
from workbench.model.event import Outcome
from workbench.redact.policy import Policy, Retained, Strategy
from workbench.review.decision_log import DecisionLog
from workbench.ui.controllers.redaction import RedactionReview

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import JsonMap

pytestmark = pytest.mark.desk

RAW = (MAIL, "Rachel", "Rivera", "1200034", "4471902", "0132")


def opened(folder: Path, reviewer: str = "Ana") -> RedactionReview:
    """Return the review when it has looked."""
    review = a_redaction(folder, reviewer=reviewer)
    review.wait()
    return review


def row(review: RedactionReview, kind: str, nth: int = 0) -> JsonMap:
    """Return a line of the list, e.g. that of the mail address."""
    found = [r for r in review.rows() if isinstance(r, dict) and kind in (r["type"], r["kind"])]
    return found[nth]


def name(review: RedactionReview, kind: str, nth: int = 0) -> str:
    """Return the name of a finding."""
    return str(row(review, kind, nth)["name"])


def test_what_reaches_the_case_comes_first(tmp_path: Path) -> None:
    """Only that needs eyes; everything else is replaced by rule."""
    review = opened(tmp_path)

    reaches = [bool(r["reaches"]) for r in review.rows() if isinstance(r, dict)]
    assert reaches == sorted(reaches, reverse=True)
    assert review.state()["surviving"] == 5
    assert review.state()["values"] == 7


def test_no_raw_value_is_in_the_list_the_state_or_the_summary(tmp_path: Path) -> None:
    """They are on the screen of a meeting."""
    review = opened(tmp_path)

    told = json.dumps([review.rows(), review.state(), review.summary()])
    details = json.dumps([review.detail(f.name) for f in review.findings])

    assert [value for value in RAW if value in told] == []
    assert [value for value in RAW if value in details] == []
    assert "This is " in details
    assert repr(review).startswith("<workbench.ui")


def test_a_decision_is_in_the_store_at_once_and_survives_a_restart(tmp_path: Path) -> None:
    """A kernel that dies right after a click loses nothing."""
    review = opened(tmp_path)
    review.reject(name(review, "EMAIL_ADDRESS"))

    again = opened(tmp_path, "Bo")

    mail = row(again, "EMAIL_ADDRESS")
    assert (mail["status"], mail["by"], mail["becomes"]) == ("rejected", "Ana", None)
    assert again.reviewers == ("Ana", "Bo")


def test_several_people_decide_under_their_own_names(tmp_path: Path) -> None:
    """A person answers for what they decided."""
    review = opened(tmp_path)
    review.accept(name(review, "PERSON"))
    review.name_reviewer("  Bo   Berg ")
    review.retain(name(review, "PHONE_NUMBER"), " a public number ")
    review.wait()

    phone = row(review, "PHONE_NUMBER")
    assert (phone["status"], phone["by"], phone["reason"]) == (
        "retained",
        "Bo Berg",
        "a public number",
    )
    assert row(review, "PERSON")["by"] == "Ana"
    assert "decided by Ana, Bo Berg" in review.summary()


def test_undo_takes_back_the_reviewers_own_last_decision(tmp_path: Path) -> None:
    """Nobody takes back for somebody else by accident."""
    review = opened(tmp_path)
    review.accept(name(review, "PERSON"))
    review.name_reviewer("Bo")
    review.reject(name(review, "EMAIL_ADDRESS"))
    review.name_reviewer("Ana")

    assert review.undo() == name(review, "PERSON")

    assert row(review, "PERSON")["status"] == "open"
    assert row(review, "EMAIL_ADDRESS")["status"] == "rejected"
    with pytest.raises(InputError, match="Ana has decided nothing that stands"):
        review.undo()


def test_a_changed_mind_counts(tmp_path: Path) -> None:
    """A value that was rejected first and accepted later is replaced."""
    review = opened(tmp_path)
    mail = name(review, "EMAIL_ADDRESS")
    review.reject(mail)
    review.accept(mail)
    review.wait()

    assert row(review, "EMAIL_ADDRESS")["becomes"] is not None
    assert len(review.policy.decisions) == 1


def test_another_draw_each_time_it_is_asked_for(tmp_path: Path) -> None:
    """A pseudonym that reads badly is changed with one key."""
    review = opened(tmp_path)
    phone = name(review, "PHONE_NUMBER")
    seen = {row(review, "PHONE_NUMBER")["becomes"]}
    for _ in range(2):
        review.accept(phone, strategy=Strategy.NEXT_DRAW)
        review.wait()
        seen.add(row(review, "PHONE_NUMBER")["becomes"])

    assert len(seen) == 3
    assert row(review, "PHONE_NUMBER")["strategy"] == "next_draw"


def test_a_text_that_a_person_has_seen_is_no_longer_counted(tmp_path: Path) -> None:
    """`unreviewed` falls, by a name."""
    review = opened(tmp_path)
    assert review.state()["unreviewed"] == 2

    review.see(name(review, "text"))
    review.wait()

    assert review.state()["unreviewed"] == 1
    assert row(review, "text")["status"] == "seen"
    assert row(review, "text", 1)["status"] == "open"


def test_a_text_is_read_as_it_will_reach_the_case(tmp_path: Path) -> None:
    """With pseudonyms where values were."""
    review = opened(tmp_path)
    said = json.dumps(review.detail(name(review, "text")))

    assert "Please be quick." in said
    assert str(row(review, "EMAIL_ADDRESS")["becomes"]) in said


def test_raw_values_are_shown_only_after_it_was_written_down_who_looks(tmp_path: Path) -> None:
    """Revealing is audited."""
    review = opened(tmp_path)

    assert review.reveal(name(review, "EMAIL_ADDRESS")) == [MAIL]

    entries = DecisionLog(a_store(tmp_path), a_draft().draft, topic="redaction").entries
    assert [(e.kind, e.actor, e.payload) for e in entries] == [
        ("redaction.reveal", "Ana", {"at": "#0.text"})
    ]
    review.name_reviewer("")
    with pytest.raises(InputError, match="nobody is named"):
        review.reveal(name(review, "EMAIL_ADDRESS"))


def test_two_tabs_do_not_lose_a_decision(tmp_path: Path) -> None:
    """Who is second is told who was first, and what; then they may still decide otherwise."""
    left, right = opened(tmp_path), opened(tmp_path, "Bo")
    left.retain(name(left, "EMAIL_ADDRESS"), "a public address")

    with pytest.raises(RefusedError, match="Ana decided on this meanwhile"):
        right.accept(name(right, "EMAIL_ADDRESS"))
    right.wait()

    assert row(right, "EMAIL_ADDRESS")["status"] == "retained"
    right.accept(name(right, "EMAIL_ADDRESS"))
    left.look_again()
    assert left.notice == "Bo decided meanwhile; the list is up to date."
    assert row(left, "EMAIL_ADDRESS")["by"] == "Bo"


def test_decisions_on_different_findings_do_not_disturb_one_another(tmp_path: Path) -> None:
    """Two people may share the work."""
    left, right = opened(tmp_path), opened(tmp_path, "Bo")
    left.accept(name(left, "EMAIL_ADDRESS"))
    right.accept(name(right, "PHONE_NUMBER"))

    assert row(right, "EMAIL_ADDRESS")["by"] == "Ana"
    assert row(right, "PHONE_NUMBER")["by"] == "Bo"


def test_what_is_written_is_what_was_decided(tmp_path: Path) -> None:
    """The draft on disk holds the decisions, and the review knows whether it still does."""
    review = opened(tmp_path)
    review.retain(name(review, "PHONE_NUMBER"), "a public number")
    review.write()
    review.wait()

    assert review.failure is None
    assert review.notice is not None
    assert "1 text seen by nobody yet" in review.notice
    assert review.is_written
    text = review.out.read_text("utf-8")
    assert "+1 415 555 0132" in text
    assert MAIL not in text
    note = load_draft(review.out).redaction
    assert note is not None
    assert note.unreviewed == 1
    assert opened(tmp_path).is_written


def test_a_decision_after_the_writing_makes_the_file_old(tmp_path: Path) -> None:
    """What lies on disk is then not what people decided."""
    review = opened(tmp_path)
    review.write()
    review.wait()
    review.see(name(review, "text"))

    assert not review.is_written
    assert "not written yet" in review.summary()


def test_a_text_is_settled_by_what_was_decided_in_it(tmp_path: Path) -> None:
    """Who retained a value there has read it; it is not asked for twice."""
    review = opened(tmp_path)
    review.retain(name(review, "PHONE_NUMBER"), "a public number")
    review.wait()

    text = row(review, "text", 1)
    assert (text["status"], text["by"]) == ("settled", "Ana")
    assert text["when"] == row(review, "PHONE_NUMBER")["when"]
    assert review.state()["unreviewed"] == 1


def test_everybody_who_settled_a_text_is_named(tmp_path: Path) -> None:
    """A tick without a name is nobody's."""
    text = a_user("Write to rachel.rivera@fabrikam.com or call +1 415 555 0132 about it, please.")
    trace = a_trace(text, a_call("billing.pause", outcome=Outcome.UNKNOWN), a_claim("Done."))
    review = a_redaction(tmp_path, trace)
    review.wait()
    review.accept(name(review, "EMAIL_ADDRESS"))
    review.name_reviewer("Bo")
    review.accept(name(review, "PHONE_NUMBER"))
    review.wait()

    settled = [r for r in review.rows() if isinstance(r, dict) and r["status"] == "settled"]
    assert [r["by"] for r in settled] == ["Ana, Bo"]


def test_what_is_decided_is_counted_once_wherever_it_is_said(tmp_path: Path) -> None:
    """Two draws of one value and a changed mind are one decided finding, not four decisions."""
    review = opened(tmp_path)
    mail = name(review, "EMAIL_ADDRESS")
    for _ in range(2):
        review.accept(mail, strategy=Strategy.NEXT_DRAW)
        review.wait()
    review.reject(mail)
    review.retain(name(review, "PHONE_NUMBER"), "a public number")
    review.wait()

    rows = [r for r in review.rows() if isinstance(r, dict) and r["status"] != "open"]
    reaching = [r for r in rows if r["reaches"]]
    state = review.state()
    assert len(review.entries) == 4
    assert (state["decided"], state["others"]) == (len(reaching), len(rows) - len(reaching))
    assert f"{state['decided']} of {state['reaching']}" in review.summary()
    assert state["can_undo"]


def test_what_does_not_reach_the_case_is_counted_apart(tmp_path: Path) -> None:
    """It needs nobody's eyes, so it does not make the share of what does larger."""
    review = opened(tmp_path)
    other = next(r for r in review.rows() if isinstance(r, dict) and not r["reaches"])
    review.accept(str(other["name"]))
    review.wait()

    state = review.state()
    assert (state["decided"], state["others"]) == (0, 1)
    assert f"0 of {state['reaching']} and 1 other decided by Ana" in review.summary()


def test_a_value_that_the_policy_keeps_is_not_accepted_against_it(tmp_path: Path) -> None:
    """What redaction.yaml says is changed there, where it was reviewed."""
    review = RedactionReview(
        a_draft(),
        store=a_store(tmp_path),
        vault=a_vault(tmp_path),
        out=tmp_path / "r.json",
        policy=Policy(retain=(Retained(at="crm.note:args", reason="public", by="Cy"),)),
        ner="none",
        reviewer="Ana",
    )
    review.wait()

    with pytest.raises(InputError, match="says that it stays as it is"):
        review.accept(name(review, "PHONE_NUMBER"))
    assert row(review, "PHONE_NUMBER")["status"] == "retained"


@pytest.mark.parametrize("act", ["accept", "reject", "see", "detail", "reveal"])
def test_a_name_that_is_not_of_the_list_is_refused(tmp_path: Path, act: str) -> None:
    """A browser may say anything."""
    with pytest.raises(InputError, match="is no finding of this list"):
        getattr(opened(tmp_path), act)("v999<img>")


def test_a_value_is_not_seen_and_a_text_is_not_accepted(tmp_path: Path) -> None:
    """The two kinds of findings have their own decisions."""
    review = opened(tmp_path)

    with pytest.raises(InputError, match="is a value, not a text"):
        review.see(name(review, "PERSON"))
    with pytest.raises(InputError, match="is a text, not a value"):
        review.accept(name(review, "text"))
    with pytest.raises(InputError, match="shown whole"):
        review.reveal(name(review, "text"))


def test_nobody_decides_without_a_name_or_retains_without_a_reason(tmp_path: Path) -> None:
    """A ledger with an empty name proves nothing."""
    review = opened(tmp_path, reviewer="")

    for act in (review.accept, review.reject):
        with pytest.raises(InputError, match="nobody is named"):
            act(name(review, "PERSON"))
    for blocked in (lambda: review.see(name(review, "text")), review.write, review.undo):
        with pytest.raises(InputError, match="nobody is named"):
            blocked()
    review.name_reviewer("Ana")
    with pytest.raises(InputError, match="without a reason"):
        review.retain(name(review, "PERSON"), "  ")
    assert review.entries == ()


def test_what_else_stays_by_a_decision_is_said(tmp_path: Path) -> None:
    """A place and a type can hold two values; then one decision is about both."""
    two = a_trace(
        a_user("Mail ada.king@fabrikam.com and bob.stone@contoso.com about it."),
        a_call("billing.pause", outcome=Outcome.UNKNOWN),
        a_claim("Done."),
    )
    review = a_redaction(tmp_path, two)
    review.wait()
    review.retain(name(review, "EMAIL_ADDRESS"), "a role")

    assert review.notice is not None
    assert "1 other value stays too" in review.notice


def test_a_redaction_that_cannot_be_written_says_why(tmp_path: Path) -> None:
    """A folder that is gone is told in the view, not raised into nowhere."""
    review = opened(tmp_path)
    review.out = tmp_path / "gone" / "r.json"
    review.write()
    review.wait()

    assert review.failure is not None
    assert "cannot be written" in review.failure


def test_a_redacted_draft_is_not_redacted_again(tmp_path: Path) -> None:
    """Its pseudonyms would be replaced by pseudonyms."""
    review = opened(tmp_path)
    review.write()
    review.wait()

    with pytest.raises(InputError, match="was redacted already"):
        RedactionReview(
            load_draft(review.out),
            store=a_store(tmp_path),
            vault=a_vault(tmp_path),
            out=review.out,
        )


def test_before_the_first_look_there_is_nothing_to_decide(tmp_path: Path) -> None:
    """The cell has returned; the view says that it is looking."""
    review = a_redaction(tmp_path, TRACE)

    assert review.rows() == [] or review.state()["looked"]
    review.wait()
    assert review.rows() != []


def test_a_long_text_is_read_in_portions_that_cut_no_value(tmp_path: Path) -> None:
    """A text of a megabyte does not stop the browser, and every portion can be asked for."""
    text = f"{'We looked into this again. ' * 443}Mail {MAIL} now. {'And more was said. ' * 700}"
    long = a_trace(a_user(text), a_call("billing.pause", outcome=Outcome.UNKNOWN), a_claim("Done."))
    review = a_redaction(tmp_path, long)
    review.wait()
    shown, start = "", 0
    for _ in range(10):
        detail = review.detail(name(review, "text"), start=start)
        for one in detail["texts"]:  # type: ignore[union-attr]
            shown += "".join(part.get("t") or part.get("p") for part in one["parts"])  # type: ignore[index,union-attr,misc,call-overload]
        if detail["upto"] == detail["total"]:
            break
        start = int(detail["upto"])  # type: ignore[arg-type]

    becomes = str(row(review, "EMAIL_ADDRESS")["becomes"])
    assert shown == text.replace(MAIL, becomes)


def test_a_click_on_what_another_tab_decided_is_refused_whatever_the_kernel_has_read(
    tmp_path: Path,
) -> None:
    """The list on a screen may be older than what its kernel knows."""
    left, right = a_redaction(tmp_path), a_redaction(tmp_path, reviewer="Bo")
    left.wait()
    right.wait()
    mail = next(f.name for f in right.findings if MAIL in str(f.raw_values()))
    drawn = right.seen
    left.reject(mail)
    right.look_again()
    right.wait()

    with pytest.raises(RefusedError, match="Ana decided on this meanwhile"):
        right.accept(mail, seen=drawn)

    left.wait()
    assert [entry.actor for entry in right.entries] == ["Ana"]
    right.accept(mail, seen=right.seen)
    right.wait()
    assert [entry.actor for entry in right.entries] == ["Ana", "Bo"]

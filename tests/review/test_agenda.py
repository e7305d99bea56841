"""Each decision changes one case file, says who and why, and leaves the comments alone."""

from __future__ import annotations

import errno
import os

import pytest

from tests.review.stale_cases import PROVEN, TODAY, put
from workbench.casefile.case import load_case
from workbench.errors import CaseFormatError, InputError
from workbench.model.case import CaseState, Mute
from workbench.review.agenda import (
    Action,
    StaleDecision,
    decide_case,
    meeting_record,
    store_decision,
    write_record,
)
from workbench.review.stale import due_cases
from workbench.store.handle import open_store

pytestmark = pytest.mark.desk

COMMENTED = PROVEN.replace("contract:\n", "contract:  # agreed with billing\n")


def decided(action, *, until=None, by="ann", reason="still guards the retry"):
    """Return a decision."""
    return StaleDecision(action=action, by=by, reason=reason, until=until)


@pytest.fixture
def file(tmp_path):
    """A proven case with a comment."""
    return put(tmp_path, text=COMMENTED)


@pytest.mark.parametrize(
    ("decision", "state", "review_date", "change"),
    [
        (
            decided(Action.KEEP, until="2027-06-01"),
            *("active", "2027-06-01", "kept, review date 2027-02-28 -> 2027-06-01"),
        ),
        (decided(Action.FIX), "active", "2027-02-28", "to be fixed"),
        (
            decided(Action.FIX, until="2027-03-05"),
            *("active", "2027-03-05", "to be fixed, review date 2027-02-28 -> 2027-03-05"),
        ),
        (
            decided(Action.MUTE, until="2026-12-24"),
            *("muted", "2027-02-28", "muted until 2026-12-24"),
        ),
        (decided(Action.ARCHIVE), "archived", "2027-02-28", "archived"),
    ],
)
def test_a_decision_is_in_the_file_with_its_name_and_reason(
    file, decision, state, review_date, change
):
    """A pull request shows it to people who were not in the room; comments survive."""
    taken = decide_case(file, decision, today=TODAY)

    case = load_case(file)
    last = case.history[-1]
    assert (case.state.value, case.review_date) == (state, review_date)
    assert (last.date, last.by, last.change, last.reason) == (
        *(TODAY, "ann", change, "still guards the retry"),
    )
    assert "# agreed with billing" in file.read_text("utf-8")
    assert (taken.id, taken.decision) == ("a", decision)


def test_a_mute_says_who_why_and_until_when_and_archiving_ends_it(file):
    """A muted case gates again by itself in nobody's memory."""
    decide_case(file, decided(Action.MUTE, until="2026-12-24", reason=" vendor "), today=TODAY)
    muted = load_case(file)
    decide_case(file, decided(Action.ARCHIVE), today=TODAY)

    assert muted.mute == Mute(by="ann", reason="vendor", until="2026-12-24")
    assert load_case(file).mute is None
    assert [entry.change for entry in load_case(file).history] == [
        "muted until 2026-12-24",
        "archived",
    ]


@pytest.mark.parametrize(
    ("decision", "key", "words"),
    [
        (decided(Action.KEEP, until="2027-01-01", by=" "), "by", "a name and a reason"),
        (decided(Action.FIX, reason=""), "reason", "a name and a reason"),
        (decided(Action.KEEP), "until", "keep needs the new review date"),
        (decided(Action.MUTE), "until", "mute needs the mute's last day"),
        (decided(Action.ARCHIVE, until="2027-01-01"), "until", "not looked at again"),
        (decided(Action.KEEP, until=TODAY), "until", f"a day after {TODAY}"),
        (decided(Action.MUTE, until="2027-02-30"), "until", r"text of 10|a day after"),
    ],
)
def test_half_a_decision_is_refused_and_the_file_stays(file, decision, key, words):
    """Nobody can ask back in a year."""
    before = file.read_bytes()

    with pytest.raises(InputError, match=words) as error:
        decide_case(file, decision, today=TODAY)

    assert error.value.key == key
    assert error.value.fix
    assert file.read_bytes() == before


def test_an_archived_case_is_decided(tmp_path):
    """It comes back by being proven again, not by a date."""
    file = put(tmp_path, state="archived")

    with pytest.raises(InputError, match="archived already"):
        decide_case(file, decided(Action.KEEP, until="2027-06-01"), today=TODAY)

    assert load_case(file).state is CaseState.ARCHIVED


def test_the_store_keeps_decisions_beside_those_of_the_draft(tmp_path, file):
    """One place says everything that people decided about an incident."""
    text = file.read_text("utf-8").replace(
        "source: {kind: incident, ", "source: {kind: incident, draft: d-5b, "
    )
    other = put(tmp_path, "b", text)
    store = open_store(str(tmp_path / "store"))
    kept = decide_case(other, decided(Action.KEEP, until="2027-06-01"), today=TODAY)
    gone = decide_case(file, decided(Action.ARCHIVE), today=TODAY)

    store_decision(store, kept, at="2026-11-30T10:00:00Z")
    store_decision(store, gone, at="2026-11-30T10:01:00Z")

    (first,) = store.decisions("d-5b")
    (second,) = store.decisions("case-a")
    assert (first.kind, first.actor, first.payload["until"]) == ("stale_keep", "ann", "2027-06-01")
    assert (second.kind, second.payload) == (
        *("stale_archive", {"case": "a", "reason": "still guards the retry"}),
    )


def test_the_record_names_what_was_decided_and_what_was_left(tmp_path):
    """What nobody decided must not look decided; what people typed is not obeyed."""
    put(tmp_path, "a", PROVEN, review_date='"2026-11-01"')
    put(tmp_path, "b", PROVEN, review_date='"2026-11-02"')
    rows = due_cases([tmp_path], today=TODAY)
    reason = "a | b <img src=x>\nnew line \u202e"
    decision = decided(Action.KEEP, until="2027-06-01", reason=reason)
    taken = decide_case(rows[0].path, decision, today=TODAY)

    text = meeting_record(rows, [taken], date=TODAY, people=("bob",))
    empty = meeting_record([], [], date=TODAY)

    assert text.startswith(f"# Stale cases, {TODAY}\n\nPresent: bob, ann.\n")
    assert "2 of 2 cases needed a decision; 1 decision made, 1 case left." in text
    assert r"| `a` | keep | 2027-06-01 | ann | a \| b \<img src=x\>\\nnew line \\u202e |" in text
    assert "## Left for next time\n\n| case | owner | review date | why |" in text
    assert "| `b` | billing-agents | 2026-11-02 | its review was due 28 days ago" in text
    assert "Present: nobody was named." in empty
    assert "##" not in empty


def test_a_record_written_again_keeps_the_notes_below_it(tmp_path):
    """The meeting goes on after the first decision; what was noted is part of it."""
    path = tmp_path / "reviews" / "2026-11-30.md"
    write_record(path, "# First\n")
    with path.open("a", encoding="utf-8") as file:
        file.write("\nRead out by Bo.\r\n")

    write_record(path, "# Second\n")
    write_record(path, "# Third\n")

    text = path.read_bytes().decode()
    assert text.startswith("# Third\n\n<!-- Notes below")
    assert text.endswith("-->\n\nRead out by Bo.\r\n")
    assert "# First" not in text


def test_minutes_that_people_wrote_themselves_become_the_notes(tmp_path):
    """A file of that day without our mark is somebody's own, and is in no store."""
    path = tmp_path / "2026-11-30.md"
    path.write_text("# Minutes\n\nBo was there.\n", "utf-8")

    write_record(path, "# Stale cases\n")
    write_record(path, "# Stale cases\n")

    text = path.read_text("utf-8")
    assert text.startswith("# Stale cases\n")
    assert text.endswith("-->\n\n# Minutes\n\nBo was there.\n")
    assert text.count("Bo was there.") == 1


def test_what_is_no_text_is_not_replaced_by_a_record(tmp_path):
    """It is somebody's, whatever it is."""
    path = tmp_path / "2026-11-30.md"
    path.write_bytes(b"\xff\xfe minutes")

    with pytest.raises(InputError, match=r"is no text in UTF-8[\s\S]*Fix: move the file away"):
        write_record(path, "# Stale cases\n")

    assert path.read_bytes() == b"\xff\xfe minutes"


def test_a_record_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    """A full disk in the middle must not cost the notes."""
    path = tmp_path / "2026-11-30.md"
    write_record(path, "# First\n")
    before = path.read_bytes()

    def is_full(_descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", is_full)
    with pytest.raises(CaseFormatError, match="cannot be written"):
        write_record(path, "# Second\n")

    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == [path.name]

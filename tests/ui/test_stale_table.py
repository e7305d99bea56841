"""A meeting over stale cases: decisions are in the files, and the record can be written again."""

from __future__ import annotations

import pytest

from tests.review.stale_cases import PROVEN, TODAY, put
from workbench.casefile.case import load_case
from workbench.errors import InputError, RefusedError
from workbench.model.case import CaseState
from workbench.store.handle import open_store
from workbench.store.records import TrialResult
from workbench.ui.controllers.stale import StaleTable

pytestmark = pytest.mark.desk


@pytest.fixture
def cases(tmp_path):
    """Two cases that are due and a file that is none."""
    folder = tmp_path / "cases"
    folder.mkdir()
    put(folder, "late", PROVEN, review_date='"2026-11-01"')
    put(
        folder, "later", PROVEN.replace("billing.pause", "billing.stop"), review_date='"2026-11-20"'
    )
    (folder / "torn.case.yaml").write_text("{", "utf-8")
    return folder


def a_table(cases, **options):
    """Open the table, as a new kernel does."""
    return StaleTable(cases, today=TODAY, reviewer=" ann ", **options)


def test_rows_are_worst_first_and_leave_nothing_out(cases):
    """What cannot be read is a row too."""
    rows = a_table(cases).rows()

    assert [row["id"] for row in rows] == [None, "late", "later"]
    assert [row["signs"][0]["kind"] for row in rows] == ["unreadable", "overdue", "overdue"]
    assert all(row["decided"] is None and row["trials"]["counts"] == {} for row in rows)


def test_a_decision_is_in_the_file_the_store_and_the_record(cases, tmp_path):
    """A restarted kernel knows what was decided today, and by whom."""
    store = open_store(tmp_path / "store", clock=lambda: 1_800_000_000.0)
    store.record(
        [TrialResult(case_id="late", case_digest="x", verdict=v) for v in ("pass", "fail")]
    )
    table = a_table(cases, store=store)
    place = table.rows()[1]["place"]

    table.decide(place, action="keep", reason="guards the retry", until="2027-06-01")

    again = a_table(cases, store=store)
    row = next(row for row in again.rows() if row["id"] == "late")
    assert load_case(cases / "late.case.yaml").review_date == "2027-06-01"
    assert row["decided"] == {
        "action": "keep",
        "by": "ann",
        "reason": "guards the retry",
        "until": "2027-06-01",
    }
    assert row["trials"] == {
        "counts": {"fail": 1, "pass": 1},
        "last": [["pass", None, "2027-01-15"], ["fail", None, "2027-01-15"]],
    }
    assert [entry.kind for entry in store.decisions("case-late")] == ["stale_keep"]
    assert "3 of 3 cases needed a decision; 1 decision made, 2 cases left." in again.record()
    assert "Present: bob, ann." in again.record(people=["bob"])
    assert again.summary() == "2 of 3 cases to decide, 1 decision made today"


def test_a_case_that_another_tab_decided_is_not_decided_again_in_silence(cases):
    """Who is second is told by whom, and decides about what is there now."""
    one, two = a_table(cases), a_table(cases)
    two.reviewer = "bob"
    place = one.rows()[1]["place"]
    seal = two.rows()[1]["seal"]
    given = {"action": "keep", "reason": "guards", "until": "2027-06-01"}
    one.decide(place, **given)

    for drawn in (None, seal):
        with pytest.raises(RefusedError, match="ann changed this case meanwhile"):
            two.decide(place, **(given | {"action": "archive", "until": None}), seal=drawn)
        if drawn is None:
            two.refresh()  # the kernel knows by now, the tab had not seen it
    row = next(row for row in two.rows() if row["place"] == place)

    assert row["decided"]["by"] == "ann"
    two.decide(place, action="archive", reason="no use", seal=row["seal"])
    assert load_case(cases / "late.case.yaml").state is CaseState.ARCHIVED


@pytest.mark.parametrize("action", ["fix", "mute", "archive"])
def test_every_decision_is_found_again_in_the_history(cases, action):
    """The words of the history are the record."""
    table = a_table(cases)
    place = table.rows()[1]["place"]
    until = "2026-12-24" if action == "mute" else None

    table.decide(place, action=action, reason="r", until=until)

    row = next(row for row in a_table(cases).rows() if row["id"] == "late")
    assert row["decided"] == {"action": action, "by": "ann", "reason": "r", "until": until}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"place": "nowhere"}, "not in the table"),
        ({"action": "burn"}, "none of keep, fix, mute, archive"),
        ({"reason": ""}, "a name and a reason"),
        ({"until": ""}, "the new review date"),
        ({"until": "99999-01-01"}, "expected a day after"),
        ({"reason": "x" * 10_000_000}, "10000000 characters"),
        ({"reason": "a\x00b"}, r"U\+0000 in it"),
        ({"reason": "\ud800"}, r"U\+D800 in it"),
    ],
)
def test_half_a_decision_is_refused(cases, change, words):
    """And the files stay."""
    table = a_table(cases)
    given = {
        "place": table.rows()[1]["place"],
        "action": "keep",
        "reason": "r",
        "until": "2027-06-01",
    }
    before = [path.read_bytes() for path in sorted(cases.iterdir())]

    with pytest.raises(InputError, match=words):
        table.decide(**(given | change))

    assert [path.read_bytes() for path in sorted(cases.iterdir())] == before


def test_a_file_that_cannot_be_read_cannot_be_decided(cases):
    """Somebody has to mend it first."""
    table = a_table(cases)

    with pytest.raises(InputError):
        table.decide(table.rows()[0]["place"], action="archive", reason="torn")

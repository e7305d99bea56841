"""What needs a decision comes first, and nothing is left out in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.casefile.samples import text_of
from tests.casefile.test_migrations import an_old_document, titled
from tests.review.stale_cases import PROVEN, TODAY, put
from tests.runner.cases import PAUSE
from workbench.model.trace import Tool
from workbench.review.owners import Owners
from workbench.review.stale import SignKind, due_cases
from workbench.store.records import TrialResult

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap

OWNERS = Owners(names=frozenset({"billing-agents"}), sources=("CODEOWNERS",))
HISTORY = 'history: [{{date: "{}", by: ann, change: created}}]\n'


def kinds(row):
    """Return the signs of a row by name."""
    return [sign.kind.value for sign in row.signs]


def test_a_sound_active_case_with_time_left_has_no_sign(tmp_path):
    """The list is for what needs somebody."""
    put(tmp_path, text=PROVEN)

    (row,) = due_cases([tmp_path], today=TODAY, owners=OWNERS)

    assert (row.signs, row.is_due, row.proven, row.days_left, row.schema) == (
        (),
        False,
        True,
        90,
        1,
    )


@pytest.mark.parametrize(
    ("date", "kind", "sentence"),
    [
        ("2026-11-29", "overdue", "its review was due 1 day ago, on 2026-11-29"),
        ("2026-11-30", "near", "its review is due today"),
        ("2026-12-14", "near", "its review is due in 14 days, on 2026-12-14"),
        ("2026-12-15", None, None),
    ],
)
def test_the_review_date_is_a_sign_when_it_is_past_or_near(tmp_path, date, kind, sentence):
    """The last day itself is not late."""
    put(tmp_path, text=PROVEN, review_date=f'"{date}"')

    (row,) = due_cases([tmp_path], today=TODAY, lead_days=14)

    assert kinds(row) == ([] if kind is None else [kind])
    assert [sign.sentence for sign in row.signs] == ([] if kind is None else [sentence])


def test_the_worst_comes_first_and_unread_files_before_all(tmp_path):
    """What nobody can read protects nobody."""
    put(tmp_path, "near", PROVEN, review_date='"2026-12-02"')
    put(tmp_path, "late", PROVEN, review_date='"2026-11-01"', severity="S3")
    put(tmp_path, "later", PROVEN, review_date='"2026-10-01"')
    put(tmp_path, "gone", state="archived", review_date='"2020-01-01"')
    (tmp_path / "torn.case.yaml").write_bytes(b"\xff\x00")
    missing = tmp_path / "missing"

    rows = due_cases([tmp_path, missing, tmp_path], today=TODAY)

    assert [row.path.name.partition(".")[0] for row in rows] == [
        *("missing", "torn", "later", "late", "near", "gone")
    ]
    assert [row.is_readable for row in rows[:3]] == [False, False, True]
    assert rows[0].signs[0].kind is SignKind.UNREADABLE
    assert "does not exist" in rows[0].signs[0].sentence
    assert (rows[-1].signs, rows[-1].proven) == ((), None)


def test_a_proposed_case_is_a_sign_and_says_since_when(tmp_path):
    """It does not gate; after a month its run may be gone."""
    text = PAUSE + HISTORY.format("2026-10-01")
    put(tmp_path, text=text)

    (row,) = due_cases([tmp_path], today=TODAY, owners=OWNERS)

    assert kinds(row) == ["proposed", "never_proven", "old_source"]
    assert row.signs[0].sentence == "proposed since 60 days: it does not gate yet"
    assert row.signs[1].sentence == "no accepted path"
    assert "30 days" in row.signs[2].sentence
    assert row.proven is False


def test_an_unknown_owner_a_withdrawn_source_and_a_mute_that_ends_are_signs(tmp_path):
    """Each is somebody's to mend, and says whose."""
    text = PROVEN.replace("owner: billing-agents", "owner: left-the-firm")
    text += 'mute: {by: ann, reason: flaky vendor, until: "2026-11-01"}\n'
    text += 'withdrawn: {date: "2026-11-20", by: legal}\n'
    put(tmp_path, text=text, state="muted", review_date='"2027-06-01"')

    (row,) = due_cases([tmp_path], today=TODAY, owners=OWNERS)

    assert kinds(row) == ["owner_unknown", "withdrawn", "mute_ends"]
    assert "left-the-firm" in row.signs[0].sentence
    assert row.signs[2].sentence == "its mute ended on 2026-11-01: ask ann"


def test_a_case_of_an_older_format_is_read_and_named(tmp_path):
    """Its other signs must not wait for the migration."""
    path = tmp_path / "old.case.yaml"
    path.write_text(text_of(an_old_document()), "utf-8")

    (row,) = due_cases([path], today="2030-01-01", migrations={0: titled})
    (without,) = due_cases([path], today="2030-01-01")

    assert kinds(row)[:2] == ["overdue", "older_schema"]
    assert row.schema == 0
    assert not without.is_readable


def test_a_case_that_proves_nothing_says_what_it_lacks(tmp_path):
    """Red where it must be, green where it must be, every clause alive."""
    put(
        tmp_path,
        text=PROVEN.replace("email: a@b.example}, outcome: ok", "email: c@d}, outcome: ok"),
    )
    put(tmp_path, "broken", PROVEN.replace("{idempotency_key: nonempty}", "{idempotency_key: nix}"))
    dead = "max_calls: {billing.pause: 1, other.tool: 1}"
    put(tmp_path, "dead", PROVEN.replace("max_calls: {billing.pause: 1}", dead))

    rows = {row.id: row for row in due_cases([tmp_path], today=TODAY)}

    proof = {name: row.signs[0].sentence for name, row in rows.items()}
    assert "an accepted path does not pass" in proof["a"]
    assert "it cannot be replayed as written" in proof["broken"]
    assert "its recorded path does not fail as it says" in proof["broken"]


def test_two_cases_of_one_fault_name_each_other_and_the_smaller(tmp_path):
    """A thousand tickets about one fault are one case."""
    put(tmp_path, "long", PAUSE + "tags: [a, b, c]\n")
    put(tmp_path, "short")
    put(tmp_path, "old", state="archived")

    rows = {row.id: row for row in due_cases([tmp_path], today=TODAY)}

    found = {name: [s for s in rows[name].signs if s.kind == "duplicate"] for name in rows}
    assert [sign.sentence for sign in found["long"]] == ["fails as short does, over the same tools"]
    assert "that one" in str(found["long"][0].fix)
    assert "this one" in str(found["short"][0].fix)
    assert found["old"] == []


def test_two_files_with_one_id_are_named(tmp_path):
    """The later one would hide the other in every report."""
    put(tmp_path, "a")
    path = put(tmp_path, "b")
    path.write_text(path.read_text("utf-8").replace("id: b\n", "id: a\n"), "utf-8")

    first, second = due_cases([tmp_path], today=TODAY)

    assert "b.case.yaml has the same id" in first.signs[-1].sentence
    assert "a.case.yaml has the same id" in second.signs[-1].sentence


def test_tools_that_are_gone_or_not_what_they_were_are_signs(tmp_path):
    """A case that replays what no server offers any more protects against the past."""
    put(tmp_path, text=PROVEN)
    schema: JsonMap = {
        "type": "object",
        "properties": {"operation_id": {"type": "integer"}, **{key: {} for key in "abcd"}},
        "required": ["a"],
    }
    now = [
        Tool(name="customer.lookup"),
        Tool(name="billing_get_operation", schema=schema),
    ]

    (row,) = due_cases([tmp_path], today=TODAY, tools=now)

    assert kinds(row) == ["tool_gone", "tool_drift"]
    gone, drift = row.signs
    assert gone.sentence == "billing.pause is not offered any more"
    assert drift.sentence == (
        "billing.get_operation has a breaking change: a is required now; "
        "operation_id.type is another one; a is new and 3 more"
    )
    assert drift.fix == "collect the case again"


def test_a_case_that_every_version_passes_is_asked_what_it_guards(tmp_path):
    """It may still guard something; a person says so."""
    put(tmp_path, text=PROVEN)
    trials = [
        TrialResult(case_id="a", case_digest="d", version=version, verdict=verdict)
        for version, verdict in (
            *(("v1", "fail"), ("v2", "pass"), ("v2", "pass"), ("v3", "pass"), ("v4", "pass")),
        )
    ]

    def row(recorded):
        (found,) = due_cases([tmp_path], today=TODAY, trials=lambda _: recorded)
        return found

    assert kinds(row(trials)) == ["always_passes"]
    assert "it guards order/1, success_requires/1" in row(trials).signs[0].sentence
    assert kinds(row(trials[:-1])) == []
    assert row(trials[:-1]).trials == tuple(trials[:-1])

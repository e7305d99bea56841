"""From a draft to an active case by a form: checked as one types, nothing lost on the way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.review.runs import CONTRACT, an_incident
from tests.ui.stores import a_store
from workbench.casefile.case import load_case
from workbench.casefile.files import shown_path
from workbench.casefile.layout import format_case
from workbench.errors import InputError, RefusedError
from workbench.model.case import CaseState
from workbench.review.decision_log import DecisionLog
from workbench.review.draft import open_draft as open_raw
from workbench.review.export import export_draft, exported_before
from workbench.review.incident import open_draft
from workbench.review.owners import Owners
from workbench.review.redact import redact_into
from workbench.review.vault import Vault
from workbench.ui.controllers.case_fields import CaseFields, details_of
from workbench.ui.controllers.export import CaseForm

pytestmark = pytest.mark.desk

TODAY = "2026-11-30"
KEY = b"k" * 32
WHOLE = CaseFields(owner="billing", review_date="2027-02-28", title="Paused twice", cause="retry")


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """A store, a vault and a redacted draft whose texts were all seen."""
    folder = tmp_path_factory.mktemp("form")
    store = a_store(folder / "store", an_incident())
    vault = Vault(folder / "keys")
    run = open_draft("run-7f3a", store=store, reviewer="ann").run
    raw = open_raw(run, CONTRACT, key=KEY)
    draft, _ = redact_into(vault, raw, key=KEY, ner="none")
    assert draft.redaction is not None
    seen = replace(draft, redaction=replace(draft.redaction, unreviewed=0))
    return store, vault, seen


@pytest.fixture
def form(started, tmp_path, request):
    """A form with an empty folder of cases; its review is the test's own."""
    return a_form(started, tmp_path, request.node.name)


def a_form(started, folder, name, reviewer="ann", **options):
    """Open the form, as a new kernel does."""
    store, vault, draft = started
    incident = open_draft("run-7f3a", store=store, reviewer=reviewer)
    incident.log = DecisionLog(store, f"r-{name}")
    cases = folder / "cases"
    return CaseForm(draft, incident, vault=vault, cases=cases, **{"today": TODAY, **options})


def wrong(form, **changes):
    """Return the fields that are wrong when some are changed."""
    found = form.check(replace(WHOLE, **changes))
    assert not found["can_be_exported"]
    return [problem["field"] for problem in found["problems"]]


def test_a_whole_form_shows_the_file_that_would_be_written(form, tmp_path):
    """A reviewer reads what will be committed, before it is."""
    found = form.check(WHOLE)

    assert (found["problems"], found["can_be_exported"]) == ([], True)
    assert "title: Paused twice" in found["preview"]
    assert "why: {cause: retry}" in found["preview"]
    assert "ada.lovelace" not in found["preview"]
    assert not (tmp_path / "cases").exists()
    assert form.summary() == "no case is exported yet"


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"owner": " "}, ["owner"]),
        ({"owner": "", "review_date": ""}, ["owner", "review_date"]),
        ({"review_date": "2027-02-30"}, ["review_date"]),
        ({"review_date": TODAY}, ["review_date"]),
        ({"severity": "S9", "fix": "luck"}, ["severity", "fix"]),
        ({"title": "two\nlines"}, ["title"]),
        ({"title": "x" * 10_000_000}, ["title"]),
        ({"owner": "ops\u202e", "cause": "a\x00b"}, ["owner", "cause"]),
        ({"review_date": "99999-01-01"}, ["review_date"]),
        ({"summary": "\ud800"}, ["summary"]),
        ({"id": "no such id!"}, ["id"]),
    ],
)
def test_what_is_wrong_is_said_at_its_field(form, changes, fields):
    """Export stays disabled until nothing is."""
    assert wrong(form, **changes) == fields

    with pytest.raises(InputError):
        form.export(replace(WHOLE, **changes))


def test_an_owner_whom_nobody_knows_is_wrong(started, tmp_path, request):
    """A case without an owner goes stale in silence."""
    owners = Owners(names=frozenset({"ops"}), sources=("CODEOWNERS",))
    form = a_form(started, tmp_path, request.node.name, owners=owners)

    assert wrong(form) == ["owner"]


def test_the_whole_way_to_an_active_case(form, started, tmp_path, request):
    """Export, prove, accept by repair, activate; each step is found again by another kernel."""
    assert form.proof() is None
    for step in (form.accept, form.activate):
        with pytest.raises(InputError, match="not exported yet"):
            step()

    path = form.export(WHOLE)
    proof = form.proof()
    with pytest.raises(RefusedError):
        form.activate()
    accepted = form.accept()
    active = form.activate()

    assert (proof["recorded_red"], proof["accepted_green"], proof["state"]) == (
        *(True, None, "proposed"),
    )
    path_of_case = shown_path(path)
    assert [command for _, command in proof["commands"]] == [
        f"workbench check {path_of_case}",
        f"workbench run {path_of_case} --agent SPEC",
        f"workbench run {path_of_case} --agent SPEC --layer live",
        f"git add {path_of_case}",
    ]
    assert [one.name for one in accepted.accepted] == ["repaired"]
    assert active.state is CaseState.ACTIVE
    assert load_case(path) == active
    again = a_form(started, tmp_path, request.node.name, reviewer="bob")
    assert again.fields == WHOLE
    assert again.file == path
    assert again.summary() == f"{path.name} is active, 1 accepted path"
    assert again.check(WHOLE)["problems"][0]["field"] == "id"
    assert [entry.by for entry in active.history] == ["billing", "ann"]


def test_what_is_wrong_is_left_out_of_the_preview_and_named(form):
    """The file is there to look at from the start."""
    found = form.check(CaseFields(title="Paused twice"))

    assert "title: Paused twice" in found["preview"]
    assert "owner: owner-to-be-named" in found["preview"]
    assert found["missing"] == ["owner", "review_date"]
    assert not found["can_be_exported"]


def test_two_people_fill_in_a_field_each(started, tmp_path, request):
    """A form that is written as a whole would take back what the other one filled in."""
    one = a_form(started, tmp_path, request.node.name)
    two = a_form(started, tmp_path, request.node.name, reviewer="bob")
    seen = two.seen
    one.fill(CaseFields(owner="billing"))

    two.fill(CaseFields(title="Paused twice"), seen=seen)

    again = a_form(started, tmp_path, request.node.name)
    assert again.fields == CaseFields(owner="billing", title="Paused twice")
    with pytest.raises(RefusedError, match="ann decided on this meanwhile"):
        two.fill(CaseFields(owner="ops", title="Paused twice"), seen=seen)
    assert two.fields.owner == "billing"
    two.fill(replace(two.fields, owner="ops"))
    one.look_again()
    assert one.fields.owner == "ops"


def test_two_people_do_not_export_twice(started, tmp_path, request):
    """The second one is told before a second file is there."""
    one = a_form(started, tmp_path, request.node.name)
    two = a_form(started, tmp_path, request.node.name, reviewer="bob")
    path = one.export(WHOLE)

    with pytest.raises(RefusedError, match="ann decided"):
        two.export(replace(WHOLE, id="another"))

    assert two.file == path
    assert [file.name for file in (tmp_path / "cases").iterdir()] == [path.name]


def test_a_file_of_somebody_else_is_never_written_over(form, tmp_path):
    """It is named, and stays as it is, byte by byte."""
    path = tmp_path / "cases" / "mine.case.yaml"
    path.parent.mkdir()
    path.write_bytes(b"somebody else's\n")

    with pytest.raises(InputError, match="exists already"):
        form.export(replace(WHOLE, id="mine"))

    assert path.read_bytes() == b"somebody else's\n"
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert form.file is None


def test_a_file_whose_entry_could_not_be_written_is_taken_at_the_next_try(
    form, started, tmp_path, request
):
    """The store's disk was full between the file and its entry: the case is not lost to the review."""
    _, vault, draft = started
    form.fill(WHOLE)
    needles, cases = vault.needles(draft.draft), tmp_path / "cases"
    details = details_of(WHOLE)
    _, file = export_draft(draft, details, cases, needles=needles, date=TODAY, vault=vault)
    before = file.read_bytes()
    again = a_form(started, tmp_path, request.node.name, today="2026-12-01")
    assert (again.file, again.check(again.fields)["problems"]) == (None, [])
    assert wrong(again, title="Other words") == ["id"]  # that is another case

    assert again.export(again.fields) == file == again.file

    assert file.read_bytes() == before
    assert wrong(again) == ["id"]  # it is exported now


@pytest.mark.parametrize(
    "change",
    [
        lambda case: replace(case, owner="somebody else"),
        lambda case: replace(case, history=(*case.history, *case.history)),
        lambda case: replace(case, source=replace(case.source, trace_digest="hmac:00")),
    ],
)
def test_a_case_that_is_not_just_what_was_exported_is_not_taken(form, tmp_path, change):
    """Somebody worked on it, or it is of another draft."""
    path = form.export(WHOLE)
    case = load_case(path)
    assert exported_before(case, path.parent) == path

    path.write_text(format_case(change(case)), "utf-8")

    assert exported_before(case, path.parent) is None
    assert exported_before(replace(case, redaction=None), path.parent) is None
    assert exported_before(case, tmp_path / "none") is None


def test_a_folder_that_cannot_be_written_to_is_said_calmly(form, tmp_path):
    """A file stands where the folder should be."""
    (tmp_path / "cases").write_text("no folder", "utf-8")

    with pytest.raises(InputError, match="cannot be written"):
        form.export(WHOLE)

    assert form.fields == WHOLE


def test_the_proof_is_clause_by_clause_with_what_a_step_changed(form, tmp_path):
    """A reviewer reads the lines that will be in the pull request."""
    form.export(WHOLE)
    fresh = form.proof()
    form.accept()
    accepted = form.proof()

    assert [row["recorded"] for row in fresh["clauses"]].count("fail") >= 1
    assert all(row["accepted"] is None for row in fresh["clauses"])
    assert all(row["accepted"] == "pass" for row in accepted["clauses"])
    assert all(row["can_turn_red"] for row in accepted["clauses"])
    assert {sign for sign, _ in fresh["diff"]} == {"@", "+"}
    added = [line for sign, line in accepted["diff"] if sign == "+"]
    assert any("repaired" in line for line in added)
    assert not any("title" in line for line in added)


def test_what_is_filled_in_is_kept_at_once_and_once(form):
    """Half a form survives a restart; a key press that changes nothing is no row."""
    half = CaseFields(owner="bil")
    form.fill(half)
    before = len(form._incident.log.entries)
    form.fill(half)

    assert form.fields == half
    assert len(form._incident.log.entries) == before


def test_a_replaced_value_in_the_title_stops_the_export(form, tmp_path):
    """People type names from memory."""
    with pytest.raises(RefusedError, match="still in the case"):
        form.export(replace(WHOLE, title="ada.lovelace@mail.example.org was paused"))

    assert not (tmp_path / "cases").exists()


def test_a_draft_that_would_not_fail_cannot_be_exported(started, tmp_path, request):
    """The reason stands where the fields are."""
    store, vault, draft = started
    signature = replace(draft.raw_signature, clauses=frozenset({"x/1"}))
    other = store, vault, replace(draft, raw_signature=signature)

    found = a_form(other, tmp_path, request.node.name).check(WHOLE)

    assert not found["can_be_exported"]
    assert found["problems"][0]["field"] == ""
    assert "no longer fails" in found["problems"][0]["message"]

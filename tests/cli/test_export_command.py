"""`export`: from a draft to a case, and what is never replaced."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import CASE, CONTRACT, DETAILS, RUN, cases_in
from workbench.casefile.case import load_case
from workbench.cli.drafts import draft_in
from workbench.errors import InputError
from workbench.model.case import CaseState

pytestmark = pytest.mark.desk


def test_the_steps_compose(demo, shell):
    """redact, shrink, export: each reads what the one before wrote."""
    said = shell("export", "small.draft.json", *DETAILS, "-o", "out", "--json")

    assert (said.status, said.err) == (0, "")
    assert set(said.document) == {"case", "state", "steps"}
    assert said.document["state"] == "proposed"
    assert said.document["steps"] == ["redacted", "shrunk", "exported"]
    case = load_case(demo / said.document["case"])
    assert case.state is CaseState.PROPOSED
    assert said.document["case"] == f"out/{case.id}.case.yaml"


def test_shrinking_is_not_required(demo, shell):
    """A reviewer may want the whole story."""
    said = shell("export", "redacted.draft.json", *DETAILS, "-o", "out", "--json")

    assert said.status == 0
    assert said.document["steps"] == ["redacted", "exported"]


def test_what_a_person_says_is_in_the_case(demo, shell):
    """Title, severity, reasons, incident: no trace knows them."""
    said = shell(
        *("export", "small.draft.json", *DETAILS, "-o", "out/x.case.yaml", "--id", "told-early"),
        *("--title", "Told too early", "--severity", "S1", "--fix", "model"),
        *("--why", "mend=read back", "--why", "summary=told = too early", "--incident", "INC-7"),
    )

    case = load_case(demo / "out/x.case.yaml")
    assert said.status == 0
    assert said.out.startswith("out/x.case.yaml is proposed: Told too early\n")
    assert (case.id, case.title, case.severity) == ("told-early", "Told too early", "S1")
    assert case.why == {"summary": "told = too early", "mend": "read back"}
    assert (case.fix, case.source.incident) == ("model", "INC-7")
    assert list(case.why) == ["summary", "mend"]


def test_shrink_of_a_run_is_for_looking(demo, shell):
    """A raw trace is never exported, and that is said first."""
    shell("shrink", RUN, "--contract", "contract.yaml", "-o", "raw.draft.json")

    said = shell("export", "raw.draft.json", *DETAILS, "-o", "out")
    redacted = shell("redact", "raw.draft.json", "--contract", "contract.yaml", "-o", "x.json")

    assert said.status == 4
    assert "was not redacted; a raw trace is never exported\n  Fix: workbench redact" in said.err
    assert not (demo / "out").exists()
    assert redacted.status == 4
    assert "redaction comes before\n  Fix: redact the run" in redacted.err


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--title", "Helen Carter was told too early"], 1, "PERSON in view raw"),
        (["--why", "impact=Helen Carter paid twice"], 1, "PERSON in view raw"),
        (["--id", "Helen-Carter"], 1, "PERSON"),
        (["--id", "acc-4471902"], 1, "ACCOUNT_ID"),
        (["--id", "../../outside"], 4, "--id: is a string of 13 characters; expected letters"),
        (["--id", "a/b"], 4, "--id: is a string of 3 characters; expected letters"),
        (["--title", " "], 4, "--title: is empty"),
        (["--why", "reason=x"], 4, "--why: has no known key; expected KEY=TEXT"),
        (["--why", "impact"], 4, "--why: has no known key"),
        (["--review-date", "soon"], 4, "--review-date: is a string of 4 characters"),
        (["--review-date", "2027-02-30"], 4, "--review-date: is a string of 10 characters"),
        (["--owner", ""], 4, "--owner: is empty; it is required\n  Fix: fill in --owner"),
        (["--severity", "S9"], 4, "invalid choice: 'S9'"),
    ],
)
def test_export_refuses_and_writes_nothing(demo, shell, words, status, message):
    """The last step before a repository: what is typed there is searched as well."""
    said = shell("export", "small.draft.json", *DETAILS, "-o", "out", *words)

    assert (said.status, said.out) == (status, "")
    assert message in said.err
    assert "Helen" not in said.err
    assert not (demo / "out").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--review-date", "1.1.27"],
            "--review-date: is a string of 6 characters; expected a date",
        ),
        (["--owner", " "], "--owner: is empty"),
        (["--id", "a b"], "--id: is a string of 3 characters"),
        (["-o", "incident.json"], "incident.json: cannot be written: not a directory"),
        (["-o", "incident.json/x.case.yaml"], "incident.json: cannot be written: not a directory"),
        (["--policy", "no.yaml"], "no.yaml"),
        (["--trigger", ""], "the place has 0 steps"),
    ],
)
@pytest.mark.parametrize("command", ["make", "export"])
def test_what_was_typed_is_refused_before_any_work(folder, shell, command, words, message):
    """There is no run and no draft here: looking for one would already be too late."""
    if command == "export" and words[0] in ("--policy", "--trigger"):
        return
    (folder / "incident.json").write_text("{}", "utf-8")

    said = shell(command, "nowhere", *DETAILS, "-o", "out", *words)

    assert said.status == 4
    assert message in said.err
    assert "nowhere" not in said.err


def test_a_draft_that_is_not_there_is_said_to_be_so(folder, shell):
    """A typing error is no damaged file."""
    assert (
        "nope.json: is not there; expected" in shell("export", "nope.json", *DETAILS, "-o", "o").err
    )


def test_a_case_that_was_worked_on_is_never_replaced(demo, shell):
    """It was reviewed."""
    (demo / CASE).write_text((demo / CASE).read_text("utf-8").replace("S2", "S1"), "utf-8")
    before = (demo / CASE).read_bytes()

    said = shell("export", "small.draft.json", *DETAILS, "-o", CASE)

    assert said.status == 4
    assert f"{CASE}: exists already" in said.err
    assert (demo / CASE).read_bytes() == before


def test_a_case_that_nobody_touched_is_made_again(demo, shell):
    """Make, read the texts, declare what was missed, make: nobody has to delete anything."""
    make = ("make", RUN, *CONTRACT[:2], *DETAILS, "-o", "again")
    assert shell(*make).status == 0
    (case,) = (demo / "again").glob("*.case.yaml")
    first = case.read_bytes()

    said = shell(*make, *CONTRACT[2:4], "--title", "Said, not done")

    assert said.status == 0
    assert case.read_bytes() != first
    assert load_case(case).title == "Said, not done"
    assert cases_in(demo / "again") == [case]


def test_check_and_activate_name_the_texts_that_nobody_has_seen(demo, shell):
    """A count sends nobody to a text; the places are those that `decisions` take."""
    made = shell("make", RUN, *CONTRACT[:2], *DETAILS, "-o", "again/x.case.yaml")
    note = load_case(demo / "again/x.case.yaml").redaction
    assert note is not None
    assert len(note.unseen) == note.unreviewed > 0
    assert all(f"\n  {place}\n" in made.out for place in note.unseen[:12])

    checked = shell("check", "again")
    refused = shell("activate", "again/x.case.yaml", "--by", "kim")

    named = f"seen by nobody yet; in the raw run: {', '.join(note.unseen[:12])}"
    assert named in " ".join(checked.out.split())
    assert named in refused.err
    assert "workbench show RUN --reveal" in refused.err
    policy = "decisions:\n" + "".join(
        f"- {{at: {json.dumps(place)}, decision: seen, by: kim}}\n" for place in note.unseen
    )
    (demo / "seen.yaml").write_text(f"schema: redaction/1\n{policy}", "utf-8")
    again = ("--policy", "seen.yaml", "-o", "again/x.case.yaml")
    assert shell("make", RUN, *CONTRACT[:2], *DETAILS, *again).status == 0
    settled = load_case(demo / "again/x.case.yaml").redaction
    assert settled is not None
    assert (settled.unreviewed, settled.unseen) == (0, ())


def test_a_case_with_an_accepted_path_is_not_made_again(demo, shell):
    """Somebody's work is in it; it is said before minutes of work, not after them."""
    make = ("make", RUN, *CONTRACT[:2], *DETAILS, "-o", "again")
    assert shell(*make).status == 0
    (case,) = (demo / "again").glob("*.case.yaml")
    assert shell("accept", case, "--repair").status == 0
    accepted = case.read_bytes()

    for words in (make, (*make, "--id", load_case(case).id), (*make[:-1], case)):
        said = shell(*words, "--policy", "redaction.yaml")
        assert said.status == 4
        assert said.out == ""
        assert "exists already, and is not what the last export of this draft wrote" in said.err
        assert "accept its paths anew" in said.err
    assert case.read_bytes() == accepted


@pytest.mark.parametrize("machine", ["this", "another"])
def test_a_comment_or_another_machine_is_enough_to_keep_the_file(demo, shell, monkeypatch, machine):
    """One line of a reviewer's is work; and who wrote the file of a fresh clone, nobody knows."""
    make = ("make", RUN, *CONTRACT, *DETAILS[:4], "-o", "again/x.case.yaml")
    assert shell(*make).status == 0
    case = demo / "again/x.case.yaml"
    if machine == "this":
        case.write_bytes(case.read_bytes() + b"# looked at by Kim\n")
    else:
        monkeypatch.setenv("WORKBENCH_KEYS", str(demo / "other-keys"))
    before = case.read_bytes()

    assert shell(*make).status == 4

    assert case.read_bytes() == before


def test_a_file_name_that_holds_a_value_is_refused(demo, shell):
    """The name is in every listing of the repository."""
    said = shell("export", "small.draft.json", *DETAILS, "-o", "out/helen.carter.case.yaml")

    assert said.status == 1
    assert not (demo / "out").exists()


@pytest.mark.parametrize("name", ["redacted.draft.json", "small.draft.json"])
def test_a_draft_that_fails_otherwise_is_refused(demo, shell, name):
    """Somebody edited it by hand; the case would protect against something else."""
    draft = json.loads((demo / name).read_text("utf-8"))
    for event in draft["trace"]["events"]:
        if event.get("tool") == "billing.pause" and event["kind"] == "tool_call":
            event["args"]["account_id"] = event["args"]["account_id"].strip()
            event["args_raw"] = json.dumps(event["args"])
    (demo / "edited.json").write_text(json.dumps(draft))

    said = shell("export", "edited.json", *DETAILS, "-o", "out")

    assert said.status == 1
    assert "the draft no longer fails as the incident did" in said.err
    assert "the incident: confirmed_before_promised, damaged_account_id" in said.err
    assert "now: confirmed_before_promised" in said.err
    assert not (demo / "out").exists()


def test_a_draft_that_does_not_fail_is_refused(demo, shell):
    """An edit may even have repaired it."""
    draft = json.loads((demo / "small.draft.json").read_text("utf-8"))
    events = draft["trace"]["events"]
    looked_up = next(at for at, event in enumerate(events) if event["kind"] == "tool_result")
    draft["trace"]["events"] = events[: looked_up + 1]
    (demo / "edited.json").write_text(json.dumps(draft))

    said = shell("export", "edited.json", *DETAILS, "-o", "out")

    assert said.status == 1
    assert "does not break this contract" in said.err


def test_names_in_prose_must_have_been_looked_for(demo, shell):
    """Or a person says that they need not be."""
    said = shell("export", "small.draft.json", *DETAILS[:4], "-o", "out")

    assert said.status == 4
    assert "without a model that finds names in prose" in said.err
    assert "Fix: redact with [ner-en], or type --without-ner" in said.err


def test_without_the_replaced_values_nothing_is_exported(demo, shell):
    """The final bytes could not be searched."""
    shell("redact", "small.draft.json", "--forget-key")

    said = shell("export", "small.draft.json", *DETAILS, "-o", "out")

    assert said.status == 4
    assert f"replaced are not in {demo / 'keys'}\n" in said.err


def test_values_that_lie_in_another_folder_are_looked_for_aloud(demo, shell, monkeypatch):
    """They are there, where the draft was made; only this folder has other settings."""
    monkeypatch.delenv("WORKBENCH_KEYS")
    monkeypatch.setenv("HOME", str(demo / "home"))
    (demo / "elsewhere").mkdir()
    (demo / "elsewhere" / "workbench.toml").touch()
    monkeypatch.chdir(demo / "elsewhere")

    exported = shell("export", "../small.draft.json", *DETAILS, "-o", "out")
    accepted = shell("accept", f"../{CASE}", "../mended.json", "--without-ner")

    for said in (exported, accepted):
        assert said.status == 4
        assert " in ~/.local/share/incident-workbench/keys" in said.err
        assert "[folders] keys in the workbench.toml there names the folder" in said.err
        assert "WORKBENCH_KEYS" in said.err


@pytest.mark.parametrize("name", ["incident.json", "store"])
def test_export_takes_drafts_only(demo, shell, name):
    """A trace or a folder is no draft."""
    said = shell("export", name, *DETAILS, "-o", "out")

    assert said.status == 4
    assert f"{name}: is no draft; expected a file that `workbench redact`" in said.err


def test_owner_and_review_date_are_required(demo, shell):
    """A case without an owner is nobody's."""
    said = shell("export", "small.draft.json", "-o", "out")

    assert said.status == 4
    assert "required: --owner, --review-date" in said.err


def test_a_broken_draft_is_named(demo):
    """It says that it is a draft, so that is what is wrong with it."""
    (demo / "x.json").write_text('{"schema": "draft/1", "draft": 5}')

    with pytest.raises(InputError, match=r"x\.json"):
        draft_in("x.json")
    with pytest.raises(InputError, match="cannot be read"):
        draft_in("/proc/self/mem")
    assert draft_in("nowhere") is None

"""`redact`, `shrink`, `export`, `make`: from a run to a case, and what refuses on the way."""

from __future__ import annotations

import json
import re
import sys
from concurrent.futures import ProcessPoolExecutor

import pytest

from tests.builders import a_call, a_claim, a_trace, a_user
from tests.cli.conftest import CASE, RUN, save_trace
from workbench.casefile.case import load_case
from workbench.casefile.draft import load_draft
from workbench.cli import progress, shrink
from workbench.cli.drafts import draft_in
from workbench.errors import InputError
from workbench.model.case import CaseState
from workbench.model.event import Outcome

pytestmark = pytest.mark.desk

REDACT_KEYS = {
    *("findings", "clusters", "facts_kept", "facts_lost", "trigger_facts_lost"),
    *("signature_same", "residue_hits", "unreviewed"),
}
DETAILS = ("--owner", "billing", "--review-date", "2027-02-28", "--without-ner")
CONTRACT = ("--contract", "contract.yaml", "--policy", "redaction.yaml", "--without-ner")


def cases_in(folder):
    """Return every file below a folder of cases."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def ledger_of(path):
    """Return what a redacted draft says of each value."""
    note = load_draft(path).redaction
    assert note is not None
    return note.ledger


# --- redact ------------------------------------------------------------------


def test_redact_says_what_was_replaced(demo, shell):
    """Facts kept and lost are the proof that the failure was not repaired."""
    said = shell("redact", RUN, *CONTRACT, "-o", "new.draft.json", "--json")
    document = said.document

    assert said.status == 0
    assert set(document) == {*REDACT_KEYS, "out"}
    assert document["signature_same"] is True
    assert document["residue_hits"] == 0
    assert document["trigger_facts_lost"] == []
    assert document["findings"] >= document["clusters"] > 0
    assert all(set(fact) == {"at", "fact"} for fact in document["facts_kept"])
    assert document["out"] == "new.draft.json"


def test_redact_is_told_to_people_without_the_values(demo, shell):
    """The terminal may be shared; pseudonyms and places are enough."""
    said = shell("redact", RUN, *CONTRACT, "-o", "new.draft.json")

    assert said.status == 0
    assert " values replaced in " in said.out
    assert "#121.args.account_id: invalid:schema, trailing_space" in said.out
    assert "draft d-" in said.out
    assert "Helen" not in said.out


def test_long_lists_are_those_of_the_draft_beside_them(demo, shell):
    """Lists of the draft before would be read as this one's; whoever forgets the key hears of them."""
    lists = demo / "new.draft.lists.json"
    lists.write_text('{"unseen": ["#1.text"]}', "utf-8")

    first = shell("redact", RUN, *CONTRACT, "-o", "new.draft.json", "--json")

    assert first.status == 0
    note = load_draft(demo / "new.draft.json").redaction
    assert note is not None
    ledger = note.ledger
    assert len(ledger) > 12
    assert len(json.loads(lists.read_text("utf-8"))["ledger"]) == len(ledger)
    said = shell("redact", "new.draft.json", "--forget-key")
    assert "its pseudonyms and places stay in new.draft.lists.json" in said.out


def test_lists_that_a_redaction_does_not_need_go(demo, shell):
    """They are of the draft that was there before."""
    save_trace(a_trace(a_user(), a_call("a.get"), a_claim("Hm.")), demo / "small")
    (demo / "c.yaml").write_text("max_calls: {a.get: 0}\n", "utf-8")
    (demo / "new.draft.lists.json").write_text('{"unseen": ["#1.text"]}', "utf-8")

    said = shell(
        *("redact", "small", "--contract", "c.yaml", "--without-ner"), *("-o", "new.draft.json")
    )

    assert said.status == 0, said.err
    assert (demo / "new.draft.json").exists()
    assert not (demo / "new.draft.lists.json").exists()


@pytest.mark.parametrize("text", ["my own notes", "[]", "{}", '{"unseen": 1}', '{"mine": []}'])
def test_a_file_that_is_no_list_of_ours_stays(demo, shell, text):
    """`new.draft.lists.json` may be somebody's, however unlikely."""
    lists = demo / "new.draft.lists.json"
    lists.write_text(text, "utf-8")

    said = shell("redact", RUN, *CONTRACT, "-o", "new.draft.json")

    assert (said.status, said.out) == (4, "")
    assert "new.draft.lists.json: is there, and holds no lists of a redaction" in said.err
    assert lists.read_text("utf-8") == text
    assert not (demo / "new.draft.json").exists()


def test_the_same_run_gives_the_same_draft(demo, shell):
    """Same question, same key, same pseudonyms."""
    shell("redact", RUN, *CONTRACT, "-o", "new.draft.json")

    assert load_draft(demo / "new.draft.json") == load_draft(demo / "redacted.draft.json")


def test_drafts_are_private_files(demo, shell):
    """Even a redacted draft is not yet reviewed."""
    shell("shrink", RUN, "--contract", "contract.yaml", "-o", "raw.draft.json")

    for name in ("redacted.draft.json", "raw.draft.json"):
        assert (demo / name).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([RUN, "-o", "x.json"], "--contract: is missing; a run has no contract of its own"),
        ([RUN, "--contract", "contract.yaml"], "-o: is missing; the redacted draft goes into"),
        (["redacted.draft.json", "-o", "x.json"], "was redacted already"),
        ([RUN, *CONTRACT, "--key-file", "nowhere", "-o", "x.json"], "the key file cannot be read"),
        (["workbench.toml", *CONTRACT, "-o", "x.json"], "workbench.toml"),
    ],
)
def test_redact_names_what_is_wrong(demo, shell, words, message):
    """Nothing is written then."""
    said = shell("redact", *words)

    assert (said.status, said.out) == (4, "")
    assert message in said.err
    assert not (demo / "x.json").exists()


def test_a_run_that_keeps_its_contract_has_no_draft(demo, shell):
    """There is nothing to protect against."""
    said = shell("redact", "mended.json", *CONTRACT, "-o", "x.json")

    assert said.status == 1
    assert "does not break this contract" in said.err


def test_a_raw_draft_can_be_redacted_with_a_key_of_ones_own(demo, shell):
    """A file without a store: the key travels apart."""
    (demo / "key").write_text("ab" * 32)
    raw = json.loads((demo / "redacted.draft.json").read_text("utf-8"))
    raw |= {"redaction": None, "trigger": []}
    raw["trace"] = json.loads((demo / "incident.json").read_text("utf-8"))
    raw["contract"] = {**raw["contract"]}
    (demo / "raw.draft.json").write_text(json.dumps(raw))

    ours = shell("redact", "raw.draft.json", *CONTRACT, "-o", "ours.json")
    given = shell("redact", "raw.draft.json", *CONTRACT, "--key-file", "key", "-o", "given.json")
    (demo / "other.yaml").write_text("max_calls: {a: 1}\n")
    other = shell("redact", "raw.draft.json", "--contract", "other.yaml", "-o", "x.json")

    assert ours.status == given.status == 0, ours.err + given.err
    ledgers = [
        {entry.pseudonym for entry in ledger_of(demo / name)}
        for name in ("redacted.draft.json", "ours.json", "given.json")
    ]
    assert ledgers[0] == ledgers[1]
    assert ledgers[1] != ledgers[2]
    assert other.status == 4
    assert "states other clauses than the draft was opened with" in other.err


def test_a_run_can_be_redacted_with_a_key_of_ones_own(demo, shell):
    """The key of the vault is not touched."""
    (demo / "key").write_bytes(b"k" * 32)
    before = {p.name: p.read_bytes() for p in (demo / "keys").iterdir() if not p.suffix}

    said = shell("redact", RUN, *CONTRACT, "--key-file", "key", "-o", "given.json")

    assert said.status == 0
    assert before == {p.name: p.read_bytes() for p in (demo / "keys").iterdir() if not p.suffix}


def test_key_and_values_are_forgotten_together(demo, shell):
    """What was replaced must not outlive the key."""
    draft = load_draft(demo / "small.draft.json").draft

    said = shell("redact", "small.draft.json", "--forget-key")
    again = shell("redact", "small.draft.json", "--forget-key", "--json")

    assert said.status == 0
    assert f"the key of {draft} is gone" in said.out
    assert list((demo / "keys").iterdir()) == []
    assert (again.status, again.out) == (4, "")
    assert "nothing is left to forget" in again.err


def test_forgetting_is_said_as_a_document(demo, shell):
    """`--json` prints one document, whatever the command does."""
    draft = load_draft(demo / "small.draft.json").draft

    assert shell("redact", "small.draft.json", "--forget-key", "--json").document == {
        "forgotten": draft,
        "shared_key_stays": False,
    }


# --- shrink ------------------------------------------------------------------


def test_shrink_says_how_small_and_how_sure(demo, shell):
    """The document's keys are fixed; three of them are ours."""
    said = shell("shrink", "redacted.draft.json", "-o", "x.json", "--json")
    document = said.document

    assert (said.status, said.err) == (0, "")
    assert set(document) == {
        *("events", "nodes", "oracle_calls", "minimal", "signature", "out"),
        *("why_stopped", "also_seen"),
    }
    assert document["events"][0] == 134
    assert document["events"][1] == len(load_draft(demo / "x.json").trace.events) <= 20
    assert document["nodes"][1] < document["nodes"][0]
    assert document["minimal"]["behaviour"] is True
    assert document["signature"]["clauses"] == ["confirmed_before_promised", "damaged_account_id"]


def test_shrink_is_told_to_people(demo, shell):
    """What it cost, and what was met on the way."""
    said = shell("shrink", "redacted.draft.json", "-o", "x.json")

    assert said.status == 0
    assert said.out.startswith("134 -> 18 events in ")
    assert "no kept call or claim can be dropped" in said.out
    assert "other failures met on the way: " in said.out


def test_a_small_budget_is_said(demo, shell):
    """Not minimal, and why not."""
    said = shell("shrink", "redacted.draft.json", "-o", "x.json", "--budget-calls", "1")

    assert said.status == 0
    assert "not proven minimal: budget of 1 calls used up" in said.out


@pytest.mark.parametrize("oracle", ["recorded", "replay"])
def test_either_oracle_ends_with_the_same_signature(demo, shell, oracle):
    """The replay knows more, and costs more."""
    said = shell("shrink", "redacted.draft.json", "-o", "x.json", "--oracle", oracle, "--json")

    assert said.status == 0, said.err
    assert said.document["events"][1] <= 20


def test_a_locked_place_stays(demo, shell):
    """A reviewer knows better what belongs to the story."""
    said = shell("shrink", "redacted.draft.json", "--lock", "#23.text", "-o", "x.json")

    assert said.status == 0
    assert 23 in {event.origin_seq for event in load_draft(demo / "x.json").trace.events}


def test_several_processes_find_the_same(demo, shell):
    """Judging ahead must not change the result."""
    alone = shell("shrink", "redacted.draft.json", "-o", "one.json", "--json").document
    shared = shell("shrink", "redacted.draft.json", "-o", "two.json", "--jobs", "2", "--json")

    assert shared.status == 0, shared.err
    assert shared.document["events"] == alone["events"]
    assert load_draft(demo / "one.json").trace == load_draft(demo / "two.json").trace


def test_jobs_choose_the_executor():
    """One job needs no process."""
    with shrink._executor(1) as executor:
        assert executor is None
    with shrink._executor(2) as executor:
        assert isinstance(executor, ProcessPoolExecutor)


def test_a_search_goes_on_from_its_journal(demo, shell):
    """An interrupted night is not lost."""
    first = shell("shrink", "redacted.draft.json", "-o", "x.json", "--journal", "j", "--json")
    again = shell("shrink", "redacted.draft.json", "-o", "y.json", "--journal", "j", "--json")

    assert first.status == again.status == 0
    assert (demo / "j").exists()
    assert load_draft(demo / "x.json").trace == load_draft(demo / "y.json").trace


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([RUN], "--contract: is missing; a run has no contract of its own"),
        (["small.draft.json"], "was shrunk already"),
        (["redacted.draft.json", "--lock", "nonsense"], "nonsense is no place in a trace"),
        (["redacted.draft.json", "--stimulus", "live"], "--stimulus: is live"),
        (["redacted.draft.json", "--budget-calls", "0"], "--budget-calls: '0' is no integer >= 1"),
        (["redacted.draft.json", "--jobs", "-1"], "--jobs: '-1' is no integer >= 1"),
        (["redacted.draft.json", "--jobs", "two"], "--jobs: 'two' is no integer >= 1"),
        (["redacted.draft.json", "--contract", "other.yaml"], "states other clauses"),
    ],
)
def test_shrink_names_what_is_wrong(demo, shell, words, message):
    """Nothing is written then."""
    (demo / "other.yaml").write_text("max_calls: {a: 1}\n")

    said = shell("shrink", *words, "-o", "x.json")

    assert (said.status, said.out) == (4, "")
    assert message in said.err
    assert not (demo / "x.json").exists()


def test_an_interrupted_search_keeps_what_it_reached(demo, shell, monkeypatch):
    """2, and the draft is written."""

    def interrupt(_step):
        raise KeyboardInterrupt

    monkeypatch.setattr(shrink, "search_progress", lambda _progress: interrupt)

    said = shell("shrink", "redacted.draft.json", "-o", "x.json")

    assert said.status == 2
    assert "not proven minimal: interrupted" in said.out
    assert (demo / "x.json").exists()


def test_whoever_watches_sees_progress(demo, shell, monkeypatch):
    """On a terminal one line is redrawn, and gone at the end."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    said = shell("shrink", "redacted.draft.json", "-o", "x.json")

    assert said.status == 0
    assert " calls, " in said.err
    assert said.err.endswith("\r\x1b[2K")


STEPS = [
    *("reading run-leafbox-2041", "redacting: what reaches the case", "redacting: values in texts"),
    *("redacting: the same values elsewhere", "redacting: pseudonyms", "shrinking"),
]


def test_make_says_in_a_log_which_step_it_is_in(demo, shell, monkeypatch):
    """Two minutes without a word look like a hang; a line a step, and no value of the trace."""
    monkeypatch.setattr(progress, "PATIENCE_S", 0)

    said = shell("make", RUN, *CONTRACT, *DETAILS[:4], "-o", "out", "--json")

    assert said.status == 0
    assert said.err.splitlines() == [f"{step} ..." for step in STEPS]
    assert set(said.document) == {"case", "state", "steps"}


def test_quick_work_leaves_nothing_in_a_log(demo, shell, monkeypatch):
    """CI reads stderr; a case that is made at once has nothing to say there."""
    monkeypatch.setattr(progress, "PATIENCE_S", 600)

    said = shell("make", RUN, *CONTRACT, *DETAILS[:4], "-o", "out")

    assert (said.status, said.err) == (0, "")


def test_make_draws_its_steps_for_whoever_watches(demo, shell, monkeypatch):
    """Texts are counted, the search says what is left, and the line is gone at the end."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    said = shell("make", RUN, *CONTRACT, *DETAILS[:4], "-o", "out")

    assert said.status == 0
    assert re.search(
        r"\rredacting: values in texts: \[#{10}\.{10}\] 50 %, (\d+) of \d+ texts", said.err
    )
    assert re.search(r"\rshrinking: \d+ calls, \d+ events left, trying ", said.err)
    assert said.err.endswith("\r\x1b[2K")
    assert "Helen" not in said.err


def test_redact_says_its_steps_too(demo, shell, monkeypatch):
    """The same work, the same words."""
    monkeypatch.setattr(progress, "PATIENCE_S", 0)

    said = shell("redact", RUN, *CONTRACT, "-o", "new.draft.json")

    assert said.status == 0
    assert said.err.splitlines() == [f"{step} ..." for step in STEPS[:-1]]


# --- export ------------------------------------------------------------------


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


# --- make --------------------------------------------------------------------


def test_make_does_it_all(demo, shell):
    """For a script: run in, case out."""
    said = shell("make", RUN, *CONTRACT, *DETAILS, "-o", "made", "--json")
    document = said.document

    assert (said.status, said.err) == (0, "")
    assert set(document) == {"case", "state", "steps"}
    assert [step["step"] for step in document["steps"]] == ["redact", "shrink", "export"]
    assert set(document["steps"][0]) == {"step", *REDACT_KEYS}
    assert document["steps"][1]["events"][0] == 134
    assert load_case(demo / document["case"]).signature == load_case(demo / CASE).signature


def test_make_is_told_to_people(demo, shell):
    """The same as the single steps say."""
    said = shell("make", RUN, *CONTRACT, *DETAILS, "-o", "made/x.case.yaml", "--incident", "INC-7")

    assert said.status == 0
    assert " values replaced in " in said.out
    assert "134 -> 18 events in " in said.out
    assert "made/x.case.yaml is proposed: " in said.out
    assert load_case(demo / "made/x.case.yaml").source.incident == "INC-7"


def test_make_takes_the_surest_suggestion(demo, shell):
    """And says which, since a person must be able to disagree."""
    said = shell("make", RUN, *DETAILS, "-o", "made", "--json")

    assert said.status == 0, said.err
    assert "contract taken from success_without_read_back: {" in said.err
    assert load_case(demo / said.document["case"]).contract.clauses


def test_make_without_a_sure_suggestion_asks_for_a_contract(folder, shell):
    """A guess would become a rule."""
    save_trace(a_trace(a_user(), a_call("a.get", outcome=Outcome.OK), a_claim("Hm.")), folder / "a")

    said = shell("make", "a", *DETAILS, "-o", "made")

    assert said.status == 4
    assert "suggests a clause with high confidence\n  Fix: state what it broke" in said.err
    assert not (folder / "made").exists()


def test_make_shows_what_it_was_not_sure_of_and_the_next_command(folder, shell):
    """The way on: read the suggestions, write one down, make the case with it."""
    repeated = [a_call("pay.send", args={"to": "x"}, outcome=Outcome.UNKNOWN) for _ in range(2)]
    save_trace(a_trace(a_user(), *repeated, a_claim("Hm.")), folder / "a")

    said = shell("make", "a", *DETAILS, "-o", "made")

    assert said.status == 4
    assert "medium: repeated_write_after_unknown\n  pay.send was called again" in said.err
    assert "Fix: if one of these is it: workbench diagnose RUN --write FILE" in said.err

    written = shell("diagnose", "a", "--write", "c.yaml")
    assert written.status == 0, written.err
    assert "c.yaml; read it, then --contract" in written.out
    assert (folder / "c.yaml").stat().st_mode & 0o777 == 0o600
    assert shell("judge", "a", "--contract", "c.yaml").status == 1
    assert shell("make", "a", "--contract", "c.yaml", *DETAILS, "-o", "made").status == 0


def test_nothing_suggested_writes_no_contract(folder, shell):
    """An empty contract would hold for ever."""
    save_trace(a_trace(a_user(), a_call("a.get", outcome=Outcome.OK), a_claim("Hm.")), folder / "a")

    said = shell("diagnose", "a", "--write", "c.yaml")

    assert said.status == 4
    assert "Fix: state the contract by hand" in said.err
    assert not (folder / "c.yaml").exists()


def test_make_refuses_as_its_steps_do(demo, shell):
    """A value typed into a title ends the line before anything is written."""
    said = shell("make", RUN, *CONTRACT, *DETAILS, "-o", "made", "--title", "Helen Carter")

    assert (said.status, said.out) == (1, "")
    assert not (demo / "made").exists()
    assert cases_in(demo / "cases") == [demo / CASE]

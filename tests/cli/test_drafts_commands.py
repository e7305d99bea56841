"""`redact` and `shrink`: what they say, what they keep, and what refuses on the way."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor

import pytest

from tests.builders import a_call, a_claim, a_trace, a_user
from tests.cli.conftest import CONTRACT, REDACT_KEYS, RUN, save_trace
from workbench.casefile.draft import load_draft
from workbench.cli import shrink

pytestmark = pytest.mark.desk


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

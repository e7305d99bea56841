"""`workbench ingest`: what comes in, what is refused, and that nothing is stored half."""

from __future__ import annotations

import gzip
import json

import pytest

from tests.builders import a_call, a_claim, a_trace, a_user
from tests.cli.conftest import save_trace
from workbench.casefile.trace import trace_document
from workbench.model.event import Outcome

pytestmark = pytest.mark.desk

KEYS = {
    *("runs", "events", "duplicates", "grades", "losses", "batch_id", "batches", "assumed_tools"),
}


def a_run(run_id="run-1", *, text="Pause my plan."):
    """Return a small trace whose tool has no declared effect."""
    return a_trace(
        a_user(text),
        a_call("billing.pause", outcome=Outcome.UNKNOWN),
        a_call("billing.get_operation"),
        a_claim(),
        run_id=run_id,
    )


def a_line(run_id="run-1", **options):
    """Return a small trace as one line."""
    return json.dumps(trace_document(a_run(run_id, **options)))


def stored(shell):
    """Return the ids of the runs in the store."""
    return sorted(row["run_id"] for row in shell("runs", "--json").document["runs"])


def test_the_document_says_what_came_in(folder, shell):
    """Scripts read it; its keys are fixed."""
    save_trace(a_run(), folder / "a.json")

    said = shell("ingest", "a.json", "--json")

    assert (said.status, said.err) == (0, "")
    assert set(said.document) == KEYS
    assert said.document["runs"] == 1
    assert said.document["events"] == 9
    assert said.document["duplicates"] == 0
    assert sum(said.document["grades"].values()) == 1
    assert said.document["batch_id"] == said.document["batches"][0]["batch_id"]
    assert said.document["assumed_tools"] == ["billing.get_operation", "billing.pause"]
    assert stored(shell) == ["run-1"]


def test_the_same_file_again_adds_nothing_and_says_so(folder, shell):
    """People press the arrow key and Enter."""
    save_trace(a_run(), folder / "a.json")
    shell("ingest", "a.json")

    again = shell("ingest", "a.json")
    document = shell("ingest", "a.json", "--json").document

    assert again.status == 0
    assert "0 runs, 0 events stored\n1 run here already; nothing was added" in again.out
    assert (document["runs"], document["events"], document["duplicates"]) == (0, 0, 1)
    assert stored(shell) == ["run-1"]


def test_effects_that_nobody_declared_are_asked_for(folder, shell):
    """An undeclared tool counts as a write; the name's guess is for a person to confirm."""
    save_trace(a_run(), folder / "a.json")

    said = shell("ingest", "a.json")

    assert (
        "effect not declared, taken as write: billing.get_operation (read?), billing.pause (write?)"
        in said.out
    )
    assert "Fix: declare effects in workbench.toml, or give --tools FILE" in said.out


def test_declared_effects_are_not_asked_for(folder, shell):
    """`--tools` and `workbench.toml` both count."""
    save_trace(a_run(), folder / "a.json")
    (folder / "tools.json").write_text('[{"name": "billing.pause", "effect": "write"}]')
    (folder / "workbench.toml").write_text('[tools."billing.get_operation"]\neffect = "read"\n')

    said = shell("ingest", "a.json", "--tools", "tools.json", "--json")

    assert said.document["assumed_tools"] == []


def test_explain_says_what_one_run_lost(folder, shell):
    """Whoever sets up a recorder wants to know what is missing."""
    save_trace(a_run(), folder / "a.json")
    chat = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "hello"}]
    (folder / "chat.json").write_text(json.dumps(chat))

    plain = shell("ingest", "a.json", "--explain", "run-1")
    shell("ingest", "chat.json")
    (chat_id,) = set(stored(shell)) - {"run-1"}
    lossy = shell("ingest", "chat.json", "--explain", chat_id, "--store", "other")
    machine = shell("ingest", "a.json", "--explain", "run-1", "--store", "third", "--json")

    assert "run-1: " in plain.out
    assert lossy.status == 0
    assert " x1: " in lossy.out
    assert set(machine.document) == {*KEYS, "explained"}
    assert machine.document["explained"]["run_id"] == "run-1"
    assert machine.err == ""


def test_explaining_a_run_that_is_not_there_is_said(folder, shell):
    """A mistyped id must not look like a run without losses."""
    save_trace(a_run(), folder / "a.json")

    said = shell("ingest", "a.json", "--explain", "run-\x1b9")

    assert said.status == 0
    assert "no run 'run-\\x1b9' among those that were read, nor in the store" in said.err


def test_a_run_that_was_here_before_is_explained_from_the_store(folder, shell):
    """Whoever asks again must not be told that the run is not there."""
    save_trace(a_run(), folder / "a.json")
    shell("ingest", "a.json")

    said = shell("ingest", "a.json", "--explain", "run-1")

    assert said.status == 0
    assert "run-1: replayable, 9 events" in said.out
    assert said.err == ""


def _many_megabytes():
    return json.dumps("x" * (10 << 20)).encode()


BAD_FILES = {
    "empty": lambda: b"",
    "blank": lambda: b"\n \n",
    "truncated gzip": lambda: gzip.compress(a_line().encode() * 50)[:-40],
    "binary": lambda: bytes(range(256)) * 8,
    "zeros": lambda: bytes(4096),
    "numbers": lambda: b"[1, 2, 3]",
    "one long string": _many_megabytes,
    "no trace": lambda: b'{"name": "x", "created": 1}\n{"name": "y", "created": 2}\n',
    "two contents of one run": f"{a_line()}\n{a_line(text='Other.')}\n".encode,
    "utf-16": lambda: a_line().encode("utf-16"),
    "deep": lambda: b"[" * 100_000,
    "markup": lambda: b"<html><body>hello</body></html>",
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_one_line_with_a_fix_and_stores_nothing(folder, shell, name):
    """Nothing is stored half, and the message says what to do."""
    (folder / "bad.jsonl").write_bytes(BAD_FILES[name]())

    said = shell("ingest", "bad.jsonl")

    assert said.status == 4
    first, *rest = said.err.rstrip("\n").split("\n")
    assert first.startswith("workbench: bad.jsonl")
    assert rest
    assert all(line.startswith("  Fix: ") for line in rest)
    assert len(said.err) < 600
    assert shell("runs", "--json").document == {"runs": [], "total": 0}


def test_a_file_that_is_not_there_is_an_error_of_the_user(folder, shell):
    """A mistyped path is no bug."""
    said = shell("ingest", "nowhere.json", "--json")

    assert said.status == 4
    assert said.document["batch_id"] is None
    assert "nowhere.json" in said.err


def test_of_several_files_the_good_ones_are_taken_and_the_bad_ones_named(folder, shell):
    """One broken export must not cost the other ninety-nine."""
    save_trace(a_run("run-1"), folder / "a.json")
    (folder / "bad.json").write_bytes(b"[1, 2]")
    save_trace(a_run("run-2"), folder / "c.json")

    said = shell("ingest", "a.json", "bad.json", "c.json", "--json")

    assert said.status == 4
    assert [batch["file"] for batch in said.document["batches"]] == ["a.json", "c.json"]
    assert said.document["runs"] == 2
    assert "bad.json" in said.err
    assert stored(shell) == ["run-1", "run-2"]


@pytest.mark.parametrize(
    "record",
    [
        '{"schema": "trace/1", "run_id": "deep", "events": ' + "[" * 100_000 + "]" * 100_000 + "}",
        a_line("run-cut")[:-30],
        '{"schema": "trace/1", "run_id": "odd", "events": 5}',
    ],
    ids=["deep", "cut", "wrong type"],
)
def test_a_bad_record_among_good_ones_is_kept_raw_and_named(folder, shell, record):
    """The record may be the incident; losing it because of one byte would be worse."""
    (folder / "runs.jsonl").write_text(f"{a_line('run-1')}\n{record}\n{a_line('run-2')}\n")

    said = shell("ingest", "runs.jsonl", "--json")

    assert said.status == 0
    assert said.document["runs"] == 3
    assert said.document["grades"]["unusable"] == 1
    assert "unreadable, stored raw: runs.jsonl#" in said.err
    grades = {r["run_id"]: r["grade"] for r in shell("runs", "--json").document["runs"]}
    assert sorted(grades.values()).count("unusable") == 1
    assert {"run-1", "run-2"} <= set(grades)


def test_a_record_that_was_kept_raw_can_be_asked_about(folder, shell):
    """`--explain` and `show` say why nothing can be made of it."""
    bad = '{"schema": "trace/1", "run_id": "odd", "events": 5}'
    (folder / "runs.jsonl").write_text(f"{a_line('run-1')}\n{bad}\n")

    explained = shell("ingest", "runs.jsonl", "--explain", "odd")
    shown = shell("show", "odd")
    from_file = shell("show", "runs.jsonl#odd")

    assert "odd: unusable\n  no trace could be made of it" in explained.out
    assert "\n  unreadable: " in explained.out
    assert shown.status == from_file.status == 4
    assert "run 'odd' cannot be read: " in from_file.err


def test_one_word_leads_to_what_a_run_lost(folder, shell):
    """`doctor` is it, for a file and for a stored run; another word sends people in circles."""
    chat = {"messages": [{"role": "user", "content": "hello"}]}
    (folder / "chat.json").write_text(json.dumps(chat))
    stored_first = shell("ingest", "chat.json")
    made = shell("make", "chat.json", "--owner", "o", "--review-date", "2099-01-01", "-o", "c")

    assert "--explain" not in stored_first.out + made.err
    assert "without a FILE: `workbench doctor RUN`" in " ".join(
        shell("ingest", "--help").out.split()
    )


def test_a_file_without_a_usable_record_ends_with_4(folder, shell):
    """Its bytes are kept, but nobody may believe that a run came in."""
    bad = '{"schema": "trace/1", "run_id": "odd", "events": 5}'
    (folder / "runs.jsonl").write_text(f"{bad}\n")

    said = shell("ingest", "runs.jsonl")

    assert said.status == 4
    assert "runs.jsonl" in said.err


def test_a_hostile_file_name_does_not_steer_the_terminal(folder, shell):
    """A download decides its own name."""
    (folder / "a\x1b[2J.json").write_bytes(b"[1]")

    said = shell("ingest", "a\x1b[2J.json")

    assert said.status == 4
    assert "\x1b" not in said.err
    assert "\\x1b[2J" in said.err


def test_an_unknown_format_is_a_usage_error(folder, shell):
    """It may be that of another package, so the reader decides; the help lists ours."""
    said = shell("ingest", "a.json", "--format", "yaml")

    assert said.status == 4
    assert "--format 'yaml' is no format" in said.err
    assert "Fix: `workbench ingest --help` lists them" in said.err

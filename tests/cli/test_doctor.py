"""`workbench doctor`: what is missing, why it matters, and the producer's setting."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.conftest import save_trace
from tests.cli.test_ingest import a_line, a_run
from tests.ingest.otlp.spans import TRACE, a_billing_run, a_document
from tests.ingest.samples import write_lines

pytestmark = pytest.mark.desk

KEYS = {
    *("run_id", "format", "runs", "events", "grade", "means", "grades", "unreadable", "losses"),
    "assumed_tools",
}


def content_off(folder):
    """Write the billing run as a recorder without content capture writes it."""
    contents = ("messages", "arguments", "result", "instructions")
    spans: list[Any] = [*a_billing_run()]
    bare = [
        span | {"attributes": [p for p in span["attributes"] if not p["key"].endswith(contents)]}
        for span in spans
    ]
    return write_lines(folder / "spans.jsonl", a_document(*bare))


def test_the_setting_that_brings_contents_back_is_named(folder, shell):
    """A newcomer's first file is nearly always without contents: capture is off by default."""
    content_off(folder)

    said = shell("doctor", "spans.jsonl")

    assert said.status == 0
    assert f"{TRACE}: skeleton" in said.out
    assert "counts and order only: can be judged, never exported" in said.out
    assert "content_off x1: " in said.out
    assert "Fix: switch content capture on in the recorder: OTEL_" in said.out


def test_the_report_of_a_file_is_that_of_the_stored_run(folder, shell):
    """What is said before and after `ingest` is the same, and `show` says it too."""
    content_off(folder)
    before = shell("doctor", "spans.jsonl", "--json")
    shell("ingest", "spans.jsonl")

    after = shell("doctor", TRACE, "--json")
    named = shell("doctor", f"spans.jsonl#{TRACE}", "--json")
    shown = shell("show", TRACE)
    (row,) = shell("runs", "--json").document["runs"]

    assert set(before.document) == KEYS
    assert before.document == after.document == named.document
    assert "Fix: switch content capture on" in shown.out
    assert row["losses"][0] == "content_off"
    assert "content_off" in shell("runs").out


def test_ingest_says_what_lowers_the_grade(folder, shell):
    """Before anybody spends time on the trace."""
    content_off(folder)

    said = shell("ingest", "spans.jsonl")

    assert "lost, which lowers the grade:\n  content_off x1 in 1 run: " in said.out
    assert "    Fix: switch content capture on" in said.out


def test_a_run_that_is_kept_raw_says_what_is_wrong_with_it(folder, shell):
    """Also once it is in the store."""
    bad = '{"schema": "trace/1", "run_id": "odd", "events": 5}'
    (folder / "runs.jsonl").write_text(f"{a_line('run-1')}\n{bad}\n")
    shell("ingest", "runs.jsonl")

    whole = shell("doctor", "runs.jsonl", "--json")
    one = shell("doctor", "odd")

    assert whole.status == 0
    assert whole.document["runs"] == 2
    assert [found["run_id"] for found in whole.document["unreadable"]] == ["odd"]
    assert one.status == 4
    assert "odd: unusable" in one.out
    assert "events is a number; expected a list" in one.out


def test_nothing_is_stored(folder, shell):
    """Looking is free."""
    save_trace(a_run(), folder / "a.json")

    said = shell("doctor", "a.json")

    assert said.status == 0
    assert [path.name for path in folder.iterdir()] == ["a.json"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("a-run",), "holds no store"),
        (("folder/trace.json",), "folder/trace.json: is no file"),
        (("trace.jsonl",), "trace.jsonl: is no file"),
        (("",), "RUN: is no file"),
        (("bad.json",), "bad.json: is not JSON"),
        (("bad.json", "--format", "otpl"), "--format otlp"),
    ],
)
def test_what_cannot_be_looked_at_is_one_line_with_a_fix(folder, shell, words, message):
    """A mistyped name must not look like a healthy file."""
    (folder / "bad.json").write_text("hello")

    said = shell("doctor", *words)

    assert (said.status, said.out) == (4, "")
    assert message in said.err
    assert "Fix: " in said.err


def test_markup_in_names_is_printed_as_text(folder, shell):
    """The report is read in a terminal."""
    line = json.loads(a_line("run-1\x1b[2J"))
    (folder / "a.json").write_text(json.dumps(line))

    said = shell("doctor", "a.json")

    assert "\x1b" not in said.out

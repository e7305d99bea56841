"""`workbench runs`: candidates are found by failure, tag, text and kind of failure."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.builders import a_call, a_claim, a_trace, a_user
from workbench.casefile.trace import trace_document
from workbench.model.event import Outcome
from workbench.model.trace import RunStatus
from workbench.store.append import SourceFile
from workbench.store.batches import LateRecords
from workbench.store.handle import open_store

pytestmark = pytest.mark.desk


def a_failed(run_id, tool="billing.pause", *, tags=(), text="Pause my plan.", **labels):
    """Return a run that its recorder calls failed."""
    parts = (a_user(text), a_call(tool, outcome=Outcome.UNKNOWN), a_claim("Done."))
    return replace(
        a_trace(*parts, run_id=run_id), status=RunStatus.FAILED, tags=tags, labels=labels
    )


@pytest.fixture
def filled(folder, shell):
    """A store with three faults of one kind, one of another, and a good run."""
    good = replace(a_trace(a_user(), a_call("a.get"), run_id="good"), status=RunStatus.OK)
    runs = [
        *(a_failed(f"pause-{number}", tags=("thumbs-down",)) for number in range(3)),
        a_failed("refund", "billing.refund", text="Refund Needle-42.", reward=0.0),
        good,
    ]
    lines = "\n".join(json.dumps(trace_document(run)) for run in runs)
    lines += '\n{"schema": "trace/1", "run_id": "odd", "events": 5}\n'  # kept raw, never failed
    (folder / "runs.jsonl").write_text(lines, "utf-8")
    assert shell("ingest", "runs.jsonl").status == 0
    return folder


def ids(said):
    """Return the ids of the runs that a document lists."""
    return sorted(row["run_id"] for row in said.document["runs"])


def test_filters_add_up(filled, shell):
    """Feedback is a tag, a complaint is a text."""
    assert ids(shell("runs", "--failed", "--json")) == ["pause-0", "pause-1", "pause-2", "refund"]
    assert ids(shell("runs", "--tag", "thumbs-down", "--json")) == ["pause-0", "pause-1", "pause-2"]
    assert ids(shell("runs", "--failed", "--search", "Needle-42", "--json")) == ["refund"]
    assert ids(shell("runs", "--tag", "thumbs-down", "--search", "Needle-42", "--json")) == []
    assert ids(shell("runs", "--tag", "reward=0", "--json")) == ["refund"]


def test_failed_runs_come_in_groups(filled, shell):
    """The size of each, and what to look at; good runs are in none."""
    document = shell("runs", "--group", "--json").document

    assert [group["size"] for group in document["groups"]] == [3, 1]
    assert document["groups"][0]["run_ids"] == ["pause-0", "pause-1", "pause-2"]
    assert document["groups"][0]["path"] == ["billing.pause#unknown"]
    assert document["total"] == 4
    assert shell("runs", "--group", "--tag", "none", "--json").document == {
        "groups": [],
        "total": 0,
    }


def test_groups_are_read_in_a_terminal(filled, shell):
    """No value of a trace is in them."""
    said = shell("runs", "--group")

    assert said.status == 0
    assert said.out.startswith("3 runs: ")
    assert "  billing.pause#unknown\n  look at pause-0, pause-1, pause-2\n" in said.out
    assert said.out.endswith("2 groups of 4 failed runs\n")
    assert "Needle-42" not in said.out


def test_groups_obey_the_filters(filled, shell):
    """`--tag` narrows what is grouped."""
    said = shell("runs", "--group", "--tag", "thumbs-down", "--json").document

    assert [group["size"] for group in said["groups"]] == [3]


def test_records_that_are_not_joined_yet_are_said(filled, shell):
    """The list shows the last whole of such a run; nobody should take it for all of it."""
    digest = "ab" * 32
    with open_store(filled / "parquet_store") as store:
        late = LateRecords(run_id="good", raw=b"{}")
        store.append([late], source=SourceFile(name="otlp-http", format="otlp", digest=digest))

    said = shell("runs")

    assert said.status == 0
    assert "records of 1 run came late" in said.err
    assert "good" in said.out


def test_a_run_that_nobody_judged_is_said_where_failed_ones_are_listed(folder, shell):
    """Most recorders say nothing of how a run ended; an empty list looked like good news."""
    lines = [json.dumps(trace_document(a_trace(a_user(), run_id=f"r-{n}"))) for n in range(2)]
    (folder / "runs.jsonl").write_text("\n".join(lines), "utf-8")
    assert shell("ingest", "runs.jsonl").status == 0

    said = shell("runs", "--failed")
    none = shell("runs", "--failed", "--since", "2999-01-01")

    assert said.out.endswith("0 of 0 failed runs\n")
    assert "of 2 runs the status of 2 is unknown" in said.err
    assert "Fix: `workbench runs` lists them all; `workbench diagnose RUN`" in said.err
    assert "the status of 2 is unknown" in shell("runs", "--group", "--json").err
    assert shell("runs").err == none.err == ""

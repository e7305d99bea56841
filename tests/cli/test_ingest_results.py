"""`results.json` comes back in: a failing trial is an incident like any other."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.test_run import AGENT, CODE
from tests.ingest.samples import an_openai_chat, read, write_lines
from workbench.cli.main import main
from workbench.errors import InputError, TraceFormatError
from workbench.ingest.reader import load_run, read_source
from workbench.model.trace import RunStatus

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.desk


@pytest.fixture(scope="module")
def produced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results and the traces of a run whose case failed; read only."""
    place = tmp_path_factory.mktemp("produced")
    (place / "cases").mkdir()
    (place / "cases" / "pause.case.yaml").write_text(CODE, "utf-8")
    before = Path.cwd()
    os.chdir(place)
    try:
        status = main(["run", "cases", *AGENT, "--results", "results.json", "--traces", "traces"])
    finally:
        os.chdir(before)
    assert status == 1
    return place


@pytest.fixture
def failed(produced: Path, folder: Path) -> Path:
    """A copy of it as the working folder."""
    shutil.copytree(produced, folder, dirs_exist_ok=True)
    return folder


def test_a_failing_trial_becomes_an_incident(failed: Path, shell: Callable[..., Any]) -> None:
    """From CI's red run to a run that can be shown, diagnosed and made a case."""
    said = shell("ingest", "results.json")
    rows = shell("runs", "--failed", "--json").document["runs"]
    tagged = shell("runs", "--tag", "case:pause-with-unknown-outcome", "--json").document

    assert said.status == 0
    assert [row["status"] for row in rows] == ["failed"]
    assert tagged["total"] >= 1
    assert shell("show", rows[0]["run_id"]).status == 0
    assert shell("diagnose", rows[0]["run_id"]).status == 0


def test_a_trial_says_what_it_tried_and_broke(failed: Path) -> None:
    """A person wants to know which case and which clause without opening the results."""
    results = json.loads((failed / "results.json").read_text("utf-8"))
    (case,) = results["cases"]

    traces = [run.trace for run in read_source("results.json") if run.trace is not None]

    assert len(traces) == sum(trial["trace"] is not None for trial in case["trials"])
    trace = next(trace for trace in traces if trace.status is RunStatus.FAILED)
    assert trace.labels["case"] == case["id"]
    assert trace.labels["verdict"] == "fail"
    assert trace.labels["clauses"] == sorted({one["clause"] for one in case["violations"]})
    assert trace.source is not None
    assert trace.source.file == "results.json"


def test_the_same_trial_of_two_runs_is_two_runs(failed: Path, shell: Callable[..., Any]) -> None:
    """A trial's id comes again with every run; the store would take one for a version of the other."""
    first = {run.run_id for run in read_source("results.json")}
    (trace,) = (failed / "traces").glob("*.json")
    document = json.loads(trace.read_text("utf-8"))
    document["session"] = "another run"
    trace.write_text(json.dumps(document), "utf-8")

    second = {run.run_id for run in read_source("results.json")}

    assert not first & second
    assert load_run(f"results.json#{next(iter(second))}").trace is not None
    assert shell("ingest", "results.json").status == 0


def test_the_bytes_that_are_kept_are_those_of_the_trace(failed: Path) -> None:
    """As for every run."""
    (run,) = read_source("results.json")
    (trace,) = (failed / "traces").glob("*.json")

    assert run.raw == trace.read_bytes().strip()


def test_results_without_traces_say_how_to_get_them(
    failed: Path, shell: Callable[..., Any]
) -> None:
    """The verdict alone is no run."""
    document = json.loads((failed / "results.json").read_text("utf-8"))
    for trial in document["cases"][0]["trials"]:
        trial["trace"] = None
    (failed / "results.json").write_text(json.dumps(document), "utf-8")

    said = shell("ingest", "results.json")

    assert said.status == 4
    assert "1 trials and no trace of them" in said.err
    assert "--traces DIR" in said.err


def test_a_trace_that_is_gone_or_another_is_named_and_nothing_is_stored(
    failed: Path, shell: Callable[..., Any]
) -> None:
    """Half of a run's trials would look like all of them."""
    (trace,) = (failed / "traces").glob("*.json")
    document = json.loads(trace.read_text("utf-8"))
    trace.write_text(json.dumps({**document, "run_id": "another"}), "utf-8")
    other = shell("ingest", "results.json")
    trace.unlink()
    gone = shell("ingest", "results.json")

    assert (other.status, gone.status) == (4, 4)
    assert "is the trace of another run" in other.err
    assert trace.name in gone.err
    assert shell("runs").out.startswith("run_id") or "0 of 0 runs" in shell("runs").out


def test_results_that_break_their_schema_are_refused(failed: Path) -> None:
    """A file from a stranger may name any path."""
    document = json.loads((failed / "results.json").read_text("utf-8"))
    document["cases"][0]["trials"][0]["trace"] = "/etc/passwd"
    (failed / "results.json").write_text(json.dumps(document), "utf-8")

    with pytest.raises(InputError, match="relative path"):
        read(failed / "results.json")


def test_results_among_other_records_are_refused_with_a_reason(tmp_path: Path) -> None:
    """Their traces lie beside a file, which a record is not."""
    path = write_lines(tmp_path / "a.jsonl", {"schema": "results/1"}, an_openai_chat())

    bad, good = read(path)

    assert "holds the results of a run among other records" in (bad.parse_error or "")
    assert good.trace is not None


def test_a_trace_that_quotes_the_schema_is_no_results_file(tmp_path: Path) -> None:
    """A conversation may be about results."""
    path = tmp_path / "a.json"
    quote = {"role": "user", "content": '{"schema": "results/1"}'}
    path.write_text(json.dumps([{"role": "system", "content": "Be kind."}, quote]))

    assert read(path)[0].trace is not None


def test_a_forced_format_wins(failed: Path) -> None:
    """Whoever names another format gets its error."""
    with pytest.raises(TraceFormatError, match="expected openai_chat"):
        read(failed / "results.json", format="openai_chat")

"""`run` and its reports: files for CI, annotations, the store, and what cannot be written."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.cli.test_case_commands import PAUSE
from workbench.casefile.trace import load_trace
from workbench.cli import reporting
from workbench.cli.reporting import case_progress
from workbench.runner.outcome import CaseVerdict
from workbench.runner.reports.saved import load_results
from workbench.store.handle import open_store

AGENT = ("--agent", "python:tests.cli.agents:loop", "--isolate", "none", "--gate-proposed")
FILES = ("--junit", "out/junit.xml", "--markdown", "out/summary.md", "--results", "out/r.json")


@pytest.fixture(autouse=True)
def no_service(monkeypatch):
    """These tests may themselves run in a CI service."""
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def cases(folder):
    """A folder with one case that a plain agent breaks."""
    (folder / "cases").mkdir()
    (folder / "cases" / "pause.case.yaml").write_text(PAUSE, "utf-8")
    return folder / "cases"


def test_one_run_writes_every_report(cases, shell):
    """All of one run, so that they cannot disagree."""
    said = shell("run", "cases", *AGENT, *FILES, "--traces", "out/traces")

    assert said.status == 1
    assert "FAIL         pause-with-unknown-outcome" in said.out
    assert ET.parse("out/junit.xml").getroot().get("failures") == "1"  # noqa: S314  our own
    assert Path("out/summary.md").read_text().startswith("## Replayed cases: a gate failed")
    saved = load_results("out/r.json")
    (trial,) = saved.trials
    assert trial.file == Path("out/traces/pause-with-unknown-outcome.recorded.1.json")
    assert trial.trace() == load_trace("out/traces/pause-with-unknown-outcome.recorded.1.json")
    assert saved.document["exit_code"] == 1


def test_the_document_on_stdout_is_the_one_in_the_file(cases, shell):
    """With the same paths of traces; annotations do not get into it."""
    os.environ["GITHUB_ACTIONS"] = "true"
    try:
        said = shell("run", "cases", *AGENT, "--results", "r.json", "--traces", "t", "--json")
    finally:
        del os.environ["GITHUB_ACTIONS"]

    assert said.document == json.loads(Path("r.json").read_text())
    assert said.document["cases"][0]["trials"][0]["trace"].startswith("t/")
    assert said.err.splitlines()[0].startswith("::error file=cases/pause.case.yaml,line=")


def test_annotations_are_for_github_only(cases, shell, monkeypatch):
    """Elsewhere they are noise."""
    quiet = shell("run", "cases", *AGENT)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(Path.cwd().parent))

    loud = shell("run", "cases", *AGENT)

    assert "::" not in quiet.err
    assert f"::error file={Path.cwd().name}/cases/pause.case.yaml,line=" in loud.err
    assert quiet.out == loud.out


def test_the_summary_of_a_step_is_added_to(cases, folder, shell, monkeypatch):
    """Another command of the step may have written there before."""
    summary = folder / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))

    shell("run", "cases", *AGENT, "--markdown", summary)
    shell("run", "cases", *AGENT, "--markdown", summary)

    text = summary.read_text()
    assert text.startswith("before\n\n## Replayed cases")
    assert text.count("## Replayed cases") == 2
    summary.unlink()
    shell("run", "cases", *AGENT, "--markdown", summary)
    assert summary.read_text().count("## Replayed cases") == 1


@pytest.mark.parametrize("flag", ["--junit", "--markdown", "--results"])
@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("taken", "taken: cannot be written: is a folder"),
        ("file/x", "file/x: cannot be written: not a directory"),
    ],
)
def test_a_target_that_takes_no_file_is_refused_before_the_run(
    cases, folder, shell, flag, target, message
):
    """Twenty minutes of live trials must not end at a folder."""
    (folder / "taken").mkdir()
    (folder / "file").write_text("a file")

    said = shell("run", "cases", *AGENT, flag, target)

    assert (said.status, said.out) == (4, "")
    assert message in said.err


@pytest.mark.parametrize("flag", ["--junit", "--markdown", "--results"])
def test_what_cannot_be_written_is_4_and_the_verdict_is_printed(cases, shell, flag):
    """The folder of the traces stands where a report was to be; the others are written."""
    other = "--results" if flag == "--junit" else "--junit"

    said = shell("run", "cases", *AGENT, "--traces", "out", flag, "out", other, "other")

    assert said.status == 4
    assert "exit 1: a gate failed" in said.out
    assert "out: cannot be written: is a folder" in said.err
    assert Path("other").exists()


def test_traces_that_cannot_be_written_are_4_and_the_results_name_none(cases, folder, shell):
    """A path to a file that is not there would send the reader on."""
    (folder / "traces").write_text("a file")

    said = shell("run", "cases", *AGENT, "--traces", "traces", "--results", "r.json")

    assert said.status == 4
    assert "exit 1: a gate failed" in said.out
    assert "cannot be written" in said.err
    assert [trial.file for trial in load_results("r.json").trials] == [None]


def test_a_summary_file_that_takes_nothing_is_4(cases, folder, shell, monkeypatch):
    """A folder is not appended to."""
    (folder / "taken").mkdir()
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "missing/summary.md")

    said = shell("run", "cases", *AGENT, "--markdown", "missing/summary.md")

    assert said.status == 4
    assert "missing/summary.md: cannot be written" in said.err


@pytest.mark.desk
def test_trials_are_recorded_as_runs_and_results(cases, shell, monkeypatch):
    """A failing night comes back to the desk as runs that can be looked at."""
    first = shell("run", "cases", *AGENT, "--record", "--store", "store")
    listed = shell("runs", "--failed", "--store", "store", "--json").document

    assert (first.status, first.err) == (1, "1 trial in the store\n")
    (run,) = listed["runs"]
    assert run["run_id"].startswith("pause-with-unknown-outcome.recorded.1@20")
    with open_store("store") as store:
        trace = store.fetch(run["run_id"])
        (result,) = store.results("pause-with-unknown-outcome")
    assert trace.tags[-2:] == ("trial", "case:pause-with-unknown-outcome")
    assert trace.labels["verdict"] == "fail"
    assert trace.labels["violations"] == ["success_requires/1", "order/1"]
    assert (result.verdict, result.version) == ("fail", None)
    assert [found["clause"] for found in result.violations] == ["success_requires/1", "order/1"]


@pytest.mark.desk
def test_a_run_without_trials_records_nothing(cases, shell):
    """No store is made for nothing."""
    path = cases / "pause.case.yaml"
    path.write_text(PAUSE.replace("fix: code", "fix: model"), "utf-8")

    said = shell("run", "cases", *AGENT, "--record", "--store", "store")

    assert (said.status, said.err) == (5, "0 trials in the store\n")
    assert not Path("store").exists()


@pytest.mark.desk
def test_a_store_that_takes_nothing_is_4_after_the_verdict(cases, folder, shell):
    """The trials were run; what they showed is not lost."""
    (folder / "store").write_text("a file")

    said = shell("run", "cases", *AGENT, "--record", "--store", "store", "--results", "r.json")

    assert said.status == 4
    assert "exit 1: a gate failed" in said.out
    assert "store: is a file; expected a folder" in said.err
    assert Path("r.json").exists()


def test_without_the_desk_extra_record_says_what_to_install(cases, shell, monkeypatch):
    """A CI machine has the runner half only; it learns so before the run."""
    monkeypatch.setattr(reporting, "_RECORD", "no_such_package_of_the_desk.record")

    said = shell("run", "cases", *AGENT, "--record")

    assert (said.status, said.out) == (4, "")
    assert "no_such_package_of_the_desk is needed for --record and is not installed" in said.err
    assert 'pip install "incident-workbench[desk]"' in said.err


def test_the_progress_counts_failures(monkeypatch):
    """Who watches need not wait for the end."""

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with case_progress(2) as told:
        for verdict in (CaseVerdict.PASS, CaseVerdict.FAIL):
            told(type("Case", (), {"verdict": verdict})())

    shown = stream.getvalue()
    assert "cases: [##########..........] 50 %, 1 of 2, 0 failed" in shown
    assert shown.endswith("100 %, 2 of 2, 1 failed\r\x1b[2K")


def test_a_pipe_gets_neither_colours_nor_progress(cases, folder):
    """A log is read by people, too."""
    above = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "workbench", "run", "cases", *AGENT],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(above), "COLUMNS": "60"},
        capture_output=True,
        check=False,
    )

    assert done.returncode == 1
    assert done.stderr == b""
    assert b"\x1b" not in done.stdout

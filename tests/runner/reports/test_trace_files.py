"""Each trial as a file: names that any file system takes, and no two the same."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.runner.reports.samples import HOSTILE, a_failed_case, a_passed_case, a_report
from tests.runner.results import a_trial
from workbench.casefile.trace import load_trace
from workbench.errors import CaseFormatError
from workbench.runner.reports.trace_files import trace_file_names, write_traces

SAFE = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,134}\.json")


def names_of(*run_ids):
    """Return the names of the files of trials, in their order."""
    return list(trace_file_names(a_trial(run_id=run_id) for run_id in run_ids).values())


def test_a_plain_run_id_is_the_name():
    """A person finds the trial that a report names."""
    assert names_of("pause-unknown.recorded.1") == ["pause-unknown.recorded.1.json"]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_leads_out_of_the_folder(name):
    """A path's name is whatever somebody wrote."""
    for run_id in (HOSTILE[name], f"../../{HOSTILE[name]}", f"a.{HOSTILE[name]}.1"):
        (found,) = names_of(run_id)
        assert SAFE.fullmatch(found), found
        assert ".." not in found


def test_names_that_would_meet_in_a_folder_do_not():
    """Some file systems do not tell A from a, and other signs become `_`."""
    found = names_of("a", "A", "a b", "a/b", "a_b", "x" * 200, "x" * 201)

    assert len({name.casefold() for name in found}) == 7
    assert found[0] == "a.json"


def test_every_trial_is_written_and_its_path_is_told(tmp_path, monkeypatch):
    """Relative to the results when there are some, else to the working folder."""
    monkeypatch.chdir(tmp_path)
    report = a_report(a_failed_case(), a_passed_case())

    beside = write_traces(report, Path("traces"), beside=Path("out/results.json"))
    alone = write_traces(report, Path("traces"), beside=None)

    assert beside["case-1.recorded.1"] == "../traces/case-1.recorded.1.json"
    assert alone["case-1.recorded.1"] == "traces/case-1.recorded.1.json"
    assert sorted(path.name for path in Path("traces").iterdir()) == [
        "case-1.recorded.1.json",
        "case-1.repaired.1.json",
    ]
    trace = report.cases[0].trials[0].trace
    assert load_trace("traces/case-1.recorded.1.json") == trace


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    """The command names it and still prints its verdict."""
    (tmp_path / "traces").write_text("a file")

    with pytest.raises(CaseFormatError, match="cannot be written"):
        write_traces(a_report(a_failed_case()), tmp_path / "traces", beside=None)


def test_signs_that_utf_8_does_not_have_are_written_as_escapes(tmp_path):
    """A tool may answer with half a surrogate pair."""
    case = a_failed_case()
    trial = case.trials[0]
    event = replace(trial.trace.events[0], text="a\ud800b")
    odd = replace(trial, trace=replace(trial.trace, events=(event,)))

    write_traces(a_report(replace(case, trials=(odd,))), tmp_path, beside=None)

    assert load_trace(tmp_path / "case-1.recorded.1.json").events == (event,)

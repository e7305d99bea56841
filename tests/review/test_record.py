"""Trials of a run as runs of the store."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.builders import a_trace, a_user
from tests.runner.reports.samples import (
    a_failed_case,
    a_passed_case,
    a_report,
    an_inconclusive_case,
)
from workbench.model.trace import RunStatus
from workbench.review.record import record_trials
from workbench.store.handle import open_store

pytestmark = pytest.mark.desk


def a_recorded_run(**changes):
    """Return a run of three trials, each with something in its trace."""
    cases = []
    for n, make in enumerate((a_failed_case, a_passed_case, an_inconclusive_case)):
        case = make(id=f"case-{n}")
        trace = replace(a_trace(a_user()), run_id=f"case-{n}.1")
        trial = replace(case.trials[0], run_id=trace.run_id, trace=trace)
        cases.append(replace(case, trials=(trial,)))
    return a_report(*cases, versions={"agent": "3.3", "models": []}, **changes)


def test_each_trial_is_a_run_with_its_verdict(tmp_path):
    """`workbench runs --failed` finds the ones to look at."""
    report = a_recorded_run()

    assert record_trials(report, store=str(tmp_path / "store")) == 3

    with open_store(tmp_path / "store") as store:
        found = [store.fetch(f"case-{n}.1@{report.started}") for n in range(3)]
        results = [store.results(f"case-{n}") for n in range(3)]
    assert [trace.status for trace in found] == [
        RunStatus.FAILED,
        RunStatus.OK,
        RunStatus.UNKNOWN,
    ]
    assert [trace.labels["verdict"] for trace in found] == ["fail", "pass", "inconclusive"]
    assert [result.version for (result,) in results] == ["3.3"] * 3


def test_the_trials_of_every_night_stay_apart_and_a_run_is_recorded_once(tmp_path):
    """The same ids every night; a job that is repeated adds nothing."""
    folder = str(tmp_path / "store")
    first, second = a_recorded_run(), a_recorded_run(started="2026-12-02T10:00:00+00:00")

    for report in (first, second, first):
        record_trials(report, store=folder)

    with open_store(folder) as store:
        assert store.runs().num_rows == 6
        assert len(store.results("case-0")) == 2

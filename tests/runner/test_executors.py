"""`--executor`: processes of this machine, or Dask."""

from __future__ import annotations

import sys
from concurrent.futures import Future
from dataclasses import replace

import pytest

from tests.long import is_long
from tests.runner.test_trials import a_code_case, an_active_case, run
from workbench.errors import InputError, MissingExtraError
from workbench.model.case import CaseState
from workbench.runner.budget import Budget
from workbench.runner.executors import open_executor


def test_without_a_spec_cases_run_one_after_the_other():
    """One gateway serves them all."""
    with open_executor(None) as executor:
        assert executor is None


def test_processes_run_cases_with_the_same_result():
    """Each case is a picklable job."""
    with open_executor("processes:2") as executor:
        report = run(an_active_case(), a_code_case(), executor=executor)

    assert [case.id for case in report.cases] == ["pause-with-unknown-outcome", "code-case"]
    assert [case.verdict.value for case in report.cases] == ["pass", "fail"]


def test_processes_without_a_number_are_as_many_as_cores():
    """The usual wish."""
    with open_executor("processes") as executor:
        assert executor is not None
        assert executor.submit(pow, 2, 3).result() == 8


@pytest.mark.parametrize(
    ("spec", "fix"),
    [
        ("", "write processes:N, dask://HOST:PORT or dask://local"),
        ("process:2", "write processes"),
        ("threads:2", "write processes:N"),
        ("processes:", "write a number of processes from 1 to 1000"),
        ("processes:0", "write a number of processes"),
        ("processes:-1", "write a number of processes"),
        ("processes:1001", "write a number of processes"),
        ("processes:" + "9" * 5_000, "write a number of processes"),
        ("processes:²", "write a number of processes"),
        ("dask://", "write dask://HOST:PORT or dask://local"),
        ("dask://host", "write dask://HOST:PORT"),
        ("dask://a b:1", "write dask://HOST:PORT"),
    ],
)
def test_what_is_no_executor_is_a_usage_error(spec, fix):
    """Before any case runs."""
    with pytest.raises(InputError) as caught, open_executor(spec):
        raise AssertionError

    assert caught.value.place == "--executor"
    assert fix in str(caught.value)


def test_dask_without_its_package_says_what_to_install(monkeypatch):
    """The runner half does not need it."""
    monkeypatch.setitem(sys.modules, "distributed", None)

    with pytest.raises(MissingExtraError) as caught, open_executor("dask://local"):
        raise AssertionError

    assert 'pip install "incident-workbench[dask]"' in str(caught.value)


@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_does_not_answer_is_named():
    """Port 9 of this machine is closed."""
    pytest.importorskip("distributed")

    with (
        pytest.raises(InputError, match=r"no Dask scheduler answers at 127.0.0.1:9"),
        open_executor("dask://127.0.0.1:9", patience_s=0.2),
    ):
        raise AssertionError


@pytest.mark.filterwarnings("ignore")
def test_dask_takes_jobs_at_an_address():
    """Its own executor, no scheduler of ours."""
    distributed = pytest.importorskip("distributed")

    with distributed.LocalCluster(
        n_workers=1, processes=False, dashboard_address=None, protocol="tcp"
    ) as cluster:
        address = cluster.scheduler_address.removeprefix("tcp://")
        with open_executor(f"dask://{address}") as executor:
            report = run(an_active_case(), a_code_case(), executor=executor)

    assert [case.verdict.value for case in report.cases] == ["pass", "fail"]


@pytest.mark.skipif(not is_long(), reason="starts a cluster of processes")
@pytest.mark.filterwarnings("ignore")
def test_dask_runs_cases_with_the_same_result():
    """Processes of this machine, which Dask starts."""
    pytest.importorskip("distributed")

    with open_executor("dask://local") as executor:
        report = run(an_active_case(), a_code_case(), executor=executor)

    assert [case.verdict.value for case in report.cases] == ["pass", "fail"]


class Waiting:
    """An executor that begins a job only when its result is asked for."""

    def __init__(self):
        self.futures: list[Future[object]] = []

    def submit(self, work, *args):
        """Run the first job at once; the others wait."""
        future: Future[object] = Future()
        if not self.futures:
            future.set_running_or_notify_cancel()
            future.set_result(work(*args))
        self.futures.append(future)
        return future


def test_a_budget_cancels_the_cases_that_wait():
    """What did not begin is inconclusive, and says why."""
    executor = Waiting()

    report = run(
        an_active_case(), a_code_case(), replace(an_active_case(), state=CaseState.ARCHIVED),
        executor=executor, budget=Budget(tokens=1),
    )  # fmt: skip

    assert [case.verdict.value for case in report.cases] == ["pass", "inconclusive", "not_run"]
    assert report.cases[1].reason == "the budget of 1 tokens is spent"
    assert report.cases[2].reason == "archived cases are not run"
    assert report.exit_code == 6
    assert [future.cancelled() for future in executor.futures] == [False, True, True]

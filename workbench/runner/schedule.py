"""Runs jobs, one after the other or on an executor, until they end or may not go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.replay.gateway.http import serve
from workbench.runner.jobs import run_case, run_job, unrun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Executor

    from workbench.runner.budget import Meter
    from workbench.runner.jobs import Job
    from workbench.runner.outcome import CaseResult

__all__ = ["run_jobs"]


def run_jobs(
    jobs: Sequence[Job],
    executor: Executor | None,
    meter: Meter,
    *,
    on_case: Callable[[CaseResult], None] | None = None,
) -> tuple[list[CaseResult], bool]:
    """Return the results in the order of the jobs, and whether the run was interrupted.

    Args:
        jobs: one a case.
        executor: None: one gateway serves all cases, one after the other.
        meter: of the whole run. On an executor it is asked before each case; what runs already
            ends by a budget of its own.
        on_case: is told each case as it ends.
    """
    found: list[CaseResult] = []
    results = _one_by_one(jobs, meter) if executor is None else _pooled(jobs, executor, meter)
    try:
        for result in results:
            found.append(result)
            if on_case is not None:
                on_case(result)
    except KeyboardInterrupt:
        return found, True
    return found, False


def _one_by_one(jobs: Sequence[Job], meter: Meter) -> Iterator[CaseResult]:
    with serve() as server:
        for job in jobs:
            yield run_case(job, server, meter)


def _pooled(jobs: Sequence[Job], executor: Executor, meter: Meter) -> Iterator[CaseResult]:
    futures = [executor.submit(run_job, job) for job in jobs]
    try:
        for job, future in zip(jobs, futures, strict=True):
            if not meter.may_start() and future.cancel():
                yield unrun(job, meter.stopped or "")
                continue
            result = future.result()
            for trial in result.trials:
                meter.spend(trial, case=job.case)
            yield result
    finally:
        for future in futures:
            future.cancel()

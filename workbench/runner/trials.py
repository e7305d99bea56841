"""`workbench run`: the user's agent against the scripted model, case by case.

`fix: model`: the accepted paths run, because the recorded mistake was the model's and the script
would only repeat it. `fix: code`: the recorded path runs too, and the code has to stop it. One
trial a path, every clause hard, no retry.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.casefile.case import load_case
from workbench.casefile.digest import case_digest
from workbench.errors import InputError
from workbench.model.case import Case, CaseState, Path as CasePath
from workbench.model.contract import FixPlace
from workbench.replay.adapters.drive import Setting, drive
from workbench.replay.adapters.specs import AgentSpec, parse_agent
from workbench.replay.gateway.http import GatewayServer, serve
from workbench.replay.isolation.levels import AUTO, parse_level
from workbench.replay.trial import Limits
from workbench.runner.outcome import (
    CaseResult,
    CaseVerdict,
    GateResult,
    RunReport,
    Summary,
    exit_code,
)
from workbench.runner.parting import first_parting
from workbench.runner.selftest import CaseReport, check_case
from workbench.runner.strength import Strength
from workbench.runner.verdicts import trial_result, worst

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Executor

    from workbench.model.jsonvalue import JsonMap
    from workbench.runner.outcome import TrialResult

__all__ = ["Job", "run_cases", "run_job"]

_NO_AGENT: Final = "nothing of yours would be tested; `workbench check` is the self-test"
_NOTHING: Final = "no accepted path yet: the scripted layer has nothing to run"
_SCRIPTED: Final = "scripted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One case to run; picklable."""

    case: Case
    path: str | None
    agent: AgentSpec
    setting: Setting
    gate_proposed: bool


def run_cases(  # noqa: PLR0913  the public surface, keyword-only
    cases: Iterable[Case | str | os.PathLike[str]],
    *,
    agent: str,
    layer: str = _SCRIPTED,
    executor: Executor | None = None,
    isolate: str = AUTO,
    gate_proposed: bool = False,
    limits: Limits | None = None,
    started: str | None = None,
    on_case: Callable[[CaseResult], None] | None = None,
) -> RunReport:
    """Run an agent against cases and judge what it does.

    Args:
        cases: cases, or case files; a file that is no case is reported and makes the exit code 4.
        agent: `python:package.module:callable` or `cmd:COMMAND`.
        layer: `scripted`.
        executor: runs cases at the same time; None: one after the other.
        isolate: `auto`, `netns`, `landlock`, `audit` or `none`: the strongest level wanted.
        gate_proposed: let proposed cases count.
        limits: bounds of each trial.
        started: RFC 3339 time for the report.
        on_case: is told each case as it ends.

    Raises:
        InputError: no agent, an agent that cannot be started, an unknown layer or level.
    """
    if not agent.strip():
        raise InputError(_NO_AGENT, fix="pass --agent python:package.module:callable")
    if layer != _SCRIPTED:
        raise InputError(f"layer {layer!r} is not known; expected {_SCRIPTED}")
    setting = Setting(limits=limits or Limits(), isolate=parse_level(isolate))
    spec = parse_agent(agent)
    loaded, invalid = _loaded(cases)
    jobs = [
        Job(case=case, path=path, agent=spec, setting=setting, gate_proposed=gate_proposed)
        for case, path in loaded
    ]
    results: list[CaseResult] = []
    interrupted = False
    try:
        for result in _all(jobs, executor):
            results.append(result)
            if on_case is not None:
                on_case(result)
    except KeyboardInterrupt:
        interrupted = True
    bad = (*invalid, *(f"{r.path or r.id}: {r.reason}" for r in results if _is_invalid(r)))
    return _report(
        tuple(results), agent=agent, invalid=bad, interrupted=interrupted, started=started
    )


def _is_invalid(result: CaseResult) -> bool:
    """Whether a case cannot be run as written; of an archived one nothing is asked."""
    return result.strength is None and result.state != CaseState.ARCHIVED.value


def _loaded(
    cases: Iterable[Case | str | os.PathLike[str]],
) -> tuple[list[tuple[Case, str | None]], list[str]]:
    loaded: list[tuple[Case, str | None]] = []
    invalid: list[str] = []
    for entry in cases:
        if isinstance(entry, Case):
            loaded.append((entry, None))
            continue
        try:
            loaded.append((load_case(Path(entry)), os.fspath(entry)))
        except InputError as error:
            invalid.append(str(error))
    return loaded, invalid


def _all(jobs: Sequence[Job], executor: Executor | None) -> Iterator[CaseResult]:
    if executor is not None:
        yield from executor.map(run_job, jobs)
        return
    with serve() as server:
        for job in jobs:
            yield _run(job, server)


def run_job(job: Job) -> CaseResult:
    """Run one case with a gateway of its own: the unit of work of an executor."""
    with serve() as server:
        return _run(job, server)


def _run(job: Job, server: GatewayServer) -> CaseResult:
    case = job.case
    if case.state is CaseState.ARCHIVED:
        return _case_result(job, None, (), reason="archived cases are not run")
    report = check_case(case, path=job.path)
    if not report.valid:
        sentence = next(p.sentence for p in report.problems if p.level.value == "invalid")
        return _case_result(job, None, (), reason=sentence)
    paths = _paths(case)
    if not paths:
        return _case_result(job, report, (), reason=_NOTHING)
    trials = tuple(_trial(job, path, server) for path in paths)
    reason = None
    if not report.recorded_red:
        reason = "the recorded path no longer fails as the incident did; see `workbench check`"
    parting = first_parting(case, zip(paths, trials, strict=True))
    return _case_result(job, report, trials, reason=reason, divergence=parting)


def _paths(case: Case) -> tuple[CasePath, ...]:
    if case.fix is FixPlace.CODE:
        return (case.recorded, *case.accepted)
    return case.accepted


def _trial(job: Job, path: CasePath, server: GatewayServer) -> TrialResult:
    driven = drive(
        job.case,
        path,
        agent=job.agent,
        server=server,
        run_id=f"{job.case.id}.{path.name}.1",
        setting=job.setting,
    )
    return trial_result(job.case, path.name, driven)


def _case_result(
    job: Job,
    report: CaseReport | None,
    trials: tuple[TrialResult, ...],
    *,
    reason: str | None,
    divergence: JsonMap | None = None,
) -> CaseResult:
    case = job.case
    verdict = worst([trial.verdict for trial in trials])
    if verdict is CaseVerdict.PASS and reason is not None:
        verdict = CaseVerdict.INCONCLUSIVE
    coverage = (sum(t.answered for t in trials), sum(t.calls for t in trials)) if trials else None
    return CaseResult(
        id=case.id,
        path=job.path,
        digest=case_digest(case),
        state=case.state.value,
        gates=_gates(job),
        verdict=verdict,
        reason=reason,
        strength=_strength(report, coverage),
        gate=_gate(trials),
        coverage=coverage,
        violations=tuple(found for trial in trials for found in trial.violations),
        divergence=divergence,
        missing=tuple(missing for trial in trials for missing in trial.missing),
        trials=trials,
    )


def _gates(job: Job) -> bool:
    state = job.case.state
    return state is CaseState.ACTIVE or (state is CaseState.PROPOSED and job.gate_proposed)


def _strength(report: CaseReport | None, coverage: tuple[int, int] | None) -> Strength | None:
    if report is None or report.strength is None:
        return None
    known = report.strength
    return Strength(
        red=known.red,
        green=known.green,
        killable=known.killable,
        fails=known.fails,
        passes=known.passes,
        coverage=coverage,
    )


def _gate(trials: tuple[TrialResult, ...]) -> GateResult | None:
    if not trials:
        return None
    verdicts = [trial.verdict for trial in trials]
    return GateResult(
        kind="all_hard",
        needed=len(trials),
        lower=None,
        passes=verdicts.count(CaseVerdict.PASS),
        inconclusive=verdicts.count(CaseVerdict.INCONCLUSIVE),
        trials=len(trials),
    )


def _report(
    results: tuple[CaseResult, ...],
    *,
    agent: str,
    invalid: tuple[str, ...],
    interrupted: bool,
    started: str | None,
) -> RunReport:
    verdicts = [result.verdict for result in results]
    ran = [r for r in results if r.gates and r.verdict is not CaseVerdict.NOT_RUN]
    trials = [trial for result in results for trial in result.trials]
    return RunReport(
        started=started,
        agent=agent,
        layer=_SCRIPTED,
        versions={},
        settings={"trials": 1},
        isolation={trial.isolation: trial.isolation_note for trial in trials},
        cases=results,
        summary=Summary(
            cases=len(results),
            passed=verdicts.count(CaseVerdict.PASS),
            failed=verdicts.count(CaseVerdict.FAIL),
            inconclusive=verdicts.count(CaseVerdict.INCONCLUSIVE),
            not_run=verdicts.count(CaseVerdict.NOT_RUN),
            gating=len(ran),
            invalid=invalid,
        ),
        interrupted=interrupted,
        exit_code=exit_code(results, invalid=len(invalid), interrupted=interrupted),
    )

"""The unit of work of a run: all trials of one case, in order, each one once.

There is no retry: one would hide a violation that happens once in 20 runs. A job is picklable, so
that an executor can send it to another process or machine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from workbench.casefile.digest import case_digest
from workbench.model.case import Case, CaseState, Path as CasePath
from workbench.model.contract import FixPlace
from workbench.replay.adapters.drive import Setting, drive
from workbench.replay.gateway.http import GatewayServer, serve
from workbench.runner.budget import Budget, Meter
from workbench.runner.gates import Plan, evaluate, gate_verdict
from workbench.runner.grouping import group_failures
from workbench.runner.outcome import CaseResult, CaseVerdict, GateResult
from workbench.runner.parting import partings
from workbench.runner.selftest import CaseReport, check_case
from workbench.runner.strength import Measured, Strength
from workbench.runner.verdicts import trial_result

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.model.jsonvalue import JsonMap
    from workbench.replay.adapters.specs import AgentSpec
    from workbench.runner.outcome import TrialResult

__all__ = ["Job", "run_case", "run_job", "unrun"]

_ARCHIVED: Final = "archived cases are not run"
_NOTHING: Final = "no accepted path yet: the scripted layer has nothing to run"
_NOT_RED: Final = "the recorded path no longer fails as the incident did; see `workbench check`"
_UNTRIED: Final = "the recorded mistake was not tried: `fix: model` says that only `--layer live` can show it mended"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One case to run; picklable."""

    case: Case
    path: str | None
    """Its file."""
    agent: AgentSpec
    setting: Setting
    plan: Plan
    trials: tuple[CasePath, ...]
    """The path of each planned trial."""
    gates: bool
    version: str | None
    """Of the agent."""
    budget: Budget


def run_job(job: Job) -> CaseResult:
    """Run one case with a gateway and a budget of its own: the unit of work of an executor."""
    with serve() as server:
        return run_case(job, server, Meter(job.budget))


def run_case(job: Job, server: GatewayServer, meter: Meter) -> CaseResult:
    """Run one case with a running gateway.

    Args:
        job: the case and how to run it.
        server: the gateway.
        meter: is asked before each trial and told after it.
    """
    if job.case.state is CaseState.ARCHIVED:
        return _result(job, None, (), reason=_ARCHIVED)
    report = check_case(job.case, path=job.path)
    if not report.valid:
        sentence = next(p.sentence for p in report.problems if p.level.value == "invalid")
        return _result(job, None, (), reason=sentence)
    if not job.trials:
        return _result(job, report, (), reason=_NOTHING)
    trials = tuple(_trials(job, server, meter))
    reason = meter.stopped if len(trials) < len(job.trials) else None
    return _result(job, report, trials, reason=reason)


def unrun(job: Job, reason: str) -> CaseResult:
    """Return the result of a case none of whose trials began."""
    if job.case.state is CaseState.ARCHIVED:
        reason = _ARCHIVED
    return _result(job, check_case(job.case, path=job.path), (), reason=reason)


def _trials(job: Job, server: GatewayServer, meter: Meter) -> Iterator[TrialResult]:
    seen: dict[int, frozenset[str]] = {}
    for number, path in enumerate(job.trials, start=1):
        if not meter.may_start():
            return
        driven = drive(
            job.case,
            path,
            agent=job.agent,
            server=server,
            run_id=f"{job.case.id}.{path.name}.{number if job.plan.live else 1}",
            setting=job.setting,
        )
        replies = frozenset(driven.record.reply_ids)
        twin = next((n for n, other in seen.items() if replies and replies <= other), None)
        seen[number] = replies
        trial = trial_result(job.case, path.name, driven, number=number, same_replies_as=twin)
        meter.spend(trial, case=job.case)
        yield trial


def _result(
    job: Job, report: CaseReport | None, trials: tuple[TrialResult, ...], *, reason: str | None
) -> CaseResult:
    case = job.case
    ran = report is not None and bool(job.trials) and case.state is not CaseState.ARCHIVED
    gate = evaluate(job.plan, trials) if ran else None
    verdict = CaseVerdict.NOT_RUN if gate is None else gate_verdict(gate)
    if gate is not None and report is not None and not report.recorded_red:
        reason = reason or _NOT_RED
        verdict = CaseVerdict.INCONCLUSIVE if verdict is CaseVerdict.PASS else verdict
    if verdict is CaseVerdict.PASS and not job.plan.live and case.recorded not in job.trials:
        reason = reason or _UNTRIED
    failed = [trial for trial in trials if trial.verdict is CaseVerdict.FAIL]
    parts = partings(case, failed)
    coverage = (sum(t.answered for t in trials), sum(t.calls for t in trials)) if trials else None
    return CaseResult(
        id=case.id,
        path=job.path,
        digest=case_digest(case),
        title=case.title,
        owner=case.owner,
        severity=case.severity.value,
        review_date=case.review_date,
        state=case.state.value,
        gates=job.gates,
        verdict=verdict,
        reason=reason,
        versions=_versions(case),
        strength=_strength(job, report, gate, coverage),
        gate=gate,
        coverage=coverage,
        covered_trials=_covered(trials),
        baseline=None,
        groups=group_failures(case.id, list(zip(failed, parts, strict=True))),
        violations=tuple(found for trial in trials for found in trial.violations),
        divergence=next((part for part in parts if part is not None), None),
        missing=tuple(missing for trial in trials for missing in trial.missing),
        trials=trials,
    )


def _covered(trials: Sequence[TrialResult]) -> tuple[int, int] | None:
    return (sum(not trial.missing for trial in trials), len(trials)) if trials else None


def _versions(case: Case) -> JsonMap:
    """Return what a case says of the versions that it was recorded with."""
    expected = {"failing": case.failing_version, "passing": case.passing_version}
    known: JsonMap = {name: version for name, version in expected.items() if version is not None}
    return {**(case.environment or {}), **known}


def _strength(
    job: Job,
    report: CaseReport | None,
    gate: GateResult | None,
    coverage: tuple[int, int] | None,
) -> Strength | None:
    if report is None or report.strength is None:
        return None
    verdict = None if gate is None else gate_verdict(gate)
    measured = None if gate is None else _measured(job, gate)
    return replace(
        report.strength,
        fails=measured if verdict is CaseVerdict.FAIL else None,
        passes=measured if verdict is CaseVerdict.PASS else None,
        coverage=coverage,
    )


def _measured(job: Job, gate: GateResult) -> Measured | None:
    """Return what the trials say of the agent's version; None: nothing of the model or no version.

    A scripted model proves the orchestration, so it says nothing of a version whose fix is the
    model's.
    """
    if job.version is None or not (job.plan.live or job.case.fix is FixPlace.CODE):
        return None
    failed = gate.trials - gate.passes
    if gate_verdict(gate) is CaseVerdict.FAIL:
        failed -= gate.inconclusive
    return Measured(version=job.version, failed=failed, n=gate.trials)

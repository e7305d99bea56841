"""`workbench run`: the user's agent against cases, and what that shows.

Scripted layer: `fix: model`: the accepted paths run, because the recorded mistake was the model's
and the script would only repeat it. `fix: code`: the recorded path runs too, and the code has to
stop it. One trial a path, every clause hard. Live layer: the real model, the same fixtures, as
many trials as the case's gate plans. No retry anywhere.

Source:
    design page 09.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.casefile.case import load_case
from workbench.errors import InputError
from workbench.model.case import Case, CaseState, Path as CasePath
from workbench.model.contract import FixPlace
from workbench.model.event import ModelRequest
from workbench.replay.adapters.drive import Setting
from workbench.replay.adapters.environment import upstream_from
from workbench.replay.adapters.specs import AgentSpec, parse_agent
from workbench.replay.isolation.levels import AUTO, parse_level
from workbench.replay.live import Upstream, live_path
from workbench.replay.trial import Limits
from workbench.runner.budget import Budget, Meter, estimate_run
from workbench.runner.gates import plan_live, plan_scripted
from workbench.runner.grouping import merge_groups
from workbench.runner.jobs import Job
from workbench.runner.outcome import (
    BudgetResult,
    CaseResult,
    CaseVerdict,
    RunReport,
    Summary,
    exit_code,
)
from workbench.runner.schedule import run_jobs
from workbench.runner.select import parse_selection, selects
from workbench.runner.standing import absent_cases, beside_baseline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from concurrent.futures import Executor

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.runner.baseline import Baseline

__all__ = ["ALL_PATHS", "DUE_PATHS", "LIVE", "SCRIPTED", "run_cases"]

_NO_AGENT: Final = "nothing of yours would be tested; `workbench check` is the self-test"
SCRIPTED: Final = "scripted"
LIVE: Final = "live"
DUE_PATHS: Final = "due"
"""The paths that test what is to be mended: the accepted ones, and the recorded one of code."""
ALL_PATHS: Final = "all"
"""Every path: for tests of agents and clients; the command line has no flag for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    """How all cases of a run are run."""

    agent: AgentSpec
    setting: Setting
    live: bool
    trials: int | None
    paths: str
    gate_proposed: bool
    version: str | None
    budget: Budget


def run_cases(  # noqa: PLR0913  the public surface, keyword-only
    cases: Iterable[Case | str | os.PathLike[str]],
    *,
    agent: str,
    layer: str = SCRIPTED,
    trials: int | None = None,
    select: str | None = None,
    paths: str = DUE_PATHS,
    executor: Executor | None = None,
    isolate: str = AUTO,
    gate_proposed: bool = False,
    limits: Limits | None = None,
    upstream: Upstream | None = None,
    version: str | None = None,
    baseline: Baseline | None = None,
    gate_cost: bool = False,
    budget: Budget | None = None,
    started: str | None = None,
    on_plan: Callable[[BudgetResult], None] | None = None,
    on_case: Callable[[CaseResult], None] | None = None,
) -> RunReport:
    """Run an agent against cases and judge what it does.

    Args:
        cases: cases, or case files; a file that is no case is reported and makes the exit code 4.
        agent: `python:package.module:callable`, `cmd:COMMAND`, `worker:COMMAND` or `mcp:COMMAND`.
        layer: `scripted` or `live`.
        trials: live trials of each case that states none.
        select: expression of `runner.select`.
        paths: of the scripted layer: `due`, or `all` to run recorded paths of `fix: model` too.
        executor: runs cases at the same time; None: one after the other.
        isolate: `auto`, `netns`, `landlock`, `audit` or `none`: the strongest level wanted.
        gate_proposed: let proposed cases count.
        limits: bounds of each trial.
        upstream: where the live model is; None: as the environment says.
        version: of the agent, for reports and the baseline.
        baseline: what was accepted; only worse fails.
        gate_cost: let medians that doubled fail.
        budget: limits of the whole run.
        started: RFC 3339 time for the report.
        on_plan: is told what the run might take, before its first trial.
        on_case: is told each case as it ends.

    Raises:
        InputError: no agent, an agent that cannot be started, an unknown layer, level or
            selection, or another number of trials than a case states.
    """
    settings = _Settings(
        agent=_agent(agent),
        setting=_setting(layer, isolate, limits, upstream),
        live=_is_live(layer, trials, paths),
        trials=trials,
        paths=paths,
        gate_proposed=gate_proposed,
        version=version,
        budget=budget or Budget(),
    )
    chosen = None if select is None else parse_selection(select)
    loaded, invalid = _loaded(cases)
    selected = [entry for entry in loaded if chosen is None or selects(chosen, entry[0])]
    jobs = [_job(case, path, settings) for case, path in selected]
    estimate = estimate_run([(j.case, len(j.trials)) for j in jobs if _runs(j)])
    meter = Meter(settings.budget)
    if on_plan is not None:
        on_plan(meter.result(estimate))
    found, interrupted = run_jobs(jobs, executor, meter, on_case=on_case)
    bad = (*invalid, *(f"{r.path or r.id}: {r.reason}" for r in found if _is_invalid(r)))
    versions = _versions(version, found)
    results = tuple(
        beside_baseline(r, baseline, layer=layer, versions=versions, gate_cost=gate_cost)
        for r in found
    )
    if baseline is not None and not interrupted:
        results += absent_cases(baseline, known=[case.id for case, _ in loaded])
    shows_budget = settings.live or settings.budget.is_limited
    return RunReport(
        started=started,
        agent=agent,
        layer=layer,
        versions=versions,
        settings={
            "trials": trials,
            "select": select,
            "paths": paths,
            "isolate": isolate,
            "gate_proposed": gate_proposed,
            "gate_cost": gate_cost,
            "limits": asdict(settings.setting.limits),
        },
        isolation={t.isolation: t.isolation_note for r in results for t in r.trials},
        cases=results,
        groups=merge_groups(group for result in results for group in result.groups),
        budget=meter.result(estimate) if shows_budget else None,
        summary=_summary(results, invalid=bad, deselected=len(loaded) - len(selected)),
        interrupted=interrupted,
        exit_code=exit_code(results, invalid=len(bad), interrupted=interrupted),
    )


def _agent(agent: str) -> AgentSpec:
    if not agent.strip():
        raise InputError(_NO_AGENT, fix="pass --agent python:package.module:callable")
    return parse_agent(agent)


def _setting(layer: str, isolate: str, limits: Limits | None, upstream: Upstream | None) -> Setting:
    if layer == LIVE and upstream is None:
        upstream = upstream_from(os.environ)
    return Setting(
        limits=limits or Limits(),
        isolate=parse_level(isolate),
        upstream=upstream if layer == LIVE else None,
    )


def _is_live(layer: str, trials: int | None, paths: str) -> bool:
    """Read the layer.

    Raises:
        InputError: it is none, or asks for what it does not have.
    """
    if layer not in (SCRIPTED, LIVE):
        fix = f"write --layer {SCRIPTED} or --layer {LIVE}"
        raise InputError(f"layer {layer!r} is not known", place="--layer", fix=fix)
    if paths not in (DUE_PATHS, ALL_PATHS):
        raise InputError(f"paths {paths!r} is not known; expected {DUE_PATHS} or {ALL_PATHS}")
    if trials is not None and trials < 1:
        message = f"is {trials}; expected an integer >= 1"
        raise InputError(message, place="--trials", fix="leave it out, or plan at least one")
    if layer == SCRIPTED and trials not in (None, 1):
        message = "the same script run again is no other sample; a script runs once"
        raise InputError(message, place="--trials", fix="add --layer live, or leave --trials out")
    return layer == LIVE


def _loaded(
    cases: Iterable[Case | str | os.PathLike[str]],
) -> tuple[list[tuple[Case, str | None]], list[str]]:
    loaded: list[tuple[Case, str | None]] = []
    invalid: list[str] = []
    file_of: dict[str, str] = {}
    for entry in cases:
        if isinstance(entry, Case):
            loaded.append((entry, None))
            continue
        try:
            case = load_case(Path(entry))
        except InputError as error:
            invalid.append(str(error))
            continue
        first = file_of.setdefault(case.id, os.fspath(entry))
        if first == os.fspath(entry):
            loaded.append((case, first))
        else:  # baseline, traces and results tell cases by their ids
            fix = "\n  Fix: give each case an id of its own"
            invalid.append(f"{os.fspath(entry)}: id is that of {first} too{fix}")
    return loaded, invalid


def _job(case: Case, path: str | None, settings: _Settings) -> Job:
    trials = _trials(case, settings)
    plan = (
        plan_live(case, trials=settings.trials)
        if settings.live
        else plan_scripted(case, trials=len(trials))
    )
    proposed = case.state is CaseState.PROPOSED and settings.gate_proposed
    return Job(
        case=case,
        path=path,
        agent=settings.agent,
        setting=settings.setting,
        plan=plan,
        trials=(live_path(case),) * plan.trials if settings.live else trials,
        gates=(case.state is CaseState.ACTIVE or proposed) and case.withdrawn is None,
        version=settings.version,
        budget=settings.budget,
    )


def _trials(case: Case, settings: _Settings) -> tuple[CasePath, ...]:
    """Return the scripted paths to run."""
    if case.fix is FixPlace.CODE or settings.paths == ALL_PATHS:
        return (case.recorded, *case.accepted)
    return case.accepted


def _runs(job: Job) -> bool:
    return job.case.state is not CaseState.ARCHIVED


def _is_invalid(result: CaseResult) -> bool:
    """Whether a case cannot be run as written; of an archived one nothing is asked."""
    return result.strength is None and result.state != CaseState.ARCHIVED.value


def _versions(version: str | None, results: Sequence[CaseResult]) -> JsonMap:
    """Return what was tested: the agent's version and the models that it asked for."""
    models: set[Json] = {
        event.model
        for result in results
        for trial in result.trials
        for event in trial.trace.events
        if isinstance(event, ModelRequest) and event.model is not None
    }
    return {"agent": version, "models": sorted(models, key=str)}


def _summary(
    results: Sequence[CaseResult], *, invalid: tuple[str, ...], deselected: int
) -> Summary:
    verdicts = [result.verdict for result in results]
    ran = [r for r in results if r.gates and r.verdict is not CaseVerdict.NOT_RUN]
    return Summary(
        cases=len(results),
        passed=verdicts.count(CaseVerdict.PASS),
        failed=verdicts.count(CaseVerdict.FAIL),
        inconclusive=verdicts.count(CaseVerdict.INCONCLUSIVE),
        not_run=verdicts.count(CaseVerdict.NOT_RUN),
        gating=len(ran),
        near=sum(r.gate is not None and r.gate.near is not None for r in results),
        deselected=deselected,
        invalid=invalid,
    )

"""`workbench run CASES... --agent SPEC`: your agent against the cases; runner half."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.casefile.case import find_cases
from workbench.cli.options import complain, settings_of
from workbench.cli.reporting import (
    case_progress,
    require_targets,
    write_reports,
)
from workbench.errors import InputError
from workbench.model.wording import counted
from workbench.replay.adapters.environment import upstream_from
from workbench.runner.baseline import (
    Baseline,
    baseline_diff,
    load_baseline,
    save_baseline,
    updated_baseline,
)
from workbench.runner.budget import Budget, Price
from workbench.runner.executors import open_executor
from workbench.runner.reports.estimate import estimate_line
from workbench.runner.reports.harmless import harmless
from workbench.runner.trials import LIVE, run_cases

if TYPE_CHECKING:
    from argparse import Namespace

    from workbench.model.settings import Settings
    from workbench.runner.outcome import BudgetResult, RunReport

__all__ = ["execute"]

_NO_AGENT: Final = "nothing of yours would be tested; `workbench check` is the self-test"
_BASELINE: Final = "baseline.json"


def execute(options: Namespace) -> int:
    """Run, report, and return the exit code of the gates."""
    settings = settings_of()
    agent = options.agent or settings.agent.spec
    if not agent:
        raise InputError(_NO_AGENT, fix="--agent python:package.module:callable")
    require_targets(options)
    paths = find_cases(options.cases)
    file = _baseline_file(options, settings)
    baseline = None if file is None else load_baseline(file)
    report = _run(paths, agent, options, settings, baseline)
    code = write_reports(report, options)
    if not paths:
        complain("workbench: no *.case.yaml in what was given\n  Fix: check the path")
    if file is not None and options.update_baseline is not None:
        _update(file, baseline or Baseline(), report, options)
    return code


def _baseline_file(options: Namespace, settings: Settings) -> Path | None:
    """Return the file of the baseline; None: nothing is compared.

    Raises:
        InputError: it is to be compared with, and is not there.
    """
    update = options.update_baseline is not None
    if options.baseline is None:
        return Path(settings.folders.cases) / _BASELINE if update else None
    path: Path = options.baseline
    if not update and not path.exists():
        message = "is not there"
        raise InputError(message, place=path.name, fix="make it with --update-baseline REASON")
    return path


def _update(file: Path, old: Baseline, report: RunReport, options: Namespace) -> None:
    """Write the new baseline and say what changes; the exit code stays that of the old one."""
    stopped = report.budget is not None and report.budget.stopped is not None
    if report.interrupted or stopped or report.summary.invalid:
        complain("workbench: not all cases were run to their end; the baseline stays as it is")
        return
    new = updated_baseline(old, report, reason=options.update_baseline, at=report.started)
    save_baseline(new, file)
    lines = baseline_diff(old, new)
    say = complain if options.json else print
    say("\n".join((f"baseline: {counted(len(lines), 'change')}", *map(harmless, lines))))


def _run(
    paths: list[Path],
    agent: str,
    options: Namespace,
    settings: Settings,
    baseline: Baseline | None,
) -> RunReport:
    with open_executor(options.executor) as executor, case_progress(len(paths)) as on_case:
        return run_cases(
            paths,
            agent=agent,
            layer=options.layer,
            trials=options.trials,
            select=options.select,
            executor=executor,
            isolate=options.isolate,
            gate_proposed=options.gate_proposed,
            upstream=upstream_from(os.environ) if options.layer == LIVE else None,
            version=_version(agent, settings),
            baseline=baseline,
            gate_cost=options.gate_cost,
            budget=_budget(options, settings),
            started=datetime.now(tz=UTC).isoformat(timespec="seconds"),  # noqa: TID251  the edge
            on_plan=_say_estimate if options.layer == LIVE else None,
            on_case=on_case,
        )


def _version(agent: str, settings: Settings) -> str | None:
    """Return the version that the settings state, unless they state it of another agent."""
    own = settings.agent.spec
    return settings.agent.version if own in (None, agent) else None


def _budget(options: Namespace, settings: Settings) -> Budget:
    prices = (settings.agent.usd_per_million_input, settings.agent.usd_per_million_output)
    price = None
    if prices[0] is not None and prices[1] is not None:
        price = Price(input_usd=prices[0], output_usd=prices[1])
    return Budget(
        usd=options.budget_usd,
        tokens=options.budget_tokens,
        minutes=options.budget_minutes,
        price=price,
    )


def _say_estimate(estimate: BudgetResult) -> None:
    complain(estimate_line(estimate))

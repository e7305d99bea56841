"""`workbench run CASES... --agent SPEC`: your agent against the cases; runner half."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.casefile.case import find_cases
from workbench.casefile.files import write_over
from workbench.cli.options import add_json, complain, print_json, settings_of
from workbench.cli.progress import Progress
from workbench.errors import InputError
from workbench.replay.isolation.levels import Level
from workbench.runner.reports.results import results_document
from workbench.runner.reports.terminal import render
from workbench.runner.reports.text import wants_colour
from workbench.runner.trials import run_cases

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from workbench.runner.outcome import CaseResult, RunReport

__all__ = ["add_arguments", "execute"]

_NO_AGENT = "nothing of yours would be tested; `workbench check` is the self-test"


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    parser.add_argument(
        "cases", metavar="CASES", nargs="+", type=Path, help="case files or folders"
    )
    parser.add_argument(
        "--agent", metavar="SPEC", help="python:package.module:callable or cmd:COMMAND"
    )
    parser.add_argument("--isolate", metavar="L", default="auto", help=f"auto, {', '.join(Level)}")
    parser.add_argument(
        "--gate-proposed", action="store_true", help="let proposed cases gate as well"
    )
    parser.add_argument("--results", metavar="F", type=Path, help="write results.json here")
    add_json(parser)


def execute(options: Namespace) -> int:
    """Run, report, and return the exit code of the gates."""
    agent = options.agent or settings_of().agent.spec
    if not agent:
        raise InputError(_NO_AGENT, fix="--agent python:package.module:callable")
    paths = find_cases(options.cases)
    report = _run(paths, agent, options)
    document = results_document(report)
    if options.results is not None:
        write_over(options.results, json.dumps(document, indent=2) + "\n")
    if options.json:
        print_json(document)
    else:
        print(render(report, colour=wants_colour(sys.stdout)))
    if not paths:
        complain("workbench: no *.case.yaml in what was given\n  Fix: check the path")
    return report.exit_code


def _run(paths: list[Path], agent: str, options: Namespace) -> RunReport:
    done = 0

    def count(_: CaseResult) -> None:
        nonlocal done
        done += 1
        progress(done, len(paths))

    with Progress("cases", stream=sys.stderr) as progress:
        return run_cases(
            paths,
            agent=agent,
            isolate=options.isolate,
            gate_proposed=options.gate_proposed,
            started=datetime.now(tz=UTC).isoformat(timespec="seconds"),  # noqa: TID251  the edge
            on_case=count,
        )

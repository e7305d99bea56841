"""`workbench check CASES...`: validate, lint and self-test cases; no agent involved.

It proves the cases, not an agent: it never says "passed". Runner half, but for `--detectors`, whose
part of the desk half is reached by its name in the table of `main`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from workbench.casefile.case import find_cases, load_case
from workbench.casefile.codec import encode
from workbench.cli.main import DESK_PARTS
from workbench.cli.options import complain, print_json, relative
from workbench.errors import InputError, MissingExtraError
from workbench.runner.selftest import CaseReport, check_case, invalid_case, render_report

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable
    from pathlib import Path
    from typing import TypeAlias

    from workbench.model.case import Case

    Look: TypeAlias = Callable[[CaseReport, Case], CaseReport]

__all__ = ["execute"]


def execute(options: Namespace) -> int:
    """Check every case; 0 sound, 1 a case does not do what it says, 4 invalid, 5 no case."""
    paths = find_cases(options.cases)
    look = _detectors if options.detectors else _as_it_is
    reports = [_checked(path, look()) for path in paths]
    if options.json:
        print_json({"cases": [encode(report) for report in reports]})
    else:
        for report in reports:
            print(render_report(report))
        print(f"{sum(report.sound for report in reports)} of {len(reports)} cases are sound")
    return _exit_code(reports)


def _as_it_is() -> Look:
    return lambda report, _case: report


def _detectors() -> Look:
    """Return what adds the findings of detectors to a report.

    Raises:
        MissingExtraError: the desk half is not installed.
    """
    name = DESK_PARTS["check --detectors"]
    try:
        look: Look = importlib.import_module(name).with_strangers
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "workbench"):
            raise
        raise MissingExtraError(package, needed_for="check --detectors", extra="desk") from None
    return look


def _checked(path: Path, look: Look) -> CaseReport:
    name = relative(path)
    try:
        case = load_case(path)
    except InputError as error:
        complain(f"workbench: {error}")
        return invalid_case(name, str(error))
    return look(check_case(case, path=name), case)


def _exit_code(reports: list[CaseReport]) -> int:
    if not reports:
        complain("workbench: no *.case.yaml in what was given\n  Fix: check the path")
        return 5
    if not all(report.valid for report in reports):
        return 4
    return 0 if all(report.sound for report in reports) else 1

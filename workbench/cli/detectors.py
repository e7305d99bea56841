"""`workbench check --detectors`: the desk half's part of a check.

`check` belongs to the runner half and reaches this module only by its name in the table of `main`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.review.recheck import find_strangers
from workbench.runner.lint import Level, Problem

if TYPE_CHECKING:
    from workbench.model.case import Case
    from workbench.runner.selftest import CaseReport

__all__ = ["with_strangers"]


def with_strangers(report: CaseReport, case: Case) -> CaseReport:
    """Return the report of a case with a problem for each value that detectors find in it."""
    problems = tuple(
        Problem(
            level=Level.WRONG,
            at=stranger.at,
            sentence=f"holds {stranger.length} characters that {stranger.detector} takes for "
            f"{stranger.type}; they are no pseudonym of this case. "
            "Fix: redact the run again, or retain the value there with a reason",
        )
        for stranger in find_strangers(case)
    )
    return replace(report, problems=(*report.problems, *problems))

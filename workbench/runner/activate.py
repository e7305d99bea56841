"""`workbench activate`: a case starts to gate once it is proven."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.errors import InputError, RefusedError
from workbench.model.case import CaseState, HistoryEntry
from workbench.runner.lint import Level, unseen_texts
from workbench.runner.selftest import check_case

if TYPE_CHECKING:
    from workbench.model.case import Case
    from workbench.runner.selftest import CaseReport

__all__ = ["activate"]


def activate(case: Case, *, by: str, date: str) -> Case:
    """Return the case as active.

    Args:
        case: a proposed, muted or archived case.
        by: who says so.
        date: ISO date of the change.

    Raises:
        InputError: it is active already.
        RefusedError: it is not red, green, killable and reviewed; the reasons say what is missing.
    """
    if case.state is CaseState.ACTIVE:
        raise InputError(
            "is active already", place=case.id, key="state", fix="nothing is left to do"
        )
    report = check_case(case)
    reasons = _missing(case, report)
    if reasons:
        raise RefusedError(
            f"{case.id} cannot be activated",
            reasons=reasons,
            fix="workbench accept adds an accepted path; workbench show RUN --reveal shows unseen texts,"
            " and workbench make takes decisions on their places with --policy redaction.yaml",
        )
    entry = HistoryEntry(date=date, by=by, change="activated")
    return replace(case, state=CaseState.ACTIVE, mute=None, history=(*case.history, entry))


def _missing(case: Case, report: CaseReport) -> tuple[str, ...]:
    found = [
        f"{problem.at}: {problem.sentence}"
        for problem in report.problems
        if problem.level is not Level.NOTE
    ]
    if report.accepted_green is None:
        found.append("no accepted path yet")
    found += [f"{clause}: nothing turns this clause red" for clause in report.dead_clauses]
    if unseen := unseen_texts(case.redaction):
        found.append(unseen)
    return tuple(dict.fromkeys(found))

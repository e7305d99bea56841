"""A run for a tired engineer: what failed first, one line a fact, nothing to decode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.model.wording import counted
from workbench.runner.outcome import CaseVerdict
from workbench.runner.reports.case_lines import (
    LIVE,
    by_importance,
    case_lines,
    case_title,
    group_line,
    other_invalid,
)
from workbench.runner.reports.harmless import harmless
from workbench.runner.reports.text import cut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.runner.outcome import BudgetResult, CaseResult, RunReport

__all__ = ["LIMITS", "code_words", "head_line", "render", "totals_line"]

_RED: Final = "\x1b[31m"
_YELLOW: Final = "\x1b[33m"
_GREEN: Final = "\x1b[32m"
_LONGEST: Final = 500
_PLAIN: Final = "\x1b[0m"
_SHOWN: Final = {
    CaseVerdict.FAIL: ("FAIL", _RED),
    CaseVerdict.INCONCLUSIVE: ("INCONCLUSIVE", _YELLOW),
    CaseVerdict.NOT_RUN: ("not run", ""),
    CaseVerdict.PASS: ("pass", _GREEN),
}
_CODES: Final = {
    0: "all gates hold",
    1: "a gate failed",
    2: "interrupted",
    4: "a file is no valid case",
    5: "nothing that gates was run",
    6: "inconclusive: nothing may be concluded",
}
LIMITS: Final = {
    "scripted": (
        "Recorded results show how the agent treats a result, not that the real system is right;",
        "a scripted model shows the orchestration, not the model.",
    ),
    LIVE: (
        "Recorded results show how the agent treats a result, not that the real system is right;",
        "the trials show the model of today, at the rates above.",
    ),
}
"""What a run cannot show, by layer."""


def render(report: RunReport, *, colour: bool = False, width: int = 100) -> str:
    """Return the report as text.

    Args:
        report: of a run.
        colour: use ANSI colours; for a terminal only.
        width: columns of the terminal.
    """
    lines = [head_line(report), ""]
    for case in by_importance(report):
        lines += _case(case, report, colour=colour, width=width)
    lines += [f"INVALID      {_indented(sentence)}" for sentence in other_invalid(report)]
    shared = [group_line(group) for group in report.groups if len(group.cases) > 1]
    lines += [*shared, *([] if lines[-1] == "" and not shared else [""]), totals_line(report)]
    if report.budget is not None:
        lines += _budget(report.budget)
    lines += [f"exit {report.exit_code}: {code_words(report.exit_code)}", *LIMITS[report.layer]]
    return "\n".join(lines)


def head_line(report: RunReport) -> str:
    """Return what ran, in which layer, and how well it was held."""
    levels = "; ".join(f"{level} ({note})" for level, note in report.isolation.items())
    isolation = f"isolation {levels}" if levels else "no agent was started"
    return cut(harmless(f"{report.agent} | {report.layer} layer | {isolation}"), _LONGEST)


def _case(case: CaseResult, report: RunReport, *, colour: bool, width: int) -> Iterator[str]:
    word, code = _SHOWN[case.verdict]
    shown = f"{code}{word:<12}{_PLAIN}" if colour and code else f"{word:<12}"
    yield f"{shown} {case_title(case)}"
    if case.verdict is not CaseVerdict.PASS:
        place = [] if case.path is None else [case.path]
        yield from (f"    {cut(harmless(text), _LONGEST)}" for text in (case.title, *place))
    for line in case_lines(case, report, width=width - 4):
        yield f"    {line}"
    if case.verdict is not CaseVerdict.PASS:
        yield ""


def _indented(text: str) -> str:
    return "\n    ".join(cut(harmless(line.strip()), _LONGEST) for line in text.splitlines())


def totals_line(report: RunReport) -> str:
    """Return the counts of cases."""
    summary = report.summary
    counts = (
        f"{counted(summary.cases, 'case')}: {summary.failed} failed, {summary.inconclusive} inconclusive, "
        f"{summary.passed} passed, {summary.not_run} not run; {summary.gating} gate"
    )
    more = (
        (summary.near if report.layer == LIVE else 0, "decided by one trial"),
        (summary.deselected, "not selected"),
        (len(summary.invalid), "invalid"),
    )
    return "; ".join((counts, *(f"{count} {what}" for count, what in more if count)))


def _budget(budget: BudgetResult) -> Iterator[str]:
    spent = [f"{budget.spent_tokens} tokens", f"{budget.spent_minutes:.1f} minutes"]
    if budget.spent_usd is not None:
        spent.append(f"{budget.spent_usd:.2f} USD")
    yield f"{counted(budget.trials, 'trial')} planned; spent {', '.join(spent)}"
    if budget.stopped is not None:
        yield f"stopped: {cut(harmless(budget.stopped), _LONGEST)}"


def code_words(code: int) -> str:
    """Say what an exit code means."""
    return _CODES[code]

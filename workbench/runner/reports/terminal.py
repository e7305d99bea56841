"""A run for a tired engineer: what failed first, one line a fact, nothing to decode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.model.case import Expectation
from workbench.runner.outcome import CaseVerdict
from workbench.runner.reports.harmless import harmless
from workbench.runner.strength import strength_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.model.jsonvalue import JsonMap
    from workbench.runner.outcome import CaseResult, RunReport, TrialResult

__all__ = ["render"]

_RED: Final = "\x1b[31m"
_YELLOW: Final = "\x1b[33m"
_GREEN: Final = "\x1b[32m"
_PLAIN: Final = "\x1b[0m"
_ORDER: Final = (
    CaseVerdict.FAIL,
    CaseVerdict.INCONCLUSIVE,
    CaseVerdict.NOT_RUN,
    CaseVerdict.PASS,
)
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
_LIMIT: Final = (
    "Recorded results show how the agent treats a result, not that the real system is right;\n"
    "a scripted model shows the orchestration, not the model."
)
_MOST: Final = 5


def render(report: RunReport, *, colour: bool = False) -> str:
    """Return the report as text.

    Args:
        report: of a run.
        colour: use ANSI colours; for a terminal only.
    """
    ordered = sorted(report.cases, key=lambda case: _ORDER.index(case.verdict))
    lines = [_head(report), ""]
    for case in ordered:
        lines += _case(case, colour=colour)
    lines += [f"INVALID      {_lines(sentence)}" for sentence in report.summary.invalid]
    lines += ["", _totals(report), _LIMIT]
    return "\n".join(lines)


def _head(report: RunReport) -> str:
    levels = "; ".join(f"{level} ({note})" for level, note in report.isolation.items())
    isolation = f"isolation {levels}" if levels else "no agent was started"
    return f"{harmless(report.agent)} | {report.layer} layer | {isolation}"


def _case(case: CaseResult, *, colour: bool) -> Iterator[str]:
    word, code = _SHOWN[case.verdict]
    shown = f"{code}{word:<12}{_PLAIN}" if colour and code else f"{word:<12}"
    state = case.state if case.gates else f"{case.state}, does not gate"
    yield f"{shown} {harmless(case.id)} [{state}]"
    if case.reason is not None:
        yield f"    {_lines(case.reason)}"
    if case.verdict is not CaseVerdict.PASS:
        for trial in case.trials:
            yield from _trial(trial)
    if case.divergence is not None:
        yield f"    {harmless(_parting(case.divergence))}"
    if case.strength is not None:
        yield f"    {harmless(strength_line(case.strength))}"


def _lines(text: str) -> str:
    """Keep the lines of a message of ours, its `Fix:` below it."""
    return "\n    ".join(harmless(line.strip()) for line in text.splitlines())


def _trial(trial: TrialResult) -> Iterator[str]:
    if trial.verdict is CaseVerdict.PASS:
        return
    found = trial.violations or trial.doubts
    for entry in found[:_MOST]:
        place = "" if entry.seq is None else f" at event {entry.seq}"
        yield f"    path {harmless(trial.path)}: {harmless(entry.clause)}{place}: " + harmless(
            entry.sentence
        )
    if len(found) > _MOST:
        yield f"    path {harmless(trial.path)}: and {len(found) - _MOST} more, see the results"


def _parting(document: JsonMap) -> str:
    whose = "recorded" if document["expect"] == Expectation.FAIL.value else "accepted"
    second = document["second"]
    place = f"event {second['seq']}" if isinstance(second, dict) else "its end"
    path = f"path {document['path']}: parts from the {whose} path at {place}"
    return f"{path}: {document['sentence']}"


def _totals(report: RunReport) -> str:
    summary = report.summary
    counts = (
        f"{summary.cases} cases: {summary.failed} failed, {summary.inconclusive} inconclusive, "
        f"{summary.passed} passed, {summary.not_run} not run; {summary.gating} gate"
    )
    return f"{counts}\nexit {report.exit_code}: {_CODES[report.exit_code]}"

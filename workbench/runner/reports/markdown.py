"""A step summary in Markdown, inert whatever a case is called and an agent does.

Text that comes from a case, a trace or an agent stands in code spans and fenced blocks only:
nothing in them is a link, an image, a mention, an issue number, markup or the end of a table.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.runner.outcome import CaseVerdict
from workbench.runner.reports.case_lines import (
    by_importance,
    case_lines,
    case_title,
    group_line,
    other_invalid,
)
from workbench.runner.reports.harmless import harmless
from workbench.runner.reports.terminal import LIMITS, code_words, head_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workbench.runner.outcome import CaseResult, RunReport

__all__ = ["MAX_BYTES", "code_span", "fenced", "markdown_summary"]

MAX_BYTES: Final = (1 << 20) - 1
"""GitHub drops a step summary of more than 1 MiB."""

_RESERVED: Final = 4096
_LINE: Final = 500
_TICKS: Final = re.compile(r"`+")
_HEADS: Final = {
    CaseVerdict.FAIL: "Failed",
    CaseVerdict.INCONCLUSIVE: "Inconclusive",
    CaseVerdict.NOT_RUN: "Not run",
}


def markdown_summary(report: RunReport, *, limit: int = MAX_BYTES) -> str:
    """Return the summary, failures first; what does not fit is counted.

    Args:
        report: of a run.
        limit: bytes in UTF-8, at least 8,192.
    """
    parts = [_top(report)]
    used = _size(parts[0]) + _RESERVED
    left_out = 0
    for part in _sections(report):
        if left_out or used + _size(part) > limit:
            left_out += 1
        else:
            parts.append(part)
            used += _size(part)
    if left_out:
        parts.append(f"{left_out} more sections did not fit; the results file has them.\n")
    parts.append(f"_{' '.join(LIMITS[report.layer])}_\n")
    return "\n".join(parts)


def _size(text: str) -> int:
    return len(text.encode()) + 1


def code_span(text: str) -> str:
    """Return `text` as code within a line.

    >>> print(code_span("a`b"))
    ``a`b``
    """
    shown = _cut(harmless(text)) or " "
    fence = "`" * (1 + max(map(len, _TICKS.findall(shown)), default=0))
    pad = " " if "`" in (shown[0], shown[-1]) else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def fenced(lines: Iterable[str]) -> str:
    """Return harmless lines as a block of code."""
    shown = [_cut(harmless(line)) for line in lines]
    longest = max((len(ticks) for line in shown for ticks in _TICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join((f"{fence}text", *shown, fence, ""))


def _cut(text: str) -> str:
    return text if len(text) <= _LINE else f"{text[: _LINE - 1]}…"


def _top(report: RunReport) -> str:
    summary = report.summary
    counts = (
        *(summary.failed, summary.inconclusive, summary.not_run, summary.passed),
        *(summary.gating, len(summary.invalid)),
    )
    return "\n".join(
        (
            f"## Replayed cases: {code_words(report.exit_code)} (exit {report.exit_code})",
            "",
            "| failed | inconclusive | not run | passed | gate | invalid files |",
            "|---:|---:|---:|---:|---:|---:|",
            f"| {' | '.join(map(str, counts))} |",
            "",
            fenced([head_line(report)]),
        )
    )


def _sections(report: RunReport) -> Iterator[str]:
    """Yield what may be left out, the least important last."""
    shared = [group_line(group) for group in report.groups if len(group.cases) > 1]
    if shared:
        yield f"### Failures with one cause\n\n{fenced(shared)}"
    for sentence in other_invalid(report):
        yield f"### Invalid file\n\n{fenced(sentence.splitlines())}"
    cases = by_importance(report)
    for verdict, head in _HEADS.items():
        for case in cases:
            if case.verdict is verdict:
                yield _case(head, case, report)
    yield from _passed([case for case in cases if case.verdict is CaseVerdict.PASS], report)


def _case(head: str, case: CaseResult, report: RunReport) -> str:
    lines = [case.title, *([] if case.path is None else [case.path]), *case_lines(case, report)]
    return f"### {head}: {code_span(case_title(case))}\n\n{fenced(lines)}"


def _passed(cases: list[CaseResult], report: RunReport) -> Iterator[str]:
    """Yield the cases that passed, one line each, folded away, in pieces that may be left out."""
    for start in range(0, len(cases), 100):
        piece = cases[start : start + 100]
        lines = [line for case in piece for line in _passed_lines(case, report)]
        yield (f"<details><summary>{len(piece)} passed</summary>\n\n{fenced(lines)}\n</details>\n")


def _passed_lines(case: CaseResult, report: RunReport) -> Iterator[str]:
    yield case_title(case)
    yield from (f"    {line}" for line in case_lines(case, report))

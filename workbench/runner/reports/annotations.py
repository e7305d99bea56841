"""GitHub annotations: the violated clause's own line of the case file, ten at most.

What is written are workflow commands, one a line; whatever a case says stands in them escaped,
so that it neither ends its command nor begins another.

Source:
    GitHub, "Workflow commands for GitHub Actions": `%`, CR and LF are escaped in a message, `:`
    and `,` in a property too; ten annotations of a kind are shown for a step.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.casefile.case_lines import find_lines
from workbench.errors import InputError
from workbench.runner.outcome import CaseVerdict, Relation
from workbench.runner.reports.case_lines import (
    LIVE,
    by_importance,
    is_invalid,
    is_overdue,
    other_invalid,
    summary_line,
)
from workbench.runner.reports.harmless import harmless
from workbench.runner.reports.text import cut

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.runner.outcome import CaseResult, RunReport

__all__ = ["MOST", "github_annotations"]

MOST: Final = 10
_MESSAGE: Final = 1000
_PROPERTY: Final = 300
_PLACE: Final = re.compile(r"(?P<file>[^:]+):(?P<line>[0-9]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Note:
    level: str
    """`error`, `warning` or `notice`."""
    file: str | None
    line: int | None
    title: str
    message: str


def github_annotations(report: RunReport, *, root: Path | None = None) -> list[str]:
    """Return the commands, the most telling first; the last one counts what had no room.

    Args:
        report: of a run.
        root: of the repository; None: the working folder.
    """
    notes = list(_notes(report, root or Path.cwd()))
    if len(notes) > MOST:
        rest = len(notes) - MOST + 1
        message = f"{rest} more; the step summary and the results file have all of them"
        last = _Note(level="notice", file=None, line=None, title="workbench run", message=message)
        notes = [*notes[: MOST - 1], last]
    return [_command(note) for note in notes]


def _notes(report: RunReport, root: Path) -> Iterator[_Note]:
    for sentence in other_invalid(report):
        yield _of_invalid(sentence)
    cases = by_importance(report)
    for case in cases:
        yield from _of_verdict(case, root)
    for case in cases:
        yield from _of_gate(case, root, live=report.layer == LIVE)
        if is_overdue(case, report):
            message = f"its review was due on {case.review_date}; ask {case.owner}"
            yield _note("warning", case, root, message, key="review_date")


def _of_invalid(sentence: str) -> _Note:
    """Return the note on a file that is no case; its sentence begins with file and line."""
    place, _, message = sentence.partition(": ")
    found = _PLACE.fullmatch(place)
    return _Note(
        level="error",
        file=found["file"] if found else place or None,
        line=int(found["line"]) if found else None,
        title="no valid case",
        message=message or sentence,
    )


def _of_verdict(case: CaseResult, root: Path) -> Iterator[_Note]:
    if is_invalid(case):
        yield _note("error", case, root, summary_line(case))
    elif case.verdict is CaseVerdict.FAIL:
        level = "error" if case.gates else "warning"
        first = {found.clause: found for found in reversed(case.violations)}
        for found in dict.fromkeys(first[found.clause] for found in case.violations):
            message = f"{found.clause}: {found.sentence}"
            yield _note(level, case, root, message, clause=found.clause)
        if not case.violations:
            yield _note(level, case, root, summary_line(case))
    elif case.verdict is CaseVerdict.INCONCLUSIVE and case.gates:
        yield _note("error", case, root, f"inconclusive: {summary_line(case)}")


def _of_gate(case: CaseResult, root: Path, *, live: bool) -> Iterator[_Note]:
    if live and case.gate is not None and case.gate.near is not None:
        yield _note("warning", case, root, case.gate.near, key="gate")
    found = case.baseline
    if found is not None and found.relation not in (Relation.SAME, Relation.NEW):
        level = "error" if found.relation in (Relation.WORSE, Relation.NOT_RUN) else "notice"
        yield _note(level, case, root, f"baseline: {found.sentence}")


def _note(
    level: str,
    case: CaseResult,
    root: Path,
    message: str,
    *,
    clause: str | None = None,
    key: str = "id",
) -> _Note:
    """Return a note on a line of the case's file: of a clause, or of a key."""
    file = None if case.path is None else Path(case.path)
    return _Note(
        level=level,
        file=None if file is None else _from_root(file, root),
        line=None if file is None else _line(file, clause, key),
        title=case.id,
        message=message,
    )


def _from_root(file: Path, root: Path) -> str:
    path = file.absolute()
    inside = path.is_relative_to(root.absolute())
    return (path.relative_to(root.absolute()) if inside else file).as_posix()


def _line(file: Path, clause: str | None, key: str) -> int:
    try:
        lines = find_lines(file)
    except InputError:  # it was readable when it was run; without a line the note still counts
        return 1
    return lines.of_key(key) if clause is None else lines.of_clause(clause)


def _command(note: _Note) -> str:
    facts = {"file": note.file, "line": note.line, "title": f"workbench: {note.title}"}
    shown = ",".join(
        f"{name}={_property(str(value))}" for name, value in facts.items() if value is not None
    )
    return f"::{note.level} {shown}::{_escaped(_one_line(note.message))}"


def _one_line(text: str) -> str:
    """Keep the lines of a message as one text with breaks, harmless each."""
    lines = [harmless(line.strip()) for line in text.splitlines()]
    return cut("\n".join(lines), _MESSAGE)


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(harmless(text[:_PROPERTY])).replace(":", "%3A").replace(",", "%2C")

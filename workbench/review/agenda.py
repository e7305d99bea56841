"""The quarterly meeting: each stale case ends in one decision with a name and a reason.

A decision changes the case file, ready for a pull request, and adds to its `history`; comments
survive. What was decided, and what was not, is a Markdown record.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, Final
from unicodedata import category

from workbench.casefile.case import load_case
from workbench.casefile.case_checks import is_date
from workbench.casefile.files import read_bytes, shown_path, write_over
from workbench.casefile.place import describe
from workbench.errors import InputError, RefusedError
from workbench.model.case import CaseState, HistoryEntry, Mute
from workbench.model.wording import counted
from workbench.review.edit import rewrite_case
from workbench.runner.reports.harmless import harmless
from workbench.runner.reports.markdown import code_span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from workbench.model.case import Case
    from workbench.model.jsonvalue import JsonMap
    from workbench.review.stale import DueCase
    from workbench.store.handle import Store

__all__ = [
    "Action",
    "StaleDecision",
    "Taken",
    "decide_case",
    "meeting_record",
    "store_decision",
    "taken_on",
    "write_record",
]


class Action(StrEnum):
    """What a meeting decides about a case."""

    KEEP = "keep"
    FIX = "fix"
    MUTE = "mute"
    ARCHIVE = "archive"


_ACTIONS: Final = {
    "kept": Action.KEEP,
    "to be fixed": Action.FIX,
    "muted": Action.MUTE,
    "archived": Action.ARCHIVE,
}
"""First words of a change in the history -> the decision that it was."""
_CHANGE: Final = re.compile(
    r"(kept|to be fixed|muted|archived)(?:(?:, review date \S+ ->| until) (\S+))?"
)
_NOTES: Final = "<!-- Notes below this line stay when the record is written again. -->"
_LONGEST: Final = 4_000
"""Characters of a name or a reason."""
_NEEDS_DATE: Final = {
    Action.KEEP: ("the new review date", "give the day of the next review"),
    Action.MUTE: ("the mute's last day", "say until when"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleDecision:
    """What was decided about one case, by whom and why."""

    action: Action
    by: str
    reason: str
    until: str | None = None
    """Keep: the new review date. Fix: the same, when it moves. Mute: its last day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A decision that is in a case file."""

    place: str
    id: str
    title: str
    draft: str | None
    decision: StaleDecision


def decide_case(
    file: Path, decision: StaleDecision, *, today: str, seal: str | None = None
) -> Taken:
    """Write a decision into a case file.

    Args:
        file: of the case.
        decision: with a name and a reason.
        today: ISO date, for the history.
        seal: of the file as the meeting saw it, `DueCase.seal`; None: whatever it says now.

    Raises:
        RefusedError: somebody changed the file since it was seen.
        InputError: the file is no case or was changed meanwhile; a name, a reason or a date is
            missing or wrong; the case is archived. The file is unchanged.
    """
    _require_whole(decision, today)
    was = load_case(file)
    if seal not in (None, sha256(file.read_bytes()).hexdigest()):
        who = was.history[-1].by if was.history and was.history[-1].date == today else "somebody"
        message = f"{who} changed this case meanwhile; nothing was changed"
        raise RefusedError(message, fix="look at it again; decide again to change it")
    case = _decided(was, decision, today=today)
    rewrite_case(file, case, was=was)
    return _as_taken(file, case, decision)


def _as_taken(file: Path, case: Case, decision: StaleDecision) -> Taken:
    return Taken(
        place=shown_path(file),
        id=case.id,
        title=case.title,
        draft=case.source.draft,
        decision=decision,
    )


def _require_whole(decision: StaleDecision, today: str) -> None:
    for key, text in (("by", decision.by), ("reason", decision.reason)):
        if not text.strip():
            message = "is empty; a decision has a name and a reason"
            raise InputError(message, key=key, fix=f"fill in {key}")
        odd = next(filter(_cannot_be_written, text), None)
        if odd is not None or len(text) > _LONGEST:
            what = f"{len(text)} characters" if odd is None else f"U+{ord(odd):04X} in it"
            message = f"has {what}; expected at most {_LONGEST} that can be written"
            raise InputError(message, key=key, fix="write it anew")
    if decision.until is None:
        if decision.action in _NEEDS_DATE:
            what, fix = _NEEDS_DATE[decision.action]
            message = f"is missing; {decision.action} needs {what}"
            raise InputError(message, key="until", fix=fix)
        return
    if decision.action is Action.ARCHIVE:
        message = "is given, and an archived case is not looked at again"
        raise InputError(message, key="until", fix="leave the date out")
    if not is_date(decision.until) or decision.until <= today:
        message = f"is {describe(decision.until)}; expected a day after {today}, YYYY-MM-DD"
        raise InputError(message, key="until", fix="write a day to come")


def _cannot_be_written(char: str) -> bool:
    """Whether a character stands for no text: what hides or reorders is shown by its number."""
    return char not in "\n\t" and category(char) in ("Cc", "Cs")


def _decided(case: Case, decision: StaleDecision, *, today: str) -> Case:
    if case.state is CaseState.ARCHIVED:
        raise InputError(
            "is archived already; nothing is left to decide",
            place=case.id,
            key="state",
            fix="`workbench activate` brings it back",
        )
    entry = HistoryEntry(
        date=today,
        by=decision.by.strip(),
        change=_change(case, decision),
        reason=decision.reason.strip(),
    )
    case = replace(case, history=(*case.history, entry))
    match decision.action:
        case Action.ARCHIVE:
            return replace(case, state=CaseState.ARCHIVED, mute=None)
        case Action.MUTE:
            assert decision.until is not None  # noqa: S101  checked by `_require_whole`
            mute = Mute(by=entry.by, reason=decision.reason.strip(), until=decision.until)
            return replace(case, state=CaseState.MUTED, mute=mute)
        case Action.KEEP | Action.FIX:
            return replace(case, review_date=decision.until or case.review_date)


def _change(case: Case, decision: StaleDecision) -> str:
    match decision.action:
        case Action.KEEP:
            return f"kept, review date {case.review_date} -> {decision.until}"
        case Action.FIX if decision.until is not None:
            return f"to be fixed, review date {case.review_date} -> {decision.until}"
        case Action.FIX:
            return "to be fixed"
        case Action.MUTE:
            return f"muted until {decision.until}"
        case Action.ARCHIVE:
            return "archived"


def taken_on(files: Iterable[Path], *, date: str) -> tuple[Taken, ...]:
    """Return the decisions of a day, read off the histories of case files that can be read.

    Args:
        files: of cases; one that cannot be read by now has no decision of today.
        date: ISO date.
    """
    return tuple(taken for file in files for taken in _taken_in(file, date))


def _taken_in(file: Path, date: str) -> Iterator[Taken]:
    case = load_case(file)
    for entry in case.history:
        found = _CHANGE.fullmatch(entry.change)
        if entry.date == date and found is not None:
            decision = StaleDecision(
                action=_ACTIONS[found[1]], by=entry.by, reason=entry.reason or "", until=found[2]
            )
            yield _as_taken(file, case, decision)


def store_decision(store: Store, taken: Taken, *, at: str) -> None:
    """Add a decision to the store's table; it stands beside those of the case's draft.

    Args:
        store: of the runs.
        taken: as `decide_case` returned it.
        at: RFC 3339 time.
    """
    payload: JsonMap = {"case": taken.id, "reason": taken.decision.reason}
    if taken.decision.until is not None:
        payload["until"] = taken.decision.until
    store.decide(
        taken.draft or f"case-{taken.id}",
        at=at,
        actor=taken.decision.by,
        kind=f"stale_{taken.decision.action}",
        payload=payload,
    )


def meeting_record(
    rows: Sequence[DueCase], taken: Iterable[Taken], *, date: str, people: Sequence[str] = ()
) -> str:
    """Return the record of a meeting as Markdown: what was decided, and what was left.

    Args:
        rows: of the table, before or after the decisions.
        taken: decisions in the order in which they were made.
        date: of the meeting.
        people: who was there; those who decided are named in any case.
    """
    decisions = list(taken)
    names = dict.fromkeys((*people, *(one.decision.by for one in decisions)))
    done = {one.place for one in decisions}
    open_rows = [row for row in rows if row.is_due and row.place not in done]
    present = ", ".join(map(_words, names)) or "nobody was named"
    head = (
        f"# Stale cases, {date}",
        f"Present: {present}.",
        (
            f"{len(done) + len(open_rows)} of {counted(len(rows), 'case')} needed a decision; "
            f"{counted(len(decisions), 'decision')} made, {counted(len(open_rows), 'case')} left."
        ),
    )
    return "\n\n".join((*head, *_decided_part(decisions), *_open_part(open_rows))) + "\n"


def write_record(path: Path, record: str) -> None:
    """Write the record of a meeting, or write it again: what people noted below it stays.

    Args:
        path: of the record; where a file without our mark is there, all of it becomes notes.
        record: as `meeting_record` returned it.

    Raises:
        CaseFormatError: the file cannot be read or written.
        InputError: what is there is no text; it stays as it is.
    """
    notes = _notes_in(path) if path.exists() else ""
    write_over(path, f"{record}\n{_NOTES}\n{notes}")


def _notes_in(path: Path) -> str:
    try:
        before = read_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(
            "is no text in UTF-8; expected the record of a meeting",
            place=shown_path(path),
            fix="move the file away, and write the record again",
        ) from None
    _, mark, notes = before.partition(_NOTES)
    if mark:
        return notes.removeprefix("\r").removeprefix("\n")
    return f"\n{before}"


def _decided_part(decisions: Sequence[Taken]) -> Iterator[str]:
    if not decisions:
        return
    yield "## Decided"
    rows = [
        (
            code_span(harmless(one.id)),
            one.decision.action.value,
            one.decision.until or "",
            _words(one.decision.by),
            _words(one.decision.reason),
        )
        for one in decisions
    ]
    yield _table(("case", "decision", "until", "by", "reason"), rows)


def _open_part(rows: Sequence[DueCase]) -> Iterator[str]:
    if not rows:
        return
    yield "## Left for next time"
    cells = [
        (
            code_span(harmless(row.id or row.place)),
            _words(row.owner or ""),
            row.review_date or "",
            _words("; ".join(sign.sentence for sign in row.signs)),
        )
        for row in rows
    ]
    yield _table(("case", "owner", "review date", "why"), cells)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    """Return what stays within one cell: a bar ends it even in code."""
    return text.replace("|", "\\|")


_MARKUP: Final = "\\`*_{}[]<>#!~&"


def _words(text: str) -> str:
    r"""Return what a person typed so that Markdown prints it and does not obey it.

    >>> print(_words("<b>*now*</b>"))
    \<b\>\*now\*\</b\>
    """
    return "".join(f"\\{char}" if char in _MARKUP else char for char in harmless(text))

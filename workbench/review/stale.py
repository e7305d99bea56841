"""Which cases need a decision, and why: worst first, and never silent about a case.

A case that cannot be read is a row like any other, and the first: what nobody can read protects
nobody. Signs are read off the files and their own replay; no agent is needed. A store tells how
trials went, and a file of today's tools what became of the case's.

Source:
    design page 10, "A case's life".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from workbench.casefile.case import find_cases, parse_case
from workbench.casefile.files import read_bytes, shown_path
from workbench.casefile.layout import format_mapping
from workbench.casefile.migrations import CURRENT, MIGRATIONS, migrated, version_of
from workbench.casefile.strict_yaml import MAX_BYTES, load_yaml
from workbench.errors import InputError
from workbench.model.case import CaseState
from workbench.model.event import ToolCall, ToolResult
from workbench.model.wording import counted
from workbench.replay.scripted import replay_path
from workbench.review.owners import no_owners
from workbench.review.tool_drift import Change, drifts
from workbench.runner.selftest import check_case

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from workbench.casefile.migrations import Migration
    from workbench.model.case import Case
    from workbench.model.trace import Tool
    from workbench.review.owners import Owners
    from workbench.review.tool_drift import Drift
    from workbench.store.records import TrialResult

__all__ = ["RETENTION_DAYS", "DueCase", "Sign", "SignKind", "due_cases", "retained_days"]

RETENTION_DAYS: Final[Mapping[CaseState, int]] = {CaseState.PROPOSED: 30, CaseState.ACTIVE: 92}
"""Days for which the run of a case can be expected to be there still."""


class SignKind(StrEnum):
    """Why a case needs a decision, the worst first."""

    UNREADABLE = "unreadable"
    OVERDUE = "overdue"
    NEAR = "near"
    OWNER_UNKNOWN = "owner_unknown"
    OLDER_SCHEMA = "older_schema"
    TOOL_GONE = "tool_gone"
    TOOL_DRIFT = "tool_drift"
    WITHDRAWN = "withdrawn"
    MUTE_ENDS = "mute_ends"
    PROPOSED = "proposed"
    NEVER_PROVEN = "never_proven"
    ALWAYS_PASSES = "always_passes"
    DUPLICATE = "duplicate"
    OLD_SOURCE = "old_source"


_ORDER: Final = list(SignKind)
_VERSIONS: Final = 3
"""Versions in a row that a case passed with before it is asked what it is for."""
_SHOWN: Final = 3
"""Changes of one tool that are told."""


def _no_trials(_: str) -> Sequence[TrialResult]:
    """Nobody has recorded any."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """One reason to look at a case."""

    kind: SignKind
    sentence: str
    """Places, names of people and dates; no text of a trace."""
    fix: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DueCase:
    """One case file as the review's table shows it."""

    path: Path
    place: str
    """The path as it is shown."""
    id: str | None = None
    """None, as all that follows: the file cannot be read."""
    title: str | None = None
    owner: str | None = None
    severity: str | None = None
    state: CaseState | None = None
    review_date: str | None = None
    days_left: int | None = None
    """Until the review; negative: it is past."""
    schema: int | None = None
    """Version of the file's format."""
    proven: bool | None = None
    """Red, green and killable; None: nobody looked, it is archived."""
    signs: tuple[Sign, ...] = ()
    """The worst first."""
    trials: tuple[TrialResult, ...] = ()
    """Recorded ones, oldest first; none without a store."""
    seal: str = ""
    """Digest of the file, so that a decision can say which text it is about."""

    @property
    def is_due(self) -> bool:
        """Whether somebody has to decide something."""
        return bool(self.signs)

    @property
    def is_readable(self) -> bool:
        """Whether the file is a case."""
        return self.id is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    row: DueCase
    case: Case
    size: int
    """Bytes of the file."""
    likeness: object
    """What two cases of one fault share."""


def due_cases(  # noqa: PLR0913  what is known of the cases, keyword-only
    paths: Iterable[Path],
    *,
    today: str,
    lead_days: int = 14,
    owners: Owners | None = None,
    tools: Sequence[Tool] | None = None,
    trials: Callable[[str], Sequence[TrialResult]] = _no_trials,
    migrations: Mapping[int, Migration] = MIGRATIONS,
) -> tuple[DueCase, ...]:
    """Return every case of the files and folders given, the worst first.

    Args:
        paths: case files, or folders of them; one that is not there is a row too.
        today: ISO date.
        lead_days: a review date this near is a sign already.
        owners: who may own a case; None: anybody.
        tools: of today; None: nobody knows.
        trials: the recorded trials of a case's id, oldest first.
        migrations: version -> the function that makes the next one of it.
    """
    known = no_owners() if owners is None else owners
    rows: list[DueCase] = []
    opened: list[_Opened] = []
    for path in _files(paths, rows):
        try:
            found = _opened(path, migrations)
        except InputError as error:
            rows.append(_unreadable(path, error))
            continue
        days_left = _days(today, found.case.review_date)
        recorded = tuple(trials(found.case.id))
        row = replace(found.row, days_left=days_left, trials=recorded)
        opened.append(replace(found, row=row))
    for found in opened:
        signs: list[Sign] = []
        if not _is_over(found):
            signs += _signs(found, today, lead_days, known)
            signs += _tool_signs(found.case, tools)
            signs += _twins(found, opened)
        rows.append(_with_signs(found, signs))
    return tuple(sorted(rows, key=_rank))


def retained_days(case: Case, *, today: str) -> int | None:
    """Return for how many days a case has been there; None: its history does not say."""
    return _days(case.history[0].date, today) if case.history else None


def _files(paths: Iterable[Path], missing: list[DueCase]) -> list[Path]:
    """Return the case files, each once; what is not there becomes a row."""
    found: set[Path] = set()
    for path in paths:
        try:
            found.update(find_cases([path]))
        except InputError as error:
            missing.append(_unreadable(path, error))
    return sorted(found)


def _unreadable(path: Path, error: InputError) -> DueCase:
    sign = Sign(kind=SignKind.UNREADABLE, sentence=str(error).partition("\n")[0], fix=error.fix)
    return DueCase(path=path, place=shown_path(path), signs=(sign,))


def _opened(path: Path, migrations: Mapping[int, Migration]) -> _Opened:
    """Read a case; one of an older format is read as it would be after `migrate`."""
    name = shown_path(path)
    data = read_bytes(path, limit=MAX_BYTES)
    document, place = load_yaml(data, name=name)
    version = version_of(document, place)
    text: bytes | str = data
    if version != CURRENT and isinstance(document, dict):
        text = format_mapping(migrated(document, place, migrations=migrations))
    case = parse_case(text, name=name, folder=path.parent)
    row = DueCase(
        path=path,
        place=name,
        id=case.id,
        title=case.title,
        owner=case.owner,
        severity=case.severity.value,
        state=case.state,
        review_date=case.review_date,
        schema=version,
        seal=sha256(data).hexdigest(),
    )
    return _Opened(row=row, case=case, size=len(data), likeness=_likeness(case))


def _is_over(found: _Opened) -> bool:
    return found.case.state is CaseState.ARCHIVED


def _signs(found: _Opened, today: str, lead_days: int, owners: Owners) -> Iterator[Sign]:
    yield from _date_signs(found.row, lead_days)
    if not owners.knows(found.case.owner):
        sentence = f"owner {found.case.owner!a} is not in {', '.join(owners.sources)}"
        yield Sign(kind=SignKind.OWNER_UNKNOWN, sentence=sentence, fix="name a new owner")
    if found.row.schema != CURRENT:
        sentence = f"format {found.row.schema}; this package writes {CURRENT}"
        yield Sign(kind=SignKind.OLDER_SCHEMA, sentence=sentence, fix="workbench migrate")
    yield from _state_signs(found.case, today, lead_days)
    yield from _proof_signs(found.case)
    yield from _trial_signs(found.case, found.row.trials)


def _tool_signs(case: Case, tools: Sequence[Tool] | None) -> Iterator[Sign]:
    """Say which tools of a case are not what they were: a sign a tool, the worst change first."""
    found: dict[str, list[Drift]] = {}
    for drift in () if tools is None else drifts(case.tools, tools):
        found.setdefault(drift.tool, []).append(drift)
    for tool, changes in found.items():
        ordered = sorted(changes, key=lambda one: list(Change).index(one.change))
        worst = ordered[0].change
        if worst is Change.GONE:
            sentence, fix = f"{tool} is not offered any more", "archive it, or collect it again"
            yield Sign(kind=SignKind.TOOL_GONE, sentence=sentence, fix=fix)
            continue
        what = "; ".join(one.what for one in ordered[:_SHOWN])
        more = f" and {len(ordered) - _SHOWN} more" if len(ordered) > _SHOWN else ""
        fix = "collect the case again" if worst is Change.BREAKING else "read it; keep the case"
        sentence = f"{tool} has a {worst} change: {what}{more}"
        yield Sign(kind=SignKind.TOOL_DRIFT, sentence=sentence, fix=fix)


def _trial_signs(case: Case, trials: Sequence[TrialResult]) -> Iterator[Sign]:
    """Say that a case passed with every version for long, and what it still guards."""
    versions = list(dict.fromkeys(trial.version for trial in reversed(trials) if trial.version))
    last = versions[:_VERSIONS]
    if len(last) < _VERSIONS:
        return
    if all(trial.verdict == "pass" for trial in trials if trial.version in last):
        guards = ", ".join(sorted(case.signature.clauses))
        yield Sign(
            kind=SignKind.ALWAYS_PASSES,
            sentence=f"it passed with each of the last {_VERSIONS} versions; it guards {guards}",
            fix="keep it for that risk, try it less often, or archive it",
        )


def _date_signs(row: DueCase, lead_days: int) -> Iterator[Sign]:
    left = row.days_left
    if left is None or left > lead_days:
        return
    if left < 0:
        sentence = f"its review was due {counted(-left, 'day')} ago, on {row.review_date}"
        yield Sign(kind=SignKind.OVERDUE, sentence=sentence, fix="decide: keep, fix, mute, archive")
        return
    when = "today" if left == 0 else f"in {counted(left, 'day')}, on {row.review_date}"
    yield Sign(kind=SignKind.NEAR, sentence=f"its review is due {when}")


def _state_signs(case: Case, today: str, lead_days: int) -> Iterator[Sign]:
    if case.withdrawn is not None:
        sentence = f"its source was withdrawn on {case.withdrawn.date}"
        yield Sign(kind=SignKind.WITHDRAWN, sentence=sentence, fix="redact it again, or archive it")
    if case.mute is not None and (left := _days(today, case.mute.until)) <= lead_days:
        ends = "ended" if left < 0 else "ends"
        yield Sign(
            kind=SignKind.MUTE_ENDS,
            sentence=f"its mute {ends} on {case.mute.until}: ask {case.mute.by}",
            fix="workbench activate, or mute it again",
        )
    age = retained_days(case, today=today)
    if case.state is CaseState.PROPOSED:
        since = "" if age is None or age < 0 else f" since {counted(age, 'day')}"
        sentence = f"proposed{since}: it does not gate yet"
        yield Sign(kind=SignKind.PROPOSED, sentence=sentence, fix="workbench activate, or archive")
    limit = RETENTION_DAYS.get(case.state)
    if age is not None and limit is not None and age > limit:
        sentence = f"its run is older than the {counted(limit, 'day')} for which a source is kept"
        yield Sign(kind=SignKind.OLD_SOURCE, sentence=sentence)


def _proof_signs(case: Case) -> Iterator[Sign]:
    report = check_case(case)
    lacks = []
    if not report.valid:
        lacks.append("it cannot be replayed as written")
    if not report.recorded_red:
        lacks.append("its recorded path does not fail as it says")
    if report.accepted_green is None:
        lacks.append("no accepted path")
    elif not report.accepted_green:
        lacks.append("an accepted path does not pass")
    if report.dead_clauses:
        lacks.append(f"nothing turns {', '.join(report.dead_clauses)} red")
    if lacks:
        fix = "workbench check says where; workbench accept adds a path"
        yield Sign(kind=SignKind.NEVER_PROVEN, sentence="; ".join(lacks), fix=fix)


def _twins(found: _Opened, others: Sequence[_Opened]) -> Iterator[Sign]:
    """Say which other cases fail the same way over the same tools, or have the same id."""
    for other in others:
        if other is found or _is_over(other):
            continue
        if other.case.id == found.case.id:
            sentence = f"{other.row.place} has the same id"
            yield Sign(kind=SignKind.DUPLICATE, sentence=sentence, fix="rename one of them")
        elif other.likeness == found.likeness and found.likeness is not None:
            smaller = min((found, other), key=lambda one: (one.size, one.row.place))
            which = "this one" if smaller is found else "that one"
            yield Sign(
                kind=SignKind.DUPLICATE,
                sentence=f"fails as {other.case.id} does, over the same tools",
                fix=f"keep the smaller, {which}, or say why both",
            )


def _likeness(case: Case) -> object:
    """Return the signature and each tool with its outcome; None: nothing can be like it."""
    if case.state is CaseState.ARCHIVED:
        return None
    try:
        events = replay_path(case, case.recorded).events
    except InputError:  # it cannot be replayed, which is a sign of its own
        return None
    tools = {event.call_id: event.tool for event in events if isinstance(event, ToolCall)}
    steps = tuple(
        (tools[event.call_id], event.outcome) for event in events if isinstance(event, ToolResult)
    )
    return case.signature, steps


def _with_signs(found: _Opened, signs: Iterable[Sign]) -> DueCase:
    ordered = tuple(sorted(signs, key=lambda sign: _ORDER.index(sign.kind)))
    kinds = {sign.kind for sign in ordered}
    proven = None if _is_over(found) else SignKind.NEVER_PROVEN not in kinds
    return replace(found.row, signs=ordered, proven=proven)


def _rank(row: DueCase) -> tuple[int, int, str, str]:
    """The worst sign first, then the longest overdue, then the most severe."""
    worst = _ORDER.index(row.signs[0].kind) if row.signs else len(_ORDER)
    worst += row.state is CaseState.ARCHIVED
    left = 0 if row.days_left is None else row.days_left
    return worst, left, row.severity or "", row.place


def _days(start: str, end: str) -> int:
    """Return the days from one ISO date to another."""
    return (date.fromisoformat(end) - date.fromisoformat(start)).days

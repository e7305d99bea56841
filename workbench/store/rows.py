"""An imported run to the rows of the store, and back.

`body` and `header` hold the importer's trace as JSON, so that a run is read without its
importer; everything else in a row is there to be searched and listed. Nothing here raises on
what a trace says: a trace that cannot be written is stored raw, graded `unusable`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Final

from workbench.casefile.codec import decode, encode
from workbench.casefile.place import Place
from workbench.errors import CaseFormatError
from workbench.model.event import ModelRequest, ToolCall, ToolResult
from workbench.model.trace import Grade, Imported, Losses, RunStatus, Trace
from workbench.store.columns import safe_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from workbench.model.event import Event
    from workbench.model.jsonvalue import Json
    from workbench.store.batches import LateRecords

__all__ = [
    "RunRows",
    "late_row",
    "losses_of",
    "microseconds",
    "rows_of",
    "searchable_tags",
    "trace_of",
]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_PLACE: Final = Place(name="store")
_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_TAG_WORD: Final = re.compile(r"[A-Za-z0-9_.:/-]{1,48}")
_LABEL_LEVELS: Final = 3
_MOST_LABEL_TAGS: Final = 64
_MOST_NUMBER: Final = 1e15
_TOO_DEEP: Final = "the trace is nested too deeply to be written"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRows:
    """The rows of one run in one batch."""

    run_id: str
    """As the column holds it, see `safe_text`."""
    date: str | None
    """UTC date of its first event that has a time; None: none has."""
    digest: bytes
    """sha256 of its raw bytes."""
    n_events: int
    raw_bytes: int
    events: tuple[tuple[Any, ...], ...]
    """Cells in the order of `tables.EVENT`."""
    run: tuple[Any, ...]
    """Cells in the order of `tables.RUN`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """A trace as JSON texts."""

    header: str | None
    bodies: tuple[str, ...]
    """One a row; empty: the run could not be parsed."""


def microseconds(at: str | None) -> int | None:
    """Return an RFC 3339 time as microseconds since 1970; None for what is none.

    A time without a zone counts as UTC.

    >>> microseconds("1970-01-01T00:00:01Z")
    1000000
    """
    if at is None:
        return None
    try:
        moment = datetime.fromisoformat(at)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
        return (moment.astimezone(UTC) - _EPOCH) // _MICROSECOND
    except (ValueError, OverflowError):
        return None


def rows_of(imported: Imported, *, batch_id: str) -> RunRows:
    """Return the rows of a run; its raw bytes are cut, never changed."""
    imported, written = _written(imported)
    trace = imported.trace
    events = () if trace is None else trace.events
    times = [moment for event in events if (moment := microseconds(event.at)) is not None]
    digest = sha256(imported.raw).digest()
    source = None if trace is None or trace.source is None else trace.source.format
    shared = (source, imported.parse_error, batch_id)
    return RunRows(
        run_id=safe_text(imported.run_id),
        date=_date(times[0]) if times else None,
        digest=digest,
        n_events=len(events),
        raw_bytes=len(imported.raw),
        events=_event_rows(imported, written.bodies, shared),
        run=_run_row(imported, written.header, times, (digest, *shared)),
    )


def late_row(late: LateRecords, *, batch_id: str) -> tuple[Any, ...]:
    """Return the one row of records that came late; it holds no event until they are joined."""
    told = (None, None, None, None, None, None)
    digest = sha256(late.raw).digest()
    return (safe_text(late.run_id), 0, *told, digest, None, late.raw, "[]", batch_id)


def _date(moment: int) -> str:
    return (_EPOCH + moment * _MICROSECOND).date().isoformat()


def _written(imported: Imported) -> tuple[Imported, _Written]:
    bare = _Written(header=None, bodies=("",) * len(imported.cuts))
    trace = imported.trace
    if trace is None:
        return imported, bare
    grouped: list[list[Json]] = [[] for _ in imported.cuts]
    try:
        for row, event in zip(imported.row_of_event, trace.events, strict=True):
            grouped[row].append(encode(event))
        header = _dumps(encode(replace(trace, events=())))
        bodies = tuple(map(_dumps, grouped))
    except RecursionError:
        return replace(imported, trace=None, parse_error=_TOO_DEEP), bare
    return imported, _Written(header=header, bodies=bodies)


def _dumps(value: Json) -> str:
    text = _COMPACT.encode(value)
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which JSON escapes can say and UTF-8 cannot
        return json.dumps(value, separators=(",", ":"))
    return text


def _event_rows(
    imported: Imported, bodies: Sequence[str], shared: tuple[str | None, ...]
) -> tuple[tuple[Any, ...], ...]:
    source, parse_error, batch_id = shared
    events: list[list[Event]] = [[] for _ in imported.cuts]
    if imported.trace is not None:
        for row, event in zip(imported.row_of_event, imported.trace.events, strict=True):
            events[row].append(event)
    raw = memoryview(imported.raw)
    rows = []
    for seq, (start, end) in enumerate(pairwise((*imported.cuts, len(raw)))):
        piece = raw[start:end]
        told = _told(events[seq])
        digest = sha256(piece).digest()
        rows.append(
            (
                *(imported.run_id, seq, *told, source),
                *(digest, parse_error, piece, bodies[seq], batch_id),
            )
        )
    return tuple(rows)


def _told(events: Sequence[Event]) -> tuple[Any, ...]:
    """Return ts, kind, name, status and error of a row, from the first event that has each."""
    ts: int | None = None
    name: str | None = None
    status: str | None = None
    error: str | None = None
    for event in events:
        ts = microseconds(event.at) if ts is None else ts
        name = _name(event) if name is None else name
        if isinstance(event, ToolResult):
            status = _status(event) if status is None else status
            error = _error(event) if error is None else error
    return ts, events[0].kind if events else None, name, status, error


def _status(result: ToolResult) -> str | None:
    if result.outcome is not None:
        return result.outcome.value
    return None if result.error is None else "error"


def _name(event: Event) -> str | None:
    if isinstance(event, ToolCall):
        return event.tool
    return event.model if isinstance(event, ModelRequest) else None


def _error(event: Event) -> str | None:
    if not isinstance(event, ToolResult) or event.error is None:
        return None
    error = event.error
    known = (event.detail, error.type, None if error.status is None else f"status {error.status}")
    return next((text for text in known if text is not None), "error")


def _run_row(
    imported: Imported, header: str | None, times: Sequence[int], ends: tuple[Any, ...]
) -> tuple[Any, ...]:
    digest, source, parse_error, batch_id = ends
    trace = Trace(run_id=imported.run_id) if imported.trace is None else imported.trace
    usable = imported.trace is not None
    requested = (event.model for event in trace.events if isinstance(event, ModelRequest))
    return (
        imported.run_id,
        times[0] if times else None,
        max(times) if times else None,
        trace.status.value if usable else RunStatus.UNKNOWN.value,
        _run_error(trace) if usable else parse_error,
        len(trace.events),
        next((event.agent for event in trace.events if event.agent is not None), None),
        trace.versions.model or next(filter(None, requested), None),
        _dumps(encode(trace.versions)),
        trace.session,
        (imported.losses.grade if usable else Grade.UNUSABLE).value,
        searchable_tags(trace),
        len(imported.raw),
        batch_id,
        source,
        digest,
        parse_error,
        header,
        _dumps(encode(imported.losses)),
    )


def searchable_tags(trace: Trace) -> tuple[str, ...]:
    """Return the tags of a run and those of its labels, by which runs are found.

    A label is the tag `name=value`, its parts are `name.part=value`; texts that are no short
    words are left out, since comments of users are personal.
    """
    found = islice(_label_tags("", trace.labels, _LABEL_LEVELS), _MOST_LABEL_TAGS)
    return tuple(dict.fromkeys((*trace.tags, *found)))


def _label_tags(name: str, value: Json, levels: int) -> Iterator[str]:
    match value:
        case dict() if levels:
            for key, item in value.items():
                if _TAG_WORD.fullmatch(key):
                    yield from _label_tags(f"{name}.{key}" if name else key, item, levels - 1)
        case list() if levels:
            for item in value:
                yield from _label_tags(name, item, 0)
        case bool():
            yield f"{name}={str(value).lower()}"
        case int() | float() if abs(value) < _MOST_NUMBER:
            yield f"{name}={value:g}"
        case str() if _TAG_WORD.fullmatch(value):
            yield f"{name}={value}"


def _run_error(trace: Trace) -> str | None:
    """Return the last error of a failed run's tools; None: none failed, or the run did not."""
    if trace.status is not RunStatus.FAILED:
        return None
    return next((text for text in map(_error, reversed(trace.events)) if text is not None), None)


# --- back --------------------------------------------------------------------


def trace_of(header: str, bodies: Iterable[str]) -> Trace:
    """Return the trace that was imported.

    Raises:
        CaseFormatError: the texts are not what `rows_of` wrote.
    """
    document = _loads(header)
    if not isinstance(document, dict):
        raise CaseFormatError("is no mapping; expected a trace", place="store", key="header")
    document["events"] = [event for body in bodies for event in _listed(body)]
    return decode(Trace, document, place=_PLACE)


def losses_of(text: str) -> Losses:
    """Return a loss report.

    Raises:
        CaseFormatError: the text is not what `rows_of` wrote.
    """
    return decode(Losses, _loads(text), place=_PLACE, key="losses")


def _listed(body: str) -> list[Json]:
    found = _loads(body)
    if not isinstance(found, list):
        raise CaseFormatError("is no list; expected events", place="store", key="body")
    return found


def _loads(text: str) -> Json:
    try:
        return json.loads(text)  # type: ignore[no-any-return]
    except (ValueError, RecursionError):
        raise CaseFormatError("is not JSON; expected what was stored", place="store") from None

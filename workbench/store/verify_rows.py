"""The rows of a part, checked against themselves: the unit of work of a deep verification.

A part holds whole runs, rows in order, so one part is enough to check a run's bytes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow.parquet as pq

from workbench.casefile.codec import decode
from workbench.casefile.place import Place
from workbench.errors import CaseFormatError
from workbench.model.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.model.jsonvalue import Json

__all__ = ["PartCheck", "RunCheck", "check_events", "check_runs"]

_PLACE: Final = Place(name="store")

RunKey = tuple[str, str]
"""Run id and batch id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCheck:
    """What the rows of one run say, or should."""

    path: str
    digest: bytes
    """sha256 of the raw bytes, concatenated."""
    events: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PartCheck:
    """What one part of event rows holds."""

    path: str
    rows: int
    changed: tuple[int, ...]
    """Rows whose raw bytes, or whose place in the run, are not what was stored."""
    unreadable: tuple[int, ...]
    """Rows whose body is no list of events."""
    runs: dict[RunKey, RunCheck]


@dataclass(slots=True)
class _Run:
    hasher: Any = field(default_factory=sha256)
    rows: int = 0
    events: int = 0


def check_events(table: str, path: str) -> PartCheck:
    """Check a part of event rows: digests, order, bodies."""
    changed: list[int] = []
    unreadable: list[int] = []
    runs: dict[RunKey, _Run] = {}
    total = 0
    for row, cells in enumerate(
        _rows(table, path, ("run_id", "batch_id", "seq", "digest", "parse_error", "raw", "body"))
    ):
        run_id, batch_id, seq, digest, parse_error, raw, body = cells
        run = runs.setdefault((run_id, batch_id), _Run())
        if sha256(raw).digest() != digest or seq != run.rows:
            changed.append(row)
        events = _events(body, first=run.events) if parse_error is None else 0
        if events is None:
            unreadable.append(row)
        run.hasher.update(raw)
        run.rows += 1
        run.events += events or 0
        total = row + 1
    return PartCheck(
        path=path,
        rows=total,
        changed=tuple(changed),
        unreadable=tuple(unreadable),
        runs={
            key: RunCheck(path=path, digest=run.hasher.digest(), events=run.events)
            for key, run in runs.items()
        },
    )


def check_runs(table: str, path: str) -> Iterator[tuple[int, RunKey, RunCheck]]:
    """Yield row, run and what its events should add up to, from a part of run rows."""
    for row, (run_id, batch_id, digest, events) in enumerate(
        _rows(table, path, ("run_id", "batch_id", "digest", "n_events"))
    ):
        yield row, (run_id, batch_id), RunCheck(path=path, digest=digest, events=events)


def _rows(table: str, path: str, columns: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    with pq.ParquetFile(Path(table) / path) as part:
        for nth in range(part.num_row_groups):
            group = part.read_row_group(nth, columns=list(columns))
            cells = [group.column(name).to_pylist() for name in columns]
            yield from zip(*cells, strict=True)


def _events(body: str, *, first: int) -> int | None:
    """Return how many events a body holds; None: it is no list of events numbered from `first`."""
    try:
        found: Json = json.loads(body)
        trace = decode(Trace, {"run_id": "", "events": found}, place=_PLACE)
    except (ValueError, RecursionError, CaseFormatError):
        return None
    numbered = [event.seq for event in trace.events]
    return len(numbered) if numbered == list(range(first, first + len(numbered))) else None

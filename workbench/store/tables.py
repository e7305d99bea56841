"""The three tables of a store: their columns, partitions and properties.

A schema is fixed: columns are never merged, widened or renamed. What must change makes a new
`FORMAT`, which older workbenches refuse to open.

Source:
    design page 07; Delta Lake protocol, reader 1 and writer 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pyarrow as pa

__all__ = [
    "DECISIONS",
    "EVENT",
    "FORMAT",
    "FORMAT_KEY",
    "PROPERTIES",
    "RESULTS",
    "RUN",
    "TABLES",
    "TRACES",
    "RowKind",
    "Table",
]

FORMAT: Final = 1
"""Number of this layout."""

FORMAT_KEY: Final = "workbench.format"
"""Table property that holds it; a Delta table without it is none of ours."""

PROPERTIES: Final = {
    "delta.appendOnly": "true",
    # By default log entries, and the chain with them, go after 30 days.
    "delta.enableExpiredLogCleanup": "false",
    "delta.logRetentionDuration": "interval 36500 days",
    "delta.checkpointInterval": "100",
    FORMAT_KEY: str(FORMAT),
}

_TIME = pa.timestamp("us", tz="UTC")
_TEXT = pa.string()


def _columns(**types: pa.DataType) -> pa.Schema:
    return pa.schema(list(types.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class RowKind:
    """One kind of row of a table, as its part files hold it (without partition columns)."""

    name: str
    schema: pa.Schema
    dictionary: tuple[str, ...] = ()
    """Columns of few distinct values."""
    unmeasured: tuple[str, ...] = ()
    """Columns without statistics: large or random ones."""
    bloom: str | None = None
    """Column to look rows up by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One Delta table of a store."""

    name: str
    """Its folder."""
    kinds: tuple[RowKind, ...]
    partitions: tuple[str, ...] = ()
    """Columns, all of them in the path of a part file and none in it."""

    @property
    def schema(self) -> pa.Schema:
        """Every column of the table: partitions, then the union of its kinds of row."""
        types = {"record": _TEXT, "date": pa.date32()}
        found = {name: pa.field(name, types[name]) for name in self.partitions}
        for kind in self.kinds:
            for entry in kind.schema:
                found.setdefault(entry.name, entry)
        return pa.schema(list(found.values()))


EVENT: Final = RowKind(
    name="event",
    schema=_columns(
        run_id=_TEXT,
        seq=pa.int32(),
        ts=_TIME,
        kind=_TEXT,
        name=_TEXT,
        status=_TEXT,
        error=_TEXT,
        source=_TEXT,
        digest=pa.binary(),
        parse_error=_TEXT,
        raw=pa.binary(),
        body=_TEXT,
        # Tells the versions of a run apart, also once compaction has put them in one part.
        batch_id=_TEXT,
    ),
    dictionary=("run_id", "kind", "name", "status", "error", "source", "parse_error", "batch_id"),
    unmeasured=("raw", "digest", "body"),
    bloom="run_id",
)
"""One row a source record; `body` holds the events that the importer made of it."""

RUN: Final = RowKind(
    name="run",
    schema=_columns(
        run_id=_TEXT,
        start=_TIME,
        end=_TIME,
        status=_TEXT,
        error=_TEXT,
        n_events=pa.int32(),
        agent=_TEXT,
        model=_TEXT,
        versions=_TEXT,
        session=_TEXT,
        grade=_TEXT,
        tags=pa.list_(_TEXT),
        raw_bytes=pa.int64(),
        batch_id=_TEXT,
        source=_TEXT,
        digest=pa.binary(),
        parse_error=_TEXT,
        # The trace without its events, and the loss report, as JSON: `fetch` needs both exactly.
        header=_TEXT,
        losses=_TEXT,
    ),
    dictionary=("status", "error", "agent", "model", "versions", "grade", "batch_id", "source"),
    unmeasured=("digest", "header", "losses"),
    bloom="run_id",
)
"""One row a run and batch; `digest` is the sha256 of its raw bytes."""

TRACES: Final = Table(name="traces", kinds=(EVENT, RUN), partitions=("record", "date"))

DECISIONS: Final = Table(
    name="decisions",
    kinds=(
        RowKind(
            name="decision",
            schema=_columns(
                draft_id=_TEXT,
                seq=pa.int32(),
                at=_TEXT,
                actor=_TEXT,
                kind=_TEXT,
                payload=_TEXT,
            ),
        ),
    ),
)

RESULTS: Final = Table(
    name="results",
    kinds=(
        RowKind(
            name="result",
            schema=_columns(
                case_id=_TEXT,
                case_digest=_TEXT,
                version=_TEXT,
                verdict=_TEXT,
                violations=_TEXT,
                duration_ms=pa.float64(),
                tokens=pa.int64(),
            ),
        ),
    ),
)

TABLES: Final = (TRACES, DECISIONS, RESULTS)

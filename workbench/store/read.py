"""Reading through DuckDB: one connection a store, over the part files that the log names.

A run that came in several batches is shown as its latest: rows are folded by the order of
their commits, which is read off the log. File names never stand in rows, since compaction would
make them stale.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from duckdb import DuckDBPyConnection, DuckDBPyRelation

from workbench.casefile.place import nearest
from workbench.errors import CaseFormatError, TraceFormatError
from workbench.store.batches import BatchLog, Kept
from workbench.store.columns import column, safe_text
from workbench.store.errors import RunNotFound, StoreCorrupt
from workbench.store.log import read_entry
from workbench.store.query import ask, rows
from workbench.store.rows import losses_of, trace_of
from workbench.store.tables import EVENT, RUN

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from workbench.model.trace import Losses, Trace
    from workbench.store.delta import DeltaFolder

__all__ = ["Filters", "Reader", "plain_rows"]

_LISTED: Final = (
    *("run_id", "start", "end", "status", "error", "n_events", "agent", "model", "versions"),
    *("session", "grade", "tags", "raw_bytes", "batch_id", "source", "losses"),
)

_NEAREST_AMONG: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which runs to list."""

    failed: bool = False
    """Only those whose recorder, or label rule, says so."""
    since: int | None = None
    """Only those that started then or later, microseconds since 1970; a run without a time did not."""
    tag: str | None = None
    run_ids: Collection[str] | None = None
    """Only these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """The row of one run."""

    batch_id: str
    date: str
    """Empty: null."""
    n_events: int
    raw_bytes: int
    digest: bytes
    parse_error: str | None
    header: str | None
    losses: str


@dataclass(slots=True)
class Reader:
    """The `traces` table, read."""

    table: DeltaFolder
    connection: DuckDBPyConnection
    _known: set[tuple[str, bytes]] = field(default_factory=set)
    _known_parts: set[str] = field(default_factory=set)
    _log: BatchLog = field(default_factory=BatchLog)

    # --- of many runs ---------------------------------------------------------

    def known(self) -> set[tuple[str, bytes]]:
        """Return id and raw digest of every stored run, each version of it."""
        fresh = [path for path in self._run_files() if path not in self._known_parts]
        if fresh:
            self._known.update(self._rows(fresh, "select run_id, digest from {parts}"))
            self._known_parts.update(fresh)
        return self._known

    def runs(self, filters: Filters) -> pa.Table:
        """List the latest version of each run, newest start first."""
        files = self._run_files()
        if not files:
            return pa.Table.from_batches([], schema=_listed_schema())
        conditions = {
            "failed": ("status = 'failed'", filters.failed),
            "since": ('"start" >= make_timestamptz($since)', filters.since is not None),
            "tag": ("list_contains(tags, $tag)", filters.tag is not None),
            "ids": ("run_id in (select unnest($ids))", filters.run_ids is not None),
        }
        values = {
            "since": filters.since,
            "tag": None if filters.tag is None else safe_text(filters.tag),
            "ids": None if filters.run_ids is None else sorted(map(safe_text, filters.run_ids)),
        }
        used = [text for text, wanted in conditions.values() if wanted]
        given = {
            key: values[key] for key, (_, wanted) in conditions.items() if wanted and key in values
        }
        columns = ", ".join(f'"{name}"' for name in _LISTED)
        query = f"""
            select {columns} from ({self._latest(" and ".join(used) or "true")})
            order by "start" desc nulls last, version desc, run_id
        """  # noqa: S608  names of our own columns; every value is a parameter
        listed = ask(
            *(self.connection, self.table, files, query, given | self._order()),
            fetch=DuckDBPyRelation.to_arrow_table,
        )
        found: pa.Table = listed.cast(_listed_schema())
        return found

    def latest(self, run_ids: Collection[str]) -> dict[str, str]:
        """Return the batch of the latest version of each of these runs."""
        files = self._run_files()
        if not files or not run_ids:
            return {}
        query = f"select run_id, batch_id from ({self._latest('run_id in (select unnest($ids))')})"  # noqa: S608
        return dict(self._rows(files, query, {"ids": sorted(run_ids)} | self._order()))

    @staticmethod
    def _latest(condition: str) -> str:
        """Return the query of the rows that hold, unless a later version of the run is there.

        Rows are chosen before versions are compared: few of many are asked for.
        """
        versions = "(select unnest($batches) as batch_id, unnest($versions) as version)"
        return f"""
            select r.*, coalesce(b.version, -1) as version
            from (select * from {{parts}} where {condition}) r
            left join {versions} b on r.batch_id = b.batch_id
            where not exists (
                select 1 from {{parts}} n left join {versions} m on n.batch_id = m.batch_id
                where n.run_id = r.run_id and coalesce(m.version, -1) > coalesce(b.version, -1)
            )
        """  # noqa: S608  our own texts; every value is a parameter

    def _order(self) -> dict[str, list[Any]]:
        """Return batch ids and, beside them, the versions that brought them."""
        order = self.log.version_by_batch
        return {"batches": list(order), "versions": list(order.values())}

    @property
    def log(self) -> BatchLog:
        """What the log says of batches."""
        self._log.follow(self.table)
        return self._log

    def stored_since(self, version: int) -> set[str]:
        """Return the runs of which later entries of the log added a version."""
        versions = range(version + 1, self.table.version + 1)
        added = {path for at in versions for path in read_entry(self.table.path, at).files}
        fresh = [path for path in self._run_files() if path in added]
        found = self._rows(fresh, "select distinct run_id from {parts}") if fresh else []
        return {run_id for (run_id,) in found}

    # --- of one run -----------------------------------------------------------

    def trace(self, run_id: str, *, as_of: int | None) -> Trace:
        """Return the trace of a run as it was imported.

        Args:
            run_id: the run.
            as_of: number of the newest log entry to take into account; None: all.

        Raises:
            RunNotFound: there is no such run.
            StoreCorrupt: its rows are not complete.
            TraceFormatError: it could not be parsed when it was stored.
        """
        found = self._find(run_id, as_of=as_of)
        if found.header is None:
            raise TraceFormatError(
                f"run {run_id!r} could not be parsed when it was stored: {found.parse_error}; "
                "its raw bytes are kept",
                place="store",
            )
        bodies = self._events(run_id, found, "body")
        try:
            trace = trace_of(found.header, bodies)
        except CaseFormatError:
            raise _incomplete("rows that hold a trace", "rows that hold none") from None
        if len(trace.events) != found.n_events:
            raise _incomplete(f"{found.n_events} events of a run", f"{len(trace.events)} of them")
        return trace

    def raw(self, run_id: str, *, as_of: int | None = None) -> bytes:
        """Return the exact bytes of a run."""
        found = self._find(run_id, as_of=as_of)
        raw = b"".join(self._events(run_id, found, "raw"))
        if sha256(raw).digest() != found.digest:
            raise _incomplete(f"the {found.raw_bytes} bytes of a run", f"{len(raw)} other bytes")
        return raw

    def kept(self, run_id: str) -> Kept:
        """Return the exact bytes of a run, and those of each batch that waits to be joined."""
        batches = self.log.late_of(safe_text(run_id))
        whole = self.raw(run_id)
        if not batches:
            return Kept(whole=whole, late={})
        where = (("record", "=", EVENT.name), ("date", "=", ""), *_pruned_by(run_id))
        query = """
            select batch_id, raw from {parts}
            where run_id = $run and batch_id in (select unnest($batches))
        """
        values = {"run": safe_text(run_id), "batches": list(batches)}
        files = self.table.files(*where)
        found = dict(self._rows(files, query, values)) if files else {}
        if len(found) != len(batches):
            raise _incomplete(f"{len(batches)} late batches of a run", f"{len(found)} of them")
        return Kept(whole=whole, late={batch: found[batch] for batch in batches})

    def losses(self, run_id: str) -> Losses:
        """Return the loss report of a run."""
        try:
            return losses_of(self._find(run_id, as_of=None).losses)
        except CaseFormatError:
            raise _incomplete("a loss report", "a row that holds none") from None

    def _find(self, run_id: str, *, as_of: int | None) -> _Found:
        files = self._run_files(run_id)
        query = """
            select batch_id, coalesce("start"::date::varchar, '') as date, n_events,
                raw_bytes, digest, parse_error, header, losses
            from {parts} where run_id = $run
        """
        cells = self._rows(files, query, {"run": safe_text(run_id)}) if files else []
        found = [_Found(**dict(zip(_Found.__slots__, row, strict=True))) for row in cells]
        if len(found) > 1 or as_of is not None:
            order = self.log.version_by_batch
            limit = self.table.version if as_of is None else as_of
            found = [row for row in found if order.get(row.batch_id, -1) <= limit]
            found.sort(key=lambda row: order.get(row.batch_id, -1))
        if not found:
            raise RunNotFound(run_id, nearest=self._nearest(run_id))
        return found[-1]

    def _events(self, run_id: str, found: _Found, column: str) -> list[Any]:
        where = (("record", "=", EVENT.name), ("date", "=", found.date), *_pruned_by(run_id))
        files = self.table.files(*where)
        if not files:
            return []
        query = (
            f"select {column} from {{parts}} where run_id = $run and batch_id = $batch order by seq"  # noqa: S608
        )
        values = {"run": safe_text(run_id), "batch": found.batch_id}
        return [cell for (cell,) in self._rows(files, query, values)]

    def _nearest(self, run_id: str) -> str | None:
        files = self._run_files()
        if not files:
            return None
        query = "select distinct run_id from {parts} order by run_id limit $most"
        ids = [name for (name,) in self._rows(files, query, {"most": _NEAREST_AMONG})]
        return nearest(run_id, ids)

    # --- queries ---------------------------------------------------------------

    def _run_files(self, run_id: str | None = None) -> list[str]:
        return self.table.files(("record", "=", RUN.name), *_pruned_by(run_id))

    def _rows(
        self, files: Sequence[str], query: str, values: Mapping[str, Any] | None = None
    ) -> list[Any]:
        return rows(self.connection, self.table, files, query, values)


def plain_rows(table: pa.Table) -> list[dict[str, Any]]:
    """Return the rows of a listing as plain values, times as RFC 3339 text.

    `table.to_pylist()` on times imports pandas.
    """
    times = [entry.name for entry in table.schema if pa.types.is_timestamp(entry.type)]
    for name in times:
        texts = [_rfc3339(text) for text in table.column(name).cast(pa.string()).to_pylist()]
        at = table.schema.get_field_index(name)
        table = table.set_column(at, name, pa.chunked_array([column(texts, pa.string())]))
    return table.to_pylist()


def _rfc3339(text: str | None) -> str | None:
    return None if text is None else text.replace(" ", "T")


def _pruned_by(run_id: str | None) -> list[tuple[str, str, str]]:
    """Return what leaves out parts without the run; an empty id cannot, it would mean null."""
    return [("run_id", "=", safe_text(run_id))] if run_id else []


def _incomplete(want: str, got: str) -> StoreCorrupt:
    return StoreCorrupt("traces", want=want, got=got)


def _listed_schema() -> pa.Schema:
    return pa.schema([RUN.schema.field(name) for name in _LISTED])

"""An open store: one handle, one DuckDB connection, three tables.

Nothing is deleted or updated through it. Every call sees what had been committed when it began.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import unquote, urlsplit

from workbench.check.outcomes import resolve_outcomes
from workbench.errors import InputError, StoreError
from workbench.store.append import Commit, SourceFile, append_runs, disk_errors
from workbench.store.delta import DeltaFolder, create_table, open_table
from workbench.store.log import Head, newest_version
from workbench.store.query import connect
from workbench.store.read import Filters, Reader
from workbench.store.records import (
    Decision,
    TrialResult,
    add_decisions,
    add_results,
    decisions_of,
    results_of,
)
from workbench.store.rows import microseconds
from workbench.store.search import Hit, search
from workbench.store.tables import DECISIONS, RESULTS, TABLES, TRACES, Table
from workbench.store.verify import Verification, verify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from concurrent.futures import Executor

    import duckdb
    import pyarrow as pa

    from workbench.check.outcomes import OutcomeRule
    from workbench.model.jsonvalue import JsonMap
    from workbench.model.trace import Effect, Imported, Losses, Trace
    from workbench.store.batches import Kept, LateRecords

__all__ = ["Store", "open_store"]

_MAY_LIE_BESIDE: Final = frozenset({"README.md", "demo", *(table.name for table in TABLES)})


def open_store(
    url: str | os.PathLike[str],
    *,
    create: bool = True,
    effects: Mapping[str, Effect] | None = None,
    rules: Sequence[OutcomeRule] = (),
    clock: Callable[[], float] = time.time,
) -> Store:
    """Open the store in a folder.

    Args:
        url: path of the folder, or a `file:` URL.
        create: make the store if the folder is absent or empty (but for a README).
        effects: what tools may do, by name, as declared; outcomes are derived with them.
        rules: outcomes that users derive from results.
        clock: seconds since 1970, for the log.

    Raises:
        StoreError: the folder holds something else, or no store and `create` is off; see
            `store.errors`.
    """
    root = _folder(url)
    if newest_version(root / TRACES.name) < 0:
        _check_absent(root, create=create)
        with disk_errors():
            traces = create_table(root, TRACES)
    else:
        traces = open_table(root, TRACES)
    return Store(
        root=root,
        clock=clock,
        effects={} if effects is None else dict(effects),
        rules=tuple(rules),
        _reader=Reader(table=traces, connection=connect()),
    )


def _folder(url: str | os.PathLike[str]) -> Path:
    text = os.fspath(url)
    parts = urlsplit(text)
    if parts.scheme == "file":
        return Path(unquote(parts.path)).absolute()
    if "://" in text:
        raise StoreError(
            f"is a {parts.scheme} URL; expected a folder", place="store", fix="name a local folder"
        )
    return Path(text).absolute()


def _check_absent(root: Path, *, create: bool) -> None:
    """Refuse to make a store where something else lies."""
    if root.exists() and not root.is_dir():
        raise StoreError(
            "is a file; expected a folder", place=root.name, fix="name a folder with --store"
        )
    if not create:
        raise StoreError(
            "holds no store", place=root.name, fix="name its folder with --store, or ingest a file"
        )
    with disk_errors():
        names = [path.name for path in root.iterdir()] if root.exists() else []
    others = [name for name in names if name not in _MAY_LIE_BESIDE and not name.startswith(".")]
    if others:
        raise StoreError(
            f"holds {len(others)} other files or folders and no store",
            place=root.name,
            fix="name an empty folder with --store",
        )


@dataclass(slots=True, kw_only=True)
class Store:
    """An open store; use it in `with`, or `close` it."""

    root: Path
    clock: Callable[[], float]
    effects: Mapping[str, Effect]
    rules: tuple[OutcomeRule, ...]
    _reader: Reader
    _tables: dict[str, DeltaFolder] = field(default_factory=dict)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the memory of the connection back."""
        self._connection.close()

    @property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        return self._reader.connection

    # --- runs -----------------------------------------------------------------

    def append(self, runs: Iterable[Imported | LateRecords], *, source: SourceFile) -> Commit:
        """Store the runs of one source in one commit, or nothing.

        Args:
            runs: read lazily; not at all if the same source was stored before. Records wait for
                a run until one is stored that is made of them, as it says itself. What a run is
                made of is to be looked for after this call began. Late records need a run that
                is stored already.
            source: where they come from; its digest is the batch.

        Returns:
            What was added: on the disk, for good. For a source that was stored before, its first
            commit, with `repeated` set and all its runs counted as duplicates.

        Raises:
            TraceFormatError: the source holds no run, or one id with two contents.
            RunsChanged: another writer stored a version of a run for which this one looked.
            StoreError: nothing was added; see `store.errors`.
        """
        reader = self._reader
        return append_runs(
            reader.table,
            runs,
            source=source,
            known=reader.known,
            stored_since=reader.stored_since,
            clock=self.clock,
        )

    def fetch(self, run_id: str, *, as_of: int | None = None) -> Trace:
        """Return the latest version of a run, outcomes derived with the store's effects and rules.

        Args:
            run_id: the run.
            as_of: number of the newest log entry to take into account; None: all.

        Raises:
            RunNotFound: there is no such run.
            StoreCorrupt: its rows are damaged.
            TraceFormatError: it could not be parsed when it was stored; `raw` has its bytes.
        """
        trace = self._fresh().trace(run_id, as_of=as_of)
        return resolve_outcomes(trace, effects=self.effects, rules=self.rules)

    def imported(self, run_id: str) -> tuple[Trace, Losses, bytes]:
        """Return a run as it was imported: no outcome derived; its losses; its exact bytes.

        Raises:
            RunNotFound: there is no such run.
            StoreCorrupt: its rows are damaged.
            TraceFormatError: it could not be parsed when it was stored; `raw` has its bytes.
        """
        reader = self._fresh()
        return reader.trace(run_id, as_of=None), reader.losses(run_id), reader.raw(run_id)

    def raw(self, run_id: str) -> bytes:
        """Return the exact bytes of the latest version of a run, parsed or not.

        Raises:
            RunNotFound: there is no such run.
            StoreCorrupt: its rows are damaged.
        """
        return self._fresh().raw(run_id)

    def waiting(self) -> frozenset[str]:
        """Return the ids of runs that have records which came late and are not joined yet."""
        return self._fresh().log.waiting

    def pieces(self, run_id: str) -> tuple[bytes, ...]:
        """Return the exact bytes of a run, and then those of each late batch, in their order.

        Raises:
            RunNotFound: there is no such run.
            StoreCorrupt: its rows are damaged.
        """
        return self.kept(run_id).parts

    def kept(self, run_id: str) -> Kept:
        """Return what is stored of a run, to be joined with what comes late.

        Raises:
            RunNotFound: there is no such run.
            StoreCorrupt: its rows are damaged.
        """
        return self._fresh().kept(run_id)

    def run_ids(self) -> frozenset[str]:
        """Return the ids of all stored runs."""
        return frozenset(run_id for run_id, _ in self._fresh().known())

    def losses(self, run_id: str) -> Losses:
        """Return what the recorder of a run did not keep.

        Raises:
            RunNotFound: there is no such run.
        """
        return self._fresh().losses(run_id)

    def runs(
        self,
        *,
        failed: bool = False,
        since: str | date | None = None,
        tag: str | None = None,
        search: str | None = None,
    ) -> pa.Table:
        """List the latest version of each run, newest start first, runs without a time last.

        Args:
            failed: only runs that failed, by their recorder or by the importer's label rule.
            since: only runs that started then or later: a day (UTC) or an RFC 3339 time. A run
                without a time did not.
            tag: only runs with this tag.
            search: only runs whose raw bytes hold this text.

        Raises:
            InputError: `since` is no time, or `search` is empty.
        """
        reader = self._fresh()
        run_ids = None if search is None else {hit.run_id for hit in self.search(search)}
        moment = None if since is None else _moment(since)
        return reader.runs(Filters(failed=failed, since=moment, tag=tag, run_ids=run_ids))

    def search(self, text: str, *, executor: Executor | None = None) -> tuple[Hit, ...]:
        """Find a text in the raw bytes of the latest version of every run, and in what waits for it.

        Args:
            text: found byte by byte, also where JSON escaped it once or twice; not empty.
            executor: searches several parts at once.

        Raises:
            InputError: the text is empty.
        """
        return search(self._fresh(), text, executor=executor)

    # --- the chain ------------------------------------------------------------

    def head(self) -> Head:
        """Return the newest log entry of the traces.

        Raises:
            ChainBroken: it is damaged, or does not extend the one before it.
        """
        return self._fresh().table.head()

    def verify(
        self, *, deep: bool = False, head: Head | None = None, executor: Executor | None = None
    ) -> Verification:
        """Check everything against the log; damage is listed, not raised.

        Args:
            deep: also every event row.
            head: a head of this store that was kept elsewhere.
            executor: checks several parts at once.
        """
        there = tuple(table for table in TABLES if newest_version(self.root / table.name) >= 0)
        return verify(self.root, there, deep=deep, head=head, executor=executor)

    # --- records --------------------------------------------------------------

    def decide(
        self, draft_id: str, *, at: str, actor: str, kind: str, payload: JsonMap | None = None
    ) -> Decision:
        """Store one decision of a review as the next one of its draft."""
        payloads = [{} if payload is None else payload]
        return self.decide_together(draft_id, at=at, actor=actor, kind=kind, payloads=payloads)[0]

    def decide_together(
        self, draft_id: str, *, at: str, actor: str, kind: str, payloads: Sequence[JsonMap]
    ) -> tuple[Decision, ...]:
        """Store several decisions of a review, at least one, in one commit: all or none."""
        made = [
            Decision(draft_id=draft_id, seq=0, at=at, actor=actor, kind=kind, payload=payload)
            for payload in payloads
        ]
        table = self._made(DECISIONS)
        return add_decisions(table, self._connection, made, clock=self.clock)

    def decisions(self, draft_id: str) -> tuple[Decision, ...]:
        """Return the decisions of a draft in their order."""
        table = self._there(DECISIONS)
        return () if table is None else decisions_of(table, self._connection, draft_id)

    def record(self, results: Iterable[TrialResult]) -> Head | None:
        """Store recorded trials in one commit; None: there were none."""
        rows = list(results)
        return add_results(self._made(RESULTS), rows, clock=self.clock) if rows else None

    def results(self, case_id: str) -> tuple[TrialResult, ...]:
        """Return the recorded trials of a case, those that were stored first before others."""
        table = self._there(RESULTS)
        return () if table is None else results_of(table, self._connection, case_id)

    # --------------------------------------------------------------------------

    def _fresh(self) -> Reader:
        self._reader.table.refresh()
        return self._reader

    def _made(self, table: Table) -> DeltaFolder:
        if table.name not in self._tables:
            with disk_errors():
                self._tables[table.name] = create_table(self.root, table)
        return self._tables[table.name]

    def _there(self, table: Table) -> DeltaFolder | None:
        if table.name not in self._tables:
            if newest_version(self.root / table.name) < 0:
                return None
            self._tables[table.name] = open_table(self.root, table)
        found = self._tables[table.name]
        found.refresh()
        return found


def _moment(since: str | date) -> int:
    if isinstance(since, datetime):
        moment = microseconds(since.isoformat())
    elif isinstance(since, date):
        moment = microseconds(datetime(since.year, since.month, since.day, tzinfo=UTC).isoformat())
    else:
        moment = microseconds(since)
    if moment is None:
        raise InputError(
            f"is a string of {len(str(since))} characters; expected a day or a time",
            key="since",
            fix="write it as 2026-05-31, or 2026-05-31T08:00:00Z",
        )
    return moment

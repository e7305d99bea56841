"""Runs of one source file become one commit, or nothing.

The batch is the source: its sha256 is the batch id, so the same source again adds nothing. A
run that is stored already, id and raw bytes, is counted and not stored again. Two writers may
bring the same run from different files at the same moment. Where the run says that it was made
of what is stored, the second is refused, and has to look again; else both versions are stored,
and readers take the later one.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from deltalake.exceptions import DeltaError

from workbench.errors import InputError, TraceFormatError
from workbench.store.batches import LateRecords
from workbench.store.columns import safe_text
from workbench.store.errors import RunsChanged, StoreCorrupt, disk_failure
from workbench.store.log import LOG_FOLDER, Head, newest_version, read_entry
from workbench.store.parts import OpenPart, Part, discard
from workbench.store.rows import late_row, rows_of
from workbench.store.tables import EVENT, RUN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from workbench.model.jsonvalue import JsonMap
    from workbench.model.trace import Imported
    from workbench.store.delta import DeltaFolder
    from workbench.store.rows import RunRows

__all__ = ["Commit", "SourceFile", "append_runs", "batch_of", "disk_errors", "forget"]

MAX_OPEN_PARTS: Final = 32
"""Dates written to at once; one more closes the oldest."""

MAX_RAW_BYTES: Final = 2**31 - 1
"""An Arrow cell cannot be longer."""

_DIGEST: Final = re.compile(r"(?:sha256:)?([0-9a-f]{64})")


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """The file that runs were read from."""

    name: str
    """Without its folder."""
    format: str
    digest: str
    """sha256 of its bytes: 64 hex digits, `sha256:` before them or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """What one source brought."""

    batch_id: str
    version: int
    """Number of the log entry."""
    head: Head
    """The log's newest entry once it was added."""
    runs: int
    """Runs that were added."""
    events: int
    """Events of these runs."""
    duplicates: int
    """Runs of the source that were there before; all of them if `repeated`."""
    repeated: bool = False
    """The source itself was there before: this call added nothing, the commit is the first one."""


def batch_of(source: SourceFile) -> str:
    """Return the batch id of a source.

    Raises:
        InputError: its digest is no sha256.
    """
    found = _DIGEST.fullmatch(source.digest)
    if found is None:
        raise InputError(
            f"is a string of {len(source.digest)} characters; expected the sha256 of the file",
            place=source.name,
            key="digest",
        )
    return found[1]


@contextmanager
def disk_errors() -> Iterator[None]:
    """Tell a full or read-only disk by its own error, whichever library met it."""
    try:
        yield
    except (OSError, DeltaError) as error:
        failure = disk_failure(error)
        if failure is None:
            raise
        raise failure from None


def append_runs(
    table: DeltaFolder,
    runs: Iterable[Imported | LateRecords],
    *,
    source: SourceFile,
    known: Callable[[], set[tuple[str, bytes]]],
    stored_since: Callable[[int], set[str]],
    clock: Callable[[], float],
) -> Commit:
    """Store the runs of a source.

    Args:
        table: the `traces` table.
        runs: read lazily, and not at all if the source was stored before.
        source: where they come from.
        known: returns id and raw digest of every stored run; called once the source is new.
        stored_since: returns the ids of runs that entries after a version brought.
        clock: seconds since 1970.

    Raises:
        TraceFormatError: the source holds no run, or one id with two contents.
        RunsChanged: another writer stored a version of a run that was put together here.
        StoreError: nothing was added; see `store.errors`.
    """
    batch_id = batch_of(source)
    table.refresh()
    if (first := _committed(table, batch_id)) is not None:
        return first
    batch = _Batch(
        root=table.path,
        batch_id=batch_id,
        source=source,
        known=known(),
        read=table.version,
    )

    def check() -> None:
        if batch.looked and (stale := batch.looked & stored_since(batch.read)):
            raise RunsChanged(len(stale))

    try:
        with disk_errors():
            for imported in runs:
                if isinstance(imported, LateRecords):
                    batch.take_late(imported)
                else:
                    batch.take(imported)
            parts = batch.finish()
            head = table.commit(
                parts, batch_id=batch_id, meta=batch.meta(), clock=clock, check=check
            )
    except BaseException:
        batch.drop_open()
        forget(table.path, batch.parts, since=batch.read)
        raise
    if head is None:  # another process stored the same source meanwhile
        discard(table.path, batch.parts)
        first = _committed(table, batch_id)
        assert first is not None  # noqa: S101  `commit` has just seen it
        return first
    return batch.commit(head)


def forget(root: Path, parts: Iterable[Part], *, since: int) -> None:
    """Delete the parts that no entry after `since` names: the entry may be there, in spite of all.

    Where the log cannot be read nothing is deleted; a part that no entry names is only waste.
    """
    named: set[str] = set()
    for version in range(since + 1, newest_version(root) + 1):
        try:
            entry = read_entry(root, version)
        except OSError:
            return
        if entry.problem is not None:
            return
        named.update(entry.files)
    discard(root, [part for part in parts if part.path not in named])


def _committed(table: DeltaFolder, batch_id: str) -> Commit | None:
    """Return the commit of a batch that is there."""
    if not table.has(batch_id):
        return None
    for version in range(table.version, -1, -1):
        try:
            entry = read_entry(table.path, version)
        except FileNotFoundError:
            continue
        if entry.wb is not None and entry.wb.get("batch_id") == batch_id:
            return _first_commit(entry.wb, Head(version=version, digest=entry.digest))
    raise StoreCorrupt(
        f"{table.table.name}/{LOG_FOLDER}",
        want="the entry of a batch that engines know",
        got="none: it is gone",
    )


def _first_commit(wb: JsonMap, head: Head) -> Commit:
    runs, events, duplicates = (int(str(wb[key])) for key in ("runs", "events", "duplicates"))
    return Commit(
        batch_id=str(wb["batch_id"]),
        version=head.version,
        head=head,
        runs=runs,
        events=events,
        duplicates=runs + duplicates,
        repeated=True,
    )


@dataclass(slots=True)
class _Batch:
    """The rows of one source on their way to the disk."""

    root: Path
    batch_id: str
    source: SourceFile
    known: set[tuple[str, bytes]]
    read: int
    """Newest version of the log when this batch began."""
    parts: list[Part] = field(default_factory=list)
    runs: int = 0
    events: int = 0
    duplicates: int = 0
    late: list[str] = field(default_factory=list)
    """Runs of which late records were taken."""
    joined: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Batches of the records that waited for a run and are in it now, by run."""
    looked: set[str] = field(default_factory=set)
    """Runs for which it was looked what is stored of them."""
    _open: dict[str | None, OpenPart] = field(default_factory=dict)
    _seen: dict[str, bytes] = field(default_factory=dict)
    _run_rows: dict[str | None, list[RunRows]] = field(default_factory=dict)

    def take(self, imported: Imported) -> None:
        """Write the events of a run; its own row waits for the end."""
        self._check_size(imported.raw)
        rows = rows_of(imported, batch_id=self.batch_id)
        if imported.made_of is not None:
            self.looked.add(rows.run_id)
        if imported.made_of:
            self.joined[rows.run_id] = imported.made_of
        if self._is_duplicate(rows):
            self.duplicates += 1
            return
        self._seen[rows.run_id] = rows.digest
        self.runs += 1
        self.events += rows.n_events
        part = self._part(rows.date)
        part.add(rows.run_id, rows.events, size_bytes=rows.raw_bytes)
        self._run_rows.setdefault(rows.date, []).append(replace(rows, events=()))

    def take_late(self, late: LateRecords) -> None:
        """Write records of a run that is there; it gets no row of its own."""
        self._check_size(late.raw)
        run_id = safe_text(late.run_id)
        assert run_id not in self.late  # noqa: S101  a batch has one row for what came late
        self.late.append(run_id)
        row = late_row(late, batch_id=self.batch_id)
        self._part(None).add(run_id, [row], size_bytes=len(late.raw))

    def _check_size(self, raw: bytes) -> None:
        if len(raw) > MAX_RAW_BYTES:
            raise TraceFormatError(
                f"holds a run of {len(raw)} bytes; expected at most {MAX_RAW_BYTES}",
                place=self.source.name,
                fix="split it",
            )

    def _is_duplicate(self, rows: RunRows) -> bool:
        before = self._seen.get(rows.run_id)
        if before is not None and before != rows.digest:
            raise TraceFormatError(
                f"holds run {rows.run_id!r} twice, with different contents; "
                "expected one record a run",
                place=self.source.name,
                fix="give each run its own id, or put the versions into two files",
            )
        return before is not None or (rows.run_id, rows.digest) in self.known

    def _part(self, date: str | None) -> OpenPart:
        part = self._open.get(date)
        if part is not None and part.is_full:
            self._close(date)
            part = None
        if part is None:
            if len(self._open) >= MAX_OPEN_PARTS:
                self._close(next(iter(self._open)))
            partition = {"record": EVENT.name, "date": date}
            part = OpenPart(self.root, EVENT, partition, prefix=self.batch_id)
            self._open[date] = part
        return part

    def _close(self, date: str | None) -> None:
        self.parts.append(self._open[date].close())
        del self._open[date]

    def finish(self) -> list[Part]:
        """Close every part and write the rows of the runs."""
        if self.runs + self.duplicates + len(self.late) == 0:
            raise TraceFormatError(
                "holds no run; expected at least one",
                place=self.source.name,
                fix="name a file with traces",
            )
        for date in tuple(self._open):
            self._close(date)
        for date, found in self._run_rows.items():
            part = OpenPart(
                self.root, RUN, {"record": RUN.name, "date": date}, prefix=self.batch_id
            )
            self._open[date] = part
            for rows in found:
                part.add(rows.run_id, [rows.run], size_bytes=0)
            self._close(date)
        return self.parts

    def drop_open(self) -> None:
        """Delete the parts that were not finished."""
        for part in self._open.values():
            part.drop()

    def meta(self) -> JsonMap:
        """Return what the entry says of the batch."""
        meta: JsonMap = {
            "kind": "append",
            "source": self.batch_id,
            "runs": self.runs,
            "events": self.events,
            "duplicates": self.duplicates,
        }
        if self.late:
            meta["late"] = [*self.late]
        if self.joined:
            meta["joined"] = {run_id: [*made_of] for run_id, made_of in self.joined.items()}
        return meta

    def commit(self, head: Head) -> Commit:
        """Return what was added."""
        return Commit(
            batch_id=self.batch_id,
            version=head.version,
            head=head,
            runs=self.runs,
            events=self.events,
            duplicates=self.duplicates,
        )

"""Whether a store still holds what was put into it.

Every log entry is replayed from the first one, and neither snapshot nor checkpoint is trusted.
Damage is named, never raised: a store under suspicion must be looked at to its end. A cut tail
or a log whose digests were all computed anew shows only against a head kept elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from workbench.store.batches import late_in
from workbench.store.log import LOG_FOLDER, Entry, Head, entry_path, newest_version, read_entry
from workbench.store.parts import digest_of
from workbench.store.tables import EVENT, PROPERTIES, RUN, TRACES
from workbench.store.verify_rows import PartCheck, RunCheck, check_events, check_runs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor
    from pathlib import Path

    from workbench.store.tables import Table

__all__ = ["Damage", "DamageKind", "Verification", "verify"]


class DamageKind(StrEnum):
    """What is wrong."""

    ENTRY_MISSING = "entry_missing"
    ENTRY_UNREADABLE = "entry_unreadable"
    CHAIN_BROKEN = "chain_broken"
    FOREIGN_COMMIT = "foreign_commit"
    ROWS_REMOVED = "rows_removed"
    PROPERTIES_CHANGED = "properties_changed"
    FILE_WITHOUT_DIGEST = "file_without_digest"
    FILE_MISSING = "file_missing"
    FILE_CHANGED = "file_changed"
    TAIL_CUT = "tail_cut"
    HEAD_DIFFERS = "head_differs"
    ENGINE_REFUSES = "engine_refuses"
    ENGINE_DIFFERS = "engine_differs"
    EVENT_CHANGED = "event_changed"
    RUN_CHANGED = "run_changed"
    BODY_UNREADABLE = "body_unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """One thing that is wrong."""

    kind: DamageKind
    path: str
    """File, relative to the store."""
    sentence: str
    version: int | None = None
    """Number of the log entry that says so, or that is damaged."""

    def __str__(self) -> str:
        return f"{self.path}: {self.sentence} ({self.kind})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What `verify` found."""

    damages: tuple[Damage, ...]
    entries: int
    """Log entries replayed."""
    files: int
    """Part files that the log names and that were compared with their digests."""
    rows: int
    """Event rows compared with their digests; 0 unless deep."""
    orphans: int
    """Part files that no entry names: left by a process that was killed, harmless."""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.damages


@dataclass(slots=True)
class _Replay:
    """The state of one table while its log is replayed."""

    root: Path
    table: Table
    damages: list[Damage] = field(default_factory=list)
    live: dict[str, int] = field(default_factory=dict)
    """Size in bytes by path."""
    digests: dict[str, str] = field(default_factory=dict)
    added_by: dict[str, int] = field(default_factory=dict)
    prev: str | None = None
    entries: int = 0
    late: set[tuple[str, str]] = field(default_factory=set)
    """Run id and batch of records that came late: they have no row of a run."""

    @property
    def folder(self) -> Path:
        return self.root / self.table.name

    def report(self, kind: DamageKind, path: str, sentence: str, version: int | None) -> None:
        where = f"{self.table.name}/{path}"
        self.damages.append(Damage(kind=kind, path=where, sentence=sentence, version=version))

    def report_entry(self, kind: DamageKind, version: int, sentence: str) -> None:
        self.report(kind, f"{LOG_FOLDER}/{version:020d}.json", sentence, version)


def verify(
    root: Path,
    tables: tuple[Table, ...],
    *,
    deep: bool = False,
    head: Head | None = None,
    executor: Executor | None = None,
) -> Verification:
    """Check a store.

    Args:
        root: the store's folder.
        tables: those of its tables that are there.
        deep: also check every event row: digest, body, and each run's bytes as a whole.
        head: what `traces` is known to have had as its newest entry.
        executor: checks several parts at once.
    """
    replays = [_replay(root, table) for table in tables]
    checked: list[PartCheck] = []
    for replay in replays:
        sound = list(_check_files(replay))
        if replay.table is TRACES:
            _check_head(replay, head)
            if deep:
                checked = _check_rows(replay, sound, executor)
        _check_engine(replay)
    return Verification(
        damages=tuple(damage for replay in replays for damage in replay.damages),
        entries=sum(replay.entries for replay in replays),
        files=sum(len(replay.live) for replay in replays),
        rows=sum(check.rows for check in checked),
        orphans=sum(_orphans(replay) for replay in replays),
    )


# --- the log -----------------------------------------------------------------


def _replay(root: Path, table: Table) -> _Replay:
    replay = _Replay(root=root, table=table)
    for version in range(newest_version(replay.folder) + 1):
        try:
            entry = read_entry(replay.folder, version)
        except FileNotFoundError:
            replay.report_entry(DamageKind.ENTRY_MISSING, version, "the log entry is gone")
            replay.prev = None
            continue
        replay.entries += 1
        if entry.problem is not None:
            sentence = f"the log entry {entry.problem}"
            replay.report_entry(DamageKind.ENTRY_UNREADABLE, version, sentence)
        else:
            _check_origin(replay, entry)
            _check_settings(replay, entry)
            _take_files(replay, entry)
            replay.late |= late_in(entry)
        replay.prev = entry.digest
    return replay


def _check_origin(replay: _Replay, entry: Entry) -> None:
    if entry.wb is None:
        replay.report_entry(
            DamageKind.FOREIGN_COMMIT,
            entry.version,
            f"another tool made this commit ({entry.operation})",
        )
    elif entry.version > 0 and replay.prev is not None and entry.prev != replay.prev:
        replay.report_entry(
            DamageKind.CHAIN_BROKEN,
            entry.version,
            "the entry before this one is not the one that it extends",
        )


def _check_settings(replay: _Replay, entry: Entry) -> None:
    if entry.version > 0 and (entry.metadata or entry.protocols):
        replay.report_entry(
            DamageKind.PROPERTIES_CHANGED, entry.version, "it changes the table's properties"
        )
    if entry.version == 0:
        found = entry.metadata[0].get("configuration") if entry.metadata else None
        settings = found if isinstance(found, dict) else {}
        wrong = [key for key, value in PROPERTIES.items() if settings.get(key) != value]
        if wrong:
            replay.report_entry(
                DamageKind.PROPERTIES_CHANGED, 0, f"the table was made without {', '.join(wrong)}"
            )


def _take_files(replay: _Replay, entry: Entry) -> None:
    for action in entry.removes:
        path = str(action.get("path"))
        replay.live.pop(path, None)
        replay.report(
            DamageKind.ROWS_REMOVED, path, f"{entry.operation} removed its rows", entry.version
        )
    for action in entry.adds:
        path = str(action.get("path"))
        if action.get("deletionVector") is not None:
            replay.report(
                DamageKind.ROWS_REMOVED, path, "some of its rows are marked deleted", entry.version
            )
        replay.live[path] = int(str(action.get("size", -1)))
        replay.added_by[path] = entry.version
        if path in entry.files:
            replay.digests[path] = entry.files[path]
        elif path not in replay.digests:
            replay.report(
                DamageKind.FILE_WITHOUT_DIGEST,
                path,
                "its commit does not say what it holds",
                entry.version,
            )


def _check_head(replay: _Replay, head: Head | None) -> None:
    if head is None:
        return
    newest = newest_version(replay.folder)
    if head.version > newest:
        replay.report_entry(
            DamageKind.TAIL_CUT,
            head.version,
            f"the log ends at entry {newest}; it once had entry {head.version}",
        )
    elif not (path := entry_path(replay.folder, head.version)).exists():
        pass  # reported as missing
    elif digest_of(path) != head.digest:
        replay.report_entry(
            DamageKind.HEAD_DIFFERS, head.version, "the entry is not the one that was the head"
        )


# --- the files ---------------------------------------------------------------


def _check_files(replay: _Replay) -> Iterator[str]:
    """Yield the part files that are what the log says."""
    for path, size in replay.live.items():
        file, version = replay.folder / path, replay.added_by[path]
        if not file.is_file():
            replay.report(DamageKind.FILE_MISSING, path, "the part file is gone", version)
        elif file.stat().st_size != size or digest_of(file) != replay.digests.get(path):
            replay.report(DamageKind.FILE_CHANGED, path, "the part file was changed", version)
        else:
            yield path


def _orphans(replay: _Replay) -> int:
    found = (path.relative_to(replay.folder) for path in replay.folder.rglob("*.parquet"))
    return sum(
        path.as_posix() not in replay.added_by for path in found if LOG_FOLDER not in path.parts
    )


def _check_engine(replay: _Replay) -> None:
    """Compare what engines will read with what the log says."""
    try:
        table = DeltaTable(str(replay.folder))
        seen = set(table.get_add_actions().column("path").to_pylist())
    except (DeltaError, OSError):
        replay.report(
            DamageKind.ENGINE_REFUSES, LOG_FOLDER, "no engine opens the table (checkpoint?)", None
        )
        return
    if seen != set(replay.live):
        sentence = (
            f"engines see {len(seen - set(replay.live))} files that the log does not name, "
            f"and miss {len(set(replay.live) - seen)} (checkpoint?)"
        )
        replay.report(DamageKind.ENGINE_DIFFERS, LOG_FOLDER, sentence, None)


# --- the rows ----------------------------------------------------------------


def _check_rows(replay: _Replay, sound: list[str], executor: Executor | None) -> list[PartCheck]:
    """Check the rows of the parts that are on the disk as the log says."""
    work = partial(check_events, str(replay.folder))
    events = [path for path in sound if path.startswith(f"record={EVENT.name}/")]
    checked = list((executor.map if executor else map)(work, events))
    for part in checked:
        version = replay.added_by[part.path]
        for seq in part.changed:
            sentence = f"row {seq} of the part does not have its digest"
            replay.report(DamageKind.EVENT_CHANGED, part.path, sentence, version)
        for seq in part.unreadable:
            sentence = f"the body of row {seq} of the part is no list of events"
            replay.report(DamageKind.BODY_UNREADABLE, part.path, sentence, version)
    found = {key: run for part in checked for key, run in part.runs.items()}
    for path in (path for path in sound if path.startswith(f"record={RUN.name}/")):
        for row, key, want in check_runs(str(replay.folder), path):
            _check_run(replay, (path, row), want, found.pop(key, None))
    for key, run in found.items():
        if key in replay.late:
            continue
        sentence = "a run has events here and no row of its own"
        replay.report(DamageKind.RUN_CHANGED, run.path, sentence, replay.added_by[run.path])
    return checked


def _check_run(
    replay: _Replay, place: tuple[str, int], want: RunCheck, got: RunCheck | None
) -> None:
    path, row = place
    if got is None:
        problem = "has no event rows"
    elif got.digest != want.digest:
        problem = "does not concatenate to the bytes that were stored"
    elif got.events != want.events:
        problem = f"has {got.events} events; expected {want.events}"
    else:
        return
    sentence = f"the run of row {row} {problem}"
    replay.report(DamageKind.RUN_CHANGED, path, sentence, replay.added_by[path])

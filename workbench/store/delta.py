"""One Delta table of the store: open or create it, list its files, commit to it.

A commit is a compare-and-swap: it names the sha256 of the entry it extends and gives up the
version to whoever came first. deltalake's own retries stay off: with them `prev` goes stale.
"""

from __future__ import annotations

import json
import random
import re
import time
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from deltalake import CommitProperties, DeltaTable, PostCommitHookProperties, Schema, Transaction
from deltalake.exceptions import CommitFailedError, DeltaError
from deltalake.transaction import AddAction

from workbench.errors import StoreError
from workbench.store.errors import (
    ChainBroken,
    CommitContention,
    SchemaTooNew,
    StoreCorrupt,
    disk_failure,
)
from workbench.store.log import LOG_FOLDER, Entry, Head, entry_path, newest_version, read_entry
from workbench.store.parts import Part, sync, sync_folders
from workbench.store.tables import FORMAT, FORMAT_KEY, PROPERTIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from workbench.model.jsonvalue import JsonMap
    from workbench.store.tables import Table

__all__ = ["MAX_TRIES", "DeltaFolder", "create_table", "open_table", "pauses"]

MAX_TRIES: Final = 200

_DECODED_TWICE: Final = re.compile(r"%[0-9A-Fa-f]{2}")


def create_table(root: Path, table: Table) -> DeltaFolder:
    """Open the table in `root`, made first if it is not there; several may do so at once."""
    folder = root / table.name
    if newest_version(folder) < 0:
        _check_path(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            DeltaTable.create(
                str(folder),
                Schema.from_arrow(table.schema),
                partition_by=list(table.partitions) or None,
                configuration=PROPERTIES,
                mode="ignore",
                raise_if_key_not_exists=False,
                commit_properties=CommitProperties(
                    max_commit_retries=0,  # else two makers at once write two first entries
                    custom_metadata={"wb": json.dumps({"kind": "create"})},
                ),
            )
            sync(entry_path(folder, 0))
            sync(folder / LOG_FOLDER)
        except (OSError, DeltaError) as error:
            if (failure := disk_failure(error)) is not None:
                raise failure from None
            if newest_version(folder) < 0:  # else another process made it first
                raise StoreError(
                    "cannot be made a Delta table",
                    place=table.name,
                    fix="name an empty folder with --store",
                ) from error
    return open_table(root, table)


def open_table(root: Path, table: Table) -> DeltaFolder:
    """Open a table that is there.

    Raises:
        ChainBroken: its newest log entry is damaged.
        SchemaTooNew: a newer workbench wrote it.
        StoreCorrupt: no engine can open it.
        StoreError: it is a Delta table of somebody else.
    """
    folder = root / table.name
    _check_path(folder)
    try:
        opened = DeltaTable(str(folder))
    except DeltaError as error:
        if "unsupported" in str(error).lower():  # deltalake has no class of its own for it
            raise SchemaTooNew("with a newer Delta protocol", known=FORMAT) from None
        _check_entry(folder, newest_version(folder))
        raise StoreCorrupt(
            f"{table.name}/{LOG_FOLDER}",
            want="a log that opens",
            got="a damaged log or checkpoint",
        ) from None
    found = opened.metadata().configuration.get(FORMAT_KEY)
    if found is None:
        raise StoreError(
            "is a Delta table, but no table of a store",
            place=table.name,
            fix="name an empty folder with --store",
        )
    if found != str(FORMAT):
        raise SchemaTooNew(found, known=FORMAT)
    return DeltaFolder(folder, table, opened)


def _check_path(folder: Path) -> None:
    if _DECODED_TWICE.search(str(folder)):
        raise StoreError(
            "has a % and two hexadecimal digits in its path, which Delta Lake would decode",
            place="store",
            fix="name a folder without % in its path",
        )


def _check_entry(folder: Path, version: int) -> Entry:
    """Return an entry that the next one may extend."""
    place = f"{folder.name}/{LOG_FOLDER}/{version:020d}.json"
    try:
        entry = read_entry(folder, version)
        before = read_entry(folder, version - 1).digest if version > 0 else None
    except FileNotFoundError:
        raise ChainBroken(version, place=place, problem="or the entry before it is gone") from None
    if entry.problem is not None:
        raise ChainBroken(version, place=place, problem=entry.problem)
    if entry.wb is not None and entry.prev != before:
        raise ChainBroken(version, place=place, problem="does not extend the entry before it")
    return entry


def pauses(seed: str) -> Iterator[float]:
    """Return seconds to wait between tries, longer and longer, spread by the seed."""
    chance = random.Random(seed)  # noqa: S311  no secret
    for nth in count():
        yield min(0.2, 0.002 * 2 ** min(nth, 7)) * chance.uniform(0.5, 1.5)


@dataclass(slots=True)
class DeltaFolder:
    """An open table. Its snapshot moves only by `refresh`, also after its own commits."""

    path: Path
    table: Table
    _delta: DeltaTable

    def refresh(self) -> None:
        """See what others have committed."""
        try:
            self._delta.update_incremental()
        except DeltaError:
            _check_entry(self.path, newest_version(self.path))
            raise StoreCorrupt(
                f"{self.table.name}/{LOG_FOLDER}", want="a log that opens", got="a damaged log"
            ) from None

    @property
    def version(self) -> int:
        """Number of the newest entry seen."""
        return self._delta.version()

    def head(self) -> Head:
        """Return the newest entry seen, which extends the one before it."""
        entry = _check_entry(self.path, self.version)
        return Head(version=entry.version, digest=entry.digest)

    def has(self, batch_id: str) -> bool:
        """Whether a batch was committed."""
        return self._delta.transaction_version(batch_id) is not None

    def files(self, *where: tuple[str, str, str]) -> list[str]:
        """Return the paths, relative to the table, of the parts that may hold what is asked for.

        Args:
            where: `(column, operator, value)`, all of which must hold; an empty value is null.
        """
        depth = len(self.table.partitions) + 1
        found = self._delta.file_uris(file_pruning_predicate=list(where) or None)
        return ["/".join(unquote(uri).split("/")[-depth:]) for uri in found]

    def moments(self) -> dict[str, int]:
        """Return when each part file was committed, milliseconds since 1970, by the file's name."""
        actions = self._delta.get_add_actions(flatten=True)
        names = (unquote(path).rpartition("/")[2] for path in actions["path"].to_pylist())
        return dict(zip(names, actions["modification_time"].to_pylist(), strict=True))

    def commit(
        self,
        parts: Sequence[Part],
        *,
        batch_id: str,
        meta: JsonMap,
        clock: Callable[[], float],
        check: Callable[[], None],
    ) -> Head | None:
        """Add parts under a batch; they are on the disk, entry and all, when this returns.

        It starts from what was last seen: a stale view costs one refused try.

        Args:
            parts: finished part files.
            batch_id: no batch is added twice.
            meta: what `wb` holds beside `batch_id`, `prev` and `files`.
            clock: seconds since 1970, for the entry.
            check: raises where what was last seen forbids the batch; asked before each try.

        Returns:
            The new head; None if the batch is there already.

        Raises:
            CommitContention: others won every try.
            ChainBroken: the newest entry is damaged.
        """
        waits = pauses(batch_id)
        for _ in range(MAX_TRIES):
            if self.has(batch_id):
                return None
            check()
            head = self.attempt(parts, after=self.head(), batch_id=batch_id, meta=meta, clock=clock)
            if head is not None:
                return head
            time.sleep(next(waits))
            self.refresh()
        raise CommitContention(MAX_TRIES)

    def attempt(
        self,
        parts: Sequence[Part],
        *,
        after: Head,
        batch_id: str,
        meta: JsonMap,
        clock: Callable[[], float],
    ) -> Head | None:
        """Commit right after one entry; None: somebody else's came there first."""
        sync_folders(self.path, parts)
        try:
            self._try(parts, batch_id, {**meta, "prev": after.digest}, clock)
        except CommitFailedError as error:
            if (failure := disk_failure(error)) is not None:
                raise failure from None
            return None
        return self._settle(after.version + 1)

    def _try(
        self, parts: Sequence[Part], batch_id: str, meta: JsonMap, clock: Callable[[], float]
    ) -> None:
        files = {part.path: part.digest for part in parts}
        wb = json.dumps({**meta, "batch_id": batch_id, "files": files}, sort_keys=True)
        now = int(clock() * 1000)
        self._delta.create_write_transaction(
            [_action(part, now, self.table) for part in parts],
            mode="append",
            schema=Schema.from_arrow(self.table.schema),
            partition_by=list(self.table.partitions),
            commit_properties=CommitProperties(
                max_commit_retries=0,
                app_transactions=[Transaction(batch_id, 1)],
                custom_metadata={"wb": wb},
            ),
            post_commithook_properties=PostCommitHookProperties(
                create_checkpoint=True, cleanup_expired_logs=False
            ),
        )

    def _settle(self, version: int) -> Head:
        sync(entry_path(self.path, version))
        checkpoint = self.path / LOG_FOLDER / f"{version:020d}.checkpoint.parquet"
        if checkpoint.exists():
            sync(checkpoint)
            sync(self.path / LOG_FOLDER / "_last_checkpoint")
        sync(self.path / LOG_FOLDER)
        return Head(version=version, digest=read_entry(self.path, version).digest)


def _action(part: Part, now: int, table: Table) -> AddAction:
    stats: JsonMap = {"numRecords": part.rows}
    key = next((kind.bloom for kind in table.kinds if kind.bloom is not None), None)
    if key is not None and part.low is not None and part.high is not None:
        stats |= {
            "minValues": {key: part.low},
            "maxValues": {key: part.high},
            "nullCount": {key: 0},
        }
    return AddAction(
        path=part.path,
        size=part.size_bytes,
        partition_values=part.partition,
        modification_time=now,
        data_change=True,
        stats=json.dumps(stats),
    )

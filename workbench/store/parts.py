"""Part files: how rows become Parquet.

Row groups of about 4 MB raw, sorted by (run_id, seq); a run is split over row groups only above
64 MB and never over parts; a part ends at 256 MB. A part is on the disk, digest known, before
its name goes into a log entry. pyarrow, not `write_deltalake`: that cuts runs and cannot name
digests in the commit.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow.parquet as pq

from workbench.store.columns import table_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from workbench.store.tables import RowKind

__all__ = ["OpenPart", "Part", "Row", "digest_of", "discard", "sync", "sync_folders"]

GROUP_BYTES: Final = 4_000_000
RUN_SPLIT_BYTES: Final = 64_000_000
PART_BYTES: Final = 256_000_000
KEY_CHARACTERS: Final = 256
"""Longer keys are not measured: the log would hold them whole."""

Row = tuple[Any, ...]

_NO_DATE: Final = "__HIVE_DEFAULT_PARTITION__"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A finished part file."""

    path: str
    """Relative to its table."""
    size_bytes: int
    digest: str
    """sha256 of the file, hex."""
    rows: int
    partition: dict[str, str | None]
    low: str | None
    """Least value of the bloom column; None: not known."""
    high: str | None


def sync(path: Path) -> None:
    """Return when a file, or the names in a folder, are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_folders(root: Path, parts: Iterable[Part]) -> None:
    """Return when the names of part files are on the disk."""
    folders = {folder for part in parts for folder in Path(part.path).parents}
    for folder in sorted(folders, reverse=True):
        sync(root / folder)


def digest_of(path: Path) -> str:
    """Return the sha256 of a file, hex."""
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


def discard(root: Path, parts: Iterable[Part]) -> None:
    """Delete part files that no log entry names."""
    for part in parts:
        (root / part.path).unlink(missing_ok=True)


class OpenPart:
    """A part file being written.

    The caller adds whole units of rows (a run's events, say), closes, or drops. Until a group
    is full its rows wait in memory, at most `GROUP_BYTES` and one unit of raw bytes.
    """

    def __init__(
        self, root: Path, kind: RowKind, partition: dict[str, str | None], *, prefix: str
    ) -> None:
        folders = [f"{key}={value or _NO_DATE}" for key, value in partition.items()]
        self.relative = "/".join([*folders, f"{prefix[:16]}-{secrets.token_hex(8)}.parquet"])
        self.partition = partition
        self._kind = kind
        self._path = root / self.relative
        self._units: list[tuple[str, Sequence[Row]]] = []
        self._waiting_bytes = 0
        self._rows = 0
        self._low: str | None = None
        self._high: str | None = None
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._writer = self._open()

    def _open(self) -> pq.ParquetWriter:
        names = self._kind.schema.names
        options: dict[str, Any] = {"use_dictionary": list(self._kind.dictionary)}
        if self._kind.bloom is not None:
            options["bloom_filter_options"] = {self._kind.bloom: {"ndv": 2000, "fpp": 0.01}}
        return pq.ParquetWriter(
            self._path,
            self._kind.schema,
            compression="zstd",
            compression_level=3,
            write_statistics=[name for name in names if name not in self._kind.unmeasured],
            write_page_index=True,
            write_page_checksum=True,
            **options,
        )

    @property
    def is_full(self) -> bool:
        """Whether the next rows belong in another part."""
        return self._path.stat().st_size >= PART_BYTES

    def add(self, key: str, rows: Sequence[Row], *, size_bytes: int) -> None:
        """Take rows that belong together; they stay in this part, in this order.

        Args:
            key: what units are sorted by within a group, as its column holds it.
            rows: cells in the order of the schema, at least one row.
            size_bytes: raw bytes of the rows.
        """
        if self._units and self._waiting_bytes + size_bytes > RUN_SPLIT_BYTES:
            self.flush()
        self._units.append((key, rows))
        self._waiting_bytes += size_bytes
        if self._waiting_bytes >= GROUP_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write the waiting rows as one row group, or as several if one unit is huge."""
        self._units.sort(key=lambda unit: unit[0])
        rows = [row for _, unit in self._units for row in unit]
        split = self._waiting_bytes > RUN_SPLIT_BYTES
        for group in _groups(rows) if split else [rows]:
            if group:
                self._writer.write_table(table_of(group, self._kind.schema), len(group))
        keys = [key for key, _ in self._units]
        self._low = min(keys + ([] if self._low is None else [self._low]), default=None)
        self._high = max(keys + ([] if self._high is None else [self._high]), default=None)
        self._rows += len(rows)
        self._units = []
        self._waiting_bytes = 0

    def close(self) -> Part:
        """Finish the file; it is on the disk when this returns."""
        self.flush()
        self._writer.close()
        sync(self._path)
        measured = max(len(self._low or ""), len(self._high or "")) <= KEY_CHARACTERS
        return Part(
            path=self.relative,
            size_bytes=self._path.stat().st_size,
            digest=digest_of(self._path),
            rows=self._rows,
            partition=self.partition,
            low=self._low if measured else None,
            high=self._high if measured else None,
        )

    def drop(self) -> None:
        """Delete the file, finished or not."""
        with suppress(OSError):  # a full disk refuses the footer too; the file goes anyway
            self._writer.close()
        self._path.unlink(missing_ok=True)


def _groups(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Cut the rows of a huge unit at `RUN_SPLIT_BYTES` of bytes."""
    group: list[Row] = []
    total = 0
    for row in rows:
        size = sum(len(cell) for cell in row if isinstance(cell, bytes | memoryview | str))
        if group and total + size > RUN_SPLIT_BYTES:
            yield group
            group, total = [], 0
        group.append(row)
        total += size
    yield group

"""Text search in the raw bytes, part by part.

A text is also looked for as JSON would write it, once and twice, because records hold JSON in
JSON strings. DuckDB searches a part whose raw is UTF-8; bytes are searched where it is not.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from workbench.errors import InputError
from workbench.store.columns import safe_text
from workbench.store.errors import StoreCorrupt
from workbench.store.query import connect, glob_safe

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor

    from workbench.store.read import Reader

__all__ = ["Hit", "find_in_part", "needles", "search"]

_COLUMNS: Final = ["run_id", "batch_id", "seq"]


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Hit:
    """A row of a run whose raw bytes hold the text."""

    run_id: str
    seq: int
    """Position of the row among those that its batch brought of the run, not of an event."""


def needles(text: str) -> tuple[str, ...]:
    r"""Return the text and what JSON makes of it, once and twice, each form once.

    >>> needles('a"b')
    ('a"b', 'a\\"b', 'a\\\\\\"b')
    """
    forms = [safe_text(text)]
    for ascii_only in (False, True):
        escaped = text
        for _ in range(2):
            escaped = json.dumps(escaped, ensure_ascii=ascii_only)[1:-1]
            forms.append(safe_text(escaped))
    return tuple(dict.fromkeys(forms))


def search(reader: Reader, text: str, *, executor: Executor | None = None) -> tuple[Hit, ...]:
    """Find a text, byte by byte, in the latest version of every run and in what waits for it.

    Args:
        reader: the runs.
        text: what to look for, not empty.
        executor: searches several parts at once.

    Raises:
        InputError: the text is empty.
        StoreCorrupt: a part cannot be read.
    """
    if not text:
        raise InputError(
            "is empty; expected a text to look for",
            key="search",
            fix="give a text, or leave it out",
        )
    root = reader.table.path
    files = [str(root / path) for path in reader.table.files(("record", "=", "event"))]
    work = partial(find_in_part, wanted=needles(text))
    found = [row for part in (executor.map if executor else map)(work, files) for row in part]
    log = reader.log
    latest = reader.latest({run_id for run_id, _, _ in found})
    return tuple(
        sorted(
            {
                Hit(run_id=run_id, seq=seq)
                for run_id, batch_id, seq in found
                if latest.get(run_id) == batch_id or batch_id in log.late_of(run_id)
            }
        )
    )


def find_in_part(path: str, *, wanted: Sequence[str]) -> list[tuple[str, str, int]]:
    """Return run id, batch id and seq of the rows of one part that hold one of the texts.

    Raises:
        StoreCorrupt: the part cannot be read.
    """
    tests = " or ".join(f"contains(raw, ${nth})" for nth in range(1, len(wanted) + 1))
    query = f"""
        select run_id, batch_id, seq from read_parquet(${len(wanted) + 1},
            hive_partitioning=false, binary_as_string=true) where {tests}
    """  # noqa: S608  every value is a parameter
    with connect() as connection:
        try:
            return connection.sql(query, params=[*wanted, [glob_safe(path)]]).fetchall()
        except duckdb.Error:  # raw is not UTF-8, or the part is damaged, which pyarrow tells
            return _find_in_bytes(Path(path), [text.encode() for text in wanted])


def _find_in_bytes(path: Path, wanted: Sequence[bytes]) -> list[tuple[str, str, int]]:
    found = []
    try:
        with pq.ParquetFile(path) as part:
            for nth in range(part.num_row_groups):
                group = part.read_row_group(nth, columns=[*_COLUMNS, "raw"])
                cells: list[list[Any]] = [group.column(name).to_pylist() for name in _COLUMNS]
                for at, raw in enumerate(group.column("raw")):
                    data = raw.as_buffer().to_pybytes()
                    if any(text in data for text in wanted):
                        run_id, batch_id, seq = (column[at] for column in cells)
                        found.append((run_id, batch_id, seq))
    except (OSError, pa.ArrowException):
        place = "/".join(path.parts[-4:])
        raise StoreCorrupt(place, want="a Parquet file", got="none that can be read") from None
    return found

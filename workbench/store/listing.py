"""A list of runs, asked again and again: chosen, sorted and cut into pages in memory.

A person who types into a filter asks a dozen times a second; the table is read once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute

from workbench.errors import InputError
from workbench.store.columns import safe_text
from workbench.store.read import plain_rows

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["SORTABLE", "Listing", "Query"]

pc: Any = pyarrow.compute
"""Its stubs know fewer shapes than its functions take."""

SORTABLE: Final = ("run_id", "status", "grade", "n_events", "start", "agent", "model", "raw_bytes")
_SEARCHED: Final = ("run_id", "agent", "model", "session", "status", "grade", "error", "source")


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Which runs, in which order."""

    text: str = ""
    """Part of an id, agent, model, session, error, source or tag, in any case."""
    status: str | None = None
    grade: str | None = None
    run_ids: frozenset[str] | None = None
    """Only these."""
    sort: str = "start"
    """One of `SORTABLE`; runs without a value come last."""
    descending: bool = True


class Listing:
    """The runs of `Store.runs`, and which of them are asked for."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self._texts = _haystack(table)
        self._asked = Query()
        self._chosen = _indices(table)

    @property
    def total(self) -> int:
        """Runs in all."""
        return int(self._table.num_rows)

    @property
    def found(self) -> int:
        """Runs that the last query chose."""
        return len(self._chosen)

    def counts(self, name: str) -> dict[str, int]:
        """Return how many runs have each value of a column; a run without one is under `""`."""
        counted = pc.value_counts(self._table.column(name).combine_chunks())
        pairs = zip(
            counted.field("values").to_pylist(), counted.field("counts").to_pylist(), strict=True
        )
        return {("" if value is None else str(value)): number for value, number in pairs}

    def ask(self, query: Query) -> int:
        """Choose and sort, and return how many runs there are.

        Raises:
            InputError: there is no such column to sort by.
        """
        if query.sort not in SORTABLE:
            raise InputError(
                "is no column to sort by", key="sort", fix=f"use one of {', '.join(SORTABLE)}"
            )
        chosen = self._table.append_column("row", _indices(self._table))
        mask = self._mask(query)
        if mask is not None:
            chosen = chosen.filter(mask)
        order = [(query.sort, "descending" if query.descending else "ascending")]
        if query.sort != "start":
            order.append(("start", "descending"))
        by = pc.sort_indices(chosen.select([name for name, _ in order]), sort_keys=order)
        self._chosen = chosen.column("row").take(by)
        self._asked = query
        return self.found

    def page(self, offset: int, limit: int) -> list[dict[str, Any]]:
        """Return some of the chosen runs as plain values, times as RFC 3339 text."""
        return plain_rows(self._table.take(self._chosen.slice(offset, limit)))

    def position(self, run_id: str) -> int | None:
        """Return where among the chosen runs a run is."""
        ids = self._table.column("run_id").take(self._chosen)
        at = pc.index(ids, safe_text(run_id)).as_py()
        return None if at < 0 else int(at)

    def _mask(self, query: Query) -> pa.ChunkedArray[Any] | None:
        masks: list[Any] = []
        if query.text:
            masks.append(pc.match_substring(self._texts, safe_text(query.text.lower())))
        masks += [
            pc.equal(self._table.column(name), safe_text(wanted))
            for name, wanted in (("status", query.status), ("grade", query.grade))
            if wanted is not None
        ]
        if query.run_ids is not None:
            masks.append(_among(self._table.column("run_id"), query.run_ids))
        both: pa.ChunkedArray[Any] | None = None
        for mask in masks:
            both = mask if both is None else pc.and_(both, mask)
        return both


def _indices(table: pa.Table) -> pa.ChunkedArray[Any]:
    return pa.chunked_array([pa.array(range(table.num_rows), pa.int64())])


def _haystack(table: pa.Table) -> pa.ChunkedArray[Any]:
    """Return what a text is looked for in: one lower-case text a run."""
    columns = [pc.fill_null(table.column(name), "") for name in _SEARCHED]
    empty: list[str] = []
    tags = pc.binary_join(pc.fill_null(table.column("tags"), empty), " ")
    found: pa.ChunkedArray[Any] = pc.utf8_lower(pc.binary_join_element_wise(*columns, tags, "\n"))
    return found


def _among(column: pa.ChunkedArray[Any], values: Collection[str]) -> pa.ChunkedArray[Any]:
    found: pa.ChunkedArray[Any] = pc.is_in(
        column, value_set=pa.array(sorted(map(safe_text, values)), pa.string())
    )
    return found

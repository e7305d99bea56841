"""JSON documents and lines that hold several records: how each is cut into them.

What a container says once of all its records travels with each as `Piece.shared`, or stands
around the record in `raw`; each record keeps its exact bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from workbench.ingest.events.messages import is_turn
from workbench.ingest.files.agents_batches import is_agents_batch, is_agents_export
from workbench.ingest.files.otlp_records import LEVELS, holds_spans, spans_of
from workbench.ingest.records.jsontext import DEPTH_LIMIT, TOO_DEEP, Step, depth_within
from workbench.ingest.records.parts import PartMap
from workbench.ingest.records.piece import Piece

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["Container", "readable", "records_of", "records_of_line"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """One form of container."""

    holds: Callable[[Json], bool]
    """Whether a value is of this form."""
    pieces: Callable[[Piece], Iterator[Piece]]
    """Its records; a piece without a place gets that of the container."""


def _keyed(name: str, *marks: str, shared: Sequence[str] = ()) -> Container:
    """Return the form of a mapping that has a list of records under a name.

    Args:
        name: of the list.
        marks: keys that such a mapping has too.
        shared: keys of what it says once of all its records.
    """

    def holds(value: Json) -> bool:
        if not isinstance(value, dict) or not isinstance(value.get(name), list):
            return False
        return all(mark in value for mark in marks)

    def pieces(document: Piece) -> Iterator[Piece]:
        value = document.value
        assert isinstance(value, dict)  # noqa: S101  the container was recognised
        common = {key: value[key] for key in shared if key in value}
        yield from _items(document, (name,), value[name], common or None)

    return Container(holds=holds, pieces=pieces)


_CONTAINERS: Final = (
    Container(holds=holds_spans, pieces=spans_of),
    _keyed("simulations", shared=("info",)),  # tau2-bench
    _keyed("samples", "eval", "status", shared=("eval", "status")),  # Inspect
    _keyed("eval_cases", "eval_set_id"),  # Google ADK
    _keyed("evalCases", "evalSetId"),  # the same over HTTP
    _keyed("loglines"),  # Claude Code
    Container(holds=is_agents_batch, pieces=_keyed("data").pieces),
    Container(holds=is_agents_export, pieces=_keyed("spans").pieces),
)
_KEYS: Final = frozenset(
    {"simulations", "samples", "eval_cases", "evalCases", "loglines", "data", "spans"}
    | {levels[0] for levels in LEVELS}
)
"""A container has one of these keys; most records have none."""


def records_of(document: Piece) -> Iterator[Piece]:
    """Yield the records of a document: itself, the items of a list, or a container's records.

    A document is parsed however deep it is; here each record is held against the limit.
    """
    if isinstance(document.value, list) and not _is_conversation(document.value):
        for item in _items(document, (), document.value, None):
            yield from map(readable, records_of_line(item))
    else:
        yield from map(readable, records_of_line(document))


def records_of_line(piece: Piece) -> Iterator[Piece]:
    """Yield the records of a line or an item: itself, or those of a container."""
    value = piece.value
    found = None
    if isinstance(value, dict) and not _KEYS.isdisjoint(value):
        found = next((container for container in _CONTAINERS if container.holds(value)), None)
    if found is None:
        yield piece
        return
    for record in found.pieces(piece):
        yield record if record.place else replace(record, place=piece.place)


def readable(piece: Piece) -> Piece:
    """Return a record that was parsed however deep it is, held against the limit."""
    if depth_within(piece.value, DEPTH_LIMIT):
        return piece
    return replace(piece, value=None, error=TOO_DEEP)


def _is_conversation(items: list[Json]) -> bool:
    return bool(items) and all(map(is_turn, items))


def _items(
    document: Piece, path: tuple[Step, ...], items: Json, shared: JsonMap | None
) -> Iterator[Piece]:
    assert isinstance(items, list)  # noqa: S101  the caller looked
    parts = document.parts or PartMap(document.raw)
    for n, item in enumerate(items):
        span = parts.span((*path, n))
        assert span is not None  # noqa: S101  the value was read from these bytes
        raw = document.raw[span[0] : span[1]]
        yield Piece(raw=raw, place=f"record {n + 1}", value=item, shared=shared)

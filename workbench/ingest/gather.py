"""Which records make a run, for formats that spread a run over several.

The first reading learns where the last record of each run stands, so that the second holds no
run longer than it must: records of a run are kept from its first to its last, no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from workbench.ingest.formats import known_formats

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workbench.ingest.records.piece import Piece
    from workbench.ingest.run_keys import RunKey
    from workbench.ingest.survey import Survey

__all__ = ["Gathered", "gathered"]


class Gathered(Struct, frozen=True, kw_only=True):
    """The records of one run, in the order of the file."""

    name: str | None
    """Name of the format; None: nobody knows what the one record is."""
    pieces: tuple[Piece, ...]
    is_file: bool = False
    """Whether a grouped run is all that the file holds."""


def gathered(pieces: Iterable[Piece], found: Survey) -> Iterator[Gathered]:
    """Yield the runs of a file in the order in which they are complete.

    Where a file holds one grouped run and nothing else, records that cannot be read belong to it
    too: they are damaged lines of its log.
    """
    sole = found.sole_run
    if sole is not None:
        yield Gathered(name=sole[0], pieces=tuple(pieces), is_file=True)
        return
    keys = found.keys
    waiting: dict[RunKey, list[Piece]] = {}
    for at, piece in enumerate(pieces):
        name = None if piece.error else found.format_of(piece.value)
        entry = None if name is None else known_formats()[name]
        if entry is None or entry.run_of is None:
            yield Gathered(name=name, pieces=(piece,))
            continue
        run = keys.of(entry, piece.value) or (entry.name, "")
        waiting.setdefault(run, []).append(piece)
        if found.last_of(run) == at:
            yield Gathered(name=run[0], pieces=tuple(waiting.pop(run)))
    for run, rest in waiting.items():
        yield Gathered(name=run[0], pieces=tuple(rest))

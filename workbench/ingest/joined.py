"""A run whose records come in several parts: what came before is read again with what came late.

Stores keep both versions; the later one holds all records that were known when it was made.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from workbench.ingest.files.source import pieces_in
from workbench.ingest.formats import known_formats
from workbench.ingest.gather import Gathered
from workbench.ingest.imported import imported
from workbench.ingest.records.piece import together
from workbench.model.trace import Loss, Losses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.ingest.records.format import Format
    from workbench.ingest.records.piece import Piece
    from workbench.model.trace import Imported, Tool

__all__ = [
    "APART",
    "are_of",
    "each_once",
    "is_joinable",
    "joined",
    "whole_of",
    "with_apart",
    "with_loss",
]

APART: Final = "earlier_version_apart"
"""Kind of the loss that names a version of a run which could not be joined."""


def is_joinable(run: Imported) -> bool:
    """Whether other files may hold more records of this run, under the same id.

    A run that was written in another form than its recorder's, such as ours, is complete.
    """
    entry = _format(run)
    if entry is None or not entry.joins or run.run_id.startswith(f"{entry.name}-"):
        return False
    return _is_of(entry, list(islice(pieces_in(run.raw), 1)))


def are_of(name: str, *parts: bytes) -> bool:
    """Whether parts of runs hold records of a format, and no others that can be read."""
    return all(_is_of(known_formats()[name], list(pieces_in(raw))) for raw in parts)


def whole_of(
    name: str, *parts: bytes, file: str = "", tools: Sequence[Tool] = ()
) -> Imported | None:
    """Return the run that several parts make; None: some are of another kind.

    A record that is there already, byte for byte, is taken once: a run to which nothing is new
    comes out as it was stored.

    Args:
        name: of the format of all parts.
        parts: the exact bytes of each, in the order in which they came; at least one.
        file: name of the file that the run is said to come from.
        tools: declared tools.
    """
    pieces = _pieces_of(name, parts)
    return None if pieces is None else _read(name, pieces, file=file, tools=tools)


def joined(run: Imported, *earlier: bytes, tools: Sequence[Tool] = ()) -> Imported | None:
    """Return a joinable run with the records that came before, and a loss that counts them.

    None: these are of another kind; see `with_apart`.

    Args:
        run: of the later file.
        earlier: what is stored of the run: the exact bytes of each batch, in their order.
        tools: declared tools.
    """
    assert run.trace is not None  # noqa: S101  only joinable runs come here
    assert run.trace.source is not None  # noqa: S101  likewise
    name, file = run.trace.source.format or "", run.trace.source.file or ""
    pieces = _pieces_of(name, (*earlier, run.raw))
    if pieces is None:
        return None
    found = _read(name, pieces, file=file, tools=tools)
    late = len(pieces) - len(each_once(list(pieces_in(run.raw))))
    if not late:
        return found
    loss = Loss(
        kind="records_joined",
        count=late,
        note="records that came in an earlier file; the run is put together from both",
    )
    return with_loss(found, loss)


def _pieces_of(name: str, parts: Sequence[bytes]) -> list[Piece] | None:
    """Return the records of several parts; None: some are of another kind."""
    entry = known_formats()[name]
    found = [list(pieces_in(raw)) for raw in parts]
    if not all(_is_of(entry, pieces) for pieces in found):
        return None
    return each_once([piece for pieces in found for piece in pieces])


def _read(name: str, pieces: Sequence[Piece], *, file: str, tools: Sequence[Tool]) -> Imported:
    whole = Gathered(name=name, pieces=tuple(pieces), is_file=True)
    return imported(whole, file=file, tools=tools)


def with_apart(run: Imported) -> Imported:
    """Say that the store has an earlier version of a run, which is no part of this one."""
    loss = Loss(
        kind=APART,
        note="the earlier version of this run has records of another kind; it is kept, and no "
        "part of this version",
        fix="read the earlier version with `Store.fetch(RUN, as_of=VERSION)`",
    )
    return with_loss(run, loss)


def with_loss(run: Imported, loss: Loss) -> Imported:
    """Return a run with one more loss."""
    return replace(run, losses=Losses(items=(*run.losses.items, loss)))


def each_once(pieces: Sequence[Piece]) -> list[Piece]:
    """Return each record once, in a form in which all can stand in one file."""
    return list({piece.raw: piece for piece in together(pieces)}.values())


def _is_of(entry: Format, pieces: Sequence[Piece]) -> bool:
    readable = [piece.value for piece in pieces if piece.error is None]
    return bool(readable) and all(entry.recognises(value) for value in readable)


def _format(run: Imported) -> Format | None:
    source = None if run.trace is None else run.trace.source
    return None if source is None else known_formats().get(source.format or "")

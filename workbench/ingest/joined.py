"""A run whose records come in several files: what came before is read again with what came late.

Stores keep both versions; the later one holds all records that were known when it was made.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.ingest.files.source import pieces_in
from workbench.ingest.formats import known_formats
from workbench.ingest.gather import Gathered
from workbench.ingest.imported import imported
from workbench.ingest.records.piece import together
from workbench.model.trace import Loss, Losses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.ingest.records.format import Format
    from workbench.model.trace import Imported, Tool

__all__ = ["is_joinable", "joined"]


def is_joinable(run: Imported) -> bool:
    """Whether other files may hold more records of this run, under the same id."""
    entry = _format(run)
    return entry is not None and entry.joins and not run.run_id.startswith(f"{entry.name}-")


def joined(run: Imported, *earlier: bytes, tools: Sequence[Tool] = ()) -> Imported:
    """Return a run with the records that came before; as it is where these are of another kind.

    A record that is there already, byte for byte, is taken once: a run to which nothing is new
    comes out as it was stored.

    Args:
        run: of the later file.
        earlier: what is stored of the run: the exact bytes of each batch, in their order.
        tools: declared tools.
    """
    entry = _format(run)
    assert entry is not None  # noqa: S101  only joinable runs come here
    before = [piece for raw in earlier for piece in pieces_in(raw)]
    after = list(pieces_in(run.raw))
    if not all(piece.error is None and entry.recognises(piece.value) for piece in before):
        return run
    both = together([*before, *after])
    before, after = both[: len(before)], both[len(before) :]
    unique = {piece.raw: piece for piece in (*before, *after)}
    late = len(unique) - len({piece.raw for piece in after})
    file = run.trace.source.file if run.trace and run.trace.source else None
    pieces = tuple(unique.values())
    found = imported(
        Gathered(name=entry.name, pieces=pieces, is_file=True), file=file or "", tools=tools
    )
    if not late:
        return found
    loss = Loss(
        kind="records_joined",
        count=late,
        note="records that came in an earlier file; the run is put together from both",
    )
    return replace(found, losses=Losses(items=(*found.losses.items, loss)))


def _format(run: Imported) -> Format | None:
    source = None if run.trace is None else run.trace.source
    return None if source is None else known_formats().get(source.format or "")

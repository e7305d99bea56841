"""The records of one run to what the store keeps: exact bytes, trace, losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from workbench.casefile.place import describe
from workbench.errors import TraceFormatError, WorkbenchError
from workbench.ingest.events.losses import counted_losses, marked_losses, unreadable
from workbench.ingest.events.masks import marks_of
from workbench.ingest.formats import known_formats
from workbench.ingest.records.jsontext import without_lone_surrogates
from workbench.ingest.records.origin import Origin, usable_id
from workbench.ingest.records.parts import PartMap
from workbench.ingest.records.piece import together
from workbench.ingest.rows import Rows, message_paths, rows_of, with_exact_arguments
from workbench.model.trace import Imported, Losses, Trace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.ingest.gather import Gathered
    from workbench.ingest.records.format import Format
    from workbench.ingest.records.piece import Piece
    from workbench.model.jsonvalue import Json
    from workbench.model.trace import Tool

__all__ = ["BROKE", "imported"]

BROKE: Final = "a bug of the importer, please report it: "
"""Begins why a record is no trace, where that is not the record's fault."""

_UNREADABLE: Final = "unreadable"
_NOT_EXACT: Final = "args_not_exact"
"""Importers count calls whose arguments' text they wrote; it is then taken from the record."""


def imported(run: Gathered, *, file: str, tools: Sequence[Tool]) -> Imported:
    """Read one run.

    Args:
        run: its records; of a grouped run all that stand in the file.
        file: name of the file, without its folder.
        tools: declared tools.
    """
    run = replace(run, pieces=tuple(together(run.pieces)))
    raw = _joined(run.pieces)
    first = run.pieces[0]
    place = None if run.is_file else first.place
    origin = Origin(format=run.name or _UNREADABLE, raw=raw, file=file, place=place)
    if run.name is None:
        reason = first.error or f"is {describe(first.value)}; expected a trace of a known format"
        return _unusable(raw, origin, None, f"{origin.where}: {reason}")
    entry = known_formats()[run.name]
    parts = _part_map(entry, run.pieces)
    marks = marks_of(parts.raw)
    value, halves = _value_of(entry, run.pieces), 0
    if marks.halves:
        value, halves = without_lone_surrogates(value)
    try:
        trace, losses = entry.read(value, place=origin, tools=tools)
    except TraceFormatError as error:
        return _unusable(raw, origin, entry.own_id(value), str(error).partition("\n")[0])
    except (WorkbenchError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001  one record that an importer breaks on, of a file of many
        return _unusable(raw, origin, None, f"{origin.where}: {BROKE}{type(error).__name__}")
    if entry.located and any(loss.kind == _NOT_EXACT for loss in losses.items):
        trace, losses = _exact(trace, losses, value, parts)
    unread = sum(piece.error is not None for piece in run.pieces)
    counts = {"lone_surrogates": halves, "records_unreadable": unread}
    items = (*losses.items, *counted_losses(counts), *marked_losses(marks, trace))
    rows = Rows(of_event=(0,) * len(trace.events))
    if first.text is None:
        rows = _rows(entry, trace, parts)
    return Imported(
        run_id=trace.run_id,
        raw=raw,
        cuts=rows.cuts,
        row_of_event=rows.of_event,
        trace=trace,
        losses=Losses(items=items),
    )


def _joined(pieces: Sequence[Piece]) -> bytes:
    """Return the bytes of a run: JSON text as JSON Lines, else one after the other."""
    return (b"\n" if pieces[0].text is None else b"").join(piece.raw for piece in pieces)


def _value_of(entry: Format, pieces: Sequence[Piece]) -> Json:
    values = [
        {**piece.shared, **piece.value}
        if piece.shared is not None and isinstance(piece.value, dict)
        else piece.value
        for piece in pieces
        if piece.error is None
    ]
    return values[0] if entry.run_of is None else values


def _part_map(entry: Format, pieces: Sequence[Piece]) -> PartMap:
    """Return the JSON of a run; a record that is no JSON of its own stands there as JSON."""
    if entry.run_of is None:
        return pieces[0].parts or PartMap(_json(pieces[0]))
    readable = [n for n, piece in enumerate(pieces) if piece.error is None]
    return PartMap.of_lines([_json(piece) for piece in pieces], readable)


def _json(piece: Piece) -> bytes:
    return piece.raw if piece.text is None else piece.text.encode(errors="replace")


def _rows(entry: Format, trace: Trace, parts: PartMap) -> Rows:
    if entry.located:
        return rows_of(message_paths(trace.events), parts)
    return rows_of([("events", event.seq) for event in trace.events], parts)


def _exact(trace: Trace, losses: Losses, value: Json, parts: PartMap) -> tuple[Trace, Losses]:
    """Take the arguments' text from the record; the loss stays where that was impossible."""
    trace, left = with_exact_arguments(trace, value, parts)
    items = (loss for loss in losses.items if left or loss.kind != _NOT_EXACT)
    return trace, Losses(items=tuple(items))


def _unusable(raw: bytes, origin: Origin, own: Json, reason: str) -> Imported:
    return Imported(
        run_id=usable_id(own) or f"{_UNREADABLE}-{origin.digest[:12]}",
        raw=raw,
        losses=unreadable(reason),
        parse_error=reason,
    )

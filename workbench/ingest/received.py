"""OTLP requests as an exporter sends them, to runs.

A request is taken whole or not at all: what an exporter is told was taken must be in the store,
so a request that holds anything that is no span or log record is refused.

Source:
    OTLP specification 1.9, "OTLP/HTTP".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.errors import TraceFormatError
from workbench.ingest.files.containers import records_of
from workbench.ingest.files.otlp_protobuf import signals_of
from workbench.ingest.files.otlp_records import LEVELS
from workbench.ingest.files.source import document_of
from workbench.ingest.gather import gathered
from workbench.ingest.imported import imported
from workbench.ingest.joined import each_once
from workbench.ingest.otlp.read import FORMAT
from workbench.ingest.otlp.wire import id_in
from workbench.ingest.survey import Survey

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.ingest.records.piece import Piece
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Imported, Tool

__all__ = ["RECEIVED", "pieces_of_json", "pieces_of_protobuf", "runs_of"]

RECEIVED: Final = "otlp-http"
"""What stands for the file's name in runs that were received."""

_FIX: Final = "send an ExportTraceServiceRequest or an ExportLogsServiceRequest"


def pieces_of_protobuf(body: bytes) -> tuple[Piece, ...]:
    """Return the spans or log records of a request in protobuf.

    Raises:
        TraceFormatError: it is no such request.
    """
    return tuple(signals_of(body)) if body else ()


def pieces_of_json(body: bytes) -> tuple[Piece, ...]:
    """Return the spans or log records of a request in JSON.

    Raises:
        TraceFormatError: it is no such request.
    """
    document = document_of(body)
    value = document.value
    known = {levels[0] for levels in LEVELS}
    if not isinstance(value, dict) or (value and not known & value.keys()):
        raise TraceFormatError("is no OTLP request of spans or log records", fix=_FIX)
    if not all(_is_signal(item, name) for item, name in _items(value)):
        raise TraceFormatError("holds what is no span or log record", fix=_FIX)
    pieces = tuple(records_of(document)) if value else ()
    error = next((piece.error for piece in pieces if piece.error is not None), None)
    if error is not None:
        raise TraceFormatError(error, fix=_FIX)
    return pieces


def _items(value: JsonMap) -> Iterator[tuple[Json, str]]:
    """Yield what stands where spans and log records stand, with the name of its list."""
    for levels in LEVELS:
        for outer in _listed(value.get(levels[0])):
            for inner in _listed(outer.get(levels[1]) if isinstance(outer, dict) else 0):
                items = inner.get(levels[2]) if isinstance(inner, dict) else 0
                yield from ((item, levels[2]) for item in _listed(items))


def _listed(value: Json) -> list[Json]:
    """Return the items of a list; for what is none, one item that is no signal."""
    if value is None:
        return []
    return value if isinstance(value, list) else [None]


def _is_signal(item: Json, name: str) -> bool:
    if not isinstance(item, dict):
        return False
    ids = (id_in(item, "traceId"), id_in(item, "spanId"))
    return name != "spans" or None not in ids


def runs_of(pieces: Sequence[Piece], *, tools: Sequence[Tool] = ()) -> Iterator[Imported]:
    """Yield the runs of what was received, each record once.

    Args:
        pieces: of one request or of several, in the order in which they came.
        tools: declared tools.
    """
    unique = each_once(pieces)
    found = Survey(wanted=FORMAT.name)
    for piece in unique:
        found.add(piece)
    found.settle()
    for run in gathered(unique, found):
        yield imported(run, file=RECEIVED, tools=tools)

"""`trace/1`, our own interchange format: read strictly, then reported like any other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from workbench.casefile.place import Place
from workbench.casefile.trace import parse_trace
from workbench.ingest.events.losses import trace_losses
from workbench.ingest.events.toollist import known_tools
from workbench.ingest.records.format import Format
from workbench.ingest.records.origin import usable_id
from workbench.ingest.records.shapes import text_in
from workbench.model.trace import Losses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json
    from workbench.model.trace import Tool, Trace

__all__ = ["FORMAT", "read_native"]


def read_native(record: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read a `trace/1` document.

    Raises:
        TraceFormatError: it breaks the format.
    """
    trace = parse_trace(record, place=Place(name=place.where))
    listed = len(trace.tools) + len(tools)
    trace = replace(
        trace,
        run_id=usable_id(text_in(record, "run_id")) or place.run_id(None),
        source=place.source if trace.source is None else trace.source,
        tools=known_tools(trace.events, listed=trace.tools, declared=tools),
    )
    return trace, Losses(items=tuple(trace_losses(trace, tools_listed=listed)))


def _recognises(record: Json) -> bool:
    return (text_in(record, "schema") or "").startswith("trace/")


FORMAT: Final = Format(
    name="trace1",
    recognises=_recognises,
    owns=_recognises,
    keys=frozenset({"schema"}),
    own_id=lambda record: text_in(record, "run_id"),
    read=read_native,
    located=False,
)

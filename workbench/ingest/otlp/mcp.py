"""MCP: requests of a client to a server, as spans of either side.

A call of a tool over MCP happens inside the execution of that tool, and a server's span inside
the client's: all are one call, and the reader keeps the outermost.

Source:
    semantic-conventions 1.41.1, "MCP"; semantic-conventions-genai 0.1.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.ingest.otlp.attributes import json_in
from workbench.ingest.otlp.dialect import Dialect, Part, Recording, tool_part
from workbench.ingest.records.shapes import map_in

if TYPE_CHECKING:
    from workbench.ingest.otlp.spans import Span

__all__ = ["MCP"]

_METHOD: Final = "mcp.method.name"


def _speaks(span: Span) -> bool:
    return _METHOD in span.attributes


def _read(span: Span, recording: Recording) -> Part | None:
    if span.text(_METHOD) != "tools/call":
        return None
    attributes = span.attributes
    request = json_in(attributes.get("mcp.request.argument"))
    args = attributes.get("gen_ai.tool.call.arguments")
    return tool_part(
        span,
        tool=span.text("gen_ai.tool.name", "mcp.tool.name")
        or span.name.removeprefix("tools/call ").strip()
        or "unnamed",
        call_id=span.text("gen_ai.tool.call.id"),
        args=map_in(request).get("arguments", request) if args is None else args,
        result=attributes.get("gen_ai.tool.call.result"),
        recording=recording,
    )


MCP: Final = Dialect(
    name="mcp",
    speaks=_speaks,
    read=_read,
    capture="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true",
)

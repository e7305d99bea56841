"""LangSmith's own export of its runs as spans: what went in and came out, as JSON in two attributes.

Names of the convention stand beside them for models, tools and usage.

Source:
    langsmith 0.15, `_internal/otel/_otel_exporter.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.errors import TraceFormatError
from workbench.ingest.events.exchange import read_reply, read_request
from workbench.ingest.events.toollist import listed_tools
from workbench.ingest.otlp.attributes import is_cut_json, json_in
from workbench.ingest.otlp.dialect import Dialect, Part, Recording, answer_in, model_part, tool_part
from workbench.ingest.otlp.genai import usage_of_span
from workbench.ingest.records.shapes import map_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.ingest.events.messages import Message
    from workbench.ingest.otlp.spans import Span

__all__ = ["LANGSMITH"]

_KIND: Final = "langsmith.span.kind"
_SENT: Final = "gen_ai.prompt"
_GIVEN: Final = "gen_ai.completion"
_THREAD: Final = ("langsmith.metadata.thread_id", "langsmith.metadata.session_id")


def _speaks(span: Span) -> bool:
    return _KIND in span.attributes


def _read(span: Span, recording: Recording) -> Part | None:
    match span.text(_KIND):
        case "llm":
            return _request(span, recording)
        case "tool":
            return _tool(span, recording)
        case _:
            return None  # chains repeat what the models in them were asked


def _request(span: Span, recording: Recording) -> Part:
    return model_part(
        span,
        history=_messages(span, _SENT, recording, read_request),
        replies=_messages(span, _GIVEN, recording, read_reply),
        model=span.text("gen_ai.response.model", "gen_ai.request.model"),
        tools=listed_tools(json_in(span.attributes.get("gen_ai.tool.definitions"))),
        usage=usage_of_span(span.attributes),
        session=span.text(*_THREAD),
    )


def _messages(
    span: Span, name: str, recording: Recording, read: Callable[..., list[Message]]
) -> list[Message]:
    value = span.attributes.get(name)
    if is_cut_json(value):
        recording.counts["truncated"] += 1
        return []
    try:
        return read(value, ref=span.ref, origin=recording.origin)
    except TraceFormatError:
        recording.counts["events_unreadable"] += 1
        return []


def _tool(span: Span, recording: Recording) -> Part:
    value = span.attributes.get(_GIVEN)
    output = map_in(json_in(value)).get("output", value)
    answered = answer_in(output, span, recording)
    if answered is not None:
        output = answered.text if answered.text is not None else answered.value
    return tool_part(
        span,
        tool=span.text("gen_ai.tool.name", "langsmith.trace.name") or span.name,
        call_id=span.text("gen_ai.tool.call.id") or (answered.id if answered else None),
        args=span.attributes.get(_SENT),
        result=output,
        recording=recording,
    )


LANGSMITH: Final = Dialect(
    name="langsmith",
    speaks=_speaks,
    read=_read,
    capture="unset LANGSMITH_HIDE_INPUTS and LANGSMITH_HIDE_OUTPUTS",
)

"""OpenLLMetry: numbered attributes of its first years, and the spans of its decorators.

What it writes since 0.53 in the names of OpenTelemetry's convention is read by `genai`.

Source:
    opentelemetry-instrumentation-openai 0.40.14; traceloop-sdk, `traceloop.*` attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.ingest.events.toollist import listed_tools
from workbench.ingest.otlp.attributes import json_in, messages_in, nested
from workbench.ingest.otlp.dialect import Dialect, Part, Recording, answer_in, model_part, tool_part
from workbench.ingest.otlp.genai import usage_of_span
from workbench.ingest.records.shapes import map_in, text_in

if TYPE_CHECKING:
    from workbench.ingest.otlp.spans import Span
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["OPENLLMETRY"]

_KIND: Final = "traceloop.span.kind"
_INPUT: Final = "traceloop.entity.input"
_OUTPUT: Final = "traceloop.entity.output"
_SETTINGS: Final = ("temperature", "top_p", "max_tokens", "seed")


def _speaks(span: Span) -> bool:
    return (
        _KIND in span.attributes
        or "llm.request.type" in span.attributes
        or any(name.startswith("gen_ai.prompt.0.") for name in span.attributes)
    )


def _read(span: Span, recording: Recording) -> Part | None:
    kind = span.text(_KIND)
    if kind == "tool":
        return _tool(span, recording)
    if kind is not None:
        return Part(final=_shown(span.attributes.get(_OUTPUT)), session=_session(span))
    if span.text("llm.request.type") in ("embedding", "rerank"):
        return None
    return _request(span, recording)


def _request(span: Span, recording: Recording) -> Part:
    attributes = span.attributes
    return model_part(
        span,
        history=recording.histories.read(
            "gen_ai.prompt",
            _messages(attributes, "gen_ai.prompt."),
            span.ref,
            recording.origin,
        ),
        replies=messages_in(
            _messages(attributes, "gen_ai.completion."), span.ref, recording.origin
        ),
        model=span.text("gen_ai.response.model", "gen_ai.request.model"),
        settings={
            name: attributes[f"gen_ai.request.{name}"]
            for name in _SETTINGS
            if f"gen_ai.request.{name}" in attributes
        },
        tools=listed_tools(_functions(attributes)),
        usage=usage_of_span(attributes),
        session=_session(span),
    )


def _messages(attributes: JsonMap, prefix: str) -> Json:
    """Return numbered messages as a list; a content that is a list of parts is written as JSON."""
    found = nested(attributes, prefix)
    if not isinstance(found, list):
        return []
    return [_with_parts(message) for message in found]


def _with_parts(message: Json) -> Json:
    content = text_in(message, "content")
    if content is None or not content.startswith("[{") or not isinstance(message, dict):
        return message
    parts = json_in(content)
    if isinstance(parts, list) and all(text_in(part, "type") for part in parts):
        return {**message, "content": parts}
    return message


def _functions(attributes: JsonMap) -> Json:
    found = nested(attributes, "llm.request.functions.")
    if not isinstance(found, list):
        return []
    return [
        {**map_in(item), "parameters": json_in(map_in(item).get("parameters"))} for item in found
    ]


def _session(span: Span) -> str | None:
    base = "traceloop.association.properties."
    return span.text(f"{base}session_id", f"{base}conversation_id", f"{base}thread_id")


def _tool(span: Span, recording: Recording) -> Part:
    value = span.attributes.get(_INPUT, span.attributes.get("gen_ai.tool.call.arguments"))
    found = map_in(json_in(value))
    keys = ("inputs", "input_str") if "input_str" in found else ("kwargs", "inputs")
    args = next((found[key] for key in keys if found.get(key)), None)
    given = span.attributes.get(_OUTPUT, span.attributes.get("gen_ai.tool.call.result"))
    output = _unwrapped(given)
    answered = answer_in(output, span, recording)
    if answered is not None:
        output = answered.text if answered.text is not None else answered.value
    return tool_part(
        span,
        tool=span.text("traceloop.entity.name", "gen_ai.tool.name") or span.name,
        call_id=span.text("gen_ai.tool.call.id") or (answered.id if answered else None),
        args=value if args is None else args,
        result=output,
        recording=recording,
    )


def _unwrapped(value: Json) -> Json:
    """Take off what the callback of LangChain puts around a result."""
    found = map_in(json_in(value))
    return found["output"] if set(found) <= {"output", "kwargs"} and "output" in found else value


def _shown(value: Json) -> str | None:
    """Return what a workflow answered, where it is a text."""
    found = json_in(value) if isinstance(value, str) else None
    return found if isinstance(found, str) else None


OPENLLMETRY: Final = Dialect(
    name="openllmetry", speaks=_speaks, read=_read, capture="TRACELOOP_TRACE_CONTENT=true"
)

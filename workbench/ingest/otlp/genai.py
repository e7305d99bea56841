"""OpenTelemetry's convention for generative AI, from 1.27 to the repository of its own.

Spans that keep messages in attributes, as JSON or as structures, or in one event; what the
convention keeps in log records of a message each (until 1.36) is read by `genai_events`.
Microsoft's agent-framework and newer OpenLLMetry write it as it stands.

Source:
    semantic-conventions 1.30, 1.36, 1.37, 1.41.1; semantic-conventions-genai 0.1.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from workbench.ingest.events.messages import Message, Role
from workbench.ingest.events.toollist import listed_tools
from workbench.ingest.events.transcript import Said
from workbench.ingest.events.usage import cost_in
from workbench.ingest.otlp.attributes import json_in
from workbench.ingest.otlp.dialect import (
    COSTS,
    Dialect,
    Part,
    Recording,
    messages_at,
    model_part,
    tool_part,
)
from workbench.ingest.otlp.genai_events import replies_and_history
from workbench.ingest.otlp.wire import integer_of
from workbench.ingest.records.shapes import text_in
from workbench.model.event import Usage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.ingest.otlp.spans import Span
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Tool

__all__ = ["GENAI", "agent_part", "chat_part", "execution_part", "usage_of_span"]

_MODEL: Final = frozenset({"chat", "text_completion", "generate_content", "completion"})
_AGENT: Final = frozenset({"invoke_agent", "invoke_workflow"})
_MERGED: Final = "(merged tools)"
"""Google's ADK writes a span more around the results of parallel calls: nothing was executed."""
_DETAILS: Final = "gen_ai.client.inference.operation.details"
_SETTINGS: Final = (
    "temperature",
    "top_p",
    "top_k",
    "seed",
    "max_tokens",
    "stop_sequences",
    "frequency_penalty",
    "presence_penalty",
)


def _speaks(span: Span) -> bool:
    return any(
        name in span.attributes
        for name in ("gen_ai.operation.name", "gen_ai.request.model", "gen_ai.tool.name")
    )


def _read(span: Span, recording: Recording) -> Part | None:
    operation = span.text("gen_ai.operation.name")
    if operation == "execute_tool" or (operation is None and span.text("gen_ai.tool.name")):
        return None if span.text("gen_ai.tool.name") == _MERGED else execution_part(span, recording)
    if operation in _AGENT:
        return agent_part(span, recording)
    if operation in _MODEL or operation is None:
        return chat_part(span, recording)
    return None  # embeddings, retrieval, create_agent, ...


def chat_part(span: Span, recording: Recording) -> Part:
    """Read a request to a model."""
    span = _with_details(span, recording)
    told = replies_and_history(span, recording)
    history = [*_instructions(span), *messages_at(span, "gen_ai.input.messages", recording)]
    replies = messages_at(span, "gen_ai.output.messages", recording)
    attributes = span.attributes
    return model_part(
        span,
        history=history or told.history,
        replies=replies or told.replies,
        model=span.text("gen_ai.response.model", "gen_ai.request.model"),
        settings={
            name: attributes[key]
            for name in _SETTINGS
            if attributes.get(key := f"gen_ai.request.{name}") is not None
        },
        tools=_tools(attributes),
        usage=usage_of_span(attributes),
        finish_reason=_finish_reason(attributes.get("gen_ai.response.finish_reasons")),
        session=span.text("gen_ai.conversation.id"),
    )


def _with_details(span: Span, recording: Recording) -> Span:
    """Add what the one event of a request says that the span does not."""
    for event in (*span.events, *recording.logs.get(span.span_id or "", ())):
        if event.name == _DETAILS:
            span = replace(span, attributes={**event.attributes, **span.attributes})
    return span


def execution_part(
    span: Span,
    recording: Recording,
    *,
    args: str = "gen_ai.tool.call.arguments",
    result: str = "gen_ai.tool.call.result",
) -> Part:
    """Read the execution of a tool."""
    name = span.text("gen_ai.tool.name") or span.name.removeprefix("execute_tool ").strip()
    return tool_part(
        span,
        tool=name or "unnamed",
        call_id=span.text("gen_ai.tool.call.id"),
        args=span.attributes.get(args),
        result=span.attributes.get(result),
        recording=recording,
    )


def agent_part(span: Span, recording: Recording) -> Part:
    """Read the span around an agent, which repeats what its requests say."""
    asked = messages_at(span, "gen_ai.input.messages", recording)
    answered = messages_at(span, "gen_ai.output.messages", recording)
    system = next(iter(_instructions(span)), None)
    last = answered[-1] if answered else None
    is_final = last is not None and last.role is Role.ASSISTANT and not last.asked
    return Part(
        tools=_tools(span.attributes),
        session=span.text("gen_ai.conversation.id"),
        system=None if system is None else system.said.text,
        task=next((m.said.text for m in asked if m.role is Role.USER and m.said.text), None),
        final=last.said.text if last is not None and is_final else None,
        conversation=(*asked, *answered),
    )


def usage_of_span(attributes: JsonMap) -> Usage | None:
    """Return the tokens of a request, by any name that the convention has had for them."""
    found = Usage(
        input_tokens=_count(attributes, "input_tokens", "prompt_tokens"),
        output_tokens=_count(attributes, "output_tokens", "completion_tokens"),
        cached_tokens=_count(
            attributes,
            "cache_read.input_tokens",
            "cache_read_input_tokens",
            "details.cache_read_tokens",
        ),
        cost_usd=cost_in(attributes, *COSTS),
    )
    return None if found == Usage() else found


def _count(attributes: JsonMap, *names: str) -> int | None:
    found = (integer_of(attributes.get(f"gen_ai.usage.{name}")) for name in names)
    return next((value for value in found if value is not None), None)


def _instructions(span: Span) -> Iterator[Message]:
    value = span.attributes.get("gen_ai.system_instructions")
    found = json_in(value)
    parts = found if isinstance(found, list) else [value] if isinstance(value, str) else []
    texts = [part if isinstance(part, str) else text_in(part, "content") for part in parts]
    text = "\n".join(text for text in texts if text)
    if text:
        yield Message(role=Role.SYSTEM, said=Said(ref=span.ref, text=text))


def _tools(attributes: JsonMap) -> Sequence[Tool]:
    return listed_tools(json_in(attributes.get("gen_ai.tool.definitions")))


def _finish_reason(value: Json) -> str | None:
    """Return the first reason; a list may be written as JSON."""
    found = json_in(value) if isinstance(value, str) and value.startswith("[") else value
    first = found[0] if isinstance(found, list) and found else found
    return first if isinstance(first, str) else None


GENAI: Final = Dialect(
    name="genai",
    speaks=_speaks,
    read=_read,
    capture="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true",
)

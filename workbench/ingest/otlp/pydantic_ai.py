"""pydantic-ai: the convention's names, and its own for tools before its version 3 of the format.

The span around an agent repeats the whole conversation, which serves where requests have none.

Source:
    pydantic-ai 2.68, `InstrumentationSettings(version=1..5)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from workbench.ingest.events.messages import Role
from workbench.ingest.otlp.attributes import json_in
from workbench.ingest.otlp.dialect import Dialect, Part, Recording, messages_at
from workbench.ingest.otlp.genai import agent_part, chat_part, execution_part
from workbench.ingest.records.shapes import text_in

if TYPE_CHECKING:
    from workbench.ingest.otlp.spans import Span
    from workbench.model.jsonvalue import Json

__all__ = ["PYDANTIC_AI"]

_MESSAGES: Final = "pydantic_ai.all_messages"


def _speaks(span: Span) -> bool:
    return span.scope == "pydantic-ai" or _MESSAGES in span.attributes


def _read(span: Span, recording: Recording) -> Part | None:
    if span.text("logfire.span_type") == "pending_span":
        return None  # written when a span begins; the span itself comes when it ends
    operation = span.text("gen_ai.operation.name")
    if operation == "execute_tool" or (operation is None and span.text("gen_ai.tool.name")):
        old = "tool_arguments" in span.attributes or "tool_response" in span.attributes
        if old:
            return execution_part(span, recording, args="tool_arguments", result="tool_response")
        return execution_part(span, recording)
    if operation == "invoke_agent" or _MESSAGES in span.attributes or span.text("agent_name"):
        return _agent(span, recording)
    if "events" in span.attributes:
        return _first_version(span, recording)
    return chat_part(span, recording) if span.text("gen_ai.request.model") else None


def _agent(span: Span, recording: Recording) -> Part:
    found = agent_part(span, recording)
    said = messages_at(span, _MESSAGES, recording) if _MESSAGES in span.attributes else []
    task = next((m.said.text for m in said if m.role is Role.USER and m.said.text), None)
    return replace(
        found,
        conversation=said or found.conversation,
        task=task or found.task,
        final=span.text("final_result") or found.final,
    )


def _first_version(span: Span, recording: Recording) -> Part:
    """Read a request of version 1, which keeps a list of the convention's events."""
    found = json_in(span.attributes["events"])
    events = found if isinstance(found, list) else []
    history = [event for event in events if text_in(event, "event.name") != "gen_ai.choice"]
    choices = [event for event in events if text_in(event, "event.name") == "gen_ai.choice"]
    attributes: dict[str, Json] = {
        **span.attributes,
        "gen_ai.input.messages": history,
        "gen_ai.output.messages": choices,
    }
    return chat_part(replace(span, attributes=attributes), recording)


PYDANTIC_AI: Final = Dialect(
    name="pydantic_ai",
    speaks=_speaks,
    read=_read,
    capture="InstrumentationSettings(include_content=True)",
)

"""The convention until 1.36: each message is a log record, or an event of its span.

Source:
    semantic-conventions 1.36, "Generative AI events"; Azure's SDKs write them as span events.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.errors import TraceFormatError
from workbench.ingest.events.messages import read_message
from workbench.ingest.otlp.attributes import json_in
from workbench.ingest.otlp.dialect import Dialect, Part, Recording, model_part
from workbench.ingest.records.shapes import map_in, text_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.ingest.events.messages import Message
    from workbench.ingest.otlp.spans import Happening, Span
    from workbench.model.jsonvalue import JsonMap

__all__ = ["GENAI_EVENTS", "Told", "is_message", "replies_and_history"]

_ROLES: Final = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "assistant",
}
_CHOICE: Final = "gen_ai.choice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The messages that events tell of one request."""

    history: Sequence[Message] = ()
    replies: Sequence[Message] = ()


def is_message(event: Happening) -> bool:
    """Whether an event is a message to or from a model."""
    return event.name in _ROLES


def replies_and_history(span: Span, recording: Recording) -> Told:
    """Read the messages that stand in the events of a span and in its log records."""
    history: list[Message] = []
    replies: list[Message] = []
    for event in (*span.events, *recording.logs.get(span.span_id or "", ())):
        if event.name in _ROLES:
            found = _messages(event, recording)
            (replies if event.name == _CHOICE else history).extend(found)
    return Told(history=history, replies=replies[:1])


def _messages(event: Happening, recording: Recording) -> list[Message]:
    body = _body(event)
    if event.name == _CHOICE:
        inner = map_in(body, "message") or {
            name: body[name] for name in ("content", "tool_calls") if name in body
        }
        body = {**inner, "finish_reason": body.get("finish_reason")}
    item: JsonMap = {**body, "role": _ROLES[event.name]}
    try:
        return list(read_message(item, event.ref, recording.origin))
    except TraceFormatError:
        recording.counts["events_unreadable"] += 1
        return []


def _body(event: Happening) -> JsonMap:
    """Return the body: of the record, of the span event, or of the attribute that holds it."""
    if isinstance(event.body, dict):
        return event.body
    found = json_in(event.body or event.attributes.get("gen_ai.event.content"))
    if isinstance(found, dict):
        return found
    names = ("content", "tool_calls", "id", "finish_reason", "message")
    return {
        name: json_in(event.attributes[name]) or event.attributes[name]
        for name in names
        if name in event.attributes
    }


def _speaks(span: Span) -> bool:
    return any(event.name in _ROLES for event in span.events) and not text_in(
        span.attributes, "gen_ai.operation.name"
    )


def _read(span: Span, recording: Recording) -> Part:
    told = replies_and_history(span, recording)
    model = span.text("gen_ai.response.model", "gen_ai.request.model")
    return model_part(span, history=told.history, replies=told.replies, model=model)


GENAI_EVENTS: Final = Dialect(
    name="genai_events",
    speaks=_speaks,
    read=_read,
    capture="OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true, and export logs too",
)

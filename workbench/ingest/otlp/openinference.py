"""OpenInference, the vocabulary of Arize Phoenix.

A tool's span has no call id in most instrumentations; it stands in what the span answered, or in
the request of the span around it. Lists of messages may begin at 1 and have gaps.

Source:
    openinference-semantic-conventions 0.1; formats page 2.2 and pitfalls 2, 5 and 12.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.ingest.events.toollist import listed_tools
from workbench.ingest.otlp.attributes import json_in, messages_in, nested
from workbench.ingest.otlp.dialect import (
    Dialect,
    Part,
    Recording,
    answer_in,
    model_part,
    settings_in,
    tool_part,
    usage_at,
)
from workbench.ingest.records.shapes import map_in, text_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.ingest.otlp.spans import Span
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["OPENINFERENCE"]

_KIND: Final = "openinference.span.kind"
_SETTINGS: Final = ("temperature", "top_p", "top_k", "seed", "max_tokens", "stop", "tool_choice")
_AGENTS: Final = frozenset({"AGENT", "CHAIN"})


def _speaks(span: Span) -> bool:
    return _KIND in span.attributes


def _read(span: Span, recording: Recording) -> Part | None:
    kind = (span.text(_KIND) or "").upper()
    if kind == "LLM":
        return _request(span, recording)
    if kind == "TOOL":
        return _tool(span, recording)
    if kind in _AGENTS:
        return Part(final=_final(span), task=_task(span), session=span.text("session.id"))
    return None


def _request(span: Span, recording: Recording) -> Part:
    attributes = span.attributes
    origin = recording.origin
    sent = _messages(attributes, "llm.input_messages.")
    history = recording.histories.read("llm.input_messages", sent, span.ref, origin)
    replies = messages_in(_messages(attributes, "llm.output_messages."), span.ref, origin)
    tools = nested(attributes, "llm.tools.")
    schemas = [
        json_in(map_in(item, "tool").get("json_schema"))
        for item in (tools if isinstance(tools, list) else [])
    ]
    return model_part(
        span,
        history=history,
        replies=replies,
        model=span.text("llm.model_name", "llm.response.model_name", "llm.request.model_name"),
        settings=settings_in(attributes.get("llm.invocation_parameters"), _SETTINGS),
        tools=listed_tools([{"name": one} if isinstance(one, str) else one for one in schemas]),
        usage=usage_at(
            attributes,
            read="llm.token_count.prompt",
            written="llm.token_count.completion",
            cached="llm.token_count.prompt_details.cache_read",
        ),
        finish_reason=span.text("llm.finish_reason"),
        session=span.text("session.id"),
    )


def _messages(attributes: JsonMap, prefix: str) -> Json:
    found = nested(attributes, prefix)
    return [_message(map_in(item, "message")) for item in found] if isinstance(found, list) else []


def _message(message: JsonMap) -> Json:
    """Write one message as chat APIs do."""
    calls = message.get("tool_calls")
    found: JsonMap = {
        "role": message.get("role"),
        "content": message["content"] if "content" in message else _contents(message),
        "tool_calls": [
            {
                "id": map_in(call, "tool_call").get("id"),
                "function": map_in(call, "tool_call", "function"),
            }
            for call in (calls if isinstance(calls, list) else [])
            if map_in(call, "tool_call", "function")
        ],
        "tool_call_id": message.get("tool_call_id"),
        "name": message.get("name"),
    }
    if "function_call_name" in message:
        arguments = message.get("function_call_arguments_json")
        found["function_call"] = {"name": message["function_call_name"], "arguments": arguments}
    return found


def _contents(message: JsonMap) -> Json:
    """Return the texts of a message's parts; calls stand beside them once more."""
    parts = message.get("contents")
    found: list[Json] = []
    for part in parts if isinstance(parts, list) else []:
        body = map_in(part, "message_content")
        kind = text_in(body, "type")
        if kind == "text":
            found.append({"type": "text", "text": body.get("text")})
        elif kind not in (None, "tool_use"):
            found.append({"type": kind})
    return found or None


def _tool(span: Span, recording: Recording) -> Part:
    name = span.text("tool.name") or span.name
    asked = _asked_above(span, name, recording)
    value = span.attributes.get("output.value")
    answered = answer_in(json_in(value), span, recording)
    call_id = span.text("tool_call.id", "tool.id", "tool_call_id")
    args: Json = span.attributes.get("input.value")
    if asked:
        call_id = call_id or text_in(asked, "id")
        args = asked.get("args", args)
    if answered is not None:
        call_id = call_id or answered.id
        value = answered.text if answered.text is not None else answered.value
    return tool_part(span, tool=name, call_id=call_id, args=args, result=value, recording=recording)


def _asked_above(span: Span, name: str, recording: Recording) -> JsonMap:
    """Return the call that the span around a tool was asked for, as LangGraph writes it."""
    above = next(recording.tree.parents(span), None)
    listing = None if above is None else json_in(above.attributes.get("input.value"))
    calls = [item for item in _items(listing) if text_in(item, "name") == name and "args" in item]
    return calls[0] if len(calls) == 1 else {}


def _items(value: Json) -> Iterator[JsonMap]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            yield item


def _final(span: Span) -> str | None:
    """Return what an agent answered: a text, or CrewAI's result."""
    value = span.attributes.get("output.value")
    if not isinstance(value, str) or not value:
        return None
    found = json_in(value)
    if isinstance(found, dict):
        return text_in(found, "raw")
    return value if found is None and span.text("output.mime_type") != "application/json" else None


def _task(span: Span) -> str | None:
    """Return what a crew of CrewAI was asked, where that is one task."""
    tasks = json_in(span.attributes.get("crew_tasks"))
    found = [text_in(task, "description") for task in tasks] if isinstance(tasks, list) else []
    return found[0] if len(found) == 1 else None


OPENINFERENCE: Final = Dialect(
    name="openinference",
    speaks=_speaks,
    read=_read,
    capture="unset OPENINFERENCE_HIDE_INPUTS, OPENINFERENCE_HIDE_OUTPUTS and their kin",
)

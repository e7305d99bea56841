"""What a dialect makes of a span, and the steps that all dialects share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from workbench.errors import TraceFormatError
from workbench.ingest.events.messages import Message, Role, read_message
from workbench.ingest.events.spans import ModelSpan, ToolSpan
from workbench.ingest.events.transcript import Answered, Asked, Said
from workbench.ingest.events.usage import cost_in
from workbench.ingest.otlp.attributes import is_cut_json, json_in
from workbench.ingest.otlp.histories import Histories
from workbench.ingest.otlp.spans import Happening, Span, Tree
from workbench.ingest.otlp.wire import integer_of
from workbench.ingest.records.shapes import map_in
from workbench.model.event import CallError, ModelRequest, Usage
from workbench.model.jsonvalue import ABSENT

if TYPE_CHECKING:
    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Tool

__all__ = [
    "COSTS",
    "Dialect",
    "Part",
    "Recording",
    "answer_in",
    "error_of",
    "messages_at",
    "model_part",
    "settings_in",
    "tool_part",
    "usage_at",
]

COSTS: Final = (
    "gen_ai.usage.cost",
    "gen_ai.usage.total_cost",
    "gen_ai.cost.total_cost",
    "operation.cost",
    "llm.cost.total",
)
"""What a request cost, as OpenRouter, LiteLLM, pydantic-ai and OpenInference write it."""
_STATUS: Final = re.compile(r"[1-5]\d\d")
_LINE_CHARS: Final = 2000


@dataclass(slots=True)
class Recording:
    """The run that a span belongs to."""

    tree: Tree
    logs: Mapping[str, Sequence[Happening]]
    """Span id -> its log records, in their order."""
    origin: Origin
    counts: Counter[str] = field(default_factory=Counter)
    """Kind of loss -> how often."""
    histories: Histories = field(default_factory=Histories)


class Part(Struct, frozen=True, kw_only=True):
    """What one span says of the run."""

    event: ModelSpan | ToolSpan | None = None
    tools: Sequence[Tool] = ()
    model: str | None = None
    session: str | None = None
    task: str | None = None
    """What the agent was asked, where a span of an agent says it."""
    system: str | None = None
    """What instructs the agent, likewise."""
    final: str | None = None
    """What it answered in the end, likewise."""
    conversation: Sequence[Message] = ()
    """All that was said, likewise."""


Reader: TypeAlias = Callable[[Span, Recording], Part | None]
"""What a span says; None: it is no part of the conversation."""


class Dialect(Struct, frozen=True, kw_only=True):
    """One vocabulary of attributes."""

    name: str
    speaks: Callable[[Span], bool]
    """Whether a span is written in it."""
    read: Reader
    capture: str
    """The producer's setting that records contents."""


def messages_at(span: Span, name: str, recording: Recording) -> list[Message]:
    """Read an attribute of messages; one that was cut is counted."""
    value = span.attributes.get(name)
    found = recording.histories.read(name, value, span.ref, recording.origin)
    if not found and is_cut_json(value):
        recording.counts["truncated"] += 1
    return found


def model_part(  # noqa: PLR0913  each is one thing that dialects keep in their own place
    span: Span,
    *,
    history: Sequence[Message],
    replies: Sequence[Message],
    model: str | None = None,
    settings: JsonMap | None = None,
    tools: Sequence[Tool] = (),
    usage: Usage | None = None,
    finish_reason: str | None = None,
    session: str | None = None,
) -> Part:
    """Return what a request to a model and its reply say.

    A reply whose content was not recorded still counts as one, unless the request failed.
    """
    first = _first_choice(replies)
    unseen = not first and not span.failed
    if unseen:
        first = [Message(role=Role.ASSISTANT, said=Said(ref=span.ref))]
    if first:
        said = first[0].said
        reason = finish_reason or said.finish_reason
        said = replace(said, usage=usage or said.usage, finish_reason=reason)
        first[0] = replace(first[0], said=said)
    event = ModelSpan(
        start=span.start,
        end=span.end,
        request=ModelRequest(
            model=model,
            settings=settings or {},
            offered_tools=tuple(tool.name for tool in tools) or None,
            source_ref=span.ref,
        ),
        history=tuple(history),
        reply=tuple(first),
        unseen=unseen,
    )
    return Part(event=event, tools=tools, model=model, session=session)


def _first_choice(replies: Sequence[Message]) -> list[Message]:
    """Return the reply that went on: the first, with what the provider's own tools answered."""
    start = next((n for n, one in enumerate(replies) if one.role is Role.ASSISTANT), len(replies))
    found: list[Message] = []
    for message in replies[start:]:
        if found and message.role is Role.ASSISTANT and found[-1].role is not Role.TOOL:
            break
        found.append(message)
    return found


def tool_part(
    span: Span,
    *,
    tool: str,
    call_id: str | None = None,
    args: Json = None,
    result: Json = None,
    recording: Recording,
) -> Part:
    """Return what the execution of a tool says.

    Args:
        span: of the execution.
        tool: its name.
        call_id: what the model calls the call.
        args: text of the arguments, or their structure; None: not recorded.
        result: text of the result, or its structure; None: not recorded.
        recording: the run.
    """
    recording.counts["truncated"] += is_cut_json(args) + is_cut_json(result)
    text = args if isinstance(args, str) else None
    asked = Asked(
        ref=span.ref,
        id=call_id,
        tool=tool,
        text=text,
        value=ABSENT if args is None or text is not None else args,
    )
    body = result if isinstance(result, str) else None
    answered = Answered(
        ref=span.ref,
        id=call_id,
        tool=tool,
        text=body,
        value=None if body is not None else result,
        error=error_of(span) if span.failed else None,
    )
    ended = span.end is not None or result is not None or span.failed
    return Part(
        event=ToolSpan(
            start=span.start, end=span.end, asked=asked, answered=answered if ended else None
        )
    )


def answer_in(value: Json, span: Span, recording: Recording) -> Answered | None:
    """Return the result that a tool's message of LangChain holds, where a span ends with one."""
    if not isinstance(value, dict) or value.get("type") not in ("tool", "constructor"):
        return None
    try:
        found = list(read_message(value, span.ref, recording.origin))
    except TraceFormatError:
        return None
    return found[0].answered if len(found) == 1 else None


def error_of(span: Span) -> CallError:
    """Return the error of a span that failed: its exception, else what its status says."""
    exception = span.exception
    kind = exception.get("exception.type") or span.attributes.get("error.type")
    message = exception.get("exception.message") or span.text("error.message", "exception.message")
    if not isinstance(message, str) or not message:
        message = (span.status_message or "").split("Traceback (most recent call last)")[0].strip()
    status = integer_of(span.attributes.get("http.response.status_code"))
    if status is None and isinstance(kind, str) and _STATUS.fullmatch(kind):
        status = int(kind)
    return CallError(
        type=kind if isinstance(kind, str) and kind != "_OTHER" else None,
        message=message[:_LINE_CHARS] or None,
        status=status,
    )


def usage_at(attributes: JsonMap, *, read: str, written: str, cached: str = "") -> Usage | None:
    """Return token counts by the names of their attributes; None when there are none."""
    found = Usage(
        input_tokens=integer_of(attributes.get(read)),
        output_tokens=integer_of(attributes.get(written)),
        cached_tokens=integer_of(attributes.get(cached)),
        cost_usd=cost_in(attributes, *COSTS),
    )
    return None if found == Usage() else found


def settings_in(value: Json, names: Sequence[str]) -> JsonMap:
    """Return the settings of a request that stand in a mapping, or in JSON."""
    found = map_in(json_in(value))
    return {name: found[name] for name in names if name in found}

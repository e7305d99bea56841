"""The spans of one run, each read in its dialect, to the parts that make its conversation.

One thing is often told by several spans: an execution of a tool and the MCP call inside it, a
request to a model and the client's request below it. Each counts once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from workbench.ingest.events.messages import Role
from workbench.ingest.events.spans import ModelSpan, ToolSpan
from workbench.ingest.otlp.genai import GENAI
from workbench.ingest.otlp.genai_events import GENAI_EVENTS
from workbench.ingest.otlp.langsmith import LANGSMITH
from workbench.ingest.otlp.mcp import MCP
from workbench.ingest.otlp.openinference import OPENINFERENCE
from workbench.ingest.otlp.openllmetry import OPENLLMETRY
from workbench.ingest.otlp.pydantic_ai import PYDANTIC_AI
from workbench.model.event import ModelRequest
from workbench.model.jsonvalue import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from workbench.ingest.otlp.dialect import Dialect, Part, Recording
    from workbench.ingest.otlp.spans import Span

__all__ = ["Told", "dialect_of", "events_of", "told_by"]

_DIALECTS: Final = (
    *(PYDANTIC_AI, OPENINFERENCE, OPENLLMETRY, LANGSMITH, MCP, GENAI, GENAI_EVENTS),
)
"""In this order: what a library alone writes before what it shares with others."""

_AGENT_NAMES: Final = ("gen_ai.agent.name", "agent.name", "agent_name", "graph.node.id")


class Told(Struct, frozen=True, kw_only=True):
    """A span, the dialect that it is written in, and what it says."""

    span: Span
    dialect: Dialect
    part: Part


def dialect_of(span: Span) -> Dialect | None:
    """Return the dialect of a span; None: it is none of an agent."""
    return next((dialect for dialect in _DIALECTS if dialect.speaks(span)), None)


def told_by(recording: Recording) -> list[Told]:
    """Read every span that says something, in the order in which they began."""
    found: list[Told] = []
    for span in recording.tree.spans:
        dialect = dialect_of(span)
        part = None if dialect is None else dialect.read(span, recording)
        if dialect is not None and part is not None:
            found.append(Told(span=span, dialect=dialect, part=part))
    return found


def events_of(told: Sequence[Told], recording: Recording) -> list[ModelSpan | ToolSpan]:
    """Return requests and executions, each once, with the agent that each belongs to."""
    models = {one.span.span_id: one for one in told if isinstance(one.part.event, ModelSpan)}
    outer = _around(models, recording)
    found: list[ModelSpan | ToolSpan] = []
    for one in _outermost_tools(told, recording):
        event = one.part.event
        if event is None or (one.span.span_id in outer and isinstance(event, ModelSpan)):
            continue
        found.append(replace(event, agent=_agent(one.span, recording)))
    if not any(isinstance(event, ModelSpan) for event in found):
        found[:0] = list(_from_agents(told))
    return found


def _around(models: dict[str | None, Told], recording: Recording) -> set[str | None]:
    """Return the requests that only repeat another: those around one, or inside a fuller one."""
    repeats: set[str | None] = set()
    for one in models.values():
        for above in recording.tree.parents(one.span):
            if above.span_id in models and above.span_id not in repeats:
                full = _is_full(one) or not _is_full(models[above.span_id])
                repeats.add(above.span_id if full else one.span.span_id)
    return repeats


def _is_full(one: Told) -> bool:
    event = one.part.event
    assert isinstance(event, ModelSpan)  # noqa: S101  only requests are asked
    return bool(event.history) or any(one.said.text or one.asked for one in event.reply)


def _outermost_tools(told: Sequence[Told], recording: Recording) -> Iterable[Told]:
    """Yield the parts, of nested executions of one tool the outermost, with all that they say."""
    tools = {
        one.span.span_id: one
        for one in told
        if isinstance(one.part.event, ToolSpan) and one.span.span_id
    }
    inner: set[str | None] = set()
    for span_id, one in list(tools.items()):
        event = one.part.event
        assert isinstance(event, ToolSpan)  # noqa: S101  only executions are here
        above = next(
            (
                tools[up.span_id]
                for up in recording.tree.parents(one.span)
                if up.span_id in tools and _tool(tools[up.span_id]) == event.asked.tool
            ),
            None,
        )
        if above is not None and above.span.span_id:
            inner.add(span_id)
            tools[above.span.span_id] = _joined(above, event)
    for one in told:
        if one.span.span_id not in inner:
            yield tools.get(one.span.span_id or "", one)


def _tool(one: Told) -> str | None:
    event = one.part.event
    return event.asked.tool if isinstance(event, ToolSpan) else None


def _joined(outer: Told, inner: ToolSpan) -> Told:
    """Add to an execution what only the one inside it says."""
    event = outer.part.event
    assert isinstance(event, ToolSpan)  # noqa: S101  only executions are joined
    asked, answered = event.asked, event.answered
    if asked.text is None and asked.value is ABSENT:
        asked = replace(asked, text=inner.asked.text, value=inner.asked.value)
    asked = replace(asked, id=asked.id or inner.asked.id)
    if answered is None:
        answered = inner.answered
    elif inner.answered is not None:
        if answered.text is None and answered.value is None:
            text, value = inner.answered.text, inner.answered.value
            answered = replace(answered, text=text, value=value)
        answered = replace(answered, error=answered.error or inner.answered.error)
    event = replace(event, asked=asked, answered=answered)
    return replace(outer, part=replace(outer.part, event=event))


def _agent(span: Span, recording: Recording) -> str | None:
    found = (one.text(*_AGENT_NAMES) for one in (span, *recording.tree.parents(span)))
    return next(filter(None, found), None)


def _from_agents(told: Sequence[Told]) -> Iterable[ModelSpan]:
    """Yield one request for what the outermost agent says was said, where none was recorded."""
    one = next((one for one in told if one.part.conversation), None)
    if one is None:
        return
    said = list(one.part.conversation)
    ends = said[-1].role is Role.ASSISTANT and not said[-1].asked
    last = (said.pop(),) if ends else ()
    yield ModelSpan(
        start=one.span.start,
        end=one.span.end,
        request=ModelRequest(source_ref=one.span.ref),
        history=said,
        reply=last,
        agent=one.span.text(*_AGENT_NAMES),
    )

"""The spans of one run, each read in its dialect, to the parts that make its conversation.

One thing is often told by several spans: an execution of a tool and the MCP call inside it, a
request to a model and the client's request below it, or beside it where two libraries know nothing
of one another. Each counts once.
"""

from __future__ import annotations

from collections import defaultdict, deque
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from workbench.ingest.events.messages import Role
from workbench.ingest.events.retold import key_of
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

_REPLY_ID: Final = "gen_ai.response.id"
_AT_ONCE: Final = 64
"""Requests at one time among which the same request, told by another library, is looked for."""

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
    repeats = _around(models, recording)
    repeats |= _beside([one for one in models.values() if one.span.span_id not in repeats])
    found: list[ModelSpan | ToolSpan] = []
    for one in _outermost_tools(told, recording):
        event = one.part.event
        if event is None or (one.span.span_id in repeats and isinstance(event, ModelSpan)):
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
                repeats.add(_lesser(models[above.span_id], one).span.span_id)
    return repeats


def _beside(models: Sequence[Told]) -> set[str | None]:
    """Return the requests that another library tells too, in a span that is no parent of its own.

    A client that writes spans itself and an instrumentation that does not make its own the current
    one stand side by side. Of two that say equally much the one that began last counts.

    Args:
        models: requests, in the order in which they began.
    """
    if len({one.span.scope for one in models}) == 1:
        return set()
    repeats: set[str | None] = set()
    nearest = partial(deque[Told], maxlen=_AT_ONCE)
    before: defaultdict[str | None, deque[Told]] = defaultdict(nearest)
    """Reply's id -> requests that had it; None: all of them."""
    for one in models:
        given = one.span.text(_REPLY_ID)
        for other in reversed([*before[None], *(before[given] if given else ())]):
            if other.span.span_id not in repeats and _is_same(other, one):
                repeats.add(_lesser(other, one).span.span_id)
                if one.span.span_id in repeats:
                    break
        for key in {None, given}:
            before[key].append(one)
    return repeats


def _is_same(one: Told, other: Told) -> bool:
    """Whether two spans can only be one request: by the reply's id, else by all that both say."""
    if not (one.span.scope and other.span.scope and one.span.scope != other.span.scope):
        return False
    if not _overlap(one.span, other.span):
        return False
    ids = {one.span.text(_REPLY_ID), other.span.text(_REPLY_ID)}
    if None not in ids:
        return len(ids) == 1
    facts = list(zip(_facts(one), _facts(other), strict=True))
    tokens, parents = facts[0], (one.span.parent_id, other.span.parent_id)
    is_close = None not in tokens or (parents[0] == parents[1] and parents[0] is not None)
    return is_close and all(
        first == second for first, second in facts if None not in (first, second)
    )


def _overlap(one: Span, other: Span) -> bool:
    if one.start is None or one.end is None or other.start is None or other.end is None:
        return False
    starts, ends = (one.start.micros, other.start.micros), (one.end.micros, other.end.micros)
    return max(starts) < min(ends)


def _facts(one: Told) -> tuple[object, ...]:
    """Return what two spans of one request agree in; None: not said."""
    event = one.part.event
    assert isinstance(event, ModelSpan)  # noqa: S101  only requests are asked
    usage = next((message.said.usage for message in event.reply if message.said.usage), None)
    said = tuple(map(key_of, event.reply))
    return (
        None if usage is None else usage.input_tokens,
        event.request.model,
        one.span.failed,
        None if event.unseen else said,
    )


def _lesser(outer: Told, inner: Told) -> Told:
    """Return the one that says less; the outer if they say equally much."""
    return outer if _contents(inner) >= _contents(outer) else inner


def _contents(one: Told) -> int:
    """Return of how many of the two, what was sent and what came back, a request says anything."""
    event = one.part.event
    assert isinstance(event, ModelSpan)  # noqa: S101  only requests are asked
    return bool(event.history) + any(said.said.text or said.asked for said in event.reply)


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

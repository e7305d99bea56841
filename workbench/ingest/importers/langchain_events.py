"""LangChain's `astream_events` (v2) as JSON Lines.

The events of one run share the root of their `parent_ids`. They carry no times: their order is
that of the file. Chunks of a stream are left out, since the end of the stream repeats them; a
model whose end is missing has no reply.

Source:
    formats page 2.3; langchain-core 1.8, `StreamEvent`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.casefile.place import step_key
from workbench.ingest.events.error_text import error_from
from workbench.ingest.events.exchange import is_flat, read_reply, read_request
from workbench.ingest.events.finish import RunFacts, finished
from workbench.ingest.events.messages import read_message
from workbench.ingest.events.spans import ModelSpan, ToolSpan
from workbench.ingest.events.times import Moment
from workbench.ingest.events.transcript import Answered, Asked, Transcript
from workbench.ingest.events.weave import weave
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import as_map, map_in, text_in
from workbench.model.event import ModelRequest, Requestor
from workbench.model.jsonvalue import ABSENT
from workbench.model.trace import RunStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["FORMAT", "read_langchain_events"]

_MODELS: Final = ("chat_model", "llm")
_TOOLS: Final = {"tool": Requestor.AGENT, "retriever": Requestor.FRAMEWORK}


@dataclass(slots=True)
class _Span:
    """The events of one runnable."""

    kind: str
    at: int
    start: JsonMap
    end: JsonMap | None = None
    end_at: int | None = None


def read_langchain_events(
    record: Json, *, place: Origin, tools: Sequence[Tool]
) -> tuple[Trace, Losses]:
    """Read the events of one run.

    Raises:
        TraceFormatError: an event is no mapping, or a message has no known form.
    """
    items = record if isinstance(record, list) else [record]
    events = [as_map(item, key=str(at), origin=place) for at, item in enumerate(items)]
    script = Transcript()
    found = _spans(events)
    weave(script, [span for one in found for span in _span(one, script, place)])
    metadata = [map_in(one.start, "metadata") for one in found]
    facts = RunFacts(
        own_id=_own_id(record),
        session=next(filter(None, (text_in(m, "thread_id") for m in metadata)), None),
        model=next(filter(None, (text_in(m, "ls_model_name") for m in metadata)), None),
        prompt=next(filter(None, (text_in(m, "prompt_version") for m in metadata)), None),
        tags=_tags(events),
        status=_status(events),
    )
    return finished(script, facts, origin=place, tools=tools)


def _spans(events: Iterable[JsonMap]) -> list[_Span]:
    """Pair starts and ends by the runnable's id."""
    open_ones: dict[str, _Span] = {}
    found: list[_Span] = []
    for at, event in enumerate(events):
        kind, _, phase = (text_in(event, "event") or "").removeprefix("on_").rpartition("_")
        name = text_in(event, "run_id") or ""
        if phase == "start":
            open_ones[name] = _Span(kind=kind, at=at, start=event)
            found.append(open_ones[name])
        elif phase in ("end", "error") and name in open_ones:
            open_ones[name].end, open_ones[name].end_at = event, at
    return found


def _span(one: _Span, script: Transcript, origin: Origin) -> Iterable[ModelSpan | ToolSpan]:
    if one.kind in _MODELS:
        yield _model_span(one, script, origin)
    elif one.kind in _TOOLS:
        yield _tool_span(one, origin)


def _moment(at: int | None) -> Moment | None:
    return None if at is None else Moment(micros=at)


def _model_span(one: _Span, script: Transcript, origin: Origin) -> ModelSpan:
    sent = map_in(one.start, "data").get("input")
    flat = is_flat(sent)
    script.counts["prompt_flattened"] += flat
    ref = f"{one.at}.data.input"
    given = map_in(one.end, "data").get("output")
    metadata = map_in(one.start, "metadata")
    settings = {"temperature": metadata.get("ls_temperature")}
    return ModelSpan(
        start=_moment(one.at),
        end=_moment(one.end_at),
        request=ModelRequest(
            model=text_in(metadata, "ls_model_name"),
            settings={name: value for name, value in settings.items() if value is not None},
            prompt=text_in(metadata, "prompt_version"),
            source_ref=ref,
        ),
        history=read_request(sent, ref=ref, origin=origin),
        reply=read_reply(given, ref=f"{one.end_at}.data.output", origin=origin),
        agent=text_in(metadata, "lc_agent_name"),
    )


def _tool_span(one: _Span, origin: Origin) -> ToolSpan:
    sent = map_in(one.start, "data").get("input")
    answered = _answered(one, origin)
    return ToolSpan(
        start=_moment(one.at),
        end=_moment(one.end_at),
        asked=Asked(
            ref=f"{one.at}.data",
            id=None if answered is None else answered.id,
            tool=text_in(one.start, "name") or "tool",
            text=sent if isinstance(sent, str) else None,
            value=ABSENT if sent is None or isinstance(sent, str) else sent,
        ),
        answered=answered,
        requestor=_TOOLS[one.kind],
    )


def _answered(one: _Span, origin: Origin) -> Answered | None:
    if one.end is None:
        return None
    data = map_in(one.end, "data")
    ref = f"{one.end_at}.data"
    if text_in(one.end, "event") == f"on_{one.kind}_error":
        error = error_from(text_in(data, "error"))
        return Answered(ref=ref, id=text_in(data, "tool_call_id"), error=error)
    output = data.get("output")
    if isinstance(output, dict) and ("lc" in output or "tool_call_id" in output):
        message = next(iter(read_message(output, step_key(ref, "output"), origin)), None)
        if message is not None and message.answered is not None:
            return message.answered
    text = output if isinstance(output, str) else None
    return Answered(ref=ref, id=None, text=text, value=None if text is not None else output)


def _tags(events: Sequence[JsonMap]) -> tuple[str, ...]:
    tags = events[0].get("tags") if events else None
    return tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else ()


def _status(events: Iterable[JsonMap]) -> RunStatus:
    failed = any(
        event.get("event") == "on_chain_error" and not event.get("parent_ids") for event in events
    )
    return RunStatus.FAILED if failed else RunStatus.UNKNOWN


def _is_event(record: Json) -> bool:
    body = map_in(record)
    name = text_in(body, "event") or ""
    return name.startswith("on_") and {"run_id", "data"} <= body.keys()


def _run_of(record: Json) -> str | None:
    parents = map_in(record).get("parent_ids")
    if isinstance(parents, list) and parents and isinstance(parents[0], str):
        return parents[0]
    return text_in(record, "run_id") if isinstance(parents, list) else ""


def _own_id(record: Json) -> Json:
    first = record[0] if isinstance(record, list) and record else record
    return _run_of(first) or None


FORMAT: Final = Format(
    name="langchain_events",
    recognises=_is_event,
    owns=_is_event,
    keys=frozenset({"event"}),
    own_id=_own_id,
    run_of=_run_of,
    read=read_langchain_events,
)

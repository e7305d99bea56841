"""Langfuse: a trace with its observations, as its API and its export button give them.

Inputs and outputs are whatever the instrumented library had, often as JSON or Python text. Tools
are typed TOOL, or SPAN, told by the name of a tool that a model called or was offered. Times have
milliseconds, so the order is start, then depth in the tree, then that of the file. Where a
library is instrumented twice, a GENERATION inside a GENERATION is the same request again.

Source:
    formats page 2.3 and pitfalls 3, 7, row "Langfuse export"; Langfuse's public API, 2025-12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from workbench.casefile.place import step_key
from workbench.ingest.events.error_text import error_from
from workbench.ingest.events.exchange import (
    decoded,
    is_flat,
    read_reply,
    read_request,
    read_system,
    request_facts,
    with_usage,
)
from workbench.ingest.events.finish import RunFacts, finished, labels_of
from workbench.ingest.events.messages import Message, Role, read_message
from workbench.ingest.events.spans import ModelSpan, ToolSpan
from workbench.ingest.events.times import moment_of
from workbench.ingest.events.toollist import listed_tools
from workbench.ingest.events.transcript import Answered, Asked, Transcript
from workbench.ingest.events.usage import cost_in, usage_of
from workbench.ingest.events.weave import weave
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import as_map, map_in, map_items, text_in
from workbench.model.event import ModelRequest
from workbench.model.jsonvalue import ABSENT, parse_text
from workbench.model.trace import Losses, RunStatus, Tool, Trace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["FORMAT", "read_langfuse"]

_PREFIXES: Final = ("running tool: ", "execute_tool ")
_DEPTH_LIMIT: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """An observation in its place."""

    ref: str
    body: JsonMap
    depth: int = 0
    inside: bool = False
    """Whether it stands inside a GENERATION."""

    @property
    def kind(self) -> str:
        """Its type."""
        return text_in(self.body, "type") or ""

    @property
    def tool(self) -> str:
        """Its name as that of a tool."""
        name = text_in(self.body, "name") or "tool"
        return next((name[len(p) :] for p in _PREFIXES if name.startswith(p)), name)


def read_langfuse(record: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read one trace.

    Raises:
        TraceFormatError: an observation is no mapping, or a message has no known form.
    """
    body = as_map(record, key="", origin=place)
    about = map_in(body, "trace") or body
    seen = _sorted(list(map_items(body.get("observations"), key="observations", origin=place)))
    script = Transcript()
    models = {
        at: _model_span(one, script, place)
        for at, one in enumerate(seen)
        if one.kind == "GENERATION" and not one.inside
    }
    listed = _listed(seen)
    called = {asked.tool for span in models.values() for asked in _asked_in(span)}
    named = called | {tool.name for tool in listed}
    spans: list[ModelSpan | ToolSpan] = []
    for at, one in enumerate(seen):
        if at in models:
            spans.append(models[at])
        elif one.kind == "TOOL" or (one.kind == "SPAN" and one.tool in named):
            spans.append(_tool_span(one, place))
    _open(
        script, about, list(models.values()), ref="trace" if "trace" in body else "", origin=place
    )
    weave(script, spans)
    return finished(script, _facts(about, seen, models, listed), origin=place, tools=tools)


# --- order -------------------------------------------------------------------


def _sorted(items: Sequence[tuple[str, JsonMap]]) -> list[_Seen]:
    bodies = {text_in(body, "id") or ref: body for ref, body in items}
    found = [_placed(ref, body, bodies) for ref, body in items]
    return sorted(found, key=lambda one: (_start(one.body), one.depth))


def _start(body: JsonMap) -> int:
    moment = moment_of(body.get("startTime"))
    return 0 if moment is None else moment.micros


def _placed(ref: str, body: JsonMap, bodies: Mapping[str, JsonMap]) -> _Seen:
    depth, inside = 0, False
    parent = text_in(body, "parentObservationId")
    while parent is not None and parent in bodies and depth < _DEPTH_LIMIT:
        depth += 1
        inside = inside or (bodies[parent] is not body and _is_generation(bodies[parent]))
        parent = text_in(bodies[parent], "parentObservationId")
    return _Seen(ref=ref, body=body, depth=depth, inside=inside)


def _is_generation(body: JsonMap) -> bool:
    return body.get("type") == "GENERATION"


# --- spans -------------------------------------------------------------------


def _model_span(one: _Seen, script: Transcript, origin: Origin) -> ModelSpan:
    body, ref = one.body, step_key(one.ref, "input")
    sent = _without_tools(decoded(body.get("input")))
    given = decoded(body.get("output"))
    reply = read_reply(given, ref=step_key(one.ref, "output"), origin=origin)
    reply = with_usage(reply, usage_of(body.get("usageDetails"), cost_usd=_cost(body)))
    flat = is_flat(sent)
    script.counts["prompt_flattened"] += flat
    history: list[Message] = []
    if not flat or script.counts["prompt_flattened"] == 1:  # later ones repeat it
        instructions = map_in(given).get("instructions")
        place = step_key(step_key(one.ref, "output"), "instructions")
        history.extend(read_system(instructions, ref=place, origin=origin))
        history.extend(read_request(sent, ref=ref, origin=origin))
    settings = decoded(body.get("modelParameters"))
    facts = request_facts(settings if isinstance(settings, dict) else {})
    offered = tuple(tool.name for tool in _offered(one))
    return ModelSpan(
        start=moment_of(body.get("startTime")),
        end=moment_of(body.get("endTime")),
        request=ModelRequest(
            model=text_in(body, "model"),
            settings=facts.settings,
            offered_tools=offered or None,
            prompt=_prompt(body),
            source_ref=one.ref,
        ),
        history=history,
        reply=reply,
    )


def _cost(body: JsonMap) -> float | None:
    """Return what was stated or computed by Langfuse from its price list."""
    stated = (map_in(body, name) for name in ("costDetails", "providedCostDetails"))
    found = next((cost for one in stated if (cost := cost_in(one, "total"))), None)
    return found or cost_in(body, "totalCost", "calculatedTotalCost")


def _asked_in(span: ModelSpan) -> Iterator[Asked]:
    for message in (*span.history, *span.reply):
        yield from message.asked


def _is_definition(item: Json) -> bool:
    """Whether a message is a tool's definition, as the LangChain handler appends them."""
    return text_in(item, "role") == "tool" and "parameters" in map_in(item, "content", "function")


def _without_tools(sent: Json) -> Json:
    if isinstance(sent, list):
        return [item for item in sent if not _is_definition(item)]
    return sent


def _tool_span(one: _Seen, origin: Origin) -> ToolSpan:
    answered = _answered(one, origin)
    sent, ref = one.body.get("input"), step_key(one.ref, "input")
    inner = decoded(sent)
    if isinstance(inner, dict) and inner.keys() == {"input"}:
        sent, ref = inner["input"], step_key(ref, "input")
    return ToolSpan(
        start=moment_of(one.body.get("startTime")),
        end=moment_of(one.body.get("endTime")),
        asked=Asked(
            ref=ref,
            id=None if answered is None else answered.id,
            tool=one.tool,
            text=sent if isinstance(sent, str) else None,
            value=ABSENT if sent is None or isinstance(sent, str) else sent,
        ),
        answered=answered,
    )


def _answered(one: _Seen, origin: Origin) -> Answered | None:
    said = text_in(one.body, "statusMessage")
    error = error_from(said) if one.body.get("level") == "ERROR" else None
    given, ref = one.body.get("output"), step_key(one.ref, "output")
    inner = decoded(given)
    if isinstance(inner, dict) and "tool_call_id" in inner:
        found = next(iter(read_message({**inner, "role": "tool"}, ref, origin)))
        assert found.answered is not None  # noqa: S101  its role is tool
        return replace(found.answered, error=error or found.answered.error)
    if isinstance(inner, dict) and inner.keys() == {"content"}:
        found = next(iter(read_message({**inner, "role": "tool"}, ref, origin)))
        return None if found.answered is None else replace(found.answered, error=error)
    if given is None and error is None:
        return None
    text = given if isinstance(given, str) else None
    return Answered(ref=ref, id=None, text=text, value=None if text else given, error=error)


# --- what only the trace says ------------------------------------------------


def _open(
    script: Transcript,
    about: JsonMap,
    spans: Sequence[ModelSpan],
    *,
    ref: str,
    origin: Origin,
) -> None:
    """Tell system text and task from the trace itself, where no request shows them."""
    shown = {message.role for span in spans for message in span.history}
    given = about.get("input")
    inner = parse_text(given).value if isinstance(given, str) else given  # often JSON in JSON
    sent = decoded(inner)
    if is_flat(sent):
        return
    for message in read_request(sent, ref=step_key(ref, "input"), origin=origin):
        if message.role in shown:
            continue
        if message.role is Role.SYSTEM:
            script.system(message.said)
        elif message.role is Role.USER:
            script.user(message.said)


def _facts(
    about: JsonMap, seen: Sequence[_Seen], models: Mapping[int, ModelSpan], listed: Sequence[Tool]
) -> RunFacts:
    requests = [span.request for span in models.values()]
    tags = about.get("tags")
    roots = [one for one in seen if one.depth == 0]
    failed = any(one.body.get("level") == "ERROR" for one in roots)
    threads = (text_in(decoded(one.body.get("metadata")), "thread_id") for one in seen)
    return RunFacts(
        own_id=about.get("id"),
        session=text_in(about, "sessionId") or next(filter(None, threads), None),
        model=next((request.model for request in requests if request.model), None),
        agent=text_in(about, "release") or text_in(about, "version"),
        prompt=next((request.prompt for request in requests if request.prompt), None),
        tags=tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
        labels=_labels(about),
        status=RunStatus.FAILED if failed else RunStatus.UNKNOWN,
        listed=listed,
    )


def _labels(about: JsonMap) -> JsonMap:
    """Return scores by name: what people and evaluators said of the run."""
    scores = about.get("scores")
    found: JsonMap = {}
    for score in scores if isinstance(scores, list) else ():
        name = text_in(score, "name")
        if name:
            value = map_in(score).get("value")
            found[name] = map_in(score).get("stringValue") if value is None else value
    return labels_of(scores=found or None)


def _prompt(body: JsonMap) -> str | None:
    name, version = text_in(body, "promptName"), body.get("promptVersion")
    if name is None:
        return None
    return name if version is None else f"{name}@{version}"


def _listed(seen: Sequence[_Seen]) -> tuple[Tool, ...]:
    found: dict[str, Tool] = {}
    for one in seen:
        if one.kind == "GENERATION":
            for tool in _offered(one):
                found.setdefault(tool.name, tool)
    return tuple(found.values())


def _offered(one: _Seen) -> tuple[Tool, ...]:
    """Return the tools of a request, from the first place that lists them."""
    sent, given = decoded(one.body.get("input")), decoded(one.body.get("output"))
    items = sent if isinstance(sent, list) else []
    places: tuple[Json, ...] = (
        [map_in(item, "content") for item in items if _is_definition(item)],
        map_in(sent).get("tools"),
        map_in(given).get("tools"),
        _defined(decoded(one.body.get("toolDefinitions"))),
    )
    return next(filter(None, map(listed_tools, places)), ())


def _defined(definitions: Json) -> list[Json]:
    """Return Langfuse's own list: name -> definition, as a structure or as JSON."""
    if not isinstance(definitions, dict):
        return []
    return [{**map_in(decoded(value)), "name": name} for name, value in definitions.items()]


def _is_langfuse(record: Json) -> bool:
    observations = record.get("observations") if isinstance(record, dict) else None
    if not isinstance(observations, list):
        return False
    about = map_in(record, "trace") or map_in(record)
    return "id" in about and all(
        isinstance(one, dict) and "startTime" in one and "type" in one for one in observations
    )


FORMAT: Final = Format(
    name="langfuse",
    recognises=_is_langfuse,
    owns=_is_langfuse,
    keys=frozenset({"observations"}),
    own_id=lambda record: (map_in(record, "trace") or map_in(record)).get("id"),
    read=read_langfuse,
)

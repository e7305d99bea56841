"""OpenAI Agents SDK: spans as its trace processors export them, one by one or in batches.

A `generation` span has the messages of its request and reply. A `response` span has neither, as
the API keeps them: its calls are those of the function spans behind it, and its texts are lost
unless the run's input list stands beside the spans. Function spans carry no call id.

Source:
    formats page 2.3, row "OpenAI Agents SDK span export"; openai-agents 0.4 to 0.9.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from workbench.casefile.place import step_key
from workbench.ingest.events.error_text import error_from
from workbench.ingest.events.exchange import read_reply, read_request, request_facts, with_usage
from workbench.ingest.events.finish import RunFacts, finished, labels_of
from workbench.ingest.events.messages import Message, Role, read_messages
from workbench.ingest.events.spans import MarkSpan, ModelSpan, ToolSpan
from workbench.ingest.events.times import Moment, moment_of
from workbench.ingest.events.transcript import Answered, Asked, Said, Transcript
from workbench.ingest.events.usage import usage_of
from workbench.ingest.events.weave import weave
from workbench.ingest.files.agents_batches import INPUT_LIST, is_agents_run, is_agents_span
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import as_map, map_in, map_items, text_in
from workbench.model.event import (
    CallError,
    Change,
    ContextChange,
    Decision,
    ModelRequest,
    Permission,
)
from workbench.model.jsonvalue import ABSENT
from workbench.model.trace import Grade, Loss, RunStatus

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["FORMAT", "read_agents_spans"]

_DEPTH_LIMIT: Final = 1000
_NO_CONTENT: Final = Loss(
    kind="responses_without_content",
    note="response spans name the API's response and hold no texts",
    fix="export `result.to_input_list()` beside the spans",
    caps=Grade.NEEDS_FIXTURES,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Node:
    """A span in its tree."""

    ref: str
    body: JsonMap
    depth: int
    agent: str | None
    offered: tuple[str, ...] | None

    @property
    def data(self) -> JsonMap:
        """What its kind of span holds."""
        return map_in(self.body, "span_data")

    @property
    def kind(self) -> str:
        """Its type."""
        return text_in(self.data, "type") or ""

    @property
    def parent(self) -> str | None:
        """Id of the span around it."""
        return text_in(self.body, "parent_id")

    @property
    def start(self) -> Moment | None:
        """When it began."""
        return moment_of(self.body.get("started_at"))

    @property
    def end(self) -> Moment | None:
        """When it ended."""
        return moment_of(self.body.get("ended_at"))


def read_agents_spans(
    record: Json, *, place: Origin, tools: Sequence[Tool]
) -> tuple[Trace, Losses]:
    """Read the spans of one trace.

    Raises:
        TraceFormatError: a span is no mapping, or a message has no known form.
    """
    bodies = list(_flat(record, place))
    about = next((body for _, body in bodies if body.get("object") == "trace"), {})
    nodes = _nodes(bodies)
    told = _told(bodies, sum(node.kind == "response" for node in nodes), place)
    script = Transcript()
    spans = [span for node in nodes for span in _spans(node, nodes, told, place)]
    weave(script, spans)
    silent = told is None and any(node.kind == "response" for node in nodes)
    requests = [span.request for span in spans if isinstance(span, ModelSpan)]
    metadata = map_in(about, "metadata")
    facts = RunFacts(
        own_id=_run_of(bodies[0][1]) if bodies else None,
        session=text_in(about, "group_id"),
        model=next((request.model for request in requests if request.model), None),
        agent=text_in(metadata, "agent_version") or text_in(metadata, "version"),
        prompt=text_in(metadata, "prompt_version"),
        labels=labels_of(workflow=about.get("workflow_name")),
        status=_status(nodes),
        losses=(_NO_CONTENT,) if silent else (),
    )
    return finished(script, facts, origin=place, tools=tools)


# --- the tree ----------------------------------------------------------------


def _nodes(bodies: Sequence[tuple[str, JsonMap]]) -> list[_Node]:
    spans = [(ref, body) for ref, body in bodies if "span_data" in body]
    by_id = {text_in(body, "id") or ref: body for ref, body in spans}
    nodes = [_node(ref, body, by_id) for ref, body in spans]
    return sorted(nodes, key=lambda n: (0 if n.start is None else n.start.micros, n.depth))


def _node(ref: str, body: JsonMap, by_id: Mapping[str, JsonMap]) -> _Node:
    depth = 0
    agent: JsonMap = {}
    parent = text_in(body, "parent_id")
    while parent is not None and parent in by_id and depth < _DEPTH_LIMIT:
        depth += 1
        data = map_in(by_id[parent], "span_data")
        if not agent and data.get("type") == "agent":
            agent = data
        parent = text_in(by_id[parent], "parent_id")
    listed = agent.get("tools")
    items = listed if isinstance(listed, list) else []
    names = tuple(name for name in items if isinstance(name, str))
    return _Node(
        ref=ref, body=body, depth=depth, agent=text_in(agent, "name"), offered=names or None
    )


# --- spans -------------------------------------------------------------------


def _spans(
    node: _Node, nodes: Sequence[_Node], told: Iterator[_Told] | None, origin: Origin
) -> Iterator[ModelSpan | ToolSpan | MarkSpan]:
    match node.kind:
        case "generation":
            yield _generation(node, origin)
        case "response":
            yield _response(node, nodes, next(told) if told is not None else None)
        case "function":
            yield _function(node)
        case "handoff":
            change = ContextChange(
                change=Change.HAND_OFF,
                before=node.data.get("from_agent"),
                after=node.data.get("to_agent"),
                source_ref=node.ref,
            )
            yield MarkSpan(start=node.start, end=node.end, event=change)
        case "guardrail" if node.data.get("triggered") is True:
            refusal = Permission(
                decision=Decision.DENIED,
                scope=text_in(node.data, "name"),
                actor="guardrail",
                source_ref=node.ref,
            )
            yield MarkSpan(start=node.start, end=node.end, event=refusal)
        case _:
            return


def _generation(node: _Node, origin: Origin) -> ModelSpan:
    ref = step_key(node.ref, "span_data")
    reply = read_reply(node.data.get("output"), ref=step_key(ref, "output"), origin=origin)
    reply = with_usage(reply, usage_of(node.data.get("usage")))
    sent = node.data.get("input")
    return ModelSpan(
        start=node.start,
        end=node.end,
        request=ModelRequest(
            model=text_in(node.data, "model"),
            settings=request_facts(map_in(node.data, "model_config")).settings,
            offered_tools=node.offered,
            source_ref=node.ref,
        ),
        history=read_request(sent, ref=step_key(ref, "input"), origin=origin),
        reply=reply,
        agent=node.agent,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """One reply of the run's input list, and what stands before it."""

    history: Sequence[Message]
    reply: Message


def _told(
    bodies: Sequence[tuple[str, JsonMap]], responses: int, origin: Origin
) -> Iterator[_Told] | None:
    """Return the replies of the input list, if it has one for each response."""
    found = next(((ref, body) for ref, body in bodies if INPUT_LIST in body), None)
    if found is None or not responses:
        return None
    ref, body = found
    messages = read_messages(body[INPUT_LIST], key=step_key(ref, INPUT_LIST), origin=origin)
    replies = [
        _Told(history=messages[:at], reply=message)
        for at, message in enumerate(messages)
        if message.role is Role.ASSISTANT
    ]
    return iter(replies) if len(replies) == responses else None


def _response(node: _Node, nodes: Sequence[_Node], told: _Told | None) -> ModelSpan:
    usage = usage_of(node.data.get("usage"))
    if told is None:
        asked = tuple(_asked(one) for one in _calls_behind(node, nodes))
        reply = Message(role=Role.ASSISTANT, said=Said(ref=node.ref), asked=asked)
    else:
        reply = told.reply
    return ModelSpan(
        start=node.start,
        end=node.end,
        request=ModelRequest(offered_tools=node.offered, source_ref=node.ref),
        history=() if told is None else told.history,
        reply=with_usage([reply], usage),
        agent=node.agent,
    )


def _calls_behind(node: _Node, nodes: Sequence[_Node]) -> Iterator[_Node]:
    """Yield the function spans beside a response, up to the next response there."""
    beside = [one for one in nodes if one.parent == node.parent]
    for one in beside[beside.index(node) + 1 :]:
        if one.kind == "response":
            return
        if one.kind == "function":
            yield one


def _asked(node: _Node) -> Asked:
    sent = node.data.get("input")
    return Asked(
        ref=step_key(node.ref, "span_data"),
        id=None,
        tool=text_in(node.data, "name") or "tool",
        text=sent if isinstance(sent, str) else None,
        value=ABSENT if sent is None or isinstance(sent, str) else sent,
    )


def _function(node: _Node) -> ToolSpan:
    output, error = node.data.get("output"), _error(node.body)
    answered = None
    if output is not None or error is not None:
        answered = Answered(
            ref=step_key(node.ref, "span_data"),
            id=None,
            text=output if isinstance(output, str) else None,
            value=None if isinstance(output, str) else output,
            error=error,
        )
    return ToolSpan(
        start=node.start, end=node.end, asked=_asked(node), answered=answered, agent=node.agent
    )


def _error(body: JsonMap) -> CallError | None:
    error = map_in(body, "error")
    if not error:
        return None
    data = error.get("data")
    said = text_in(data, "error") or text_in(error, "message")
    return replace(error_from(said), body=ABSENT if data is None else data)


def _status(nodes: Sequence[_Node]) -> RunStatus:
    failed = any(node.depth == 0 and map_in(node.body, "error") for node in nodes)
    return RunStatus.FAILED if failed else RunStatus.UNKNOWN


# --- recognising -------------------------------------------------------------


def _is_record(record: Json) -> bool:
    return is_agents_span(record) or is_agents_run(record)


def _flat(record: Json, origin: Origin) -> Iterator[tuple[str, JsonMap]]:
    """Yield the spans of a run's records; of a document also what stands beside them."""
    items = record if isinstance(record, list) else [record]
    for at, item in enumerate(items):
        ref = str(at)
        body = as_map(item, key=ref, origin=origin)
        if is_agents_run(body):
            key = step_key(ref, "spans")
            yield from map_items(body["spans"], key=key, origin=origin)
        yield ref, body


def _run_of(record: Json) -> str | None:
    body = map_in(record)
    if is_agents_run(body):
        inner = body["spans"]
        assert isinstance(inner, list)  # noqa: S101  it was recognised
        return _run_of(inner[0])
    return text_in(body, "id") if body.get("object") == "trace" else text_in(body, "trace_id")


def _own_id(record: Json) -> Json:
    return _run_of(record[0] if isinstance(record, list) and record else record)


FORMAT: Final = Format(
    name="agents_spans",
    recognises=_is_record,
    owns=_is_record,
    keys=frozenset({"object", INPUT_LIST}),
    own_id=_own_id,
    run_of=_run_of,
    read=read_agents_spans,
)

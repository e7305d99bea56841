"""LangSmith: exported runs, and the operations that its client sends.

A run of an agent is a tree of LangSmith runs under one `trace_id`; `dotted_order` sorts them as
they began. The client sends each twice, as it begins (POST) and as it ends (PATCH): of two halves
the last value that says something counts. The plain tracer flattens a chat to one prompt text,
which is a loss; the chat tracer keeps the messages.

Source:
    formats page 2.3 and pitfall 16, rows "LangSmith run".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec.structs import replace

from workbench.casefile.place import step_key
from workbench.ingest.events.error_text import error_from
from workbench.ingest.events.exchange import (
    is_flat,
    read_reply,
    read_request,
    request_facts,
    with_usage,
)
from workbench.ingest.events.finish import RunFacts, finished, labels_of
from workbench.ingest.events.messages import Role, read_message
from workbench.ingest.events.spans import ModelSpan, ToolSpan
from workbench.ingest.events.times import moment_of
from workbench.ingest.events.toollist import listed_tools
from workbench.ingest.events.transcript import Answered, Asked, Transcript
from workbench.ingest.events.usage import cost_in, usage_of
from workbench.ingest.events.weave import weave
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import as_map, map_in, text_in
from workbench.model.event import CallError, ModelRequest, Requestor
from workbench.model.jsonvalue import ABSENT
from workbench.model.trace import Losses, RunStatus, Tool, Trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["FORMAT", "read_langsmith"]

_UUID_CHARS: Final = 36
_TRACEBACK: Final = "Traceback (most recent call last)"
_RUN_TYPES: Final = frozenset(
    {"llm", "chain", "tool", "retriever", "embedding", "prompt", "parser"}
)

Field: TypeAlias = tuple["Json", str]
"""A value and its place."""


@dataclass(slots=True)
class _Run:
    """One run, of all its halves."""

    order: str
    fields: dict[str, Field] = field(default_factory=dict)

    def value(self, name: str) -> Json:
        return self.fields[name][0] if name in self.fields else None

    def ref(self, name: str) -> str:
        return self.fields[name][1] if name in self.fields else name

    def text(self, name: str) -> str | None:
        return text_in({name: self.value(name)}, name)

    def map(self, *names: str) -> JsonMap:
        return map_in({names[0]: self.value(names[0])}, *names)

    @property
    def metadata(self) -> JsonMap:
        return self.map("extra", "metadata")


def read_langsmith(record: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read the runs of one trace.

    Raises:
        TraceFormatError: a message in them has no known form.
    """
    runs = _merged(record, place)
    script = Transcript()
    spans = [span for run in runs for span in _spans(run, script, place)]
    weave(script, spans)
    root = runs[0] if runs else _Run(order="")
    status = _status(root)
    facts = RunFacts(
        own_id=_own_id(record),
        session=_session(runs),
        model=next(filter(None, map(_model, runs)), None),
        agent=_from_metadata(runs, "revision_id", "version"),
        prompt=_from_metadata(runs, "prompt_version", "lc_hub_commit_hash"),
        tags=_tags(root),
        labels=labels_of(feedback=root.map("feedback_stats") or None),
        status=status,
        listed=_listed(runs),
    )
    return finished(script, facts, origin=place, tools=tools)


# --- halves and trees --------------------------------------------------------


def _is_run(record: Json) -> bool:
    if not isinstance(record, dict):
        return False
    if text_in(record, "dotted_order") is None:
        return text_in(record, "run_type") in _RUN_TYPES and "trace_id" in record
    return "trace_id" in record or "run_type" in record


def _is_batch(record: Json) -> bool:
    halves = [*_items(record, "post"), *_items(record, "patch")]
    return bool(halves) and all(map(_is_run, halves))


def _items(record: Json, name: str) -> list[Json]:
    found = record.get(name) if isinstance(record, dict) else None
    return found if isinstance(found, list) else []


def _is_langsmith(record: Json) -> bool:
    return _is_run(record) or _is_batch(record)


def _run_of(record: Json) -> str | None:
    if _is_batch(record):
        return _run_of([*_items(record, "post"), *_items(record, "patch")][0])
    given = text_in(record, "trace_id")
    order = text_in(record, "dotted_order") or ""
    return given or order.partition(".")[0][-_UUID_CHARS:] or None


def _own_id(record: Json) -> Json:
    first = record[0] if isinstance(record, list) and record else record
    return _run_of(first)


def _halves(record: Json, ref: str, origin: Origin) -> Iterator[tuple[str, JsonMap]]:
    """Yield the runs that a record holds: itself and its children, or a batch's."""
    body = as_map(record, key=ref, origin=origin)
    if _is_batch(body):
        for name in ("post", "patch"):
            for at, item in enumerate(_items(body, name)):
                yield from _halves(item, step_key(step_key(ref, name), at), origin)
        return
    yield ref, body
    for at, child in enumerate(_items(body, "child_runs")):
        yield from _halves(child, step_key(step_key(ref, "child_runs"), at), origin)


def _merged(record: Json, origin: Origin) -> list[_Run]:
    """Join the halves of each run and sort the runs as they began."""
    records = record if isinstance(record, list) else [record]
    halves = [half for at, item in enumerate(records) for half in _halves(item, str(at), origin)]
    runs: dict[str, _Run] = {}
    for ref, half in sorted(halves, key=lambda found: _ended(found[1])):
        order = text_in(half, "dotted_order") or ""
        name = text_in(half, "id") or order[-_UUID_CHARS:]
        run = runs.setdefault(name, _Run(order=order))
        run.order = run.order or order
        for key, value in half.items():
            if value not in (None, {}, [], "") or key not in run.fields:
                run.fields[key] = value, step_key(ref, key)
    return sorted(runs.values(), key=lambda run: run.order or run.text("start_time") or "")


def _ended(half: JsonMap) -> bool:
    return half.get("end_time") is not None


# --- spans -------------------------------------------------------------------


def _spans(run: _Run, script: Transcript, origin: Origin) -> Iterator[ModelSpan | ToolSpan]:
    match run.text("run_type"):
        case "llm":
            yield _model_span(run, script, origin)
        case "tool":
            yield _tool_span(run, origin, Requestor.AGENT)
        case "retriever":
            yield _tool_span(run, origin, Requestor.FRAMEWORK)
        case _:
            return


def _model_span(run: _Run, script: Transcript, origin: Origin) -> ModelSpan:
    sent, ref = run.value("inputs"), run.ref("inputs")
    flat = is_flat(sent)
    script.counts["prompt_flattened"] += flat
    first = not flat or script.counts["prompt_flattened"] == 1  # later ones repeat it
    reply = read_reply(run.value("outputs"), ref=run.ref("outputs"), origin=origin)
    cost = cost_in({"total": run.value("total_cost")}, "total")
    reply = with_usage(reply, usage_of(map_in(run.metadata, "usage_metadata"), cost_usd=cost))
    params = run.map("extra", "invocation_params")
    asked = {"temperature": run.metadata.get("ls_temperature"), **params}
    facts = request_facts({**asked, **(sent if isinstance(sent, dict) else {})})
    return ModelSpan(
        start=moment_of(run.value("start_time")),
        end=moment_of(run.value("end_time")),
        request=ModelRequest(
            model=_requested(run),
            settings=facts.settings,
            offered_tools=facts.offered,
            prompt=text_in(run.metadata, "prompt_version"),
            source_ref=ref,
        ),
        history=read_request(sent, ref=ref, origin=origin) if first else [],
        reply=reply,
        agent=text_in(run.metadata, "lc_agent_name"),
    )


def _tool_span(run: _Run, origin: Origin, requestor: Requestor) -> ToolSpan:
    answered = _answered(run, origin)
    given = text_in(run.map("extra"), "tool_call_id") or (answered.id if answered else None)
    sent = run.map("inputs")
    text = text_in(sent, "input") if sent.keys() == {"input"} else None
    return ToolSpan(
        start=moment_of(run.value("start_time")),
        end=moment_of(run.value("end_time")),
        asked=Asked(
            ref=run.ref("inputs"),
            id=given,
            tool=run.text("name") or "tool",
            text=text,
            value=ABSENT if text is not None or "inputs" not in run.fields else sent,
        ),
        answered=answered,
        requestor=requestor,
    )


def _answered(run: _Run, origin: Origin) -> Answered | None:
    """Return how a tool ended: its message, whatever else it gave back, and the error."""
    error = _error(run.text("error"))
    outputs = run.map("outputs")
    output = outputs.get("output", outputs) if outputs else None
    ref = run.ref("outputs")
    if isinstance(output, dict) and ("tool_call_id" in output or "kwargs" in output):
        message = next(iter(read_message(output, step_key(ref, "output"), origin)), None)
        if message is not None and message.role is Role.TOOL and message.answered is not None:
            return replace(message.answered, error=error or message.answered.error)
    if output is None and error is None:
        return None
    text = output if isinstance(output, str) else None
    return Answered(
        ref=ref, id=None, text=text, value=None if text is not None else output, error=error
    )


def _error(text: str | None) -> CallError | None:
    """Return an error without its traceback, which stays in raw."""
    if not text:
        return None
    head = text.partition(_TRACEBACK)[0].strip()
    return error_from(head or text.strip().rpartition("\n")[2])


# --- what is said of the run -------------------------------------------------


def _model(run: _Run) -> str | None:
    if run.text("run_type") != "llm":
        return None
    return text_in(run.map("outputs"), "model") or _requested(run)


def _requested(run: _Run) -> str | None:
    params = run.map("extra", "invocation_params")
    given = (
        text_in(run.map("inputs"), "model"),
        text_in(params, "model") or text_in(params, "model_name"),
        text_in(run.metadata, "ls_model_name"),
    )
    return next(filter(None, given), None)


def _from_metadata(runs: Iterable[_Run], *names: str) -> str | None:
    found = (text_in(run.metadata, name) for run in runs for name in names)
    return next(filter(None, found), None)


def _session(runs: Sequence[_Run]) -> str | None:
    return _from_metadata(runs, "session_id", "thread_id", "conversation_id")


def _tags(root: _Run) -> tuple[str, ...]:
    found = root.value("tags")
    return tuple(tag for tag in found if isinstance(tag, str)) if isinstance(found, list) else ()


def _status(root: _Run) -> RunStatus:
    if root.value("error") or root.text("status") == "error":
        return RunStatus.FAILED
    return RunStatus.OK if root.text("status") == "success" else RunStatus.UNKNOWN


def _listed(runs: Iterable[_Run]) -> tuple[Tool, ...]:
    """Return the tools that a request offered with their schemas."""
    found: dict[str, Tool] = {}
    for run in runs:
        for params in (run.map("extra", "invocation_params"), run.map("inputs")):
            for tool in listed_tools(params.get("tools") or params.get("functions")):
                found.setdefault(tool.name, tool)
    return tuple(found.values())


FORMAT: Final = Format(
    name="langsmith",
    recognises=_is_langsmith,
    owns=_is_langsmith,
    keys=frozenset({"dotted_order", "run_type", "post", "patch"}),
    own_id=_own_id,
    run_of=_run_of,
    read=read_langsmith,
)

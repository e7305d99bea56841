"""Runs that OpenTelemetry recorded: the spans and log records of one trace id are one run.

A conversation id that goes on over several traces is their common session; where one trace holds
several conversations, they stay one run and the loss report says so.

Source:
    formats page 2.1, 2.2 and 2.3.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from workbench.ingest.events.finish import RunFacts, finished, labels_of
from workbench.ingest.events.messages import Role
from workbench.ingest.events.spans import ModelSpan
from workbench.ingest.events.transcript import Said, Transcript
from workbench.ingest.events.weave import weave
from workbench.ingest.files.otlp_records import RECORD_KEYS, is_sdk_record, the_one
from workbench.ingest.otlp.assemble import events_of, told_by
from workbench.ingest.otlp.autogen import team_of, told_by_runtime
from workbench.ingest.otlp.dialect import Recording
from workbench.ingest.otlp.genai_events import is_message
from workbench.ingest.otlp.losses import NO_AGENT, recording_losses, result_losses
from workbench.ingest.otlp.spans import Happening, Span, Tree, log_of, span_of, trace_id_of
from workbench.ingest.otlp.tags import evaluations_of, tags_of
from workbench.ingest.records.format import Format
from workbench.model.event import Claim
from workbench.model.trace import Losses, RunStatus

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.ingest.otlp.assemble import Told
    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json
    from workbench.model.trace import Tool, Trace

__all__ = ["FORMAT", "read_otlp"]

_SESSIONS: Final = ("gen_ai.conversation.id", "session.id")
_CAPTURES: Final = (
    ("agent_framework", "ENABLE_SENSITIVE_DATA=true"),
    ("gcp.vertex.agent", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY"),
    ("opentelemetry.instrumentation.openai.", "TRACELOOP_TRACE_CONTENT=true"),
    ("opentelemetry.instrumentation.anthropic", "TRACELOOP_TRACE_CONTENT=true"),
    (
        "opentelemetry.util.genai",
        (
            "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY with "
            "OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental"
        ),
    ),
    (
        "opentelemetry.instrumentation.openai_v2",
        (
            "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true, and give the log records, "
            "which hold the messages, with the spans"
        ),
    ),
)
"""Beginning of a scope's name -> setting; libraries share a dialect and not their settings."""

_PROMPTS: Final = ("traceloop.prompt.version", "llm.prompt_template.version")


def read_otlp(records: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read the spans and log records of one run."""
    spans, logs = _sorted_out(records)
    by_span: dict[str, list[Happening]] = defaultdict(list)
    for log in logs:
        by_span[log.span_id or ""].append(log)
    tree = Tree.of([*spans, *_without_spans(spans, by_span)])
    recording = Recording(tree=tree, logs=by_span, origin=place)
    told = told_by(recording)
    runtime = told_by_runtime(tree.spans, place)
    script = runtime or _woven(told, recording)
    sessions = _sessions(tree.spans, told)
    listed = {tool.name: tool for one in told for tool in one.part.tools}
    facts = RunFacts(
        own_id=_own_id(records),
        session=sessions[0] if sessions else None,
        model=next((one.part.model for one in reversed(told) if one.part.model), None),
        agent=_first(tree.spans, "gen_ai.agent.version") or _resource(tree.spans),
        prompt=_first(tree.spans, *_PROMPTS),
        status=RunStatus.FAILED if any(s.failed for s in tree.roots) else RunStatus.UNKNOWN,
        tags=tags_of(recording),
        labels=labels_of(evaluation=evaluations_of(recording) or None),
        listed=tuple(listed.values()),
        losses=tuple(recording_losses(recording, told, conversations=len(sessions))),
        capture=_capture(told),
    )
    trace, losses = finished(script, facts, origin=place, tools=tools)
    bare = [loss for loss in losses.items if loss.kind == NO_AGENT]
    if bare:
        return trace, Losses(items=tuple(bare))
    more = result_losses(trace, capture=_capture(told), traced=runtime is None)
    return trace, Losses(items=(*losses.items, *more))


def _woven(told: Sequence[Told], recording: Recording) -> Transcript:
    script = Transcript()
    events = events_of(told, recording)
    _introduce(script, told, events)
    weave(script, events)
    _conclude(script, told)
    return script


def _sorted_out(records: Json) -> tuple[list[Span], list[Happening]]:
    spans: list[Span] = []
    logs: list[Happening] = []
    for at, record in enumerate(records if isinstance(records, list) else []):
        span = span_of(record, str(at))
        if span is not None:
            spans.append(span)
            continue
        log = log_of(record, str(at))
        if log is not None:
            logs.append(log)
    return spans, logs


def _without_spans(spans: Sequence[Span], logs: dict[str, list[Happening]]) -> Iterator[Span]:
    """Yield a request for messages whose span is not here: logs are often exported alone."""
    known = {span.span_id for span in spans}
    for span_id, found in logs.items():
        messages = [log for log in found if is_message(log)]
        if span_id in known or not messages:
            continue
        times = [log.at for log in messages if log.at is not None]
        first = min(times, key=lambda moment: moment.micros, default=None)
        yield Span(
            ref=messages[0].ref,
            trace_id=messages[0].trace_id,
            span_id=span_id or None,
            start=first,
            end=max(times, key=lambda moment: moment.micros, default=None),
            start_ns=0 if first is None else first.micros * 1000,
            attributes={"gen_ai.operation.name": "chat"},
            resource=messages[0].resource,
        )


def _introduce(script: Transcript, told: Sequence[Told], events: Sequence[object]) -> None:
    """Tell instructions and task that only the span of an agent says."""
    said = {
        message.role
        for event in events
        if isinstance(event, ModelSpan)
        for message in event.history
    }
    system = next((one for one in told if one.part.system), None)
    if system is not None and Role.SYSTEM not in said:
        script.system(Said(ref=system.span.ref, text=system.part.system))
    task = next((one for one in told if one.part.task), None)
    if task is not None and Role.USER not in said:
        script.user(Said(ref=task.span.ref, text=task.part.task))


def _conclude(script: Transcript, told: Sequence[Told]) -> None:
    """Tell the final answer that only the span of an agent says."""
    if any(isinstance(event, Claim) for event in script.events()):
        return
    one = next((one for one in told if one.part.final), None)
    if one is not None:
        at = None if one.span.end is None else one.span.end.text
        script.claim(Said(ref=one.span.ref, text=one.part.final, at=at))


def _sessions(spans: Sequence[Span], told: Sequence[Told]) -> list[str]:
    """Return the ids of conversations, each once."""
    found = [span.text(*_SESSIONS) for span in spans] + [one.part.session for one in told]
    return list(dict.fromkeys(value for value in found if value))


def _first(spans: Sequence[Span], *names: str) -> str | None:
    return next((value for span in spans if (value := span.text(*names))), None)


def _resource(spans: Sequence[Span]) -> str | None:
    found = (span.resource.get("service.version") for span in spans)
    return next((value for value in found if isinstance(value, str)), None)


def _capture(told: Sequence[Told]) -> str | None:
    """Return the setting that records contents, of the library that wrote the first request."""
    one = next((one for one in told if one.part.event is not None), None)
    if one is None:
        return None
    libraries = (setting for scope, setting in _CAPTURES if one.span.scope.startswith(scope))
    return next(libraries, one.dialect.capture)


def _is_ours(record: Json) -> bool:
    return the_one(record) is not None or is_sdk_record(record)


def _own_id(records: Json) -> Json:
    items = records if isinstance(records, list) else []
    found = (key for key_of in (team_of, trace_id_of) for key in map(key_of, items))
    return next(filter(None, found), None)


def _run_of(record: Json) -> tuple[str, ...]:
    trace_id, team = trace_id_of(record) or "", team_of(record)
    return (trace_id,) if team is None else (trace_id, team)


FORMAT: Final = Format(
    name="otlp",
    recognises=_is_ours,
    owns=_is_ours,
    keys=RECORD_KEYS,
    own_id=_own_id,
    read=read_otlp,
    run_of=_run_of,
    joins=True,
)

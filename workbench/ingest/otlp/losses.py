"""What the recorder of spans did not keep, each with the setting that would bring it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.ingest.events.losses import CAPTURE
from workbench.ingest.otlp.attributes import is_cut_json, json_in
from workbench.model.event import ToolResult
from workbench.model.jsonvalue import ABSENT
from workbench.model.trace import Grade, Loss

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.ingest.otlp.assemble import Told
    from workbench.ingest.otlp.dialect import Recording
    from workbench.ingest.otlp.spans import Span
    from workbench.model.trace import Trace

__all__ = ["NO_AGENT", "recording_losses", "result_losses"]

NO_AGENT: Final = "no_agent_spans"

_LIMITS: Final = frozenset(
    {
        *(100, 128, 200, 250, 255, 256, 500, 512, 1000, 1024, 2000, 2048, 3000, 4000, 4095, 4096),
        *(5000, 8000, 8191, 8192, 10000, 12000, 12288, 16000, 16384, 20000, 32000, 32766, 32767),
        *(32768, 50000, 64000, 65535, 65536, 100000, 128000, 131072, 250000, 262144),
    }
)
"""Limits on the length of attributes that people set, and back ends have."""

_LIMIT_SETTING: Final = "raise OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT in the recorder"


def recording_losses(
    recording: Recording, told: Sequence[Told], *, conversations: int
) -> Iterator[Loss]:
    """Yield what the spans of a run show to be missing.

    Args:
        recording: the run.
        told: what its spans say.
        conversations: how many conversation ids they have.
    """
    spans = recording.tree.spans
    yield from _cut_losses(recording)
    dropped = sum(span.dropped for span in spans)
    if dropped:
        yield Loss(
            kind="attributes_dropped",
            count=dropped,
            note="attributes beyond the recorder's limit",
            fix="raise OTEL_ATTRIBUTE_COUNT_LIMIT",
            caps=Grade.NEEDS_FIXTURES,
        )
    if recording.tree.repeated:
        yield Loss(
            kind="spans_repeated",
            count=recording.tree.repeated,
            note="spans that came more than once; the fullest of each counts",
        )
    if recording.counts["events_unreadable"]:
        yield Loss(
            kind="events_unreadable",
            count=recording.counts["events_unreadable"],
            note="events of messages in no known form; they are in raw only",
            fix="let the recorder keep messages in attributes of the spans "
            "(OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental)",
            caps=Grade.NEEDS_FIXTURES,
        )
    if conversations > 1:
        yield Loss(
            kind="conversations_mixed",
            count=conversations,
            note="conversation ids in one trace; the trace is the run, the first is its session",
        )
    traces = len({span.trace_id for span in spans})
    if traces > 1:
        yield Loss(
            kind="traces_joined",
            count=traces,
            note="traces of one team are one run, also where the team ran more than once",
            fix="save the stream (`run_stream`) for times and errors of each",
        )
    elif not any(one.part.event is not None or one.part.conversation for one in told):
        yield _nothing_told(told, spans)


def _nothing_told(told: Sequence[Told], spans: Sequence[Span]) -> Loss:
    if any(one.part.final or one.part.task for one in told):
        return Loss(
            kind="calls_not_traced",
            note="spans of an agent, none of a model or a tool: which calls there were is unknown",
            fix="instrument the model's client and the tools too",
            caps=Grade.SKELETON,
        )
    return Loss(
        kind=NO_AGENT,
        count=len(spans) or 1,
        note="no span of a model or a tool",
        fix="instrument the agent's client or framework",
        caps=Grade.UNUSABLE,
    )


def _cut_losses(recording: Recording) -> Iterator[Loss]:
    texts = {value for span in recording.tree.spans for value in _texts(span)}
    limit = max(map(len, texts), default=0)
    longest = [text for text in texts if len(text) == limit]
    whole = any(json_in(text) is not None for text in longest)
    at_limit = len(longest) if limit in _LIMITS and not whole else 0
    broken = any(is_cut_json(text) for text in longest)
    if at_limit >= 2 or (at_limit and broken):
        yield _cut(at_limit, f"attributes cut at {limit} characters")
    elif recording.counts["truncated"]:
        yield _cut(recording.counts["truncated"], "attributes whose JSON ends in the middle")


def _cut(count: int, note: str) -> Loss:
    return Loss(
        kind="truncated", count=count, note=note, fix=_LIMIT_SETTING, caps=Grade.NEEDS_FIXTURES
    )


def _texts(span: Span) -> Iterator[str]:
    for attributes in (span.attributes, *(event.attributes for event in span.events)):
        yield from (value for value in attributes.values() if isinstance(value, str))


def result_losses(trace: Trace, *, capture: str | None, traced: bool) -> Iterator[Loss]:
    """Yield what the results of a run lack.

    Args:
        trace: as imported.
        capture: the setting that records contents.
        traced: whether results that have no times have no spans either.
    """
    results = [event for event in trace.events if isinstance(event, ToolResult)]
    empty = [one for one in results if one.result_raw is None and one.result is ABSENT]
    bare = sum(one.error is None for one in empty)
    if bare:
        yield Loss(
            kind="results_not_captured",
            count=bare,
            note="calls that ended, without what they answered",
            fix=f"set {capture}" if capture else CAPTURE,
            caps=Grade.NEEDS_FIXTURES,
        )
    blank = sum(one.error is not None and not one.error.message for one in empty)
    if blank:
        yield Loss(
            kind="error_body_missing",
            count=blank,
            note="failed calls without any text of the error: what a retry hung on is unknown, "
            "which blocks incidents about retries",
            fix="record exceptions on the span",
            caps=Grade.NEEDS_FIXTURES,
        )
    untimed = sum(one.latency_ms is None for one in results)
    if traced and untimed:
        yield Loss(
            kind="tool_spans_missing",
            count=untimed,
            note="results that only the next request shows: no times and no marks of errors",
            fix="instrument the tools too",
        )

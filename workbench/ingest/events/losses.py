"""The loss report: what a trace should have and has not, each with its best grade.

Notes are fixed sentences and counts; they never hold text of a trace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.ingest.events import masks
from workbench.model.event import (
    ModelReply,
    SystemMessage,
    ToolCall,
    ToolResult,
    UserMessage,
)
from workbench.model.trace import Grade, Loss, Losses, Trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet

    from workbench.ingest.events.masks import RawMarks
    from workbench.ingest.events.pairing import CallBook

__all__ = [
    "CAPTURE",
    "book_losses",
    "counted_losses",
    "marked_losses",
    "trace_losses",
    "unreadable",
]

CAPTURE: Final = "switch content capture on in the recorder"
"""What brings contents back, where the producer's own setting is not known."""

_IDS: Final = "let the recorder keep the model's call ids in calls and results"

_COUNTED: Final[dict[str, tuple[Grade, str, str]]] = {
    "args_as_literal": (Grade.REPLAYABLE, "arguments are a Python literal, read as such", ""),
    "args_missing": (
        Grade.NEEDS_FIXTURES,
        "calls without arguments",
        CAPTURE,
    ),
    "args_not_exact": (
        Grade.REPLAYABLE,
        "the recorder kept parsed arguments; their text is written as compact JSON",
        "",
    ),
    "args_not_json": (Grade.REPLAYABLE, "arguments are no JSON; kept as text", ""),
    "calls_unasked": (
        Grade.REPLAYABLE,
        "tool spans that no recorded reply asked for; their calls are taken as the agent's",
        "instrument the model's client too",
    ),
    "calls_written_as_text": (
        Grade.REPLAYABLE,
        "the model wrote its calls as text; names and form of their arguments are this importer's",
        "",
    ),
    "lone_surrogates": (
        Grade.REPLAYABLE,
        "halves of surrogate pairs, which no UTF-8 file can hold, are U+FFFD; raw has them",
        "",
    ),
    "parts_dropped": (
        Grade.NEEDS_FIXTURES,
        "images, sounds or files in messages; only texts are imported",
        "write what they show as text into the case's input",
    ),
    "prompt_flattened": (
        Grade.NEEDS_FIXTURES,
        "chats flattened to one text: who said what is lost",
        "let the recorder keep the list of messages (LangChain: the chat schema, LangChainTracer)",
    ),
    "records_unreadable": (
        Grade.NEEDS_FIXTURES,
        "damaged records of the run; they are stored raw, and what they said is not in the trace",
        "export again, or copy the file again: lines of it were cut or overwritten",
    ),
    "replies_missing": (
        Grade.NEEDS_FIXTURES,
        "model requests without a recorded reply",
        "switch capture of outputs on in the recorder",
    ),
    "reply_cut": (
        Grade.REPLAYABLE,
        "replies ended at the model's token limit",
        "raise the limit of output tokens in the agent",
    ),
    "results_as_literal": (Grade.REPLAYABLE, "results are Python literals, read as such", ""),
    "results_too_deep": (Grade.REPLAYABLE, "results nest too deeply; kept as text only", ""),
    "timestamps_without_zone": (
        Grade.REPLAYABLE,
        "times carry no zone and are taken as UTC; the gaps between them are right",
        "let the recorder write times with their zone",
    ),
}
"""Kind -> the best grade with it, its sentence, and what brings it back."""


def counted_losses(counts: Mapping[str, int]) -> Iterable[Loss]:
    """Yield the losses that an importer counted, by kind."""
    for kind, count in sorted(counts.items()):
        if count:
            caps, note, fix = _COUNTED[kind]
            yield Loss(kind=kind, count=count, note=note, fix=fix, caps=caps)


def book_losses(book: CallBook) -> Iterable[Loss]:
    """Yield what went wrong with ids and results."""
    paired = ", ".join(f"{count} {method.value}" for method, count in sorted(book.methods.items()))
    if book.synthesised:
        note = (
            f"{book.missing_ids} without id, {book.reused_ids} reused; "
            f"results paired: {paired or 'none'}"
        )
        yield Loss(kind="call_ids_synthesised", count=book.synthesised, note=note, fix=_IDS)
    elif len(book.methods) > 1 or (book.methods and "by id" not in book.methods):
        yield Loss(
            kind="pairing_uncertain",
            count=sum(n for method, n in book.methods.items() if method.value != "by id"),
            note=f"results paired: {paired}",
            fix=_IDS,
        )
    if book.reused_results:
        yield Loss(
            kind="results_reused",
            count=book.reused_results,
            note="results for calls that had one; the first counts, the others are in raw only",
        )
    if book.orphans:
        yield Loss(
            kind="results_orphaned",
            count=book.orphans,
            note="results that no call asked for; they are in raw only",
            fix="export the run from its start: the requests that made these calls are not here",
            caps=Grade.NEEDS_FIXTURES,
        )


def trace_losses(trace: Trace, *, tools_listed: int, capture: str | None = None) -> Iterable[Loss]:
    """Yield what the trace itself lacks.

    Args:
        trace: as imported.
        tools_listed: how many tools the source or the caller listed.
        capture: the producer's setting that records contents; None: not known.
    """
    kinds = set(map(type, trace.events))
    calls = [event for event in trace.events if isinstance(event, ToolCall)]
    answered = {event.call_id for event in trace.events if isinstance(event, ToolResult)}
    if UserMessage not in kinds:
        yield Loss(
            kind="task_missing",
            note="no user message",
            fix="record the request's messages; else a person writes the task into the case's input",
            caps=Grade.NEEDS_FIXTURES,
        )
    if SystemMessage not in kinds:
        yield Loss(
            kind="system_missing",
            note="no system text",
            fix="record the system text too; live replays need it",
        )
    if ModelReply not in kinds:
        yield Loss(
            kind="no_model_reply",
            note="the model never answered",
            fix="instrument the model's client, or export the run once it has ended",
            caps=Grade.SKELETON,
        )
    elif not _has_content(trace):
        yield Loss(
            kind="content_off",
            note="no text and no arguments: the recorder keeps no contents",
            fix=f"{CAPTURE}: {capture}" if capture else CAPTURE,
            caps=Grade.SKELETON,
        )
    yield from _overlaps(trace, answered)
    yield from _missing_results(calls, answered)
    if not any(event.at for event in trace.events):
        yield Loss(
            kind="no_timestamps",
            note="gaps between attempts are unknown",
            fix="export a form that has times: spans, or the framework's events",
        )
    if not tools_listed:
        yield Loss(
            kind="tools_not_listed",
            count=len({call.tool for call in calls}) or 1,
            note="only called tools are known, their effects are not",
            fix="give --tools FILE",
        )


def _overlaps(trace: Trace, answered: AbstractSet[str]) -> Iterable[Loss]:
    """Yield that replies begin while calls of others run: a case has no place for them."""
    running: set[str] = set()
    count = 0
    for event in trace.events:
        if isinstance(event, ModelReply):
            count += bool(running)
        elif isinstance(event, ToolCall):
            if event.call_id in answered:
                running.add(event.call_id)
        elif isinstance(event, ToolResult):
            running.discard(event.call_id)
    if count:
        yield Loss(
            kind="replies_overlap",
            count=count,
            note="replies that begin while calls of the reply before still run: a case ends these "
            "first, so only a part of the run that has none of them can be exported",
            fix="record each agent as a run of its own; else let shrinking, or a contract about "
            "other calls, leave them out",
            caps=Grade.NEEDS_FIXTURES,
        )


def _missing_results(calls: Sequence[ToolCall], answered: AbstractSet[str]) -> Iterable[Loss]:
    missing = len(calls) - len(answered & {call.call_id for call in calls})
    if missing:
        yield Loss(
            kind="results_missing",
            count=missing,
            note="calls without a result",
            fix="record what tools return; else a person writes the missing fixtures",
            caps=Grade.NEEDS_FIXTURES,
        )


def marked_losses(marks: RawMarks, trace: Trace) -> Iterable[Loss]:
    """Yield what marks in a run's raw records show: values and texts that were masked or cut.

    Args:
        marks: of its records; what has none there has none in the trace.
        trace: as imported.
    """
    if marks.masked:
        yield Loss(
            kind="masked_value",
            count=marks.masked,
            note="masks, or pseudonyms of this tool, stand in the raw record: "
            "a masked value may have been used as a real one",
            fix="switch the recorder's masking off, for a store that only you read; cases are "
            "redacted here",
        )
        yield from _used_masks(trace)
    if marks.redacted:
        yield from _redacted_errors(trace)
    if marks.cut:
        yield Loss(
            kind="truncated",
            count=marks.cut,
            note="marks of cut texts; they are kept as they are",
            fix="raise the limit of the tool, or of the recorder, that cut them",
        )


def _used_masks(trace: Trace) -> Iterable[Loss]:
    """Yield that calls were made with masks or pseudonyms: the tool got no real value."""
    texts = [event.args_raw or "" for event in trace.events if isinstance(event, ToolCall)]
    used = sum(masks.count_masks(text) > 0 for text in texts)
    if used:
        yield Loss(
            kind="masked_value_used",
            count=used,
            note="calls whose arguments hold a mask, or a pseudonym of this tool, as a value: the "
            "agent took it for a real one, or the recorder masked what it sent",
            fix="record before masking; if the agent saw the mask, that may be the incident",
        )


def _redacted_errors(trace: Trace) -> Iterable[Loss]:
    results = (event for event in trace.events if isinstance(event, ToolResult))
    redacted = sum(masks.is_redacted_error(_told_error(event)) for event in results)
    if redacted:
        yield Loss(
            kind="errors_redacted",
            count=redacted,
            note="the framework replaced the error's text",
            fix="switch its redaction of errors off (OpenAI Agents SDK: give the tool a "
            "`failure_error_function` of its own)",
            caps=Grade.NEEDS_FIXTURES,
        )


def _told_error(result: ToolResult) -> str:
    """Return what is known of an error: the recorder's word, else what the model saw."""
    own = result.error.message if result.error else None
    return own or result.result_raw or ""


def unreadable(reason: str) -> Losses:
    """Return the report of a record that is no trace."""
    return Losses(items=(Loss(kind="unreadable", note=reason, caps=Grade.UNUSABLE),))


def _has_content(trace: Trace) -> bool:
    for event in trace.events:
        match event:
            case SystemMessage() | UserMessage() | ModelReply():
                found = bool(event.text)
            case ToolCall():
                found = event.args_raw is not None
            case ToolResult():
                found = bool(event.result_raw)
            case _:
                found = False
        if found:
            return True
    return False

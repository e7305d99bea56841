"""A trace as a waterfall: rows with a lane, a start and a length; calls that ran at once know it.

A call and its result are one row, as are a model's request and its reply. Where the recorder kept
times, they place the rows, and long stretches in which nothing ran are cut to a mark; where it did
not, the order does.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from workbench.model.event import (
    Claim,
    ContextChange,
    Decision as PermissionDecision,
    ModelReply,
    ModelRequest,
    Outcome,
    Permission,
    StateChange,
    SystemMessage,
    ToolResult,
    UserMessage,
)
from workbench.model.trace import calls_of
from workbench.review.timeline import claimed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from workbench.model.event import Event
    from workbench.model.trace import Call, Trace

__all__ = ["LANES", "Break", "Span", "Waterfall", "waterfall"]

LANES: Final = ("model", "tool", "permission", "state", "message")

_MS: Final = 1000.0
_IDLE_SHARE: Final = 0.06
"""A stretch in which nothing runs is drawn at most this part of the whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One row."""

    seq: int
    """Of its first event."""
    seqs: tuple[int, ...]
    """Of all its events, ascending."""
    lane: str
    """One of `LANES`."""
    kind: str
    """Of its first event."""
    title: str
    """What stands in the row; text of the trace."""
    outcome: str
    """`ok`, how a call ended, what a permission decided, or what a claim says."""
    bad: bool
    """Whether it catches the eye."""
    detail: str = ""
    agent: str = ""
    turn: int = 0
    """Number of the model reply that it belongs to; 0: none."""
    depth: int = 0
    start: float = 0.0
    """Milliseconds since the first event, or its position where no times are kept."""
    length: float = 0.0
    """As `start`; 0: a moment."""
    ms: float | None = None
    """How long it took; None: not recorded."""
    beside: tuple[int, ...] = ()
    """Rows (by `seq`) that ran at the same time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """A stretch in which nothing ran, cut."""

    at: float
    """Where it is drawn, as `Span.start`."""
    ms: float
    """How long it really was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waterfall:
    """All rows of a trace."""

    spans: tuple[Span, ...]
    breaks: tuple[Break, ...]
    end: float
    timed: bool
    """Whether the recorder kept times; if not, positions are drawn."""
    ms: float | None
    """How long the run took, as far as its events say."""


def waterfall(trace: Trace) -> Waterfall:
    """Return the rows of a trace, in order of their first events."""
    calls = {call.start: call for call in calls_of(trace)}
    moments = _moments(trace)
    spans = list(_rows(trace, calls, moments))
    timed = moments is not None
    spans = _with_neighbours(spans, calls, timed=timed)
    end = max((span.start + span.length for span in spans), default=0.0)
    if not timed:
        return Waterfall(spans=tuple(spans), breaks=(), end=max(end, 1.0), timed=False, ms=None)
    cut, breaks = _without_idle(spans, end)
    return Waterfall(
        spans=tuple(cut),
        breaks=tuple(breaks),
        end=max((span.start + span.length for span in cut), default=0.0) or 1.0,
        timed=True,
        ms=end,
    )


# --- times ----------------------------------------------------------------------


def _moments(trace: Trace) -> list[float] | None:
    """Return a time of each event in milliseconds since the first; None: fewer than two differ.

    An event without a time has that of the one before it; time never runs backwards here.
    """
    read = [_moment(event.at) for event in trace.events]
    known = [moment for moment in read if moment is not None]
    if len(set(known)) < 2:
        return None
    first, last, found = min(known), 0.0, []
    for moment in read:
        last = max(last, 0.0 if moment is None else moment - first)
        found.append(last)
    return found


def _moment(at: str | None) -> float | None:
    if at is None:
        return None
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return None
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return aware.timestamp() * _MS


# --- rows -----------------------------------------------------------------------


def _rows(trace: Trace, calls: dict[int, Call], moments: list[float] | None) -> Iterable[Span]:
    """Yield a row for each event but results, and but requests that a reply follows."""
    turn = 0
    waiting: ModelRequest | None = None
    for event in trace.events:
        if isinstance(event, ToolResult):
            continue
        if isinstance(event, ModelRequest) and isinstance(_next(trace, event.seq), ModelReply):
            waiting = event
            continue
        first: Event = event
        if isinstance(event, ModelReply):
            turn += 1
            first, waiting = waiting or event, None
        call = calls.get(event.seq)
        result = None if call is None else call.result
        last = event if result is None else result
        seqs = tuple(dict.fromkeys((first.seq, event.seq, last.seq)))
        yield _placed(_said(event, call, turn), seqs, result, moments)


def _next(trace: Trace, seq: int) -> Event | None:
    return trace.events[seq + 1] if seq + 1 < len(trace.events) else None


def _placed(
    span: Span, seqs: tuple[int, ...], result: ToolResult | None, moments: list[float] | None
) -> Span:
    if moments is None:
        start, length = float(seqs[0]), float(max(1, seqs[-1] - seqs[0]))
        ms = None if result is None else result.latency_ms
        return replace(span, seq=seqs[0], seqs=seqs, start=start, length=length, ms=ms)
    start, length = moments[seqs[0]], moments[seqs[-1]] - moments[seqs[0]]
    if result is not None and result.latency_ms is not None:
        length = max(0.0, result.latency_ms)
    ms = length if length > 0 else None
    return replace(span, seq=seqs[0], seqs=seqs, start=start, length=length, ms=ms)


def _said(event: Event, call: Call | None, turn: int) -> Span:
    """Return lane, title and outcome of a row; where it is comes later."""
    if call is not None:
        bad = call.outcome is not Outcome.OK
        return _span(
            event,
            lane="tool",
            title=call.tool,
            outcome=call.outcome.value,
            bad=bad,
            detail=call.detail or "",
            turn=call.request.turn,
            depth=1 if call.request.turn else 0,
        )
    match event:
        case ModelReply():
            n = len(event.call_ids)
            detail = f"asks for {n} call{'' if n == 1 else 's'}" if n else "answers"
            return _span(
                event, lane="model", title=event.text, outcome="", detail=detail, turn=turn
            )
        case ModelRequest():
            return _span(event, lane="model", title=event.model or "", outcome="no reply", bad=True)
        case Permission():
            return _span(
                event,
                lane="permission",
                title=event.tool or "any tool",
                outcome=event.decision.value,
                bad=event.decision is PermissionDecision.DENIED,
                depth=1 if turn else 0,
                turn=turn,
            )
        case _:
            return _said_rest(event)


def _said_rest(event: Event) -> Span:
    match event:
        case StateChange():
            return _span(event, lane="state", title=event.name, outcome="")
        case ContextChange():
            return _span(event, lane="state", title="context", outcome=event.change.value)
        case Claim():
            final = "final" if event.final else ""
            return _span(
                event, lane="message", title=event.text, outcome=claimed(event), detail=final
            )
        case SystemMessage() | UserMessage():
            return _span(event, lane="message", title=event.text, outcome="")
        case _:  # pragma: no cover  calls and replies were taken before
            return _span(event, lane="message", title="", outcome="")


def _span(  # noqa: PLR0913  one row
    event: Event,
    *,
    lane: str,
    title: str,
    outcome: str,
    bad: bool = False,
    detail: str = "",
    turn: int = 0,
    depth: int = 0,
) -> Span:
    return Span(
        seq=event.seq,
        seqs=(event.seq,),
        lane=lane,
        kind=event.kind,
        title=title,
        outcome=outcome,
        bad=bad,
        detail=detail,
        agent=event.agent or "",
        turn=turn,
        depth=depth,
    )


# --- at the same time ----------------------------------------------------------------


def _with_neighbours(spans: list[Span], calls: dict[int, Call], *, timed: bool) -> list[Span]:
    """Tell each call which others overlap it: by time, or where times are equal or absent by order."""
    tools = [span for span in spans if span.lane == "tool"]
    beside: dict[int, list[int]] = {span.seq: [] for span in tools}
    running: list[tuple[float, Span]] = []
    for span in sorted(tools, key=lambda s: (_from(s, timed=timed), s.seq)):
        start = _from(span, timed=timed)
        running = [(end, other) for end, other in running if end > start]
        for _, other in running[:_MOST_BESIDE]:
            beside[span.seq].append(other.seq)
            beside[other.seq].append(span.seq)
        end = span.start + span.length if timed and span.length else calls[span.seq].end
        running.append((end, span))
    return [
        replace(span, beside=tuple(sorted(others))) if (others := beside.get(span.seq)) else span
        for span in spans
    ]


_MOST_BESIDE: Final = 64


def _from(span: Span, *, timed: bool) -> float:
    return span.start if timed and span.length else float(span.seq)


# --- idle time ------------------------------------------------------------------------


def _without_idle(spans: Sequence[Span], end: float) -> tuple[list[Span], list[Break]]:
    """Draw stretches in which nothing ran no longer than a small part of what did run."""
    gaps = list(_gaps(spans))
    busy = end - sum(stop - start for start, stop in gaps)
    most = max(busy, end / 100, 1.0) * _IDLE_SHARE
    long = [(start, stop) for start, stop in gaps if stop - start > 2 * most]
    cuts = [(start + most, stop - start - most) for start, stop in long]
    breaks, taken = [], 0.0
    for at, ms in cuts:
        breaks.append(Break(at=at - taken - most / 2, ms=ms + most))
        taken += ms
    if not cuts:
        return list(spans), []
    begins, sums = [at for at, _ in cuts], [0.0, *accumulate(ms for _, ms in cuts)]
    moved = [replace(s, start=s.start - sums[bisect_left(begins, s.start)]) for s in spans]
    return moved, breaks


def _gaps(spans: Sequence[Span]) -> Iterable[tuple[float, float]]:
    reached = 0.0
    for span in sorted(spans, key=lambda s: s.start):
        if span.start > reached:
            yield reached, span.start
        reached = max(reached, span.start + span.length)

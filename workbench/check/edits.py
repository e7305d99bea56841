"""Small changes of a trace that keep it well formed: results stay with their calls, numbers follow."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.model.event import (
    Claim,
    ClaimBasis,
    ClaimOutcome,
    Event,
    ModelReply,
    Requestor,
    ToolCall,
    ToolResult,
)
from workbench.model.trace import Call, Trace, renumbered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = [
    "changed",
    "fresh_ids",
    "with_calls",
    "with_claim",
    "with_events",
    "without_calls",
    "without_events",
]


def changed(trace: Trace, change: Callable[[Event], Event]) -> Trace:
    """Return the trace with each event replaced by what `change` returns."""
    return replace(trace, events=tuple(map(change, trace.events)))


def without_events(trace: Trace, drop: Callable[[Event], bool]) -> Trace:
    """Return the trace without some events."""
    kept = (event for event in trace.events if not drop(event))
    return replace(trace, events=renumbered(kept))


def without_calls(trace: Trace, calls: Iterable[Call]) -> Trace:
    """Return the trace without these calls, their results, and their ids in the replies."""
    ids = {call.request.call_id for call in calls}

    def lighter(event: Event) -> Event:
        if isinstance(event, ModelReply) and not ids.isdisjoint(event.call_ids):
            return replace(event, call_ids=tuple(i for i in event.call_ids if i not in ids))
        return event

    smaller = without_events(
        trace, lambda event: isinstance(event, ToolCall | ToolResult) and event.call_id in ids
    )
    return changed(smaller, lighter)


def with_events(trace: Trace, at: int, events: Iterable[Event]) -> Trace:
    """Return the trace with events inserted before position `at`."""
    together = (*trace.events[:at], *events, *trace.events[at:])
    return replace(trace, events=renumbered(together))


def with_calls(trace: Trace, at: int, calls: Sequence[Call]) -> Trace:
    """Return the trace with calls inserted one after the other, each of the agent's with a reply.

    A call whose result is there ends before the next one starts.
    """
    events: list[Event] = []
    turn = sum(isinstance(event, ModelReply) for event in trace.events[:at])
    for call in calls:
        request = call.request
        if request.requestor is Requestor.AGENT:
            turn += 1
            events.append(ModelReply(call_ids=(request.call_id,), agent=request.agent))
            request = replace(request, turn=turn)
        events.append(request)
        if call.result is not None:
            events.append(call.result)
    return with_events(trace, at, events)


def with_claim(trace: Trace, outcome: ClaimOutcome, *, text: str = "") -> Trace:
    """Return the trace with a last claim of this outcome; one is added where there is none."""
    last = max((e.seq for e in trace.events if isinstance(e, Claim)), default=None)
    if last is None:
        claim = Claim(text=text, outcome=outcome, basis=ClaimBasis.STRUCTURED, final=True)
        return with_events(trace, len(trace.events), [ModelReply(text=text), claim])

    def restated(event: Event) -> Event:
        if not isinstance(event, Claim) or event.seq != last:
            return event
        return replace(event, outcome=outcome, basis=ClaimBasis.STRUCTURED)

    return changed(trace, restated)


def fresh_ids(trace: Trace, count: int) -> list[str]:
    """Return call ids that the trace does not use."""
    taken = {event.call_id for event in trace.events if isinstance(event, ToolCall)}
    found: list[str] = []
    number = 0
    while len(found) < count:
        number += 1
        if f"mutant-{number}" not in taken:
            found.append(f"mutant-{number}")
    return found

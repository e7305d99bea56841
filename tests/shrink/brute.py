"""An independent idea of minimal: leave out each call and each claim alone, and judge.

Nothing of `workbench.shrink` is used. What hangs together is told anew and more simply: a source
is a call whose result shares a long value with a later call or claim, compared as plain text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from workbench.model.event import (
    Claim,
    Event,
    ModelReply,
    Requestor,
    SystemMessage,
    ToolCall,
    ToolResult,
    UserMessage,
)
from workbench.model.jsonvalue import Absent
from workbench.model.trace import Trace, renumbered
from workbench.model.verdict import Verdict

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json

__all__ = ["Oracle", "calls_alone", "droppable", "orphans", "without"]

Oracle: TypeAlias = Callable[[Trace], Verdict]
Act: TypeAlias = ToolCall | Claim

_WORD: Final = re.compile(r"\w+")


def droppable(trace: Trace, oracle: Oracle) -> list[int]:
    """Return the calls and claims that could go alone: none of a minimal trace."""
    target = oracle(trace).signature
    stimulus = _stimulus(trace, oracle(trace))
    return [
        act.seq
        for act in _acts(trace)
        if act.seq not in stimulus and _still_fails(without(trace, act), oracle, target)
    ]


def calls_alone(trace: Trace, oracle: Oracle) -> int:
    """Return how many calls the contract alone would keep, going by one call or claim a time."""
    target = oracle(trace).signature
    again = True
    while again:
        again = False
        for act in reversed(_acts(trace)):
            smaller = without(trace, act)
            if _still_fails(smaller, oracle, target):
                trace, again = smaller, True
                break
    return sum(isinstance(event, ToolCall) for event in trace.events)


def without(trace: Trace, gone: Act) -> Trace:
    """Return the trace without one act, and without what is nothing without it."""
    gone_id = gone.call_id if isinstance(gone, ToolCall) else None
    left = [
        event
        for event in trace.events
        if event is not gone
        and not (isinstance(event, ToolResult) and event.call_id == gone_id is not None)
    ]
    silenced = _reply_of(trace, gone) if isinstance(gone, Claim) else None
    found: list[Event] = []
    for event in left:
        kept = event
        if isinstance(kept, ModelReply):
            text = "" if silenced is not None and kept.seq == silenced.seq else kept.text
            call_ids = tuple(call_id for call_id in kept.call_ids if call_id != gone_id)
            if (text, call_ids) == ("", ()) and (kept.text or kept.call_ids):
                continue
            kept = replace(kept, text=text, call_ids=call_ids)
        found.append(kept)
    return replace(trace, events=renumbered(found))


def orphans(trace: Trace) -> list[int]:
    """Return results without a call, and the positions of events that are numbered wrongly."""
    called = {event.call_id for event in trace.events if isinstance(event, ToolCall)}
    return [
        place
        for place, event in enumerate(trace.events)
        if event.seq != place or (isinstance(event, ToolResult) and event.call_id not in called)
    ]


def _still_fails(trace: Trace, oracle: Oracle, target: object) -> bool:
    acted = any(not isinstance(e, SystemMessage | UserMessage) for e in trace.events)
    return acted and oracle(trace).signature == target


def _acts(trace: Trace) -> list[Act]:
    return [event for event in trace.events if isinstance(event, ToolCall | Claim)]


def _reply_of(trace: Trace, act: Event) -> ModelReply | None:
    """Return the reply that asked for a call or is a claim's text."""
    replies = [e for e in trace.events[: act.seq] if isinstance(e, ModelReply)]
    if isinstance(act, ToolCall):
        asked = [reply for reply in replies if act.call_id in reply.call_ids]
        return asked[-1] if asked else None
    return replies[-1] if replies else None


def _decided(trace: Trace, event: Event) -> int:
    if isinstance(event, ToolResult):
        event = next(
            e for e in trace.events if isinstance(e, ToolCall) and e.call_id == event.call_id
        )
    reply = _reply_of(trace, event)
    return event.seq if reply is None else reply.seq


def _stimulus(trace: Trace, verdict: Verdict) -> set[int]:
    """Return what is kept whatever the contract reads: sources, the last thing read, the end."""
    acts = _acts(trace)
    results = {e.call_id: e for e in trace.events if isinstance(e, ToolResult)}
    kept = {
        source.seq
        for user in acts
        for source in acts
        if isinstance(source, ToolCall)
        and (result := results.get(source.call_id)) is not None
        and result.seq < _decided(trace, user)
        and _shares(_result_text(result), _used(user))
    }
    first = min(verdict.violations, key=lambda v: (v.seq, v.clause))
    claims = [act for act in acts if isinstance(act, Claim)]
    end = (claims or acts)[-1]
    if any(violation.kind == "end" for violation in verdict.violations):
        kept.add(end.seq)
    offender = end if first.kind == "end" else trace.events[first.seq]
    return kept | set(_last_read(trace, _decided(trace, offender)))


def _last_read(trace: Trace, before: int) -> Iterator[int]:
    own = {
        e.call_id: e.seq
        for e in trace.events
        if isinstance(e, ToolCall) and e.requestor is not Requestor.USER
    }
    read = [e for e in trace.events[:before] if isinstance(e, ToolResult) and e.call_id in own]
    yield from (own[event.call_id] for event in read[-1:])


def _used(act: Act) -> str:
    if isinstance(act, Claim):
        return act.text
    return (act.args_raw or "") if isinstance(act.args, Absent) else _flat(act.args)


def _result_text(result: ToolResult) -> str:
    parts = [result.operation_id or "", result.error.message or "" if result.error else ""]
    if result.error is not None:
        parts += [*result.error.headers.values(), _flat(result.error.body)]
    return "\n".join([*parts, _flat(result.result), result.result_raw or ""])


def _flat(value: Json | Absent) -> str:
    """Return the scalars of a value, one a line."""
    if isinstance(value, Absent):
        return ""
    if isinstance(value, dict):
        return "\n".join(_flat(item) for item in value.values())
    if isinstance(value, list):
        return "\n".join(_flat(item) for item in value)
    return value if isinstance(value, str) else json.dumps(value)


def _shares(result: str, used: str) -> bool:
    """Whether a line of six characters of one stands in the other, or they share a number."""
    lines = [line.strip() for line in used.splitlines() if len(line.strip()) >= 6]
    values = [line.strip() for line in result.splitlines() if len(line.strip()) >= 6]
    if any(line in result for line in lines) or any(value in used for value in values):
        return True
    shared = set(_WORD.findall(result)) & set(_WORD.findall(used))
    return any(any(char.isdigit() for char in word) for word in shared) or any(
        "@" in value and value in result for value in used.split()
    )

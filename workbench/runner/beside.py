"""Two traces side by side around the event where they part, and one line that says how.

No text of a trace but names of tools: what was called, how it ended, what was claimed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from workbench.check.claims import claim_outcome
from workbench.model.event import (
    Claim,
    ContextChange,
    Permission,
    StateChange,
    ToolCall,
    ToolResult,
    UserMessage,
)
from workbench.model.trace import calls_of

if TYPE_CHECKING:
    from workbench.check.divergence import Divergence
    from workbench.model.contract import ClaimRules
    from workbench.model.event import Event
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Call, Trace

__all__ = ["shown_beside"]

_SHOWN: Final = (ToolCall, ToolResult, Claim, Permission, StateChange, ContextChange, UserMessage)
_BEFORE: Final = 2
_AFTER: Final = 3
_DETAIL: Final = {"arguments": "arguments", "result": "results"}


def shown_beside(script: Trace, trace: Trace, found: Divergence, *, claims: ClaimRules) -> JsonMap:
    """Return `headline`, a sentence, and `beside`: rows `{first, second, apart}` around a parting.

    Args:
        script: the path, as replayed.
        trace: of the trial.
        found: where the second parts from the first.
        claims: how the contract reads claims.

    Returns:
        Each side of a row is `{seq, text}`, or null where nothing stands beside the other;
        `apart` is false in the rows before they part.
    """
    left, right = _Side(script, found.first, claims), _Side(trace, found.second, claims)
    return {"headline": _headline(left, right, found.what), "beside": _rows(left, right)}


class _Side:
    """One trace, what of it is shown, and where it parts."""

    def __init__(self, trace: Trace, event: Event | None, claims: ClaimRules) -> None:
        self.event = event
        self.at = len(trace.events) if event is None else event.seq
        self.calls = calls_of(trace)
        known = {call.request.call_id: call for call in self.calls}
        self.shown = [
            _Shown(seq=event.seq, text=_words(event, known, claims))
            for event in trace.events
            if isinstance(event, _SHOWN)
        ]

    @property
    def row(self) -> int:
        """Which of what is shown is the parting; the number of them for the end."""
        return sum(entry.seq < self.at for entry in self.shown)

    @property
    def text(self) -> str:
        """What happens where it parts."""
        return "nothing more" if self.event is None else self.shown[self.row].text

    @property
    def tool(self) -> str | None:
        """The tool that is called where it parts."""
        return self.event.tool if isinstance(self.event, ToolCall) else None

    def calls_on(self, tool: str) -> bool:
        """Whether a tool is called where it parts, or after."""
        return any(call.tool == tool and call.start >= self.at for call in self.calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """One event in words."""

    seq: int
    text: str


def _words(event: Event, calls: dict[str, Call], claims: ClaimRules) -> str:
    match event:
        case ToolCall():
            return f"{event.tool} was called"
        case ToolResult():
            call = calls[event.call_id]
            return f"{call.tool} ended {call.outcome}"
        case Claim():
            return f"{claim_outcome(event, claims)} was claimed"
        case Permission():
            return f"{event.tool or 'a call'} was {event.decision}"
        case _:
            return f"a {event.kind.replace('_', ' ')}"


def _headline(left: _Side, right: _Side, what: str) -> str:
    """Say what the trial did otherwise, e.g. "at 7 billing.get_operation was skipped"."""
    at = "at its end" if right.event is None else f"at {right.at}"
    lost = left.tool if left.tool and not right.calls_on(left.tool) else None
    new = right.tool if right.tool and not left.calls_on(right.tool) else None
    if lost and new:
        return f"{at} {new} was called instead of {lost}"
    if lost:
        return f"{at} {lost} was skipped"
    if new:
        return f"{at} {new} was called in addition"
    if left.text == right.text:
        return f"{at} {right.text}, with other {_DETAIL.get(what, 'content')}"
    return f"{at} {right.text}, where the path has {left.text}"


def _rows(left: _Side, right: _Side) -> list[Json]:
    """Return the last rows that are the same, the parting, and what comes after."""
    back = min(_BEFORE, left.row, right.row)
    mine = left.shown[left.row - back : left.row + 1 + _AFTER]
    theirs = right.shown[right.row - back : right.row + 1 + _AFTER]
    return [
        {"first": _entry(one), "second": _entry(other), "apart": nth >= back}
        for nth, (one, other) in enumerate(zip_longest(mine, theirs))
    ]


def _entry(shown: _Shown | None) -> JsonMap | None:
    return None if shown is None else {"seq": shown.seq, "text": shown.text}

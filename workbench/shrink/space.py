"""The candidates of one trace: which units are kept together, and the trace that they make.

A selection is closed when each kept unit has what it got its values from. Messages follow from
the units: the instructions, the first user message, and each user message that is answered.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from workbench.model.event import Claim, Event, ModelReply, ToolCall
from workbench.model.jsonvalue import Absent
from workbench.shrink.flow import Flow
from workbench.shrink.nodes import NodePath, cut
from workbench.shrink.units import layout_of
from workbench.shrink.words import without_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from workbench.model.trace import Trace
    from workbench.shrink.places import Lock

__all__ = ["TRACE_LEVEL", "Candidate", "Cut", "Selection", "Space"]

_USAGE = ("usage",)
TRACE_LEVEL = -1
"""Position of a cut that concerns the trace and none of its events."""

Cut: TypeAlias = tuple[int, NodePath]
"""Position of an event and the field, then the path below it, that it loses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What is kept of the original: units as a whole, and fields that kept events lose."""

    units: frozenset[int]
    cuts: frozenset[Cut] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A selection and the trace that it makes."""

    selection: Selection
    trace: Trace
    kept: tuple[int, ...]
    """For each event of `trace` its position in the original."""


class Space:
    """All that may become of one trace."""

    def __init__(self, trace: Trace, locks: Sequence[Lock]) -> None:
        self.trace = trace
        self.layout = layout_of(trace)
        self.flow = Flow(trace, self.layout)
        self.locks = tuple(locks)
        self._pinned = frozenset(lock.position for lock in locks)
        self._reply_of_claim = {
            claims[0]: reply
            for reply, claims in self.layout.claims_of_reply.items()
            if len(claims) == 1
        }
        self.pinned_units = (
            frozenset(
                self.layout.unit_at[position]
                for position in self._pinned
                if position in self.layout.unit_at
            )
            | self._texts_locked()
        )

    def _texts_locked(self) -> frozenset[int]:
        """A locked reply keeps its text, so the claim that the text is."""
        replies = (r for r in self.layout.claims_of_reply if r in self._pinned)
        return frozenset(
            self.layout.unit_at[claim]
            for reply in replies
            for claim in self.layout.claims_of_reply[reply]
        )

    def closed(self, units: Iterable[int]) -> frozenset[int]:
        """Return `units` with every unit that a value came from, to a fixed point."""
        found: set[int] = set()
        pending = [*units, *self.pinned_units]
        while pending:
            unit = pending.pop()
            if unit not in found:
                found.add(unit)
                pending.extend(self.flow.providers(unit) - found)
        return frozenset(found)

    def candidate(self, selection: Selection) -> Candidate:
        """Build the trace of a selection; `units` must be closed."""
        kept = self._kept(selection.units)
        chosen = frozenset(kept)
        return Candidate(
            selection=selection,
            trace=self._trimmed(_events(self, kept, chosen, selection.cuts), selection.cuts),
            kept=kept,
        )

    def _kept(self, units: frozenset[int]) -> tuple[int, ...]:
        layout = self.layout
        chosen: set[int] = set()
        for place in units:
            unit = layout.units[place]
            chosen.update(unit.events, unit.carriers, unit.asked_by)
        for position in self._pinned:
            chosen.update((position, *layout.carriers.get(position, ())))
        last = max(chosen, default=-1)
        chosen.update(position for position in layout.system if position < last)
        if layout.first_user is not None:
            chosen.add(layout.first_user)
        elif layout.system:
            chosen.add(layout.system[0])
        return tuple(sorted(chosen))

    def _trimmed(self, events: tuple[Event, ...], cuts: frozenset[Cut]) -> Trace:
        fields = {path[0] for position, path in cuts if position == TRACE_LEVEL}
        return replace(
            self.trace,
            events=events,
            labels={} if "labels" in fields else self.trace.labels,
            tags=() if "tags" in fields else self.trace.tags,
        )

    def reply_of_claim(self, position: int) -> int | None:
        """Return the reply whose only claim this is; it loses the words that the claim loses."""
        return self._reply_of_claim.get(position)

    def is_mute(self, units: frozenset[int], cuts: frozenset[Cut]) -> bool:
        """Whether a kept claim would lose its last word; a claim that says nothing is none."""
        kept = {self.layout.units[unit].events[0] for unit in units}
        lost: dict[int, list[NodePath]] = {}
        for at, path in cuts:
            if path[0] == "text" and at in kept:
                lost.setdefault(at, []).append(path)
        return any(
            isinstance(claim := self.trace.events[at], Claim)
            and not _spoken(claim.text, paths).strip()
            for at, paths in lost.items()
        )

    def is_silenced(self, reply: int, chosen: frozenset[int]) -> bool:
        """Whether a kept reply lost its text: it was a claim, and no such claim is kept."""
        claims = self.layout.claims_of_reply.get(reply, ())
        return bool(claims) and not any(claim in chosen for claim in claims)


def _events(
    space: Space, kept: Sequence[int], chosen: frozenset[int], cuts: frozenset[Cut]
) -> tuple[Event, ...]:
    originals = space.trace.events
    call_ids = {e.call_id for i in kept if isinstance(e := originals[i], ToolCall)}
    turns = _turns(originals, chosen)
    lost: dict[int, list[NodePath]] = {}
    for position, path in cuts:
        lost.setdefault(position, []).append(path)
        reply = space.reply_of_claim(position)
        if reply is not None:
            lost.setdefault(reply, []).append(path)
    found: list[Event] = []
    for seq, position in enumerate(kept):
        event = _placed(originals[position], seq)
        match event:
            case ModelReply():
                event = replace(
                    event,
                    call_ids=tuple(c for c in event.call_ids if c in call_ids),
                    text=""
                    if space.is_silenced(position, chosen)
                    else _spoken(event.text, lost.get(position, ())),
                    usage=None if _USAGE in lost.get(position, ()) else event.usage,
                )
            case Claim():
                event = replace(event, text=_spoken(event.text, lost.get(position, ())))
            case ToolCall():
                event = _call(event, turns, lost.get(position, ()))
            case _:
                pass
        found.append(event)
    return tuple(found)


def _spoken(text: str, lost: Sequence[NodePath]) -> str:
    gone = {path[1] for path in lost if path[0] == "text"}
    return without_words(text, {place for place in gone if isinstance(place, int)})


def _placed(event: Event, seq: int) -> Event:
    if event.seq == seq:
        return event
    origin = event.seq if event.origin_seq is None else event.origin_seq
    return replace(event, seq=seq, origin_seq=origin)


def _call(call: ToolCall, turns: dict[int, int], lost: Sequence[NodePath]) -> ToolCall:
    turn = turns.get(call.turn, call.turn)
    if not lost or isinstance(call.args, Absent):
        return call if turn == call.turn else replace(call, turn=turn)
    args = cut(call.args, [path[1:] for path in lost])
    return replace(call, turn=turn, args=args, args_raw=None)


def _turns(originals: Sequence[Event], chosen: frozenset[int]) -> dict[int, int]:
    """Number of each kept reply in the original -> its number now."""
    replies = (i for i, event in enumerate(originals) if isinstance(event, ModelReply))
    kept = (number for number, i in enumerate(replies, start=1) if i in chosen)
    return {old: new for new, old in enumerate(kept, start=1)}

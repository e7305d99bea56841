"""What shrinking drops as one: a call with its result, a claim, or an event of its own.

Messages of users and of the system are no units: they come and go with the units that they
caused. Neither are model replies and requests that carry units; they come and go with these.
Positions are places in the original trace's list of events.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.model.event import (
    Claim,
    Event,
    ModelReply,
    ModelRequest,
    Requestor,
    SystemMessage,
    ToolCall,
    ToolResult,
    UserMessage,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workbench.model.trace import Trace

__all__ = ["Layout", "Unit", "layout_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """Events that are dropped together."""

    events: tuple[int, ...]
    """Its own, ascending: a call and its result, a claim, or one other event."""

    decided: int
    """Where the model, or whoever acted, made up its mind: the reply that asked for a call."""

    carriers: tuple[int, ...] = ()
    """Reply and request that it cannot be told without."""

    asked_by: tuple[int, ...] = ()
    """User messages that it answers, or, of a simulated user's call, the message it led to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How the events of one trace hang together."""

    units: tuple[Unit, ...]
    """In the order of their first events."""

    unit_at: dict[int, int]
    """Position of a unit's own event -> place in `units`."""

    carried: dict[int, tuple[int, ...]]
    """Position of a reply or request -> the units that it carries, ascending."""

    carriers: dict[int, tuple[int, ...]]
    """Position of a reply or request -> both, itself too."""

    system: tuple[int, ...]
    """Positions of the system messages."""

    first_user: int | None
    """Position of the first user message."""

    claims_of_reply: dict[int, tuple[int, ...]]
    """Position of a reply -> positions of the claims that are its text."""


def layout_of(trace: Trace) -> Layout:
    """Return how the events of `trace` hang together."""
    survey = _Survey(trace.events)
    units = survey.units()
    carried: dict[int, list[int]] = {}
    for place, unit in enumerate(units):
        for position in unit.carriers:
            carried.setdefault(position, []).append(place)
    users = [i for i, event in enumerate(trace.events) if isinstance(event, UserMessage)]
    return Layout(
        units=units,
        unit_at={position: n for n, unit in enumerate(units) for position in unit.events},
        carried={position: tuple(places) for position, places in carried.items()},
        carriers=survey.carriers,
        system=tuple(i for i, e in enumerate(trace.events) if isinstance(e, SystemMessage)),
        first_user=min(users, default=None),
        claims_of_reply={reply: tuple(found) for reply, found in survey.claims.items()},
    )


@dataclass(slots=True)
class _Survey:
    """One look at all events; the tables that units are cut from."""

    events: tuple[Event, ...]
    carriers: dict[int, tuple[int, ...]] = field(default_factory=dict)
    reply_of_call: dict[str, int] = field(default_factory=dict)
    reply_by_turn: list[int] = field(default_factory=list)
    reply_of_claim: dict[int, int] = field(default_factory=dict)
    claims: dict[int, list[int]] = field(default_factory=dict)
    result_of: dict[str, int] = field(default_factory=dict)
    asked: list[tuple[int, ...]] = field(default_factory=list)
    next_user: list[int | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._pair_requests()
        for position, event in enumerate(self.events):
            match event:
                case ModelReply():
                    self.reply_by_turn.append(position)
                    self.reply_of_call.update(dict.fromkeys(event.call_ids, position))
                case ToolResult():
                    self.result_of.setdefault(event.call_id, position)
                case Claim():
                    self._pair_claim(position, event)
                case _:
                    pass
        self._note_messages()

    def _pair_requests(self) -> None:
        """Give each reply the last request before it that has no reply yet."""
        waiting: dict[str | None, int] = {}
        for position, event in enumerate(self.events):
            if isinstance(event, ModelRequest):
                waiting[event.agent] = position
            elif isinstance(event, ModelReply):
                request = waiting.pop(event.agent, None)
                both = (position,) if request is None else (request, position)
                self.carriers.update(dict.fromkeys(both, both))

    def _pair_claim(self, position: int, claim: Claim) -> None:
        """Give a claim the reply it stands next to, or the latest one of the same text."""
        for reply in reversed(self.reply_by_turn[-4:]):
            said = self.events[reply]
            assert isinstance(said, ModelReply)  # noqa: S101  only these were noted
            between = self.events[reply + 1 : position]
            beside = bool(said.text) and all(isinstance(event, Claim) for event in between)
            if beside or (said.text == claim.text and said.agent == claim.agent):
                self.reply_of_claim[position] = reply
                self.claims.setdefault(reply, []).append(position)
                return

    def _note_messages(self) -> None:
        """For each position, the user messages in one block that were said last before it."""
        block: tuple[int, ...] = ()
        answered = False
        for position, event in enumerate(self.events):
            self.asked.append(block)
            match event:
                case UserMessage():
                    block = (position,) if answered else (*block, position)
                    answered = False
                case ModelReply() | Claim():
                    answered = True
                case ToolCall(requestor=requestor):
                    answered = answered or requestor is not Requestor.USER
                case _:
                    pass
        following: int | None = None
        for position in range(len(self.events) - 1, -1, -1):
            self.next_user.append(following)
            if isinstance(self.events[position], UserMessage):
                following = position
        self.next_user.reverse()

    def units(self) -> tuple[Unit, ...]:
        """Cut the units; a result without its call belongs to none and is never kept."""
        used = {
            reply
            for position, event in enumerate(self.events)
            if (reply := self._reply(position, event)) is not None
        }
        bound = {position for reply in used for position in self.carriers[reply]}
        return tuple(
            self._unit(position, event)
            for position, event in enumerate(self.events)
            if position not in bound and not _follows(event) and not self._replied(position)
        )

    def _reply(self, position: int, event: Event) -> int | None:
        match event:
            case ToolCall():
                listed = self.reply_of_call.get(event.call_id)
                if listed is None and 0 < event.turn <= len(self.reply_by_turn):
                    listed = self.reply_by_turn[event.turn - 1]
                return listed
            case Claim():
                return self.reply_of_claim.get(position)
            case _:
                return None

    def _replied(self, position: int) -> bool:
        """Whether this is the request of a reply; the two are one unit, at the reply."""
        pair = self.carriers.get(position, ())
        return len(pair) == 2 and pair[0] == position

    def _unit(self, position: int, event: Event) -> Unit:
        reply = self._reply(position, event)
        decided = position if reply is None else min(reply, position)
        carriers = () if reply is None else self.carriers[reply]
        own: Iterable[int] = (position,)
        asked_by = self.asked[decided]
        match event:
            case ToolCall():
                result = self.result_of.get(event.call_id)
                own = (position,) if result is None else (position, result)
                following = self.next_user[position]
                if event.requestor is Requestor.USER:
                    asked_by = () if following is None else (following,)
            case ModelReply():
                own = self.carriers[position]
            case Claim():
                pass
            case _:
                asked_by = ()
        return Unit(
            events=tuple(sorted(own)),
            decided=decided,
            carriers=carriers,
            asked_by=asked_by,
        )


def _follows(event: Event) -> bool:
    """Whether an event is never the head of a unit."""
    return isinstance(event, SystemMessage | UserMessage | ToolResult)

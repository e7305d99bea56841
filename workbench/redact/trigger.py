"""Which places make the failure happen.

Unless a person says otherwise: every argument of a call that did not end `ok` (where only the end of the run is
wrong: of the last calls), every value of an
event in the evidence of a violation, and what the policy's `trigger` globs name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.errors import InputError
from workbench.model.event import Event, Outcome, ToolCall, ToolResult
from workbench.model.trace import Trace, calls_of
from workbench.redact.places import parse_glob

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from workbench.model.trace import Call
    from workbench.model.verdict import Verdict
    from workbench.redact.places import PlaceGlob
    from workbench.redact.slots import Place

__all__ = ["Triggers", "find_triggers", "kinds_of", "matches_any", "refuse_unmatched", "root_of"]


_SHOWN: Final = 80


def root_of(event: Event) -> str:
    """Return the first step of an event's places: its position in the raw trace."""
    return f"#{event.seq if event.origin_seq is None else event.origin_seq}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Triggers:
    """Answers whether a place is part of the trigger."""

    arguments: frozenset[str]
    """Roots of calls whose arguments are."""
    events: frozenset[str]
    """Roots of events that are as a whole."""
    globs: tuple[PlaceGlob, ...] = ()
    kinds: dict[str, tuple[str, str | None]]
    """Root -> kind of the event and its tool."""

    def covers(self, place: Place) -> bool:
        """Whether a place makes the failure happen."""
        root = str(place[0])
        if root in self.events or (root in self.arguments and place[1:2] == ("args",)):
            return True
        return self.named(place)

    def named(self, place: Place) -> bool:
        """Whether a person named the place."""
        return matches_any(self.globs, place, self.kinds)


def matches_any(
    globs: Iterable[PlaceGlob], place: Place, kinds: dict[str, tuple[str, str | None]]
) -> bool:
    """Whether any of some globs covers a place."""
    kind, tool = kinds.get(str(place[0]), (None, None))
    return any(glob.matches(place, kind=kind, tool=tool) for glob in globs)


def refuse_unmatched(
    triggers: Iterable[str],
    places: Sequence[Place],
    kinds: dict[str, tuple[str, str | None]],
) -> None:
    """Refuse a trigger that a person named and that is nowhere: it would protect nothing.

    Raises:
        InputError: no value of the trace lies there.
    """
    for text in triggers:
        glob = parse_glob(text)
        if not any(matches_any((glob,), place, kinds) for place in places):
            raise InputError(
                "names no value of this trace; it would protect nothing",
                place="--trigger",
                key=text[:_SHOWN],
                fix="copy a place from `workbench show`, e.g. #17.args.account_id",
            )


def kinds_of(trace: Trace) -> dict[str, tuple[str, str | None]]:
    """Return for each event's root its kind and tool; a result has the tool of its call."""
    tools = {e.call_id: e.tool for e in trace.events if isinstance(e, ToolCall)}
    found: dict[str, tuple[str, str | None]] = {}
    for event in trace.events:
        tool = None
        if isinstance(event, ToolCall | ToolResult):
            tool = tools.get(event.call_id)
        found[root_of(event)] = (event.kind, tool)
    return found


def find_triggers(
    trace: Trace,
    verdict: Verdict | None,
    globs: tuple[PlaceGlob, ...] = (),
    *,
    ends: Collection[str] = (),
) -> Triggers:
    """Find the trigger of a judged trace.

    Where nothing but a clause about the end fails, the arguments of calls that failed long before it make
    nothing happen: then only those of the last calls count.

    Args:
        trace: with outcomes resolved.
        verdict: what the contract answers about it; None: there is no contract.
        globs: places that a person named.
        ends: ids of the contract's clauses about the end of the run (`finishes`).
    """
    calls: Sequence[Call] = calls_of(trace)
    broken = {v.clause for v in verdict.violations} if verdict else set()
    if calls and broken and broken <= set(ends):
        last = calls[-1].request
        calls = [c for c in calls if c.request is last or 0 < c.request.turn == last.turn]
    arguments = {root_of(call.request) for call in calls if call.outcome is not Outcome.OK}
    seqs = {seq for v in (verdict.violations if verdict else ()) for seq in (*v.evidence, v.seq)}
    events = {root_of(e) for e in trace.events if e.seq in seqs}
    return Triggers(
        arguments=frozenset(arguments),
        events=frozenset(events),
        globs=globs,
        kinds=kinds_of(trace),
    )

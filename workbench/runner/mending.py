"""One function per clause kind: the ways to mend a path's first violation, best first.

Every function takes a `Wound` and yields ways on which the clause is no longer broken at this
place. None of them promises a green path: the caller replays and judges.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from workbench.check.claims import claim_outcome
from workbench.model.case import Case, Fixture, Path, ScriptedCall, Turn
from workbench.model.contract import (
    After,
    AnswerRule,
    ArgsSchema,
    AtMostAfter,
    Before,
    Evidence,
    FinalState,
    Finishes,
    ForbidCall,
    ImmediatelyAfter,
    Limit,
    MaxCalls,
    MinCalls,
    MustCall,
    NeverBetween,
    OnlyCall,
    PermissionRule,
    Selector,
    SuccessRequires,
)
from workbench.model.event import Claim, ClaimOutcome, ToolCall, ToolResult
from workbench.replay.scripted import is_reply, replay_path
from workbench.runner.readback import declared_call, evidence_call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.model.trace import Trace
    from workbench.model.verdict import Violation

__all__ = ["Way", "Wound", "mends"]

_TEXTS: Final = (
    "I could not confirm that this was done. It is still unresolved.",
    "这件事尚未确认，仍未解决。",  # noqa: RUF001  Chinese punctuation
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """Turns of a mended path, and the fixtures that only it needs."""

    turns: tuple[Turn, ...]
    fixtures: tuple[Fixture, ...] = ()


_REFUSABLE: Final = (
    ForbidCall,
    OnlyCall,
    MaxCalls,
    ArgsSchema,
    AtMostAfter,
    NeverBetween,
    PermissionRule,
    Limit,
)
"""Kinds that the path keeps once the offending call is not made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wound:
    """The first violation of a path."""

    case: Case
    way: Way
    trace: Trace
    """The path, replayed."""
    violation: Violation
    turn: int
    """Place of the offending turn; the number of turns for what never came."""

    @property
    def before(self) -> tuple[Turn, ...]:
        """The turns that came before."""
        return self.way.turns[: self.turn]

    @property
    def after(self) -> tuple[Turn, ...]:
        """The turns that came later."""
        return self.way.turns[self.turn + 1 :]


def mends(case: Case, path: Path, trace: Trace, violation: Violation, *, way: Way) -> Iterator[Way]:
    """Yield ways to mend a violation.

    Args:
        case: with the path and its fixtures.
        path: the path as it is.
        trace: the path, replayed.
        violation: its first.
        way: what the path was made from.
    """
    clause = next((c for c in case.contract.clauses if c.id == violation.clause), None)
    wound = Wound(
        case=case,
        way=way,
        trace=trace,
        violation=violation,
        turn=_turn_at(case, path, violation.seq),
    )
    match clause:
        case After() | ImmediatelyAfter():
            yield from _read_back(wound, clause.then)
        case Before():
            yield from _look_first(wound, clause.first)
        case MustCall() | MinCalls():
            yield from _call_it(wound, clause.selector)
        case AnswerRule() | Finishes() | FinalState():
            yield from _say_otherwise(wound)
        case SuccessRequires() if wound.turn < len(way.turns):
            yield from _do_not_claim(wound, clause.evidence)
        case _ if isinstance(clause, _REFUSABLE) and wound.turn < len(way.turns):
            yield from _refuse(wound)


def _turn_at(case: Case, path: Path, seq: int) -> int:
    """Return the place of the turn that emitted an event."""
    for at in range(len(path.turns)):
        until = replace(path, turns=path.turns[: at + 1])
        if len(replay_path(case, until).events) > seq:
            return at
    return len(path.turns)


def closing(case: Case) -> Turn:
    """Return a reply that says that the task is unresolved, so that the claims patterns see it."""
    for text in _TEXTS:
        if claim_outcome(Claim(text=text), case.contract.claims) is ClaimOutcome.UNRESOLVED:
            return Turn(text=text, outcome=ClaimOutcome.UNRESOLVED)
    return Turn(text=_TEXTS[0], outcome=ClaimOutcome.UNRESOLVED, structured=True)


def _without_call(wound: Wound) -> tuple[Turn, ...]:
    """Return the offending turn without its offending call; nothing when no call is left."""
    turn = wound.way.turns[wound.turn]
    event = wound.trace.events[wound.violation.seq]
    if not isinstance(event, ToolCall | ToolResult):
        return ()
    kept = tuple(call for call in turn.tool_calls if call.id != event.call_id.partition("~")[0])
    return (replace(turn, tool_calls=kept, text=None, outcome=None),) if kept else ()


def _refuse(wound: Wound) -> Iterator[Way]:
    """Stop before the call, and say so; or leave it out and go on."""
    kept = _without_call(wound)
    yield replace(wound.way, turns=(*wound.before, *kept, closing(wound.case)))
    yield replace(wound.way, turns=(*wound.before, *kept, *wound.after))


def _do_not_claim(wound: Wound, evidence: Evidence) -> Iterator[Way]:
    """Say that it is unresolved, and stop or go on; or read it back before saying it is done."""
    turn = wound.way.turns[wound.turn]
    end = closing(wound.case)
    honest = replace(
        turn, text=end.text, outcome=end.outcome, structured=end.structured, tool_calls=()
    )
    yield replace(wound.way, turns=(*wound.before, honest))
    yield replace(wound.way, turns=(*wound.before, honest, *wound.after))
    fixture = evidence_call(wound.case, evidence, wound.trace, wound.violation.seq)
    yield from _with_call(wound, fixture, at=wound.turn)


def _read_back(wound: Wound, then: Selector) -> Iterator[Way]:
    """Make the call that has to follow: after the one that asks for it, before a wrong one."""
    wrong_call = wound.violation.kind == ToolCall.kind
    at = wound.turn if wrong_call else wound.turn + 1
    yield from _with_selected(wound, then, at=at)


def _look_first(wound: Wound, first: Selector) -> Iterator[Way]:
    """Make the call that has to come before; or do not make the later one."""
    yield from _with_selected(wound, first, at=wound.turn)
    yield from _refuse(wound)


def _call_it(wound: Wound, selector: Selector) -> Iterator[Way]:
    """Make the call that never came, before the last text."""
    texts = [at for at, turn in enumerate(wound.way.turns) if is_reply(turn) and turn.text]
    at = texts[-1] if texts else len(wound.way.turns)
    yield from _with_selected(wound, selector, at=at)


def _say_otherwise(wound: Wound) -> Iterator[Way]:
    """End with another text."""
    turns = wound.way.turns
    yield replace(wound.way, turns=(*turns, closing(wound.case)))
    if turns and turns[-1].text and not turns[-1].tool_calls:
        yield replace(wound.way, turns=(*turns[:-1], closing(wound.case)))


def _with_selected(wound: Wound, selector: Selector, *, at: int) -> Iterator[Way]:
    fixture = declared_call(wound.case, selector, wound.trace, wound.violation.seq)
    yield from _with_call(wound, fixture, at=at)


def _with_call(wound: Wound, fixture: Fixture | None, *, at: int) -> Iterator[Way]:
    """Insert a turn that makes the call of a fixture."""
    if fixture is None:
        return
    turns = wound.way.turns
    taken = {call.id for turn in turns for call in turn.tool_calls}
    nth = next(n for n in range(1, len(taken) + 2) if f"r{n}" not in taken)
    call = ScriptedCall(id=f"r{nth}", name=fixture.tool, args=fixture.args)
    yield Way(
        turns=(*turns[:at], Turn(tool_calls=(call,)), *turns[at:]),
        fixtures=(*wound.way.fixtures, fixture),
    )

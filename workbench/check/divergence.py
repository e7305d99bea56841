"""Where two runs of one task part.

Compared is what an agent did and was answered: calls, results, decisions, changes, and what its
claims say. How a text is worded is not, unless a contract reads it. Calls of one reply run at the
same time, so their order, and the order of their results, is no difference.

Source:
    design page 09, "First divergence".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from workbench.check.claims import claim_outcome
from workbench.check.ending_clauses import check_answer
from workbench.check.facts import Facts
from workbench.check.limit_clauses import call_key
from workbench.check.outcomes import resolve_outcomes, value_of
from workbench.model.contract import AnswerRule, Contract
from workbench.model.event import (
    Claim,
    ClaimOutcome,
    ContextChange,
    Event,
    Permission,
    StateChange,
    ToolCall,
    ToolResult,
    UserMessage,
)
from workbench.model.jsonvalue import same_json
from workbench.model.trace import Call, Trace, Versions

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Divergence", "VersionChange", "first_divergence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionChange:
    """One thing that had another version in the second run."""

    what: str
    """A field of `Versions`."""
    first: str | None
    second: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """The first event where two runs part, and what came of it."""

    what: str
    """`call`, `arguments`, `outcome`, `result`, `claim`, `answer`, `end`, or a kind of event."""
    first: Event | None
    """None: the first run had ended."""
    second: Event | None
    """None: the second run had ended."""
    versions: tuple[VersionChange, ...]
    downstream_first: tuple[int, ...]
    """Positions in the first run of everything that may follow from it."""
    downstream_second: tuple[int, ...]
    sentence: str
    """Places, tool names and versions; no other trace text."""


def first_divergence(
    first: Trace, second: Trace, *, contract: Contract | None = None
) -> Divergence | None:
    """Return the first event where two runs of one task part; None: they do not.

    Args:
        first: the earlier run, e.g. the one that passed.
        second: the later one.
        contract: its `claims` read the claims, and its `answer` clauses the last text.

    Raises:
        ContractError: an `answer` clause that cannot be judged.
    """
    rules = contract if contract is not None else Contract(clauses=())
    left = Facts(resolve_outcomes(first), rules)
    right = Facts(resolve_outcomes(second), rules)
    for one, other in zip_longest(_steps(left), _steps(right)):
        found = _compare(_Side(left, one), _Side(right, other))
        if found is not None:
            return found
    return None


# --- steps ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """One event that is compared, or all calls of one reply."""

    event: Event
    """The first one."""
    calls: tuple[Call, ...] = ()


def _steps(facts: Facts) -> Iterator[_Step]:
    """Yield what is compared, in order; calls of one reply together, with their results."""
    together: dict[int, list[Call]] = {}
    for call in facts.calls:
        turn = call.request.turn or -call.start - 1  # a call that nobody asked for stands alone
        together.setdefault(turn, []).append(call)
    starts = {calls[0].start: tuple(calls) for calls in together.values()}
    for event in facts.events:
        if event.seq in starts:
            yield _Step(event=event, calls=starts[event.seq])
        elif isinstance(event, Claim | Permission | StateChange | ContextChange | UserMessage):
            yield _Step(event=event)


@dataclass(frozen=True, slots=True)
class _Side:
    """One run, and where it is."""

    facts: Facts
    step: _Step | None


def _compare(left: _Side, right: _Side) -> Divergence | None:
    one, other = left.step, right.step
    if one is None or other is None:
        return _parting("end", left, right, _event(one), _event(other))
    if one.calls and other.calls:
        return _compare_calls(left, right, one, other)
    if type(one.event) is not type(other.event):
        what = "call" if one.calls or other.calls else other.event.kind
        return _parting(what, left, right, one.event, other.event)
    found = _difference(left.facts, one.event, right.facts, other.event)
    return None if found is None else _parting(found, left, right, one.event, other.event)


def _event(step: _Step | None) -> Event | None:
    return None if step is None else step.event


def _compare_calls(left: _Side, right: _Side, one: _Step, other: _Step) -> Divergence | None:
    """Pair the calls of two replies by tool and arguments, in whatever order they stand."""
    spare = list(other.calls)
    alone: list[Call] = []
    pairs: list[tuple[Call, Call]] = []
    for call in one.calls:
        twin = next((found for found in spare if _key(found) == _key(call)), None)
        if twin is None:
            alone.append(call)
        else:
            spare.remove(twin)
            pairs.append((call, twin))
    if alone or spare:
        mine, theirs = _closest(alone, spare)
        same_tool = mine is not None and theirs is not None and mine.tool == theirs.tool
        return _parting(
            "arguments" if same_tool else "call",
            left,
            right,
            None if mine is None else mine.request,
            None if theirs is None else theirs.request,
            shared=pairs,
        )
    return _compare_results(left, right, pairs)


def _key(call: Call) -> tuple[str, str, str | None, str]:
    return (*call_key(call), call.request.agent, call.request.requestor.value)


def _closest(alone: list[Call], spare: list[Call]) -> tuple[Call | None, Call | None]:
    """Return the first call of each side that the other lacks, of one tool if there are such."""
    for call in alone:
        twin = next((found for found in spare if found.tool == call.tool), None)
        if twin is not None:
            return call, twin
    return next(iter(alone), None), next(iter(spare), None)


def _compare_results(
    left: _Side, right: _Side, pairs: list[tuple[Call, Call]]
) -> Divergence | None:
    for call, twin in sorted(pairs, key=lambda pair: pair[0].end):
        ending = (call.outcome, call.detail) != (twin.outcome, twin.detail)
        if ending or not same_json(value_of(call.result), value_of(twin.result)):
            others = [pair for pair in pairs if pair[0] is not call]
            return _parting(
                "outcome" if ending else "result",
                left,
                right,
                call.result or call.request,
                twin.result or twin.request,
                shared=others,
            )
    return None


# --- other events ----------------------------------------------------------------


def _difference(left: Facts, one: Event, right: Facts, other: Event) -> str | None:
    """Say what differs between two events of one kind; None: nothing that counts."""
    match one, other:
        case Claim(), Claim():
            return _claims_differ(left, one, right, other)
        case Permission(), Permission():
            same = _decision(one) == _decision(other)
        case StateChange(), StateChange():
            same = one.name == other.name and same_json(one.after, other.after)
        case ContextChange(), ContextChange():
            same = one.change is other.change
        case _:
            same = True  # a person, or who plays one, may word things anew
    return None if same else one.kind


def _decision(event: Permission) -> tuple[str, str | None, str | None]:
    return event.decision.value, event.tool, event.args_digest


def _claims_differ(left: Facts, one: Claim, right: Facts, other: Claim) -> str | None:
    said = {claim_outcome(claim, left.contract.claims) for claim in (one, other)}
    if len(said - {ClaimOutcome.UNKNOWN}) > 1:
        return "claim"
    if one is not left.answer or other is not right.answer:
        return None
    read = [
        clause
        for clause in left.contract.clauses
        if isinstance(clause, AnswerRule)
        and check_answer(clause, left).result is not check_answer(clause, right).result
    ]
    return "answer" if read else None


# --- what is reported ---------------------------------------------------------------


def _parting(
    what: str,
    left: _Side,
    right: _Side,
    first: Event | None,
    second: Event | None,
    *,
    shared: list[tuple[Call, Call]] | None = None,
) -> Divergence:
    pairs = shared or []
    versions = _version_changes(left.facts.trace.versions, right.facts.trace.versions)
    return Divergence(
        what=what,
        first=first,
        second=second,
        versions=versions,
        downstream_first=_after(left, first, [pair[0] for pair in pairs]),
        downstream_second=_after(right, second, [pair[1] for pair in pairs]),
        sentence=_sentence(what, versions, _shown(left, first), _shown(right, second)),
    )


def _after(side: _Side, event: Event | None, shared: list[Call]) -> tuple[int, ...]:
    """Return what follows an event, but for calls at the same time that both runs made."""
    if event is None:
        start = side.step.event.seq - 1 if side.step is not None else side.facts.end
    else:
        start = event.seq
    apart = {seq for call in shared for seq in side.facts.pair(call)}
    return tuple(seq for seq in range(start + 1, side.facts.end) if seq not in apart)


def _version_changes(first: Versions, second: Versions) -> tuple[VersionChange, ...]:
    return tuple(
        VersionChange(what=field.name, first=old, second=new)
        for field in fields(Versions)
        if (old := getattr(first, field.name)) != (new := getattr(second, field.name))
    )


_PLAIN: Final = re.compile(r"[\w.:@/+-]{1,40}")


def _sentence(what: str, versions: tuple[VersionChange, ...], one: str, other: str) -> str:
    """Say where two runs part; empty: the run does nothing more."""
    changes = ", ".join(
        f"{change.what} {_plain(change.first)} -> {_plain(change.second)}" for change in versions
    )
    detail = {"arguments": " with other arguments", "result": " with another result"}.get(what, "")
    said = f"first {one}, then {other}{detail}"
    if not one or not other:
        said = f"only in the {'first' if one else 'second'} run {one or other}"
    return f"{changes + ': ' if changes else ''}{said}"


def _plain(version: str | None) -> str:
    if version is None:
        return "?"
    return version if _PLAIN.fullmatch(version) else f"({len(version)} characters)"


def _shown(side: _Side, event: Event | None) -> str:
    """Say what happened, for one side of the sentence."""
    match event:
        case None:
            return ""
        case ToolCall():
            return f"{event.tool} was called at {event.seq}"
        case ToolResult():
            call = next(c for c in side.facts.calls if c.request.call_id == event.call_id)
            return f"{call.tool} ended {call.outcome} at {event.seq}"
        case Claim():
            said = claim_outcome(event, side.facts.contract.claims)
            return f"{said} was claimed at {event.seq}"
        case _:
            return f"a {event.kind.replace('_', ' ')} came at {event.seq}"

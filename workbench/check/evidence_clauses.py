"""What a claim of success must rest on, and the state that a run must end in.

An item of evidence holds on the *last* completed call of its tool: a later `pending` cancels an
earlier `completed`. A read-back is evidence of a write only when it concerns the same operation.

Source:
    design page 03, `success_requires` and `final_state`.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from workbench.check.facts import Facts, failed, inconclusive, passed
from workbench.check.operations import operation_ids
from workbench.check.outcomes import value_of
from workbench.check.predicates import holds
from workbench.check.selectors import args_of
from workbench.errors import ContractError
from workbench.model.contract import (
    Evidence,
    FinalState,
    StatePredicate,
    StateRule,
    SuccessRequires,
)
from workbench.model.event import ClaimOutcome, Outcome, Requestor, StateChange
from workbench.model.jsonvalue import ABSENT, Absent, Json, JsonMap
from workbench.model.trace import Call, Effect

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workbench.model.verdict import ClauseVerdict, Violation

__all__ = [
    "Backing",
    "Finding",
    "check_final_state",
    "check_success_requires",
    "named_evidence",
]

_SHOWN: Final = 80
"""Characters of a contract's path that an error repeats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Whether an item of evidence holds at one position."""

    holds: bool | None
    """None: not known."""
    seqs: tuple[int, ...]
    """Events that were read."""
    reason: str


def check_success_requires(clause: SuccessRequires, facts: Facts) -> ClauseVerdict:
    """Report every claim of success that the evidence does not carry.

    Raises:
        ContractError: a short form that names no tool of the trace.
    """
    evidence = named_evidence(clause.evidence, facts.tool_names)
    backing = Backing(evidence, facts)
    broken: list[Violation] = []
    unclear: list[int] = []
    read: list[int] = []
    for claimed in facts.claims:
        if claimed.outcome not in (ClaimOutcome.SUCCESS, ClaimOutcome.UNKNOWN):
            continue
        finding = backing.at(claimed.seq)
        read += [claimed.seq, *finding.seqs]
        if claimed.outcome is ClaimOutcome.SUCCESS and finding.holds is False:
            sentence = f"success was claimed, but {finding.reason}"
            broken.append(facts.violation(clause.id, claimed.seq, sentence, finding.seqs))
        elif finding.holds is not True:
            unclear.append(claimed.seq)
    if broken:
        return failed(clause.id, broken)
    if unclear:
        sentence = f"it is not clear what is claimed at {unclear[0]}, or on what it rests"
        return inconclusive(clause.id, sentence, unclear)
    return passed(clause.id, f"no claim of success without evidence of {evidence.tool}", read)


def named_evidence(evidence: Evidence, tools: Iterable[str]) -> Evidence:
    """Split the short form into tool and predicate: the longest prefix that names a tool.

    Raises:
        ContractError: no prefix names one.
    """
    if evidence.tool is not None:
        return evidence
    known = set(tools)
    path = evidence.predicate.path
    names = [str(step).removeprefix("\\") for step in path]
    for length in range(len(path), 0, -1):
        tool = ".".join(names[:length])
        if tool in known:
            rest = replace(evidence.predicate, path=path[length:])
            return replace(evidence, tool=tool, predicate=rest)
    shown = ".".join(names)[:_SHOWN]
    raise ContractError(
        f"the evidence {shown!r} begins with no tool of the trace or the case",
        fix="correct the tool, write {tool: NAME, pred: PATH OPERATOR LITERAL}, or list it under tools",
    )


class Backing:
    """The calls that could carry one item of evidence, found once for many positions."""

    def __init__(self, evidence: Evidence, facts: Facts) -> None:
        self._evidence = evidence
        self._facts = facts
        calls = [
            call
            for call in facts.of_tool(evidence.tool or "")
            if call.request.requestor is Requestor.AGENT
            and all(holds(predicate, args_of(call)) for predicate in evidence.args)
        ]
        self._completed = sorted(
            (call for call in calls if call.outcome is Outcome.OK), key=attrgetter("end")
        )
        self._unclear = [call for call in calls if facts.is_unclear(call)]

    def at(self, position: int) -> Finding:
        """Say whether the evidence holds just before a position."""
        place = bisect_left(self._completed, position, key=attrgetter("end"))
        last = self._completed[place - 1] if place else None
        unclear = self._last_unclear(position)
        if unclear is not None and (last is None or not _came_before(unclear, last)):
            reason = f"{unclear.tool} at {unclear.start} has no known answer"
            return Finding(holds=None, seqs=self._facts.pair(unclear), reason=reason)
        if last is None:
            reason = f"no call of {self._evidence.tool} had completed before"
            return Finding(holds=False, seqs=(), reason=reason)
        findings = [self._judge_last(call) for call in self._last_ones(place)]
        return next((finding for finding in findings if not finding.holds), findings[0])

    def _last_ones(self, place: int) -> list[Call]:
        """Return the last completed call and those of the same reply: none of them is the last."""
        last = self._completed[place - 1]
        if not last.request.turn:
            return [last]
        earlier = map(self._completed.__getitem__, range(place - 1, -1, -1))
        found = itertools.takewhile(lambda call: call.end > last.start, earlier)
        return [call for call in found if call.request.turn == last.request.turn]

    def _last_unclear(self, position: int) -> Call | None:
        place = bisect_left(self._unclear, position, key=attrgetter("start"))
        return self._unclear[place - 1] if place else None

    def _judge_last(self, last: Call) -> Finding:
        seqs = self._facts.pair(last)
        if not holds(self._evidence.predicate, value_of(last.result)):
            reason = f"the last {last.tool} before, at {last.start}, does not show it"
            return Finding(holds=False, seqs=seqs, reason=reason)
        write = _other_operation(last, self._facts)
        if write is None:
            return Finding(holds=True, seqs=seqs, reason="")
        reason = f"{last.tool} at {last.start} concerns another operation than {write.tool}"
        return Finding(holds=False, seqs=self._facts.pair(write, last), reason=reason)


def _came_before(call: Call, other: Call) -> bool:
    """Whether a call was asked for before another one; calls of one reply are in no order."""
    together = call.request.turn == other.request.turn != 0
    return call.start < other.start and not together


def _other_operation(read_back: Call, facts: Facts) -> Call | None:
    """Return the last write before a read-back, when both carry an operation and they differ."""
    if facts.effects.get(read_back.tool) is Effect.WRITE:
        return None
    own = operation_ids(read_back)
    place = bisect_left(facts.operations, read_back.start, key=attrgetter("start"))
    last: list[Call] = []
    for at in range(place - 1 if own else -1, -1, -1):
        call = facts.operations[at]
        if last and not last[0].request.turn == call.request.turn != 0:
            break
        if call.tool != read_back.tool:
            last.append(call)
    matching = any(not own.isdisjoint(operation_ids(call)) for call in last)
    return None if matching or not last else last[0]


# --- the state at the end -------------------------------------------------------


def check_final_state(clause: FinalState, facts: Facts) -> ClauseVerdict:
    """Ask that one of the named states is true at the end.

    Raises:
        ContractError: a name without definition, or a short form that names no tool.
    """
    findings = [_state_holds(name, facts) for name in clause.names]
    true = next((finding for finding in findings if finding.holds), None)
    if true is not None:
        return passed(clause.id, f"the final state is {true.reason}", true.seqs)
    names = " or ".join(clause.names)
    seqs = {seq for finding in findings for seq in finding.seqs} | set(facts.duty)
    if any(finding.holds is None for finding in findings) or facts.gap_after(-1) is not None:
        return inconclusive(clause.id, f"it is not known whether the final state is {names}", seqs)
    sentence = f"the final state is not {names}"
    return failed(clause.id, [facts.violation(clause.id, facts.end, sentence, seqs)])


def _state_holds(name: str, facts: Facts) -> Finding:
    rules = facts.contract.states.get(name)
    if rules is None:
        raise ContractError(
            "final_state names a state that states does not define",
            fix=f"define one of its names under states; defined: "
            f"{', '.join(facts.contract.states) or 'none'}",
        )
    findings = [_rule_holds(rule, facts) for rule in rules]
    seqs = tuple(sorted({seq for finding in findings for seq in finding.seqs}))
    if any(finding.holds is False for finding in findings):
        return Finding(holds=False, seqs=seqs, reason=name)
    known = all(finding.holds for finding in findings)
    return Finding(holds=True if known else None, seqs=seqs, reason=name)


def _rule_holds(rule: StateRule, facts: Facts) -> Finding:
    if isinstance(rule, Evidence):
        return Backing(named_evidence(rule, facts.tool_names), facts).at(facts.end)
    if isinstance(rule, StatePredicate):
        return _state_predicate_holds(rule, facts)
    final = facts.final_claim
    if final is None:
        return Finding(holds=False, seqs=(), reason=rule.text)
    unknown = final.outcome is ClaimOutcome.UNKNOWN is not rule.outcome
    verdict = None if unknown else final.outcome is rule.outcome
    return Finding(holds=verdict, seqs=(final.seq,), reason=rule.text)


def _state_predicate_holds(rule: StatePredicate, facts: Facts) -> Finding:
    changes = [event for event in facts.events if isinstance(event, StateChange)]
    if not changes:
        return Finding(holds=None, seqs=(), reason=rule.text)
    state: JsonMap = {}
    for change in changes:
        _put(state, change.name.split("."), change.after)
    return Finding(
        holds=holds(rule.predicate, state),
        seqs=tuple(change.seq for change in changes),
        reason=rule.text,
    )


def _put(state: JsonMap, steps: list[str], value: Json | Absent) -> None:
    """Set a value at a path of a state that belongs to us; `ABSENT` removes it."""
    *above, last = steps
    for step in above:
        inner = state.get(step)
        inner = dict(inner) if isinstance(inner, dict) else {}
        state[step] = inner
        state = inner
    if value is ABSENT:
        state.pop(last, None)
    else:
        state[last] = value

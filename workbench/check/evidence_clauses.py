"""What a claim of success must rest on, and the state that a run must end in.

An item of evidence holds on the *last* completed call of its tool: a later `pending` cancels an
earlier `completed`. A read-back is evidence of a write only when it concerns the same operation.

Source:
    design page 03, `success_requires` and `final_state`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from workbench.check.facts import Facts, failed, inconclusive, passed
from workbench.check.outcomes import value_of
from workbench.check.predicates import holds
from workbench.check.selectors import args_of
from workbench.errors import ContractError
from workbench.model.contract import (
    ClaimIs,
    Evidence,
    FinalState,
    Predicate,
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
    "Finding",
    "check_final_state",
    "check_success_requires",
    "evidence_at",
    "named_evidence",
    "operation_ids",
]


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
    tool = evidence.tool or ""
    broken: list[Violation] = []
    unclear: list[int] = []
    read: list[int] = []
    for claimed in facts.claims:
        if claimed.outcome not in (ClaimOutcome.SUCCESS, ClaimOutcome.UNKNOWN):
            continue
        finding = evidence_at(evidence, facts, claimed.seq)
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
    return passed(clause.id, f"no claim of success without evidence of {tool}", read)


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
    raise ContractError(
        "an item of evidence in the short form names no tool of the trace or the case",
        fix="write {tool: NAME, pred: PATH OPERATOR LITERAL}, or list the tool under tools",
    )


def evidence_at(evidence: Evidence, facts: Facts, position: int) -> Finding:
    """Say whether an item holds just before a position; its tool is named."""
    tool = evidence.tool or ""
    calls = [
        call
        for call in facts.of_tool(tool)
        if call.request.requestor is Requestor.AGENT
        and call.start < position
        and _fits(evidence.args, args_of(call))
    ]
    completed = [
        call for call in calls if call.outcome is Outcome.OK and facts.ended(call) < position
    ]
    last = max(completed, key=lambda call: call.end, default=None)
    unclear = facts.unclear(call for call in calls if last is None or call.start > last.start)
    if unclear is not None:
        reason = f"{unclear.tool} at {unclear.start} has no known answer"
        return Finding(holds=None, seqs=facts.pair(unclear), reason=reason)
    if last is None:
        return Finding(holds=False, seqs=(), reason=f"no call of {tool} had completed before")
    if not holds(evidence.predicate, value_of(last.result)):
        reason = f"the last {last.tool} before, at {last.start}, does not show it"
        return Finding(holds=False, seqs=facts.pair(last), reason=reason)
    write = _other_operation(last, facts)
    if write is not None:
        reason = f"{last.tool} at {last.start} concerns another operation than {write.tool}"
        return Finding(holds=False, seqs=facts.pair(write, last), reason=reason)
    return Finding(holds=True, seqs=facts.pair(last), reason="")


def _fits(predicates: tuple[Predicate, ...], args: Json | Absent) -> bool:
    return all(holds(predicate, args) for predicate in predicates)


def _other_operation(read_back: Call, facts: Facts) -> Call | None:
    """Return the last write before a read-back, when both carry an operation and they differ."""
    if facts.effects.get(read_back.tool) is Effect.WRITE:
        return None
    own = operation_ids(read_back)
    if not own:
        return None
    for call in reversed(facts.calls):
        if call.start >= read_back.start or call.tool == read_back.tool:
            continue
        if facts.effects.get(call.tool, Effect.WRITE) is not Effect.WRITE:
            continue
        ids = operation_ids(call)
        if ids:
            return call if own.isdisjoint(ids) else None
    return None


_OPERATION_KEYS: Final = frozenset({"operationid", "opid", "xoperationid"})


def operation_ids(call: Call) -> frozenset[str]:
    """Return the operation ids that a call carries, in its arguments, result or error."""
    found: set[str] = set()
    places: list[Json | Absent] = [call.args, value_of(call.result)]
    if call.result is not None:
        if call.result.operation_id is not None:
            found.add(call.result.operation_id)
        if call.result.error is not None:
            places += [call.result.error.body, dict(call.result.error.headers)]
    for place in places:
        found.update(_named_operations(place))
    return frozenset(found)


def _named_operations(value: Json | Absent) -> list[str]:
    if not isinstance(value, dict):
        return []
    return [
        str(item)
        for key, item in value.items()
        if key.lower().replace("_", "").replace("-", "") in _OPERATION_KEYS
        and isinstance(item, str | int)
        and not isinstance(item, bool)
    ]


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
    match rule:
        case Evidence():
            return evidence_at(named_evidence(rule, facts.tool_names), facts, facts.end)
        case StatePredicate():
            return _state_predicate_holds(rule, facts)
        case ClaimIs():
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

"""A tiny contract and its oracle, so that these tests hang on nothing but the trace model.

Each rule is a function from a trace to violations. `judged` puts them together the way a verdict
is defined: the signature's first is the smallest offending position, ties by clause id.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from typing import TypeAlias

from workbench.model.event import Claim, ToolCall, UserMessage
from workbench.model.trace import Call, Trace, calls_of
from workbench.model.verdict import (
    ClauseVerdict,
    First,
    Result,
    Signature,
    Verdict,
    Violation,
)

__all__ = [
    "CountingOracle",
    "Rule",
    "a_judge",
    "after",
    "at_most",
    "bare",
    "claimed_without",
    "forbidden",
    "must",
    "mute",
    "silent",
]

Rule: TypeAlias = Callable[[Trace, str], list[Violation]]


def forbidden(
    trace: Trace, clause: str, *, tool: str, key: str = "", value: str = ""
) -> list[Violation]:
    """No call of `tool`, or none with this argument."""
    return [
        _of_call(clause, call, (call.start,))
        for call in calls_of(trace)
        if call.tool == tool
        and (not key or (isinstance(call.args, dict) and call.args.get(key) == value))
    ]


def at_most(trace: Trace, clause: str, *, tool: str, bound: int) -> list[Violation]:
    """At most `bound` calls of `tool`."""
    calls = [call for call in calls_of(trace) if call.tool == tool]
    starts = tuple(call.start for call in calls)
    return [_of_call(clause, c, starts[: n + 1]) for n, c in enumerate(calls) if n >= bound]


def must(trace: Trace, clause: str, *, tool: str) -> list[Violation]:
    """At least one call of `tool`."""
    if any(call.tool == tool for call in calls_of(trace)):
        return []
    return [Violation(clause=clause, seq=len(trace.events), kind="end", sentence="never called")]


def after(trace: Trace, clause: str, *, first: str, then: str) -> list[Violation]:
    """Each answered `first` has a later `then`."""
    calls = calls_of(trace)
    return [
        Violation(
            clause=clause,
            seq=call.result.seq,
            kind="tool_result",
            tool=first,
            outcome=call.outcome,
            evidence=(call.start, call.result.seq),
            sentence="no later call",
        )
        for call in calls
        if call.tool == first
        and call.result is not None
        and not any(other.tool == then and other.start > call.end for other in calls)
    ]


def claimed_without(trace: Trace, clause: str, *, tool: str, value: str) -> list[Violation]:
    """At each claim with "done" in it, the last result of `tool` has this status."""
    found = []
    for claim in trace.events:
        if isinstance(claim, Claim) and "done" in claim.text:
            results = [
                call
                for call in calls_of(trace)
                if call.tool == tool and call.result is not None and call.end < claim.seq
            ]
            last = results[-1].result if results else None
            status = last.result.get("status") if last and isinstance(last.result, dict) else None
            if status != value:
                proof = () if last is None else (last.seq,)
                found.append(
                    Violation(
                        clause=clause,
                        seq=claim.seq,
                        kind="claim",
                        evidence=(*proof, claim.seq),
                        sentence="claimed without evidence",
                    )
                )
    return found


def _of_call(clause: str, call: Call, evidence: tuple[int, ...]) -> Violation:
    return Violation(
        clause=clause,
        seq=call.start,
        kind="tool_call",
        tool=call.tool,
        evidence=evidence,
        sentence="a call too many",
    )


def a_judge(*rules: Rule) -> Callable[[Trace], Verdict]:
    """Return a picklable oracle of these rules; clause n is `rule/n`."""
    return partial(_judged, rules=rules)


def _judged(trace: Trace, *, rules: tuple[Rule, ...]) -> Verdict:
    found: list[Violation] = []
    clauses: list[ClauseVerdict] = []
    for n, rule in enumerate(rules, start=1):
        violations = rule(trace, f"rule/{n}")
        found += violations
        clauses.append(
            ClauseVerdict(
                clause=f"rule/{n}",
                result=Result.FAIL if violations else Result.PASS,
                sentence="",
                evidence=_support(trace, rule, violations),
                violations=tuple(violations),
            )
        )
    first = min(found, key=lambda v: (v.seq, v.clause), default=None)
    signature = Signature()
    if first is not None:
        signature = Signature(
            clauses=frozenset(v.clause for v in found),
            first=First(
                clause=first.clause, kind=first.kind, tool=first.tool, outcome=first.outcome
            ),
        )
    return Verdict(
        result=Result.FAIL if found else Result.PASS,
        clauses=tuple(clauses),
        violations=tuple(found),
        signature=signature,
    )


def _support(trace: Trace, rule: Rule, violations: list[Violation]) -> tuple[int, ...]:
    """What made a rule so; for one that holds because a call was made: that call."""
    if violations:
        return tuple(sorted({seq for v in violations for seq in v.evidence}))
    tools = {str(v) for k, v in getattr(rule, "keywords", {}).items() if k in {"tool", "then"}}
    return tuple(
        seq
        for call in calls_of(trace)
        if call.tool in tools
        for seq in (call.start, call.end)
        if seq < len(trace.events)
    )


def bare(oracle: Callable[[Trace], Verdict]) -> Callable[[Trace], Verdict]:
    """Return the oracle without everything that it explains, as a foreign one would be."""
    return partial(_bare, oracle=oracle)


def _bare(trace: Trace, *, oracle: Callable[[Trace], Verdict]) -> Verdict:
    verdict = oracle(trace)
    return Verdict(result=verdict.result, clauses=(), violations=(), signature=verdict.signature)


def mute(oracle: Callable[[Trace], Verdict]) -> Callable[[Trace], Verdict]:
    """Return an oracle that says no more than that it fails, and lets nobody see it read."""
    return partial(_mute, oracle=oracle)


def _mute(trace: Trace, *, oracle: Callable[[Trace], Verdict]) -> Verdict:
    verdict = oracle(copy.deepcopy(trace))
    signature = verdict.signature
    if signature:
        signature = Signature(
            clauses=signature.clauses, first=First(clause=min(signature.clauses), kind="end")
        )
    return Verdict(result=verdict.result, clauses=(), violations=(), signature=signature)


def silent(trace: Trace) -> str:
    """Return all that is in a trace, for comparisons across processes; an oracle that does read nothing.

    The events' own `repr` holds no text of a trace.
    """
    return json.dumps(
        [
            [event.kind, *(repr(getattr(event, field.name)) for field in fields(event))]
            for event in trace.events
        ]
    )


class CountingOracle:
    """Counts how often it is asked, and can fail at the n-th time."""

    def __init__(
        self,
        oracle: Callable[[Trace], Verdict],
        *,
        fail_at: int = 0,
        error: type[BaseException] = KeyboardInterrupt,
    ) -> None:
        self.calls = 0
        self._oracle = oracle
        self._fail_at = fail_at
        self._error = error

    def __call__(self, trace: Trace) -> Verdict:
        """Judge, or fail as told."""
        self.calls += 1
        if self.calls == self._fail_at:
            raise self._error
        return self._oracle(trace)


def user_texts(trace: Trace) -> list[str]:
    """Return what the user said."""
    return [event.text for event in trace.events if isinstance(event, UserMessage)]


def tools_called(trace: Trace) -> list[str]:
    """Return the tools of the calls, in order."""
    return [event.tool for event in trace.events if isinstance(event, ToolCall)]

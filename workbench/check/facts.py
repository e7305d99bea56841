"""What clauses ask of one trace, each computed at most once.

`Facts` is a working index, not a value: it lives for one judgement of one trace.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING

from workbench.check.claims import claim_outcome
from workbench.check.globs import glob_matches
from workbench.check.operations import operation_ids
from workbench.check.outcomes import declared_effects
from workbench.check.selectors import Stage, concerns, selects
from workbench.model.contract import Contract, FixPlace, Selector
from workbench.model.event import (
    Claim,
    ClaimOutcome,
    Event,
    ModelReply,
    ModelRequest,
    Outcome,
    Requestor,
    ToolCall,
    ToolResult,
    UserMessage,
)
from workbench.model.trace import Call, Effect, Trace, calls_of
from workbench.model.verdict import ClauseVerdict, Result, Violation

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Claimed", "Facts", "failed", "inconclusive", "passed", "times"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """One claim, in words or by a call of a tool that stands for a claim."""

    seq: int
    outcome: ClaimOutcome


class Facts:
    """One resolved trace under one contract."""

    def __init__(self, trace: Trace, contract: Contract) -> None:
        self.trace = trace
        self.contract = contract
        self.events = trace.events
        self.end = len(trace.events)
        self.gaps: list[Call] = []
        """Calls after which the run says little: no fixture, or blocked and not forbidden."""
        self._gap_starts: frozenset[int] = frozenset()
        self.excuse(frozenset())

    @cached_property
    def _of_kind(self) -> dict[type, list[Event]]:
        """Events by class; each list in the order of the trace."""
        found: dict[type, list[Event]] = {}
        for event in self.events:
            kind = type(event)
            if kind in found:
                found[kind].append(event)
            else:
                found[kind] = [event]
        return found

    # --- calls ---------------------------------------------------------------

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """All calls in the order they were requested."""
        return calls_of(self.trace)

    @cached_property
    def _by_tool(self) -> dict[str, list[Call]]:
        found: dict[str, list[Call]] = {}
        for call in self.calls:
            tool = call.request.tool
            if tool in found:
                found[tool].append(call)
            else:
                found[tool] = [call]
        return found

    @cached_property
    def _by_id(self) -> dict[str, Call]:
        return {call.request.call_id: call for call in self.calls}

    @cached_property
    def tool_names(self) -> frozenset[str]:
        """Tools that the run could use or did use."""
        return frozenset(self._by_tool) | {tool.name for tool in self.trace.tools}

    @cached_property
    def effects(self) -> dict[str, Effect]:
        """Declared effects."""
        return declared_effects(self.trace)

    @property
    def counted(self) -> Stage:
        """The stage that prohibitions and counts ask for."""
        return Stage.REQUESTED if self.contract.fix is FixPlace.MODEL else Stage.ATTEMPTED

    def about(self, selector: Selector) -> list[Call]:
        """Return the calls that a selector is about, however they ended, by start."""
        return [call for call in self._of_tools(selector.tool) if concerns(selector, call)]

    def select(self, selector: Selector, stage: Stage) -> list[Call]:
        """Return the calls that a selector chooses, by start."""
        return [call for call in self._of_tools(selector.tool) if selects(selector, call, stage)]

    def of_tool(self, tool: str) -> list[Call]:
        """Return the calls of the tools that a glob names, by start."""
        return list(self._of_tools(tool))

    def _of_tools(self, glob: str) -> Iterable[Call]:
        groups = [calls for name, calls in self._by_tool.items() if glob_matches(glob, name)]
        if len(groups) == 1:
            return groups[0]
        return sorted((call for calls in groups for call in calls), key=lambda call: call.start)

    @cached_property
    def own_calls(self) -> list[Call]:
        """Calls of the agent and its sub-agents."""
        return [call for call in self.calls if call.request.requestor is Requestor.AGENT]

    def ended(self, call: Call) -> int:
        """Return where a call was over: its result, or the next reply when it has none."""
        if call.result is not None:
            return call.end
        at = bisect_right(self._model_seqs, call.start)
        return self._model_seqs[at] if at < len(self._model_seqs) else self.end

    def asked_until(self, call: Call) -> int:
        """Return the start of the last call of the reply that asked for a call."""
        return self._turn_ends.get(call.request.turn, call.start)

    @cached_property
    def _turn_ends(self) -> dict[int, int]:
        return {call.request.turn: call.start for call in self.calls if call.request.turn}

    @cached_property
    def _model_seqs(self) -> list[int]:
        kinds = self._of_kind
        events = (*kinds.get(ModelReply, ()), *kinds.get(ModelRequest, ()))
        return sorted(event.seq for event in events)

    @cached_property
    def operations(self) -> list[Call]:
        """Writes that carry an operation id, by start."""
        return [
            call
            for call in self.calls
            if self.effects.get(call.tool, Effect.WRITE) is Effect.WRITE and operation_ids(call)
        ]

    # --- gaps: what a replay could not answer ---------------------------------

    def excuse(self, forbidden: frozenset[int]) -> None:
        """Take blocked calls that start here for right refusals: a clause forbids them."""
        self.gaps = [
            call
            for call in self._unanswered
            if call.outcome is Outcome.MISSING_FIXTURE or call.start not in forbidden
        ]
        self._gap_starts = frozenset(call.start for call in self.gaps)

    @cached_property
    def _unanswered(self) -> list[Call]:
        refused = (Outcome.MISSING_FIXTURE, Outcome.BLOCKED)
        return [call for call in self.own_calls if call.outcome in refused]

    def gap_after(self, position: int) -> Call | None:
        """Return the first gap that starts after a position."""
        at = bisect_right(self.gaps, position, key=attrgetter("start"))
        return self.gaps[at] if at < len(self.gaps) else None

    def is_unclear(self, call: Call) -> bool:
        """Whether nothing is known of how a call ended."""
        return call.outcome is Outcome.MISSING or call.start in self._gap_starts

    def unclear(self, calls: Iterable[Call]) -> Call | None:
        """Return the first of these calls that has no known outcome."""
        return next(filter(self.is_unclear, calls), None)

    # --- claims ----------------------------------------------------------------

    @cached_property
    def claims(self) -> tuple[Claimed, ...]:
        """All claims in order, with what they claim."""
        rules = self.contract.claims
        found = [
            Claimed(seq=event.seq, outcome=claim_outcome(event, rules))
            for event in self._of_kind.get(Claim, ())
            if isinstance(event, Claim)
        ]
        for glob, outcome in rules.tools.items():
            found.extend(
                Claimed(seq=call.start, outcome=outcome)
                for call in self._of_tools(glob)
                if call.request.requestor is Requestor.AGENT
            )
        return tuple(sorted(found, key=lambda claimed: claimed.seq))

    @cached_property
    def final_claim(self) -> Claimed | None:
        """The last claim."""
        return self.claims[-1] if self.claims else None

    @cached_property
    def answer(self) -> Claim | None:
        """The last text shown to a person."""
        return next((e for e in reversed(self.events) if isinstance(e, Claim)), None)

    # --- places ----------------------------------------------------------------

    @cached_property
    def duty(self) -> tuple[int, ...]:
        """What an absence rests on: the request, and the last claim or event."""
        asked = next((e.seq for e in self.events if isinstance(e, UserMessage)), None)
        last = self.final_claim.seq if self.final_claim is not None else self.end - 1
        return tuple(sorted({seq for seq in (asked, last) if seq is not None and seq >= 0}))

    def pair(self, *calls: Call) -> tuple[int, ...]:
        """Return the positions of calls and their results, ascending."""
        ends = (call.end for call in calls if call.result is not None)
        return tuple(sorted({*(call.start for call in calls), *ends}))

    def violation(
        self, clause: str, seq: int, sentence: str, evidence: Iterable[int] = ()
    ) -> Violation:
        """Return a violation at a position; kind, tool and outcome are those of its event."""
        kind, tool, outcome = "end", None, None
        if seq < self.end:
            event = self.events[seq]
            kind = event.kind
            tool, outcome = self._tool_and_outcome(event)
        return Violation(
            clause=clause,
            seq=seq,
            kind=kind,
            tool=tool,
            outcome=outcome,
            evidence=tuple(sorted({*evidence} | ({seq} if seq < self.end else set()))),
            sentence=sentence,
        )

    def _tool_and_outcome(self, event: Event) -> tuple[str | None, str | None]:
        if isinstance(event, ToolCall | ToolResult):
            call = self._by_id.get(event.call_id)
            return (None, None) if call is None else (call.tool, call.outcome.value)
        if isinstance(event, Claim):
            return None, claim_outcome(event, self.contract.claims).value
        return None, None


def times(count: int) -> str:
    """Say how often, for a sentence: `once`, `4 times`.

    >>> times(1), times(4)
    ('once', '4 times')
    """
    return "once" if count == 1 else f"{count} times"


def passed(clause: str, sentence: str, evidence: Iterable[int] = ()) -> ClauseVerdict:
    """Return that a clause holds."""
    return ClauseVerdict(
        clause=clause, result=Result.PASS, sentence=sentence, evidence=_ascending(evidence)
    )


def inconclusive(clause: str, sentence: str, evidence: Iterable[int] = ()) -> ClauseVerdict:
    """Return that nothing can be said of a clause."""
    return ClauseVerdict(
        clause=clause, result=Result.INCONCLUSIVE, sentence=sentence, evidence=_ascending(evidence)
    )


def failed(clause: str, violations: Iterable[Violation]) -> ClauseVerdict:
    """Return that a clause is broken; `violations`: at least one, in trace order."""
    broken = tuple(violations)
    return ClauseVerdict(
        clause=clause,
        result=Result.FAIL,
        sentence=broken[0].sentence,
        evidence=_ascending(seq for violation in broken for seq in violation.evidence),
        violations=broken,
    )


def _ascending(seqs: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(set(seqs)))

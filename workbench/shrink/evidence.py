"""What a verdict says about where a failure comes from, as units of the original trace.

Positions in a verdict are those of the trace that was judged. An oracle that replays may number
events otherwise; then a position is not believed, and the first event of the right kind and tool
stands in. A wrong guess costs calls, never correctness: every candidate is judged.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from workbench.model.event import Claim, Requestor, ToolCall, ToolResult
from workbench.shrink.trials import Target, undecided

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from workbench.model.verdict import ClauseVerdict, Signature, Verdict, Violation
    from workbench.shrink.space import Candidate, Space

__all__ = ["Evidence"]

_END = "end"


class Evidence:
    """Reads verdicts about candidates of one space."""

    def __init__(self, space: Space) -> None:
        self._space = space
        events = space.trace.events
        tool_by_id = {e.call_id: e for e in events if isinstance(e, ToolCall)}
        self._tools = {
            i: tool_by_id[e.call_id].tool
            for i, e in enumerate(events)
            if isinstance(e, ToolCall | ToolResult) and e.call_id in tool_by_id
        }
        self._read_by_agent = {
            i
            for i, e in enumerate(events)
            if isinstance(e, ToolResult)
            and e.call_id in tool_by_id
            and tool_by_id[e.call_id].requestor is not Requestor.USER
        }

    def violated(self, candidate: Candidate, verdict: Verdict) -> frozenset[int]:
        """Return the units behind the first violation of each clause."""
        first: dict[str, Violation] = {}
        for violation in sorted(verdict.violations, key=lambda v: (v.seq, v.clause)):
            first.setdefault(violation.clause, violation)
        return self._units(candidate, first.values(), ())

    def of_clauses(
        self, candidate: Candidate, verdict: Verdict, clauses: frozenset[str]
    ) -> frozenset[int]:
        """Return the units behind everything that was said about these clauses."""
        violations = [v for v in verdict.violations if v.clause in clauses]
        said = [c for c in verdict.clauses if c.clause in clauses]
        return self._units(candidate, violations, said)

    def named(self, signature: Signature) -> frozenset[int]:
        """Return all units of the kind and tool that a signature names first."""
        first = signature.first
        if first is None or first.kind == _END:
            return frozenset()
        return frozenset(
            unit
            for position, unit in self._space.layout.unit_at.items()
            if self._space.trace.events[position].kind == first.kind
            and first.tool in (None, self._tools.get(position))
        )

    def at(self, positions: Iterable[int]) -> frozenset[int]:
        """Return the units of these events of the original."""
        return frozenset(unit for position in positions for unit in self._unit(position))

    def missed(self, target: Target, verdict: Verdict) -> frozenset[str]:
        """Return the clauses for which a candidate's verdict differs from the target."""
        wanted, found = target.signature, verdict.signature
        clauses = wanted.clauses ^ found.clauses
        if wanted.first != found.first:
            clauses |= {first.clause for first in (wanted.first, found.first) if first is not None}
        return clauses | (undecided(verdict) - target.open_clauses)

    def held(self, candidate: Candidate, verdict: Verdict) -> frozenset[int]:
        """Return the units that stay whatever the contract reads.

        These are what the model read just before the first violation, of what the candidate
        kept, and, when something was never done, the end at which that became true.
        """
        return self._end(verdict) | self._read_before(candidate, verdict, candidate.kept)

    def read_originally(self, candidate: Candidate, verdict: Verdict) -> frozenset[int]:
        """Return what the model had read just before this first violation in the original.

        Differs from what is `held` only when leaving something out made another event the first
        offender.
        """
        return self._read_before(candidate, verdict, range(len(self._space.trace.events)))

    def _end(self, verdict: Verdict) -> frozenset[int]:
        absent = any(violation.kind == _END for violation in verdict.violations)
        if not verdict.violations and verdict.signature.first is not None:
            absent = verdict.signature.first.kind == _END
        last = self._last_unit()
        return frozenset({last} if absent and last is not None else ())

    def _read_before(
        self, candidate: Candidate, verdict: Verdict, kept: Sequence[int]
    ) -> frozenset[int]:
        before = self._decided(candidate, verdict)
        if before is None:
            return frozenset()
        earlier = kept[: bisect_left(kept, before)]
        found = next((at for at in reversed(earlier) if at in self._read_by_agent), None)
        return frozenset(() if found is None else {self._space.layout.unit_at[found]})

    def _last_unit(self) -> int | None:
        """Return the last claim, or the last unit of a run that ends without one."""
        units, events = self._space.layout.units, self._space.trace.events
        claims = [n for n, u in enumerate(units) if isinstance(events[u.events[0]], Claim)]
        return claims[-1] if claims else max(range(len(units)), default=None)

    def _decided(self, candidate: Candidate, verdict: Verdict) -> int | None:
        """Return the position at which the first offender made up its mind."""
        first = min(verdict.violations, key=lambda v: (v.seq, v.clause), default=None)
        if first is not None:
            kind, tool, seq = first.kind, first.tool, first.seq
        elif verdict.signature.first is not None:
            kind, tool, seq = verdict.signature.first.kind, verdict.signature.first.tool, -1
        else:
            return None
        layout = self._space.layout
        if kind == _END:
            last = self._last_unit()
            return None if last is None else layout.units[last].decided
        position = self._offender(candidate, kind, tool, seq)
        unit = None if position is None else layout.unit_at.get(position)
        return position if unit is None else layout.units[unit].decided

    def _offender(self, candidate: Candidate, kind: str, tool: str | None, seq: int) -> int | None:
        fits = (
            position
            for place in (seq, *range(len(candidate.kept)))
            if 0 <= place < len(candidate.kept)
            and candidate.trace.events[place].kind == kind
            and tool in (None, self._tools.get(position := candidate.kept[place]))
        )
        return next(fits, None)

    def _units(
        self,
        candidate: Candidate,
        violations: Iterable[Violation],
        clauses: Iterable[ClauseVerdict],
    ) -> frozenset[int]:
        seqs = [seq for v in violations for seq in (v.seq, *v.evidence)]
        seqs += [seq for clause in clauses for seq in clause.evidence]
        positions = (candidate.kept[seq] for seq in seqs if 0 <= seq < len(candidate.kept))
        return frozenset(unit for position in positions for unit in self._unit(position))

    def _unit(self, position: int) -> Iterator[int]:
        """Yield the unit of an event; a reply or request stands for one unit that it carries."""
        layout = self._space.layout
        unit = layout.unit_at.get(position)
        if unit is not None:
            yield unit
        elif position in layout.carried:
            yield layout.carried[position][0]

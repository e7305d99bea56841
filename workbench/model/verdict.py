"""What judging a trace answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from workbench.model.jsonvalue import JsonMap

__all__ = ["ClauseVerdict", "First", "Result", "Signature", "Suggestion", "Verdict", "Violation"]


class Result(StrEnum):
    """Of a clause, a trace or a case's trials."""

    PASS = "pass"  # noqa: S105  a verdict, not a password
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One clause broken at one event."""

    clause: str
    """Id of the clause, or the name that the contract gives it."""
    seq: int
    """Offending position; for an absence, the event that created the duty, or the event count."""
    kind: str
    """Kind of that event, `end` after the last one."""
    tool: str | None = None
    outcome: str | None = None
    """Outcome of the call, of its result or of the claim; never the detail."""
    evidence: tuple[int, ...] = ()
    """Positions of the events that made it so, ascending."""
    sentence: str
    """For a manager; places, tool names and counts, no other trace text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseVerdict:
    """What one clause answers."""

    clause: str
    result: Result
    sentence: str
    evidence: tuple[int, ...] = ()
    violations: tuple[Violation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class First:
    """The first violation, without anything that shrinking or redaction may change."""

    clause: str
    kind: str
    tool: str | None = None
    outcome: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """The violations that make two failures the same."""

    clauses: frozenset[str] = frozenset()
    first: First | None = None
    """None: nothing was violated."""

    def __bool__(self) -> bool:
        return self.first is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a contract answers about a trace."""

    result: Result
    clauses: tuple[ClauseVerdict, ...]
    violations: tuple[Violation, ...]
    """In order of importance, then of position."""
    signature: Signature


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A clause that a detector of incidents proposes."""

    detector: str
    confidence: str
    """`high`, `medium` or `low`."""
    clause: str
    """Its kind, e.g. `success_requires`."""
    contract: JsonMap
    """A `contract` document that holds it."""
    evidence: tuple[int, ...]
    sentence: str

"""One candidate, one answer: does it still fail the same way?

A policy runs the oracle as often as it needs to and answers with one of three words. It is a
value that can be sent to another process, as are the target and the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeAlias

from workbench.errors import WorkbenchError
from workbench.model.trace import Trace
from workbench.model.verdict import Result, Signature, Verdict

__all__ = ["Answer", "Judged", "Once", "Oracle", "Policy", "Target", "run_policy", "undecided"]

Oracle: TypeAlias = Callable[[Trace], Verdict]


class Answer(StrEnum):
    """What is known of a candidate."""

    SAME = "same"
    """It fails as the original does."""
    OTHER = "other"
    """It passes, fails otherwise, or leaves open what was decided before."""
    UNRESOLVED = "unresolved"
    """Judging it failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What the original's verdict says that every smaller trace must still say."""

    signature: Signature
    open_clauses: frozenset[str] = frozenset()
    """Clauses that are inconclusive already; no other may become so."""

    def is_met(self, verdict: Verdict) -> bool:
        """Whether a verdict is the same failure."""
        return verdict.signature == self.signature and undecided(verdict) <= self.open_clauses


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What judging one candidate gave."""

    answer: Answer
    verdict: Verdict | None = None
    """None: unresolved."""
    trials: int = 1
    """Runs of the oracle."""
    error: str | None = None
    """Type of what the oracle raised; its message may hold text of the trace."""
    refused: bool = False
    """The error says that no such trace can be judged or carried; asking again is no use."""


class Policy(Protocol):
    """How often an oracle is asked, and what its answers amount to."""

    def __call__(self, oracle: Oracle, candidate: Trace, target: Target) -> Judged:
        """Judge one candidate; what the oracle raises comes through."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Once:
    """Ask once: for oracles that answer the same every time."""

    def __call__(self, oracle: Oracle, candidate: Trace, target: Target) -> Judged:
        """Judge one candidate by one run of the oracle."""
        verdict = oracle(candidate)
        answer = Answer.SAME if target.is_met(verdict) else Answer.OTHER
        return Judged(answer=answer, verdict=verdict)


def undecided(verdict: Verdict) -> frozenset[str]:
    """Return the clauses that a verdict leaves open."""
    return frozenset(c.clause for c in verdict.clauses if c.result is Result.INCONCLUSIVE)


def run_policy(policy: Policy, oracle: Oracle, candidate: Trace, target: Target) -> Judged:
    """Judge one candidate here or in another process; an oracle that fails decides nothing."""
    try:
        return policy(oracle, candidate, target)
    except WorkbenchError as error:
        return Judged(answer=Answer.UNRESOLVED, error=type(error).__name__, refused=True)
    except Exception as error:  # noqa: BLE001  an oracle is anybody's code
        return Judged(answer=Answer.UNRESOLVED, error=type(error).__name__)

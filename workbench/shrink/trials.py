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

__all__ = [
    "Answer",
    "Judged",
    "Once",
    "Oracle",
    "Policy",
    "Target",
    "judge_once",
    "run_policy",
    "undecided",
]

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
    slices: tuple[tuple[int, ...], ...] = ()
    """Positions that were read more than others, when the reading was watched."""


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
        return judge_once(oracle, candidate, target)


def judge_once(oracle: Oracle, candidate: Trace, target: Target) -> Judged:
    """Judge one candidate by one run of the oracle; what it raises comes through."""
    verdict = oracle(candidate)
    answer = Answer.SAME if target.is_met(verdict) else Answer.OTHER
    return Judged(answer=answer, verdict=verdict)


def undecided(verdict: Verdict) -> frozenset[str]:
    """Return the clauses that a verdict leaves open."""
    return frozenset(c.clause for c in verdict.clauses if c.result is Result.INCONCLUSIVE)


def run_policy(policy: Policy, oracle: Oracle, candidate: Trace, target: Target) -> Judged:
    """Judge one candidate here or in another process; an oracle that fails decides nothing."""
    trials = 0

    def counted(asked: Trace) -> Verdict:
        nonlocal trials
        trials += 1
        return oracle(asked)

    try:
        return policy(counted, candidate, target)
    except WorkbenchError as error:
        return _unresolved(error, trials, refused=True)
    except Exception as error:  # noqa: BLE001  an oracle is anybody's code
        return _unresolved(error, trials, refused=False)


def _unresolved(error: Exception, trials: int, *, refused: bool) -> Judged:
    return Judged(
        answer=Answer.UNRESOLVED, error=type(error).__name__, trials=max(1, trials), refused=refused
    )

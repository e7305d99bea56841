"""How often a failure shows: counts, an interval, and a test of one rate against half of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import TYPE_CHECKING, Final

from workbench.shrink.trials import Answer, Judged, Oracle, Target

if TYPE_CHECKING:
    from workbench.model.trace import Trace
    from workbench.model.verdict import Verdict

__all__ = ["Rate", "Sequential", "wilson"]

_TWO_SIDED_95: Final = 1.96


def wilson(hits: int, trials: int, *, z: float = _TWO_SIDED_95) -> tuple[float, float]:
    """Return the Wilson score interval of a rate.

    Args:
        hits: trials that failed in the target way, 0 <= hits <= trials.
        trials: all of them, >= 1.
        z: normal quantile, no unit; 1.96 is two-sided 95 %.

    Source:
        E. B. Wilson (1927), J. Am. Stat. Assoc. 22(158), 209-212.

    >>> [round(end, 3) for end in wilson(27, 30)]
    [0.744, 0.965]
    """
    rate = hits / trials
    middle = rate + z * z / (2 * trials)
    spread = z * sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How often a trace failed in the target way."""

    hits: int
    trials: int

    @property
    def value(self) -> float:
        """Hits of a trial."""
        return self.hits / self.trials

    @property
    def interval(self) -> tuple[float, float]:
        """The two-sided 95 % interval."""
        return wilson(self.hits, self.trials)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequential:
    """Ask until it is clear whether a candidate fails at the old rate or at half of it.

    Trials are used in their order. A candidate that is still undecided after `cap` trials is
    rejected: that costs size, and the rate is kept.

    Source:
        A. Wald (1945), Sequential Tests of Statistical Hypotheses, Ann. Math. Stat. 16(2), 117-186.
    """

    rate: float
    """Of the original, 0 < rate <= 1."""
    cap: int = 60
    false_accepts: float = 0.01
    """Of candidates that fail half as often; an error of this kind loses the failure."""
    false_rejects: float = 0.05
    """Of candidates that fail as often; an error of this kind leaves something too much."""

    def __call__(self, oracle: Oracle, candidate: Trace, target: Target) -> Judged:
        """Judge one candidate by as many trials as it takes."""
        rate = min(self.rate, 1 - 1 / (2 * self.cap))  # a rate of 1 would not forgive one miss
        hit, miss = log(2), log((1 - rate) / (1 - rate / 2))
        accept = log((1 - self.false_rejects) / self.false_accepts)
        reject = log(self.false_rejects / (1 - self.false_accepts))
        same: Verdict | None = None
        other: Verdict | None = None
        score, trials = 0.0, 0
        while reject < score < accept and trials < self.cap:
            verdict = oracle(candidate)
            trials += 1
            if target.is_met(verdict):
                score, same = score + hit, same or verdict
            else:
                score, other = score + miss, other or verdict
        if score >= accept:
            return Judged(answer=Answer.SAME, verdict=same, trials=trials)
        return Judged(answer=Answer.OTHER, verdict=other, trials=trials)

"""Intervals for pass rates: what so few trials can and cannot show.

Source:
    E. B. Wilson (1927), J. Am. Stat. Assoc. 22(158), 209-212, for one rate;
    R. G. Newcombe (1998), Statistics in Medicine 17(8), 873-890, method 10, for a difference.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final

__all__ = ["CONFIDENCE", "drop_interval", "fewest_passes", "wilson_interval"]

CONFIDENCE: Final = 0.95
"""Two-sided, where nobody states another."""
_ROUNDING: Final = 1e-9


def wilson_interval(
    passes: int, trials: int, *, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Return Wilson's two-sided score interval of a pass rate, without continuity correction.

    Args:
        passes: trials that passed, 0 <= passes <= trials.
        trials: planned trials, >= 1.
        confidence: 0 < confidence < 1.

    >>> [round(rate, 3) for rate in wilson_interval(20, 20)]
    [0.839, 1.0]
    """
    if trials < 1 or not 0 <= passes <= trials:
        message = f"{passes} passes of {trials} trials"
        raise ValueError(message)
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate, weight = passes / trials, z * z / trials
    middle = rate + weight / 2
    half = z * math.sqrt(rate * (1 - rate) / trials + weight / (4 * trials))
    lower = 0.0 if passes == 0 else (middle - half) / (1 + weight)
    upper = 1.0 if passes == trials else (middle + half) / (1 + weight)
    return lower, upper


def fewest_passes(lower: float, trials: int, *, confidence: float = CONFIDENCE) -> int | None:
    """Return how many of the trials must pass for the lower end to reach a rate; None: no number.

    >>> [fewest_passes(0.5, 20), fewest_passes(0.8, 16), fewest_passes(0.8, 15)]
    [15, 16, None]
    """
    for passes in range(trials + 1):
        if wilson_interval(passes, trials, confidence=confidence)[0] >= lower - _ROUNDING:
            return passes
    return None


def drop_interval(
    before: tuple[int, int], now: tuple[int, int], *, confidence: float = CONFIDENCE
) -> tuple[float, float]:
    """Return Newcombe's interval of how far a pass rate fell; wholly above 0: it is no chance.

    Args:
        before: passes and trials of the baseline.
        now: passes and trials of this run.
        confidence: 0 < confidence < 1.

    >>> [round(end, 4) for end in drop_interval((56, 70), (48, 80))]
    [0.0524, 0.3339]
    """
    first, second = before[0] / before[1], now[0] / now[1]
    low_1, high_1 = wilson_interval(*before, confidence=confidence)
    low_2, high_2 = wilson_interval(*now, confidence=confidence)
    drop = first - second
    return (
        drop - math.hypot(first - low_1, high_2 - second),
        drop + math.hypot(high_1 - first, second - low_2),
    )

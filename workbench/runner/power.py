"""What a number of trials can miss, in words, so that nobody takes 20 of 20 for a proof."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Final

__all__ = ["chance_of_passing", "describe_power", "describe_rule_power", "slipping_rate"]

_RARE: Final = 0.01
_SLIPS: Final = 0.05
_CLOSE: Final = 0.02
_STEPS: Final = 40


def describe_power(trials: int) -> str:
    """Say how often so many clean trials miss a violation that happens once in 100 runs.

    >>> describe_power(20)
    '20 clean trials miss a 1 % violation 4 times in 5'
    >>> describe_power(1)
    '1 clean trial misses a 1 % violation 99 times in 100'
    """
    missed = (1 - _RARE) ** trials
    verb = "trial misses" if trials == 1 else "trials miss"
    return f"{trials} clean {verb} a 1 % violation {_times(missed)}"


def _times(chance: float) -> str:
    """Return a chance as a simple fraction that is close, else in hundredths."""
    for below in range(2, 11):
        near = Fraction(chance).limit_denominator(below)
        if 0 < near < 1 and abs(near - Fraction(chance)) <= _CLOSE:
            return f"{_often(near.numerator)} in {near.denominator}"
    hundredths = round(chance * 100)
    return f"{_often(hundredths)} in 100" if hundredths else "less than once in 100"


def _often(times: int) -> str:
    return "once" if times == 1 else f"{times} times"


def describe_rule_power(needed: int, trials: int) -> str:
    """Say which pass rate still gets through a rule once in 20 nights.

    >>> describe_rule_power(16, 20)
    'an agent that passes 60 % of its runs gets through once in 20'
    """
    rate = slipping_rate(needed, trials)
    return f"an agent that passes {rate:.0%} of its runs gets through once in 20".replace("%", " %")


@lru_cache
def slipping_rate(needed: int, trials: int) -> float:
    """Return the pass rate at which a rule is green once in 20 times."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if chance_of_passing(needed, trials, rate=middle) < _SLIPS:
            low = middle
        else:
            high = middle
    return low


def chance_of_passing(needed: int, trials: int, *, rate: float) -> float:
    """Return how likely at least `needed` of the trials pass, for 0 < rate < 1.

    >>> round(chance_of_passing(16, 20, rate=0.8), 3)
    0.63
    """
    ways = math.lgamma(trials + 1)
    return math.fsum(
        math.exp(
            ways
            - math.lgamma(passes + 1)
            - math.lgamma(trials - passes + 1)
            + passes * math.log(rate)
            + (trials - passes) * math.log1p(-rate)
        )
        for passes in range(needed, trials + 1)
    )

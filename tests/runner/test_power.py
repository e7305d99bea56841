"""What a number of trials can miss."""

from __future__ import annotations

import pytest
from scipy.stats import binom

from workbench.runner.power import (
    chance_of_passing,
    describe_power,
    describe_rule_power,
    slipping_rate,
)


@pytest.mark.parametrize(
    ("trials", "sentence"),
    [
        (1, "1 clean trial misses a 1 % violation 99 times in 100"),
        (5, "5 clean trials miss a 1 % violation 95 times in 100"),
        (20, "20 clean trials miss a 1 % violation 4 times in 5"),
        (69, "69 clean trials miss a 1 % violation once in 2"),
        (300, "300 clean trials miss a 1 % violation 5 times in 100"),
        (460, "460 clean trials miss a 1 % violation once in 100"),
        (600, "600 clean trials miss a 1 % violation less than once in 100"),
    ],
)
def test_the_sentence_is_the_binomial_in_plain_words(trials, sentence):
    """0.99 to the n, as a person says it."""
    assert describe_power(trials) == sentence


@pytest.mark.parametrize(("needed", "trials"), [(1, 1), (4, 5), (16, 20), (95, 100), (1500, 2000)])
@pytest.mark.parametrize("rate", [0.05, 0.5, 0.8, 0.999])
def test_the_chance_of_passing_is_scipys(needed, trials, rate):
    """Also where factorials no longer fit a float."""
    theirs = binom.sf(needed - 1, trials, rate)

    assert chance_of_passing(needed, trials, rate=rate) == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize(("needed", "trials"), [(1, 1), (4, 5), (5, 5), (16, 20)])
def test_the_slipping_rate_gets_through_once_in_twenty(needed, trials):
    """What a reader may fear of a green gate."""
    rate = slipping_rate(needed, trials)

    assert chance_of_passing(needed, trials, rate=rate) == pytest.approx(0.05, abs=1e-6)


def test_a_rule_says_what_slips_through():
    """20 of 20 still lets an agent through that fails one run in seven."""
    assert describe_rule_power(20, 20) == (
        "an agent that passes 86 % of its runs gets through once in 20"
    )

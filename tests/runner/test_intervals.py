"""Intervals of pass rates, against SciPy and against published figures."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from scipy.stats import binomtest

from workbench.casefile.gate_checks import trials_needed
from workbench.runner.intervals import drop_interval, fewest_passes, wilson_interval

COUNTS = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize("confidence", [0.8, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("trials", [1, 2, 3, 5, 10, 20, 35, 100, 381])
def test_wilson_is_scipys(trials, confidence):
    """A gate is a promise; its formula must not be ours alone."""
    for passes in range(trials + 1):
        theirs = binomtest(passes, trials).proportion_ci(confidence, method="wilson")

        ours = wilson_interval(passes, trials, confidence=confidence)

        assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.parametrize(
    ("before", "now", "lower", "upper"),
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((0, 10), (0, 10), -0.2775, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1.0000),
        ((10, 10), (0, 10), 0.6075, 1.0000),
    ],
)
def test_newcombe_is_the_published_table(before, now, lower, upper):
    """Table II, method 10, of the paper: eight examples of the author."""
    found = drop_interval(before, now)

    assert found == pytest.approx((lower, upper), abs=5e-5)


@given(before=COUNTS, now=COUNTS)
def test_a_drop_is_a_rise_seen_from_the_other_side(before, now):
    """The interval has no favourite."""
    low, high = drop_interval(before, now)
    back = drop_interval(now, before)

    assert (-high, -low) == pytest.approx(back, abs=1e-12)
    assert low <= before[0] / before[1] - now[0] / now[1] <= high


@given(counts=COUNTS)
def test_wilsons_interval_holds_the_rate_and_stays_within_0_and_1(counts):
    """A bound outside could never be asked for."""
    low, high = wilson_interval(*counts)

    assert 0 <= low <= counts[0] / counts[1] <= high <= 1


@pytest.mark.parametrize("rate", [0.5, 0.8, 0.9, 0.95, 0.99])
def test_the_fewest_passes_agree_with_what_the_case_format_promises(rate):
    """All-pass needs n >= 4, 16, 35, 73, 381; one trial fewer is out of reach."""
    needed = trials_needed(rate)

    assert fewest_passes(rate, needed) == needed
    assert fewest_passes(rate, needed - 1) is None


@given(trials=st.integers(1, 60), lower=st.floats(0.01, 0.95))
def test_one_pass_fewer_than_the_fewest_is_too_few(trials, lower):
    """The least number is the least."""
    fewest = fewest_passes(lower, trials)

    if fewest is None:
        assert wilson_interval(trials, trials)[0] < lower
    else:
        assert wilson_interval(fewest, trials)[0] >= lower - 1e-9
        assert fewest == 0 or wilson_interval(fewest - 1, trials)[0] < lower


@pytest.mark.parametrize(("passes", "trials"), [(0, 0), (-1, 5), (6, 5)])
def test_counts_that_cannot_be_are_refused(passes, trials):
    """A slip in the arithmetic must not become a rate."""
    with pytest.raises(ValueError, match="passes of"):
        wilson_interval(passes, trials)


def test_twenty_of_twenty_reach_80_per_cent_and_nineteen_do_not():
    """Why a release that asks for 80 % cannot lose one run of twenty."""
    assert round(wilson_interval(20, 20)[0], 4) == 0.8389
    assert round(wilson_interval(19, 20)[0], 4) == 0.7639
    assert fewest_passes(0.8, 20) == 20

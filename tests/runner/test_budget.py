"""Budgets: an estimate before, a stop between trials, and what was taken."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.runner.cases import a_pause_case
from tests.runner.results import a_trial
from workbench.errors import InputError
from workbench.runner.budget import Budget, Meter, Price, estimate_run, recorded_usage
from workbench.runner.reports.estimate import estimate_line

PRICE = Price(input_usd=10, output_usd=100)
CASE = a_pause_case()
SILENT = a_pause_case(texts={", usage: {input_tokens: 812, output_tokens: 31}": ""})


class Clock:
    """A clock that a test moves."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        """Return the time."""
        return self.now


def test_the_recorded_usage_is_the_estimate_of_a_trial():
    """It is all that is known before the first one."""
    assert recorded_usage(CASE) == (812, 31)
    assert recorded_usage(SILENT) is None


def test_an_estimate_is_cases_times_trials_times_tokens():
    """And says how many cases it knows nothing of."""
    estimate = estimate_run([(CASE, 20), (SILENT, 5)])

    assert (estimate.trials, estimate.input_tokens, estimate.output_tokens) == (25, 16240, 620)
    assert (estimate.known, estimate.unknown) == (1, 1)


@pytest.mark.parametrize(
    ("cases", "budget", "line"),
    [
        (
            [(CASE, 20)],
            Budget(price=PRICE, usd=1, minutes=30),
            "20 live trials; about 16,860 tokens, 0.22 USD; stops at 1 USD, 30 minutes",
        ),
        (
            [(CASE, 1), (SILENT, 1)],
            Budget(tokens=50_000),
            "2 live trials; about 843 tokens; and those of 1 case that records no usage; stops at 50,000 tokens",
        ),
        (
            [(SILENT, 1)],
            Budget(),
            "1 live trial; tokens unknown: no case records usage; no budget set",
        ),
        ([], Budget(), "0 live trials; tokens unknown: no case records usage; no budget set"),
    ],
)
def test_the_line_before_a_live_run(cases, budget, line):
    """Nobody should learn the price from the bill."""
    assert estimate_line(Meter(budget).result(estimate_run(cases))) == line


@pytest.mark.parametrize(
    ("budget", "trials", "reason"),
    [
        (Budget(tokens=250), 3, "the budget of 250 tokens is spent"),
        (Budget(tokens=300), 3, "the budget of 300 tokens is spent"),
        (Budget(usd=0.005, price=PRICE), 2, "the budget of 0.005 usd is spent"),
        (Budget(price=PRICE), 9, None),
    ],
)
def test_a_budget_ends_the_run_between_two_trials(budget, trials, reason):
    """A trial takes 80 + 20 tokens, so 0.0028 dollars."""
    meter = Meter(budget)
    ran = 0

    while meter.may_start() and ran < 9:
        meter.spend(a_trial(), case=CASE)
        ran += 1

    assert (ran, meter.stopped) == (trials, reason)


def test_time_is_a_budget_too():
    """A night has an end."""
    clock = Clock()
    meter = Meter(Budget(minutes=2), clock=clock)

    clock.now = 119
    assert meter.may_start()
    clock.now = 120
    assert not meter.may_start()
    clock.now = 0

    assert not meter.may_start()
    assert meter.result(None).stopped == "the budget of 2 minutes is spent"


def test_a_provider_that_counts_nothing_is_counted_by_what_was_recorded():
    """Else a budget of tokens would never end."""
    meter = Meter(Budget(tokens=1_000))

    meter.spend(a_trial(tokens=0, input_tokens=0, output_tokens=0), case=CASE)
    meter.spend(a_trial(tokens=0, input_tokens=0, output_tokens=0), case=SILENT)

    assert meter.result(None).spent_tokens == 843


def test_a_result_says_limits_and_what_was_taken():
    """For the report, and for tomorrow's limit."""
    clock = Clock()
    meter = Meter(Budget(usd=1, tokens=500, minutes=3, price=PRICE), clock=clock)
    meter.spend(a_trial(), case=CASE)
    clock.now = 30

    found = meter.result(estimate_run([(CASE, 2)]))

    assert (found.limit_usd, found.limit_tokens, found.limit_minutes) == (1, 500, 3)
    assert (found.spent_tokens, found.spent_minutes) == (100, 0.5)
    assert found.spent_usd == pytest.approx(0.0028)
    assert (found.trials, found.estimated_tokens, found.unestimated) == (2, 1686, 0)
    assert found.estimated_usd == pytest.approx(0.02244)
    assert found.stopped is None


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"usd": 0.0, "price": PRICE}, "--budget-usd: is 0.0; expected more than 0"),
        ({"tokens": -1}, "--budget-tokens: is -1"),
        ({"minutes": float("nan")}, "--budget-minutes: is nan"),
        ({"minutes": float("inf")}, "--budget-minutes: is inf"),
        ({"usd": 5.0}, "--budget-usd: needs the price of the model's tokens"),
    ],
)
def test_a_limit_that_nothing_can_be_held_against_is_refused(limits, words):
    """A budget that never stops is worse than none."""
    with pytest.raises(InputError) as caught:
        Budget(**limits)

    assert str(caught.value).startswith(words)
    assert "Fix: " in str(caught.value)


def test_no_limit_is_no_budget():
    """A price alone limits nothing."""
    assert not Budget(price=PRICE).is_limited
    assert replace(Budget(), minutes=1).is_limited

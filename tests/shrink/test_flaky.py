"""A failure that does not show every time shows as often when its trace is small.

The simulation is a run with twelve calls that do not matter, one without which the failure never
shows, and three that each double its chance. An oracle answers by a seeded draw, so every figure
here is the same in every run.
"""

from __future__ import annotations

import random
import statistics
from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.builders import a_call, a_claim, a_trace, a_user
from tests.long import is_long
from tests.shrink.rules import a_judge, forbidden, tools_called
from workbench.errors import InputError, RefusedError
from workbench.model.verdict import Verdict
from workbench.shrink import Budget, Flaky, Once, shrink_trace
from workbench.shrink.rate import Rate, Sequential, wilson
from workbench.shrink.trials import Answer, Target

if TYPE_CHECKING:
    from workbench.model.trace import Trace

FAILS = a_judge(partial(forbidden, tool="pay"))
PASSES = a_judge()
HELPERS = ("hint", "push", "nag")
FREE = Budget(calls=None, seconds=None)
RUNS = 60 if is_long() else 24


def a_flaky_trace() -> Trace:
    """Return a run with noise, helpers and the failure."""
    noise = [a_call("look", args={"n": n}) for n in range(12)]
    parts = [*noise[:3], a_call("hint"), *noise[3:6], a_call("push"), *noise[6:9], a_call("nag")]
    return a_trace(a_user(), *parts, *noise[9:], a_call("pay"), a_claim("ok"))


class Drawn:
    """Fails at a true rate that the trace itself determines, by seeded draws."""

    def __init__(self, rate: float, seed: int) -> None:
        self.rate = rate
        self.trials = 0
        self._draws = random.Random(seed)  # noqa: S311  a simulation

    def true_rate(self, trace: Trace) -> float:
        """Half as often for each helper that is gone."""
        tools = set(tools_called(trace))
        missing = sum(helper not in tools for helper in HELPERS)
        return self.rate * 0.5**missing if "pay" in tools else 0.0

    def __call__(self, trace: Trace) -> Verdict:
        """Run once: fail, or not, without an explanation."""
        self.trials += 1
        verdict = (FAILS if self._draws.random() < self.true_rate(trace) else PASSES)(trace)
        return Verdict(
            result=verdict.result, clauses=(), violations=(), signature=verdict.signature
        )


def simulated(rate: float, seed: int, policy: Flaky | Once) -> tuple[float, int, int] | None:
    """Return true rate, calls left and trials used of one search; None: refused."""
    oracle = Drawn(rate, seed)
    try:
        shrunk = shrink_trace(
            a_flaky_trace(),
            oracle,
            target=FAILS(a_flaky_trace()).signature,
            policy=policy,
            budget=FREE,
        )
    except (RefusedError, InputError):
        return None
    assert shrunk.trials == oracle.trials
    return oracle.true_rate(shrunk.trace), len(tools_called(shrunk.trace)), shrunk.trials


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.9, 0.7, 0.5, 0.3])
def test_the_rate_is_kept_within_a_twentieth(rate, record_property):
    """The figures of the design page, with our scheme; a refusal keeps the rate too."""
    found = [simulated(rate, seed, Flaky()) for seed in range(RUNS)]

    kept = [one for one in found if one is not None]
    record_property("trials", statistics.median(one[2] for one in kept))
    assert statistics.mean(one[0] for one in kept) >= rate - 0.05
    assert statistics.median(one[1] for one in kept) <= 8
    assert len(kept) >= RUNS * (0.9 if rate > 0.35 else 0.2)


def test_one_trial_a_candidate_loses_the_rate():
    """So the simulation shows something: this is what happens without the scheme."""
    found = [simulated(0.9, seed, Once()) for seed in range(20)]

    assert statistics.mean(one[0] for one in found if one is not None) < 0.5


def test_a_failure_that_shows_every_time_is_asked_once_and_confirmed_twenty_times():
    """Ten trials of the original, one a candidate, twenty at the end."""
    once = shrink_trace(a_flaky_trace(), FAILS)

    shrunk = shrink_trace(a_flaky_trace(), FAILS, policy=Flaky())

    assert shrunk.trace == once.trace
    assert shrunk.rate_before == Rate(hits=10, trials=10)
    assert shrunk.rate_after == Rate(hits=20, trials=20)
    assert shrunk.trials == 10 + (once.calls - 1) + 20 + 20


def test_a_failure_that_only_seemed_certain_is_found_out_at_the_end():
    """Nine of ten can come up ten times; then the steps are taken back and the rate is measured."""
    oracle = Drawn(0.9, 1)

    shrunk = shrink_trace(a_flaky_trace(), oracle, policy=Flaky(calibration=1), budget=FREE)

    assert shrunk.rate_before is not None
    assert shrunk.rate_before.trials >= 60
    assert oracle.true_rate(shrunk.trace) == 0.9
    assert shrunk.rate_after is not None
    low, high = shrunk.rate_after.interval
    assert low <= 0.9 <= high


@pytest.mark.parametrize("policy", [Flaky(), Flaky(calibration=1)])
def test_a_failure_that_shows_too_seldom_is_refused(policy):
    """Hundreds of live runs would prove little; a scripted replay is certain and free."""
    trials = 0

    def seldom(trace: Trace) -> Verdict:
        nonlocal trials
        trials += 1
        return (FAILS if trials % 10 == 1 else PASSES)(trace)

    with pytest.raises(RefusedError, match="too seldom") as caught:
        shrink_trace(a_flaky_trace(), seldom, policy=policy)

    assert "--oracle replay" in str(caught.value.fix)
    assert caught.value.reasons == ("3 of 30 trials failed in this way",)


def test_a_trace_that_never_fails_is_refused():
    """Ten runs without the failure: there is nothing to keep."""
    with pytest.raises(InputError, match="breaks no clause"):
        shrink_trace(a_flaky_trace(), Drawn(0.0, 0), policy=Flaky())


def test_an_oracle_that_always_errs_is_an_input_error():
    """An infrastructure that is down says nothing of the agent."""

    def broken(_: Trace) -> Verdict:
        raise OSError

    with pytest.raises(InputError, match=r"could not be judged \(OSError\)"):
        shrink_trace(a_flaky_trace(), broken, policy=Flaky())


def test_an_interrupted_search_goes_on_without_repeating_a_trial(tmp_path):
    """A live run costs money; the journal holds every one of them."""
    target = FAILS(a_flaky_trace()).signature
    whole = Drawn(0.7, 3)
    wanted = shrink_trace(a_flaky_trace(), whole, target=target, policy=Flaky(), budget=FREE)
    oracle, tries = Drawn(0.7, 3), 0
    while True:
        shrunk = shrink_trace(
            a_flaky_trace(),
            oracle,
            target=target,
            policy=Flaky(),
            budget=Budget(calls=None, seconds=None, trials=90),
            journal=tmp_path / "j.jsonl",
        )
        tries += 1
        if shrunk.why_stopped is None:
            break
        assert shrunk.rate_after is None

    assert tries > 2
    assert shrunk == wanted
    assert oracle.trials == whole.trials


def test_the_sequential_test_stops_early_and_at_its_cap():
    """Clear cases are cheap; what stays unclear is rejected."""
    trace, target = a_flaky_trace(), Target(signature=FAILS(a_flaky_trace()).signature)
    test = Sequential(rate=0.8)

    always = test(FAILS, trace, target)
    never = test(PASSES, trace, target)
    unclear = Sequential(rate=0.8, cap=4)(Drawn(0.6, 1), trace, target)

    assert (always.answer, always.trials) == (Answer.SAME, 7)
    assert (never.answer, never.trials) == (Answer.OTHER, 3)
    assert (unclear.answer, unclear.trials) == (Answer.OTHER, 4)


def test_the_interval_is_that_of_wilson():
    """Known values; it never leaves [0, 1]."""
    assert [round(end, 4) for end in wilson(20, 20)] == [0.8389, 1.0]
    assert wilson(0, 10)[0] == 0.0
    assert Rate(hits=27, trials=30).value == 0.9

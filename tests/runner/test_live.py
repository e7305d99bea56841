"""The live layer, against a stand-in provider on loopback: trials, rules, coverage and exits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.runner.provider import KEY, call, provider, say
from tests.runner.test_trials import an_active_case
from workbench.casefile.contract import load_contract
from workbench.model.contract import FixPlace
from workbench.replay.trial import Limits
from workbench.runner.baseline import Baseline, updated_baseline
from workbench.runner.budget import Budget, Price
from workbench.runner.outcome import BudgetResult, CaseVerdict
from workbench.runner.trials import run_cases

LOOK = call("customer.lookup", email="a@b.example")
PAUSE = call("billing.pause", account_id="ACC-4471902 ", idempotency_key="k7")
READ = call("billing.get_operation", operation_id="op_1")
GOOD = (LOOK, PAUSE, READ, say("I could not confirm that your plan is paused."))
HASTY = (LOOK, PAUSE, say("Your plan is paused."))
TWICE = (LOOK, PAUSE, PAUSE, READ, say("I could not confirm that your plan is paused."))
STRAY = (LOOK, call("customer.lookup", email="c@b.example"), say("I could not confirm it."))
MUTE = (say("I could not do that."),)
DOWN = (503,)


def a_live_case(live=None):
    """Return the incident with an accepted path, claims that can be read, and a gate."""
    case = an_active_case()
    document = {
        **case.contract.document,
        "claims": {"success": ["^Your plan is paused"], "unresolved": ["(?i)could not"]},
    }
    contract = replace(load_contract(document), fix=FixPlace.MODEL)
    return replace(case, contract=contract, gate=None if live is None else {"live": live})


@pytest.fixture(autouse=True)
def key(monkeypatch):
    """A key for the stand-in."""
    monkeypatch.setenv(KEY, "sk-stand-in-0123456789")


def run(case, *trials, **options):
    """Run the plain agent live against a stand-in that gives these replies."""
    known = {name: options.pop(name) for name in ("usage", "cached") if name in options}
    with provider(*trials, **known) as stand_in:
        return run_cases(
            [case],
            **{
                "agent": "python:tests.runner.agents:loop",
                "layer": "live",
                "isolate": "audit",
                "limits": Limits(seconds=20),
                "upstream": stand_in.upstream,
                **options,
            },
        )


SOFT = {"trials": 4, "soft": [{"clauses": ["must_call"], "min_passes": 3}]}


@pytest.mark.parametrize(
    ("live", "trials", "code", "counts"),
    [
        # p, i, n of the whole trials; all clauses hard but must_call, 3 of 4
        (SOFT, [GOOD, GOOD, GOOD, GOOD], 0, (4, 0, 4)),
        # one trial asks for nothing: must_call broken twice in it, 3 of 4 are enough
        (SOFT, [GOOD, MUTE, GOOD, GOOD], 0, (3, 0, 4)),
        (SOFT, [GOOD, MUTE, MUTE, GOOD], 1, (2, 0, 4)),
        # success claimed without read-back: hard, so one of four is red
        (SOFT, [GOOD, HASTY, GOOD, GOOD], 1, (3, 0, 4)),
        # a second pause is answered by nothing (blocked), and is over the limit: hard
        (SOFT, [GOOD, TWICE, GOOD, GOOD], 1, (3, 0, 4)),
        # a call that no fixture answers: nobody knows, the hard clauses stay open
        (SOFT, [GOOD, STRAY, GOOD, GOOD], 6, (3, 1, 4)),
        # the provider is down in one trial, or in all
        (SOFT, [GOOD, DOWN, GOOD, GOOD], 6, (3, 1, 4)),
        (SOFT, [DOWN, DOWN, DOWN, DOWN], 6, (0, 4, 4)),
        # red wins over inconclusive
        (SOFT, [HASTY, DOWN, DOWN, DOWN], 1, (0, 3, 4)),
        # without a gate: one trial, all hard
        (None, [GOOD], 0, (1, 0, 1)),
        (None, [MUTE], 1, (0, 0, 1)),
        (None, [STRAY], 6, (0, 1, 1)),
    ],
)
def test_trial_sets_end_as_computed_by_hand(live, trials, code, counts):
    """Exit 0, 1 and 6 of twelve nights."""
    report = run(a_live_case(live), *trials)

    (case,) = report.cases
    assert case.gate is not None
    assert (case.gate.passes, case.gate.inconclusive, case.gate.trials) == counts, case.trials
    assert report.exit_code == code


def test_a_report_of_a_live_run_says_what_was_measured():
    """Coverage, causes, stubs, versions and tokens."""
    report = run(a_live_case({"trials": 3}), GOOD, STRAY, DOWN, version="support@v44")

    (case,) = report.cases
    assert report.layer == "live"
    assert report.versions == {"agent": "support@v44", "models": ["stand-in-1"]}
    assert [trial.run_id for trial in case.trials] == [
        f"pause-with-unknown-outcome.live.{n}" for n in (1, 2, 3)
    ]
    assert case.coverage == (4, 5)
    assert case.covered_trials == (2, 3)
    assert [miss.tool for miss in case.missing] == ["customer.lookup"]
    assert case.missing[0].differs_at == ("args.email",)
    assert case.gate is not None
    assert case.gate.causes == {"missing_fixture": 1, "provider_error": 1}
    assert case.gate.power == "3 clean trials miss a 1 % violation 97 times in 100"
    assert [trial.tokens for trial in case.trials] == [400, 300, 0]
    assert report.budget is not None
    assert (report.budget.trials, report.budget.spent_tokens) == (3, 400 + 300 + 843)


def test_failures_with_one_cause_are_one_group():
    """Twelve walls of text are one sentence."""
    report = run(a_live_case({"trials": 4}), HASTY, HASTY, GOOD, MUTE)

    (case,) = report.cases
    assert [(group.count, group.of) for group in case.groups] == [(2, 3), (1, 3)]
    assert "billing.get_operation" in case.groups[0].cause
    assert report.groups == case.groups
    assert case.divergence is not None
    assert case.divergence["run_id"] == "pause-with-unknown-outcome.live.1"


def test_a_cached_answer_counts_once():
    """A proxy that caches would make one sample look like four."""
    report = run(a_live_case(SOFT), GOOD, GOOD, GOOD, GOOD, cached=True)

    (case,) = report.cases
    assert [trial.same_replies_as for trial in case.trials] == [None, 1, 1, 1]
    assert case.gate is not None
    assert (case.gate.passes, case.gate.repeated, report.exit_code) == (1, 3, 6)


def test_a_wrapper_that_retries_until_green_changes_no_trial():
    """The agent asks itself again until it likes the answer; the trial saw every call."""
    report = run(
        a_live_case({"trials": 2}),
        *([HASTY, GOOD] * 2),
        agent="python:tests.runner.agents:retries_until_green",
    )

    (case,) = report.cases
    assert len(case.trials) == 2
    assert {trial.verdict for trial in case.trials} == {CaseVerdict.FAIL}
    assert {found.clause for found in case.violations} >= {"max_calls/1"}
    assert report.exit_code == 1


def test_one_violation_in_twenty_is_red():
    """However good the rest is; and a retry of the one would have hidden it."""
    trials = [*[GOOD] * 13, HASTY, *[GOOD] * 6]

    report = run(a_live_case({"trials": 20}), *trials)

    (case,) = report.cases
    assert case.gate is not None
    assert (case.gate.passes, report.exit_code) == (19, 1)
    assert case.gate.near == "near: 19 of 20 can have passed, 20 are needed"
    assert [trial.number for trial in case.trials if trial.verdict is CaseVerdict.FAIL] == [14]


@pytest.mark.parametrize(
    ("budget", "ran", "stopped"),
    [
        (Budget(tokens=500), 2, "the budget of 500 tokens is spent"),
        (
            Budget(usd=0.001, price=Price(input_usd=1, output_usd=1)),
            3,
            "the budget of 0.001 usd is spent",
        ),
        (Budget(tokens=2_000), 4, None),
    ],
)
def test_a_budget_stops_the_run_with_what_was_measured(budget, ran, stopped):
    """The rest is inconclusive, never green and never silently left out."""
    report = run(a_live_case({"trials": 4}), *([GOOD] * 4), budget=budget)

    (case,) = report.cases
    assert len(case.trials) == ran
    assert report.budget is not None
    assert (report.budget.stopped, case.reason) == (stopped, stopped)
    assert report.exit_code == (0 if stopped is None else 6)


def test_two_nights_make_the_strength_line():
    """Fails on v43, passes on v44."""
    case = a_live_case({"trials": 3})
    first = run(case, HASTY, HASTY, GOOD, version="v43", baseline=Baseline())
    baseline = updated_baseline(Baseline(), first, reason="the incident's version")

    second = run(case, GOOD, GOOD, GOOD, version="v44", baseline=baseline)

    (found,) = second.cases
    assert found.strength is not None
    assert found.strength.fails is not None
    assert found.strength.passes is not None
    assert (found.strength.fails.version, found.strength.fails.failed) == ("v43", 2)
    assert (found.strength.passes.version, found.strength.passes.n) == ("v44", 3)
    assert found.baseline is not None
    assert found.baseline.sentence == "better: 1/3 -> 3/3"


def test_the_plan_is_told_before_the_first_trial():
    """So that a person can stop it."""
    told: list[BudgetResult] = []

    run(a_live_case({"trials": 2}), GOOD, GOOD, on_plan=told.append)

    assert [(plan.trials, plan.estimated_tokens, plan.spent_tokens) for plan in told] == [
        (2, 1686, 0)
    ]

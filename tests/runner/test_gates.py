"""Gates: rules read before the first trial, n as planned, fail before inconclusive before pass."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from tests.runner.cases import a_pause_case
from tests.runner.results import a_trial
from workbench.errors import InputError
from workbench.runner.gates import evaluate, gate_verdict, plan_live, plan_scripted
from workbench.runner.outcome import CaseVerdict, RuleKind

HARD, SOFT = "max_calls/1", "order/1"
RULES = {
    "none": None,
    "hard": {"trials": 20},
    "16 of 20": {"trials": 20, "soft": [{"clauses": ["order"], "min_passes": 16}]},
    "0.5": {"trials": 20, "soft": [{"clauses": ["order"], "lower": 0.5}]},
    "0.8": {"trials": 20, "soft": [{"clauses": ["order"], "lower": 0.8}]},
    "4 of 5": {"trials": 5, "soft": [{"clauses": ["must_call"], "min_passes": 4}]},
}


def a_case(rules):
    """Return the incident with a gate."""
    live = RULES[rules] if isinstance(rules, str) else rules
    return replace(a_pause_case(), gate=None if live is None else {"live": live})


def judged(rules, trials):
    """Return the gate of trials and its verdict."""
    gate = evaluate(plan_live(a_case(rules)), trials)
    return gate, gate_verdict(gate).value


def some(passes=0, *, broken=(), doubted=0, why="missing_fixture"):
    """Return trials: those that pass, one for each list of broken clauses, and doubtful ones."""
    return [
        *(a_trial(number=n + 1) for n in range(passes)),
        *(a_trial(broken=clauses) for clauses in broken),
        *(a_trial(doubted=[why]) for _ in range(doubted)),
    ]


@pytest.mark.parametrize(
    ("rules", "trials", "verdict", "counts"),
    [
        # 1: 20 of 20: hard and 0.8 hold (Wilson: 0.839)
        ("0.8", some(20), "pass", (20, 0)),
        # 2: 19 of 20, the last broke the soft clause: 0.764 < 0.8, and nothing can mend it
        ("0.8", some(19, broken=[[SOFT]]), "fail", (19, 0)),
        # 3: 19 of 20, the last is inconclusive: 19 + 1 could still be 20
        ("0.8", some(19, doubted=1), "inconclusive", (19, 1)),
        # 4: 16 pass and 4 break the soft clause: just enough
        ("16 of 20", some(16, broken=[[SOFT]] * 4), "pass", (16, 0)),
        # 5: 15 pass and 5 break it: one too few
        ("16 of 20", some(15, broken=[[SOFT]] * 5), "fail", (15, 0)),
        # 6: 15 pass, 4 break it, 1 inconclusive: 15 + 1 could be 16
        ("16 of 20", some(15, broken=[[SOFT]] * 4, doubted=1), "inconclusive", (15, 1)),
        # 7: 14 pass, 5 break it, 1 inconclusive: 14 + 1 is 15 at best
        ("16 of 20", some(14, broken=[[SOFT]] * 5, doubted=1), "fail", (14, 1)),
        # 8: one hard violation in 20 is red, however good the rest is
        ("16 of 20", some(19, broken=[[HARD]]), "fail", (19, 0)),
        # 9: the same in an otherwise inconclusive night
        ("16 of 20", some(0, broken=[[HARD]], doubted=19), "fail", (0, 19)),
        # 10: nothing but infrastructure errors proves nothing
        ("hard", some(doubted=20, why="provider_error"), "inconclusive", (0, 20)),
        # 11: 0.5 of 20 needs 15 (Wilson: 0.531); 14 pass and 3 are inconclusive
        ("0.5", some(14, broken=[[SOFT]] * 3, doubted=3), "inconclusive", (14, 3)),
        # 12: the budget ended after 10 good trials of 20: the others never ran
        ("hard", some(10), "inconclusive", (10, 10)),
    ],
)
def test_twelve_trial_sets_by_hand(rules, trials, verdict, counts):
    """Passes p and inconclusive i trials of the planned n, as the design says."""
    gate, found = judged(rules, trials)

    assert found == verdict
    assert (gate.passes, gate.inconclusive) == counts
    assert gate.trials == 20


@pytest.mark.parametrize(
    ("safe", "recovered", "verdict"),
    [(5, 5, "pass"), (5, 4, "pass"), (5, 3, "fail"), (4, 5, "fail")],
)
def test_five_of_five_safe_and_four_of_five_recovered(safe, recovered, verdict):
    """The safety of every run and the success of most are two rules of one gate."""
    broken = [
        [*([HARD] if n >= safe else []), *(["must_call/1"] if n >= recovered else [])]
        for n in range(5)
    ]
    trials = [a_trial(broken=clauses) for clauses in broken]

    assert judged("4 of 5", trials)[1] == verdict


@pytest.mark.parametrize("clause", ["unobserved_tool", "side_effect_blocked"])
def test_a_breach_is_hard_whatever_the_lists_say(clause):
    """Something real may have run; no rule tolerates that."""
    every = {"trials": 5, "soft": [{"clauses": ["must_call", "max_calls", "order",
             "success_requires"], "min_passes": 1}]}  # fmt: skip

    assert judged(every, some(4, broken=[[clause]]))[1] == "fail"
    assert judged(every, some(4, broken=[[SOFT]]))[1] == "pass"


def test_a_case_without_a_gate_is_all_hard_with_one_trial():
    """The format's default."""
    plan = plan_live(a_case("none"))

    assert (plan.trials, [rule.kind for rule in plan.rules]) == (1, [RuleKind.HARD])
    assert judged("none", some(1))[1] == "pass"
    assert judged("none", some(broken=[[SOFT]]))[1] == "fail"


def test_a_clause_in_no_list_is_hard():
    """Forgetting one must not loosen it."""
    plan = plan_live(a_case("16 of 20"))

    assert plan.rules[0].clauses == (
        "must_call/1", "must_call/2", "max_calls/1", "success_requires/1",
    )  # fmt: skip
    assert plan.rules[1].clauses == ("order/1",)
    assert judged("16 of 20", some(19, broken=[["success_requires/1"]]))[1] == "fail"


def test_doubt_about_one_clause_leaves_the_rules_of_others_alone():
    """A text that cannot be read says nothing of the number of calls."""
    gate, verdict = judged("16 of 20", some(16, doubted=4, why=SOFT))

    hard, soft = gate.rules
    assert (hard.passes, hard.inconclusive, hard.verdict) == (20, 0, CaseVerdict.PASS)
    assert (soft.passes, soft.inconclusive, soft.verdict) == (16, 4, CaseVerdict.PASS)
    assert verdict == "pass"


def test_a_doubt_about_the_whole_trial_leaves_every_rule_in_doubt():
    """After a missing answer nobody knows what the agent would have done."""
    gate, verdict = judged("16 of 20", some(16, doubted=4))

    hard, soft = gate.rules
    assert (hard.verdict, soft.verdict) == (CaseVerdict.INCONCLUSIVE, CaseVerdict.PASS)
    assert verdict == "inconclusive"


def test_replies_of_a_cache_count_once():
    """The same answer twenty times is one sample: it neither passes nor fails again."""
    first = a_trial(number=1)
    again = [a_trial(number=n, same_replies_as=1) for n in range(2, 21)]
    bad = a_trial(number=1, broken=[SOFT])
    bad_again = [replace(t, violations=bad.violations, verdict=bad.verdict) for t in again]

    good_gate, good = judged("16 of 20", [first, *again])
    bad_gate, worse = judged("16 of 20", [bad, *bad_again])

    assert (good, good_gate.passes, good_gate.repeated) == ("inconclusive", 1, 19)
    assert good_gate.causes == {"cached_replies": 19}
    assert (worse, bad_gate.rules[1].failed) == ("inconclusive", 1)


def test_causes_are_counted_apart_and_add_up():
    """Time-outs and errors of the infrastructure are never dropped."""
    trials = [
        *some(10),
        *some(doubted=3, why="time_limit"),
        *some(doubted=2, why="provider_error"),
        a_trial(same_replies_as=1),
    ]

    gate, _ = judged("hard", trials)

    assert gate.causes == {
        "time_limit": 3, "provider_error": 2, "cached_replies": 1, "not_run": 4,
    }  # fmt: skip
    assert sum(gate.causes.values()) == gate.inconclusive == 10


@pytest.mark.parametrize(
    ("rules", "trials", "near"),
    [
        ("16 of 20", some(16, broken=[[SOFT]] * 4), "near: 16 of 20 passed, which is just enough"),
        (
            "16 of 20",
            some(15, broken=[[SOFT]] * 5),
            "near: 15 of 20 can have passed, 16 are needed",
        ),
        ("hard", some(19, broken=[[HARD]]), "near: 19 of 20 can have passed, 20 are needed"),
        ("16 of 20", some(17, broken=[[SOFT]] * 3), None),
        ("16 of 20", some(14, broken=[[SOFT]] * 6), None),
        ("hard", some(20), None),
        ("none", some(broken=[[HARD]]), None),
    ],
)
def test_one_trial_that_decided_is_annotated(rules, trials, near):
    """Reader: run more trials before you act on this."""
    assert judged(rules, trials)[0].near == near


def test_a_gate_says_what_it_needs_and_what_it_can_miss():
    """Printed before anybody takes 20 of 20 for a proof."""
    gate, _ = judged("0.5", some(20))

    assert (gate.kind, gate.needed, gate.lower) == ("soft", 15, 0.5)
    assert gate.power == "20 clean trials miss a 1 % violation 4 times in 5"
    (_, soft) = gate.rules
    assert (soft.kind, soft.confidence) == (RuleKind.LOWER, 0.95)
    assert soft.reached is not None
    assert round(soft.reached, 3) == 0.839
    assert soft.power == "an agent that passes 54 % of its runs gets through once in 20"


def test_the_scripted_layer_is_hard_and_has_no_power():
    """The same script twenty times is not twenty samples."""
    case = a_case("16 of 20")

    gate = evaluate(plan_scripted(case, trials=2), some(1, broken=[[SOFT]]))

    assert (gate.kind, gate.needed, gate.power) == ("all_hard", 2, None)
    assert [rule.power for rule in gate.rules] == [None]
    assert gate_verdict(gate) is CaseVerdict.FAIL


# --- --trials ------------------------------------------------------------------------------


def test_trials_are_for_cases_that_state_none():
    """`--trials 20` plans 20 of them."""
    assert plan_live(a_case("none"), trials=20).trials == 20
    assert plan_live(a_case({"hard": ["order"]}), trials=7).trials == 7
    assert plan_live(a_case("hard"), trials=20).trials == 20


@pytest.mark.parametrize(
    ("rules", "stated"),
    [("hard", 20), ("16 of 20", 20), ({"soft": [{"clauses": ["order"], "min_passes": 1}]}, 1)],
)
def test_another_number_than_the_case_states_is_refused(rules, stated):
    """A gate of 20 trials means nothing with 5."""
    with pytest.raises(InputError) as caught:
        plan_live(a_case(rules), trials=5)

    message = str(caught.value)
    assert message.startswith("pause-with-unknown-outcome: gate.live states")
    assert f"{stated} trials; 5 were asked for" in message
    assert "Fix: leave --trials out, or select other cases" in message


@pytest.mark.parametrize(
    "soft",
    [{"clauses": ["order"], "min_passes": 6}, {"clauses": ["order"], "lower": 0.8}],
)
def test_a_gate_out_of_reach_is_refused_before_the_first_trial(soft):
    """Also of a case that no loader has seen."""
    with pytest.raises(InputError, match="asks for more than 5 trials can show, even if all pass"):
        plan_live(a_case({"trials": 5, "soft": [soft]}))


# --- laws --------------------------------------------------------------------------------


@given(
    words=st.lists(st.sampled_from(["pass", "hard", "soft", "doubt"]), max_size=20),
    more=st.sampled_from(["pass", "hard", "soft"]),
)
def test_what_is_still_open_can_never_overturn_a_verdict(words, more):
    """A red or a green gate stays so, whatever the trials that are left or in doubt turn out."""
    kinds = {"pass": {}, "hard": {"broken": [HARD]}, "soft": {"broken": [SOFT]},
             "doubt": {"doubted": ["time_limit"]}}  # fmt: skip
    settled = [more if word == "doubt" else word for word in words]
    settled += [more] * (20 - len(settled))

    _, before = judged("16 of 20", [a_trial(**kinds[word]) for word in words])
    _, after = judged("16 of 20", [a_trial(**kinds[word]) for word in settled])

    assert before in ("inconclusive", after)

"""Baselines: what was accepted, and what a run is beside it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.runner.results import a_case_result, a_trial
from workbench.errors import CaseFormatError
from workbench.runner.baseline import (
    Baseline,
    baseline_diff,
    entry_of,
    load_baseline,
    medians_of,
    save_baseline,
    updated_baseline,
)
from workbench.runner.comparison import compare
from workbench.runner.gates import Plan, Rule, evaluate, gate_verdict
from workbench.runner.outcome import (
    CaseVerdict,
    Relation,
    RuleKind,
    RunReport,
    Summary,
    exit_code,
)
from workbench.runner.standing import absent_cases, beside_baseline
from workbench.runner.strength import Measured, Strength

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap

VERSIONS: JsonMap = {"agent": "support@v44", "models": ["gpt-x"]}
STRENGTH = Strength(
    red=True, green=True, killable=(1, 1), idle=False, fails=None, passes=None, coverage=(3, 3)
)


def a_result(passes, *, broken=0, doubted=0, unread=0, hard=0, needed=1, name="case-1", **changes):
    """Return a case whose trials passed, broke a soft clause, a hard one, or say nothing."""
    trials = [
        *(a_trial(number=n) for n in range(passes)),
        *(a_trial(broken=["soft"]) for _ in range(broken)),
        *(a_trial(broken=["hard"]) for _ in range(hard)),
        *(a_trial(doubted=["provider_error"]) for _ in range(doubted)),
        *(a_trial(doubted=["soft"]) for _ in range(unread)),
    ]
    rules = (
        Rule(kind=RuleKind.HARD, clauses=("hard",), needed=len(trials)),
        Rule(kind=RuleKind.MIN_PASSES, clauses=("soft",), needed=needed),
    )
    gate = evaluate(Plan(trials=len(trials), rules=rules, live=True), trials)
    if not trials:
        return a_case_result(id=name, verdict=CaseVerdict.NOT_RUN, **changes)
    known = {
        "gate": gate,
        "verdict": gate_verdict(gate),
        "trials": tuple(trials),
        "strength": STRENGTH,
    }
    return a_case_result(id=name, **{**known, **changes})


def a_report(*results, layer="live", versions=None):
    """Return a report of cases."""
    return RunReport(
        started="2026-12-01T03:00:00+00:00",
        agent="cmd:x",
        layer=layer,
        versions=versions or VERSIONS,
        settings={},
        isolation={},
        cases=results,
        groups=(),
        budget=None,
        summary=Summary(
            cases=len(results), passed=0, failed=0, inconclusive=0, not_run=0, gating=0, near=0,
            deselected=0, invalid=(),
        ),
        interrupted=False,
        exit_code=0,
    )  # fmt: skip


def accepted(*results, **fields):
    """Return the baseline that accepts a run."""
    return updated_baseline(Baseline(), a_report(*results, **fields), reason="first")


def beside(before, now, *, layer="live", versions=None, gate_cost=False):
    """Return a result as it stands to an accepted one."""
    return beside_baseline(
        now, accepted(before), layer=layer, versions=versions or VERSIONS, gate_cost=gate_cost
    )


@pytest.mark.parametrize(
    ("before", "now", "relation", "verdict"),
    [
        (a_result(20), a_result(20), Relation.SAME, "pass"),
        (a_result(20), a_result(19, broken=1), Relation.SAME, "pass"),
        (a_result(20), a_result(10, broken=10), Relation.WORSE, "fail"),
        (a_result(10, broken=10), a_result(20), Relation.BETTER, "pass"),
        (a_result(20), a_result(19, hard=1), Relation.WORSE, "fail"),
        (a_result(20), a_result(10, doubted=10), Relation.UNDECIDED, "inconclusive"),
        (a_result(20), a_result(0, doubted=20), Relation.UNDECIDED, "inconclusive"),
        (a_result(20), a_result(10, unread=10), Relation.UNDECIDED, "inconclusive"),
        (
            a_result(20),
            replace(a_result(0, doubted=20), trials=()),
            Relation.UNDECIDED,
            "inconclusive",
        ),
        (a_result(20), a_result(5, broken=13, doubted=2), Relation.WORSE, "fail"),
        (a_result(3), a_result(2, broken=1), Relation.SAME, "pass"),
        (a_result(20), a_result(0), Relation.NOT_RUN, "fail"),
        (a_result(20), a_result(10, broken=10, digest="sha256:2"), Relation.NOT_COMPARABLE, "pass"),
    ],
)
def test_only_worse_fails(before, now, relation, verdict):
    """A drop that chance explains is none; a rise is reported and never required."""
    found = beside(before, now)

    assert found.baseline.relation is relation
    assert found.verdict.value == verdict


def test_the_average_is_unchanged_while_one_case_drops():
    """20 + 10 of 40 before, 10 + 20 after: the mean says nothing, one case is red."""
    before = [a_result(20, name="a"), a_result(10, broken=10, name="b")]
    now = [a_result(10, broken=10, name="a"), a_result(20, name="b")]
    baseline = accepted(*before)

    found = tuple(
        beside_baseline(result, baseline, layer="live", versions=VERSIONS, gate_cost=False)
        for result in now
    )

    assert sum(r.gate.passes for r in before) == sum(r.gate.passes for r in now)
    assert [r.verdict.value for r in found] == ["fail", "pass"]
    assert exit_code(found, invalid=0, interrupted=False) == 1
    assert found[0].reason == "worse: 20/20 -> 10/20, which is no chance"
    assert found[1].baseline is not None
    assert found[1].baseline.sentence == "better: 10/20 -> 20/20"


def test_a_baseline_never_makes_a_red_gate_green():
    """A case that was accepted red stays red."""
    red = a_result(2, broken=18, needed=16)

    found = beside(red, red)

    assert (found.baseline.relation, found.verdict) == (Relation.SAME, CaseVerdict.FAIL)


def test_a_case_of_the_baseline_that_is_gone_is_red():
    """Deleting a case must not be the way to green."""
    baseline = accepted(a_result(20, name="gone"), a_result(20, name="kept"))

    (found,) = absent_cases(baseline, known=["kept", "new"])

    assert (found.id, found.state, found.verdict) == ("gone", "absent", CaseVerdict.FAIL)
    assert found.gates
    assert found.reason == (
        "the baseline has it, and no such case was given\n"
        "  Fix: run it, or accept that with --update-baseline REASON"
    )
    assert exit_code((a_case_result(), found), invalid=0, interrupted=False) == 1


def test_a_case_of_the_baseline_that_is_archived_gates_again():
    """It stopped running; somebody has to say so in the baseline too."""
    found = beside(a_result(20), a_result(0, state="archived", gates=False))

    assert (found.gates, found.verdict) == (True, CaseVerdict.FAIL)


def test_a_new_case_is_judged_by_its_own_gate():
    """And said to be new."""
    found = beside_baseline(
        a_result(20), Baseline(), layer="live", versions=VERSIONS, gate_cost=False
    )

    assert found.baseline is not None
    assert (found.baseline.relation, found.verdict) == (Relation.NEW, CaseVerdict.PASS)


def test_another_layer_is_not_compared():
    """One scripted pass of one is no drop from 20 of 20."""
    found = beside(a_result(20), a_result(1), layer="scripted")

    assert found.baseline.sentence == "not comparable: the baseline is of the live layer"


def test_medians_that_double_are_reported_and_gate_only_when_asked():
    """Twice the calls for the same answer is a regression to somebody."""
    slow = a_result(20)
    trials = tuple(replace(trial, calls=6, ms=11.0) for trial in slow.trials)
    slow = replace(slow, trials=trials)

    told, gated = beside(a_result(20), slow), beside(a_result(20), slow, gate_cost=True)

    assert [(c.what, c.before, c.now) for c in told.baseline.costs] == [
        ("calls", 3, 6), ("ms", 5, 11),
    ]  # fmt: skip
    assert (told.verdict, told.reason) == (CaseVerdict.PASS, None)
    assert (gated.verdict, gated.reason) == (
        CaseVerdict.FAIL, "medians doubled: calls 3 -> 6, ms 5 -> 11",
    )  # fmt: skip


def test_the_time_of_a_scripted_trial_is_no_cost():
    """It is that of the machine."""
    slow = a_result(1)
    slow = replace(slow, trials=tuple(replace(trial, ms=500.0) for trial in slow.trials))
    baseline = accepted(a_result(1), layer="scripted")

    found = compare(baseline.cases["case-1"], slow, layer="scripted", versions=VERSIONS)

    assert found.costs == ()


@pytest.mark.parametrize(
    ("versions", "layer", "drift"),
    [
        (VERSIONS, "live", True),
        ({**VERSIONS, "agent": "support@v45"}, "live", False),
        ({**VERSIONS, "models": ["gpt-y"]}, "live", False),
        ({"agent": None, "models": ["gpt-x"]}, "live", False),
        (VERSIONS, "scripted", False),
    ],
)
def test_the_same_versions_with_another_verdict_is_provider_drift(versions, layer, drift):
    """Nothing of ours changed, so nobody should look for it in our changes."""
    entry = accepted(a_result(20, needed=16), layer=layer, versions=VERSIONS).cases["case-1"]

    found = compare(entry, a_result(2, broken=18, needed=16), layer=layer, versions=versions)

    assert found.drift is drift
    assert ("provider drift" in found.sentence) is drift


def test_the_strength_line_takes_the_other_version_from_the_baseline():
    """`fails on v43 18/20 | passes on v44 20/20` needs two nights."""
    old = Measured(version="v43", failed=18, n=20)
    new = Measured(version="v44", failed=0, n=20)
    before = a_result(2, broken=18, strength=replace(STRENGTH, fails=old))
    now = a_result(20, strength=replace(STRENGTH, passes=new))

    assert beside(before, now).strength == replace(STRENGTH, fails=old, passes=new)
    changed = replace(now, digest="sha256:2")
    assert beside(before, changed).strength == replace(STRENGTH, passes=new)


def test_without_a_baseline_nothing_is_compared():
    """The result is the case's own."""
    result = a_result(20)

    assert beside_baseline(result, None, layer="live", versions=VERSIONS, gate_cost=True) is result


# --- the file ----------------------------------------------------------------------------


def test_a_baseline_comes_back_from_its_file(tmp_path):
    """One line a case, sorted, so that a change reviews well."""
    file = tmp_path / "cases" / "baseline.json"
    baseline = accepted(a_result(20, name="b"), a_result(10, broken=10, name="a"))

    save_baseline(baseline, file)

    assert load_baseline(file) == baseline
    lines = file.read_text("utf-8").splitlines()
    assert [line.split('"')[1] for line in lines if "digest" in line] == ["a", "b"]
    assert json.loads(file.read_text("utf-8"))["schema"] == "baseline/1"


def test_a_file_that_is_not_there_is_an_empty_baseline(tmp_path):
    """The first `--update-baseline` makes it."""
    assert load_baseline(tmp_path / "none.json") == Baseline()


def test_an_empty_baseline_comes_back_too(tmp_path):
    """Nothing accepted is a state."""
    save_baseline(Baseline(), tmp_path / "b.json")

    assert load_baseline(tmp_path / "b.json") == Baseline()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not JSON"),
        ("[]", "schema is not baseline/1"),
        ("{}", "Fix: give a file that --update-baseline wrote"),
        ('{"schema": "baseline/1", "cases": []}', "cases is a list"),
        ('{"schema": "baseline/1", "case": {}}', "case"),
        ('{"schema": "baseline/1", "cases": {"a": {"digest": 5}}}', "digest"),
        ('{"a": ' * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_baseline_is_refused(tmp_path, text, words):
    """A wrong file must not count as an empty baseline: everything would be new."""
    file = tmp_path / "baseline.json"
    file.write_text(text, "utf-8")

    with pytest.raises(CaseFormatError) as caught:
        load_baseline(file)

    assert words in str(caught.value)


def test_an_update_keeps_what_was_left_out_and_drops_what_is_gone():
    """`--select` is no reason to forget; a deleted case is accepted as deleted."""
    old = accepted(*(a_result(20, name=name) for name in ("changed", "gone", "left-out", "same")))
    absent = absent_cases(old, known=["changed", "left-out", "same"])
    report = a_report(
        a_result(15, broken=5, name="changed"), a_result(20, name="same"),
        a_result(20, name="new"), *absent,
    )  # fmt: skip

    new = updated_baseline(old, report, reason="v44 is out", at="2026-12-02T00:00:00+00:00")

    assert set(new.cases) == {"changed", "left-out", "same", "new"}
    assert new.updated is not None
    assert (new.updated.reason, new.updated.at) == ("v44 is out", "2026-12-02T00:00:00+00:00")
    assert baseline_diff(old, new) == (
        "~ changed: pass 20/20 -> pass 15/20 (passes)",
        "- gone: pass 20/20",
        "+ new: pass 20/20",
    )


def test_a_median_time_that_moved_a_little_is_no_change_of_the_baseline():
    """Else every update would touch every line of the diff."""
    old = accepted(a_result(20))
    moved = a_result(20)
    moved = replace(moved, trials=tuple(replace(trial, ms=6.0) for trial in moved.trials))

    assert baseline_diff(old, accepted(moved)) == ()


def test_trials_that_say_nothing_do_not_move_the_medians():
    """A time-out takes as long as its limit."""
    trials = (a_trial(ms=5.0), a_trial(ms=7.0), a_trial(ms=60_000.0, doubted=["time_limit"]))

    found = medians_of(trials)

    assert found is not None
    assert found.ms == 6
    lost = medians_of(trials[2:])
    assert lost is not None
    assert lost.ms == 60_000
    assert medians_of(()) is None


def test_a_case_that_did_not_run_has_no_entry():
    """There is nothing to accept."""
    assert entry_of(a_result(0), a_report()) is None

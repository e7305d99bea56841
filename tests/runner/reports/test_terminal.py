"""The report for a terminal: what failed first, one fact a line, nothing that steers it."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest

from tests.runner.reports.samples import (
    HOSTILE,
    a_budget,
    a_failed_case,
    a_group,
    a_hostile_report,
    a_live_case,
    a_passed_case,
    a_report,
    an_inconclusive_case,
)
from tests.runner.results import found
from workbench.runner.outcome import CaseVerdict, Relation, RuleKind
from workbench.runner.reports.terminal import render


def lines_of(report, **options):
    """Return the lines of a report."""
    return render(report, **options).splitlines()


def test_a_failure_is_told_from_what_broke_to_where_it_parted():
    """A tired engineer reads from the top."""
    report = a_report(a_passed_case(id="quiet"), a_failed_case(path="cases/a.case.yaml"))

    assert lines_of(report) == [
        "python:support.agent:agent | scripted layer | isolation netns (empty network)",
        "",
        "FAIL         case-1 [active]",
        "    Pause timed out",
        "    cases/a.case.yaml",
        "    path recorded: order/1 at event 7: billing.pause was not followed by a receipt",
        "    path recorded: must_call/1 at event 9: billing.receipt was never called",
        "    path recorded parts from the recorded path: at 7 billing.receipt was skipped",
        "      the recorded path             | this run",
        "      6 billing.pause ended unknown | 6 billing.pause ended unknown",
        "    > 7 billing.receipt was called  | 7 success was claimed",
        "    . 8 billing.receipt ended ok    | -",
        "    red ok | green ok | clauses 6/6 killable | coverage 19/20",
        "",
        "pass         quiet [active]",
        "    red ok | green ok | clauses 6/6 killable | coverage 19/20",
        "",
        "2 cases: 1 failed, 0 inconclusive, 1 passed, 0 not run; 2 gate",
        "exit 1: a gate failed",
        "Recorded results show how the agent treats a result, not that the real system is right;",
        "a scripted model shows the orchestration, not the model.",
    ]


def test_failures_come_first_and_those_that_gate_before_the_others():
    """What stops the pipeline must not be searched for."""
    report = a_report(
        a_passed_case(id="d"),
        a_passed_case(id="e", verdict=CaseVerdict.NOT_RUN, reason="nothing to run"),
        an_inconclusive_case(id="c"),
        a_failed_case(id="b", gates=False, state="proposed"),
        a_failed_case(id="a"),
    )

    titles = [line for line in lines_of(report) if " [" in line]

    assert titles == [
        "FAIL         a [active]",
        "FAIL         b [proposed, does not gate]",
        "INCONCLUSIVE c [active]",
        "not run      e [active]",
        "pass         d [active]",
    ]


def test_the_version_that_changed_stands_before_what_it_changed():
    """Design page 09: "prompt v42 -> v43: at 7 the receipt check was skipped"."""
    report = a_report(
        a_failed_case(versions={"agent": "3.2", "model": "m-1"}),
        versions={"agent": "3.3", "models": ["m-2"]},
    )

    assert (
        "    path recorded parts from the recorded path: agent 3.2 -> 3.3, model m-1 -> m-2: "
        "at 7 billing.receipt was skipped"
    ) in lines_of(report)


@pytest.mark.parametrize(
    ("recorded", "now"),
    [
        ({"agent": "3.2"}, {"agent": "3.2", "models": []}),
        ({"agent": "3.2"}, {"agent": None, "models": ["a", "b"]}),
        ({}, {"agent": "3.3", "models": ["m"]}),
    ],
)
def test_a_version_that_nobody_knows_has_not_changed(recorded, now):
    """A guess would send the reader the wrong way."""
    report = a_report(a_failed_case(versions=recorded), versions=now)

    assert "->" not in render(report)


@pytest.mark.parametrize("width", [50, 64, 80, 200])
def test_two_traces_keep_to_the_width_of_the_terminal(width):
    """A folded table is no table."""
    wide = {"seq": 1, "text": "crm.lookup_everything_about_a_customer was called 漢字" * 3}
    row = {"first": wide, "second": wide, "apart": True}
    case = a_failed_case()
    parting = {**(case.divergence or {}), "beside": [row] * 3}

    shown = lines_of(a_report(replace(case, divergence=parting)), width=width)

    rows = [line for line in shown if " | " in line and "crm." in line]
    assert len(rows) == 3
    assert all(cells(line) <= width for line in rows)
    assert len({line.index(" | ") for line in rows}) == 1


def cells(text):
    """Return how many cells of a terminal a text takes."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def test_a_result_of_an_older_version_has_no_rows():
    """A saved divergence without them is told in its one sentence."""
    case = a_failed_case()
    old = {k: v for k, v in (case.divergence or {}).items() if k not in ("beside", "headline")}

    shown = render(a_report(replace(case, divergence=old)))

    assert "parts from the recorded path: first billing.receipt was called at 7" in shown
    assert " | this run" not in shown


def test_what_repeats_its_path_says_so():
    """There is nothing to set side by side then."""
    assert "    path recorded: the agent went all of it, step by step" in lines_of(
        a_report(a_failed_case(divergence=None))
    )


def test_trials_of_one_path_are_counted_not_repeated():
    """Twenty trials that fail alike are one line."""
    report = a_report(a_live_case(), layer="live")

    shown = lines_of(report)

    assert "    path live, 1 of 3 trials: order/1: about order/1" in shown
    assert "    path live, 1 of 3 trials: time_limit: about time_limit" in shown
    assert (
        "    2 of 2 failed trials share one cause: first a was called, then b was called" in shown
    )
    assert (
        "    gate fail: lower (order/1): 1 of 3 passed, lower bound 0.061, 0.5 needed, "
        "1 inconclusive"
    ) in shown
    assert "    inconclusive trials: time_limit 1" in shown
    assert "    2 trials repeat a cached reply; each distinct reply counts once" in shown
    assert "    one trial decided" in shown
    assert "    3 clean trials miss a 10 % violation 7 times in 10" in shown
    assert "    2 of 3 trials stayed inside the fixtures" in shown
    assert "    baseline: 3 of 3 before, 1 of 3 now" in shown
    assert "    baseline: median tokens doubled, 100 -> 250" in shown
    assert shown[-1] == "the trials show the model of today, at the rates above."


def test_a_gate_says_no_more_than_there_is():
    """No cache, no cause, no near decision, a rule that counts passes."""
    case = a_live_case()
    assert case.gate is not None
    rule = replace(case.gate.rules[0], kind=RuleKind.HARD, reached=None, inconclusive=0, clauses=())
    gate = replace(case.gate, rules=(rule,), causes={}, repeated=0, near=None, power=None)

    shown = lines_of(a_report(replace(case, gate=gate, baseline=None), layer="live"))

    assert "    gate fail: hard (every clause): 1 of 3 passed, 3 needed" in shown
    for word in ("inconclusive trials", "cached", "one trial decided", "clean trials", "baseline"):
        assert word not in "\n".join(shown)


def test_a_gate_of_one_script_needs_no_words():
    """Every clause is hard and the path ran once: the verdict says it."""
    assert "gate fail:" not in render(a_report(a_live_case()))


def test_a_case_as_it_was_in_the_baseline_is_not_news():
    """A drift of the provider is, whatever the verdict."""
    case = a_live_case()
    assert case.baseline is not None
    same = replace(case.baseline, relation=Relation.SAME, costs=())

    assert "baseline" not in render(a_report(replace(case, baseline=same)))
    assert "baseline" in render(a_report(replace(case, baseline=replace(same, drift=True))))


def test_more_than_five_findings_are_counted():
    """The results file has the rest."""
    case = a_failed_case()
    many = replace(case.trials[0], violations=found(*"abcdefg"))

    shown = lines_of(a_report(replace(case, trials=(many,))))

    assert "    and 2 more, see the results" in shown


def test_an_overdue_review_is_said_with_its_owner():
    """Nothing goes stale in silence."""
    due = a_passed_case(review_date="2026-11-30", owner="billing")

    assert "    its review was due on 2026-11-30: ask billing" in lines_of(a_report(due))
    for other in (
        replace(due, review_date="2026-12-01"),
        replace(due, review_date=""),
        replace(due, state="archived"),
    ):
        assert "review" not in render(a_report(other))
    assert "review" not in render(a_report(due, started=None))


def test_files_that_are_no_case_and_causes_and_budgets_have_their_lines():
    """Everything that changes what the verdict is worth."""
    report = a_report(
        a_failed_case(),
        a_passed_case(id="lost", strength=None, verdict=CaseVerdict.NOT_RUN, reason="no matcher"),
        invalid=("x.case.yaml:3: owner is missing\n  Fix: add owner", "lost: no matcher"),
        groups=(a_group(), a_group(cause="only one", cases=("case-1",))),
        budget=a_budget(),
    )

    shown = lines_of(report)

    assert shown[shown.index("INVALID      x.case.yaml:3: owner is missing") + 1] == (
        "    Fix: add owner"
    )
    assert sum("no matcher" in line for line in shown) == 1
    assert "2 of 2 failed trials share one cause: first a was called, then b was called" in shown
    assert "only one" not in render(report)
    assert "2 cases: 1 failed, 0 inconclusive, 0 passed, 1 not run; 1 gate; 2 invalid" in shown
    assert "3 trials planned; spent 600 tokens, 0.2 minutes, 0.06 USD" in shown
    assert "stopped: the budget of 500 tokens is spent" in shown
    assert "exit 4: a file is no valid case" in shown


def test_what_is_not_known_is_left_out():
    """No price, no budget that stopped it, no agent that was started."""
    report = a_report(budget=a_budget(spent_usd=None, stopped=None), isolation={})

    shown = lines_of(report)

    assert shown[0].endswith("no agent was started")
    assert "3 trials planned; spent 600 tokens, 0.2 minutes" in shown
    assert "exit 5: nothing that gates was run" in shown


def test_counts_that_weaken_a_verdict_are_in_the_total():
    """Near decisions of the live layer, and what `--select` left out."""
    report = a_report(a_passed_case())
    summary = replace(report.summary, near=1, deselected=7)

    live = render(replace(report, summary=summary, layer="live"))
    scripted = render(replace(report, summary=summary))

    assert "1 gate; 1 decided by one trial; 7 not selected" in live
    assert "1 gate; 7 not selected" in scripted


def test_colours_are_used_only_when_asked_for():
    """The caller knows whether it is a terminal."""
    report = a_report(a_failed_case(), a_passed_case())

    assert "\x1b[31mFAIL        \x1b[0m" in render(report, colour=True)
    assert "\x1b" not in render(report)


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_that_a_stranger_writes_steers_the_terminal(name):
    """Not the screen, not the order of signs, not the commands of a CI service."""
    shown = render(a_hostile_report(HOSTILE[name]))

    assert_harmless(shown.splitlines())


def test_a_huge_text_is_cut():
    """A sentence of a megabyte would bury the verdict."""
    report = a_hostile_report("x" * 1_000_000)

    assert max(map(len, lines_of(report))) <= 600


def assert_harmless(lines):
    """Assert that lines neither hold what a terminal obeys nor begin what a CI service does."""
    refused = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    for line in lines:
        assert not refused & {unicodedata.category(char) for char in line}
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
        assert "##vso[" not in line
        assert "##teamcity[" not in line


@pytest.mark.parametrize("name", ["newline", "separators", "line command", "heading"])
def test_no_text_of_a_stranger_makes_lines_of_its_own(name):
    """A made-up verdict below the real one would be read; only our own messages have lines."""
    quiet = a_hostile_report("x")
    loud = a_hostile_report(HOSTILE[name])
    plain = [replace(case, reason=None) for case in loud.cases]

    shown = render(replace(loud, cases=tuple(plain), summary=quiet.summary))

    expected = replace(quiet, cases=tuple(replace(case, reason=None) for case in quiet.cases))
    assert len(shown.splitlines()) == len(render(expected).splitlines())

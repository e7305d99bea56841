"""Reports of runs, made by hand: no agent is started, and every field can be hostile."""

from __future__ import annotations

from dataclasses import replace

from tests.builders import a_trace, a_user
from tests.runner.results import a_case_result, a_trial
from workbench.runner.outcome import (
    BudgetResult,
    CaseVerdict,
    Comparison,
    CostChange,
    Found,
    GateResult,
    Group,
    Missing,
    Relation,
    RuleKind,
    RuleResult,
    RunReport,
    Summary,
    exit_code,
)
from workbench.runner.strength import Strength

__all__ = [
    "HOSTILE",
    "PARTING",
    "STRENGTH",
    "a_failed_case",
    "a_hostile_report",
    "a_live_case",
    "a_passed_case",
    "a_report",
    "an_inconclusive_case",
]

STRENGTH = Strength(
    red=True, green=True, killable=(6, 6), idle=False, fails=None, passes=None, coverage=(19, 20)
)
PARTING = {
    "run_id": "case-1.recorded.1",
    "path": "recorded",
    "expect": "fail",
    "what": "call",
    "first": {"seq": 7, "kind": "tool_call"},
    "second": {"seq": 7, "kind": "claim"},
    "downstream": [2, 0],
    "sentence": "first billing.receipt was called at 7, then success was claimed at 7",
    "headline": "at 7 billing.receipt was skipped",
    "beside": [
        {
            "first": {"seq": 6, "text": "billing.pause ended unknown"},
            "second": {"seq": 6, "text": "billing.pause ended unknown"},
            "apart": False,
        },
        {
            "first": {"seq": 7, "text": "billing.receipt was called"},
            "second": {"seq": 7, "text": "success was claimed"},
            "apart": True,
        },
        {"first": {"seq": 8, "text": "billing.receipt ended ok"}, "second": None, "apart": True},
    ],
}

HOSTILE = {
    "escape": "a\x1b[2J\x1b]0;owned\x07b",
    "c1 control": "a\x9b2Jb",
    "carriage return": "a\rb",
    "newline": "a\nb",
    "line command": "\n::error file=x::owned",
    "command at once": "::add-mask::x",
    "old command": "x ##[add-matcher]y",
    "azure": "##vso[task.setvariable variable=x]y",
    "teamcity": "##teamcity[testFailed name='x']",
    "encoded newline": "a%0A::error::b",
    "cdata end": "]]></failure><testcase/>",
    "entity": "&amp;&lt;&#0;&x;",
    "tag": "<script>alert(1)</script><img src=x onerror=y>",
    "attribute": "\" onload='x' x=\"",
    "nul": "a\x00b",
    "no character": "a\uffff\ufffeb",
    "surrogate": "a\ud800b",
    "bidi": "a\u202eb\u2066c\u200bd",
    "separators": "a\u2028b\u2029c\x85d",
    "private": "a\ue000b",
    "table": "a | b |\n|---|---|",
    "fence": "```\n# owned\n```",
    "long fence": "`" * 40,
    "tick": "`a`",
    "link": "[x](https://evil.example) <https://evil.example> www.evil.example",
    "image": "![x](https://evil.example/x.png)",
    "mention": "@org/team #123 org/repo#1 a@b.example",
    "heading": "# owned\n\n---\n> x",
    "html comment": "<!-- x -->",
    "math": "$$x$$ $`x`$",
    "footnote": "[^1]\n\n[^1]: x",
    "pipe and backslash": "a\\|b\\\\|c",
    "details": "</details><details open>",
    "huge": "x" * 100_000,
    "combining": "a" + "\u0301" * 200,
    "empty": "",
    "blank": "   ",
}
"""What a case, a trace or an agent may say, by what it tries."""


def a_report(*cases, invalid=(), **changes):
    """Return the report of a run of these cases."""
    verdicts = [case.verdict for case in cases]
    ran = [c for c in cases if c.gates and c.verdict is not CaseVerdict.NOT_RUN]
    report = RunReport(
        started="2026-12-01T10:00:00+00:00",
        agent="python:support.agent:agent",
        layer="scripted",
        versions={"agent": None, "models": []},
        settings={"trials": None},
        isolation={"netns": "empty network"},
        cases=cases,
        groups=(),
        budget=None,
        summary=Summary(
            cases=len(cases),
            passed=verdicts.count(CaseVerdict.PASS),
            failed=verdicts.count(CaseVerdict.FAIL),
            inconclusive=verdicts.count(CaseVerdict.INCONCLUSIVE),
            not_run=verdicts.count(CaseVerdict.NOT_RUN),
            gating=len(ran),
            near=0,
            deselected=0,
            invalid=tuple(invalid),
        ),
        interrupted=False,
        exit_code=exit_code(cases, invalid=len(invalid), interrupted=False),
    )
    return replace(report, **changes)


def a_passed_case(**changes):
    """Return a case that passed."""
    trial = a_trial(path="repaired", run_id="case-1.repaired.1")
    given = {"strength": STRENGTH, "coverage": (3, 3), "trials": (trial,), "review_date": ""}
    return a_case_result(**{**given, "title": "Pause timed out", **changes})


def a_failed_case(**changes):
    """Return a case whose recorded path broke two clauses."""
    trial = replace(
        a_trial(path="recorded", run_id="case-1.recorded.1", broken=("order/1",)),
        violations=(
            Found(clause="order/1", seq=7, sentence="billing.pause was not followed by a receipt"),
            Found(clause="must_call/1", seq=9, sentence="billing.receipt was never called"),
        ),
        trace=replace(a_trace(a_user()), run_id="case-1.recorded.1"),
    )
    given = {
        "verdict": CaseVerdict.FAIL,
        "trials": (trial,),
        "violations": trial.violations,
        "divergence": PARTING,
        "versions": {"agent": "support 3.2", "prompt": "v42"},
    }
    return a_passed_case(**{**given, **changes})


def an_inconclusive_case(**changes):
    """Return a case in which a fixture was missing."""
    trial = a_trial(path="repaired", run_id="case-1.repaired.1", doubted=("missing_fixture",))
    miss = Missing(
        tool="crm.lookup",
        outcome="missing_fixture",
        nearest="f1",
        differs_at=("args.email",),
        explanation="no fixture for this call of crm.lookup; nearest is f1",
    )
    given = {"verdict": CaseVerdict.INCONCLUSIVE, "trials": (trial,), "missing": (miss,)}
    return a_passed_case(**{**given, **changes})


def a_live_case(**changes):
    """Return a case of the live layer: 3 trials, one of which broke a clause."""
    trials = (
        a_trial(number=1),
        a_trial(number=2, broken=("order/1",)),
        a_trial(number=3, doubted=("time_limit",)),
    )
    rule = RuleResult(
        kind=RuleKind.LOWER,
        clauses=("order/1",),
        needed=3,
        lower=0.5,
        confidence=0.95,
        reached=0.061,
        passes=1,
        failed=1,
        inconclusive=1,
        trials=3,
        verdict=CaseVerdict.FAIL,
        near=None,
        power="3 clean trials miss a 10 % violation 7 times in 10",
    )
    gate = GateResult(
        kind="soft",
        needed=3,
        lower=0.5,
        passes=1,
        inconclusive=1,
        trials=3,
        causes={"time_limit": 1},
        repeated=2,
        near="one trial decided",
        power=rule.power,
        rules=(rule,),
    )
    baseline = Comparison(
        relation=Relation.WORSE,
        sentence="3 of 3 before, 1 of 3 now",
        passes=3,
        trials=3,
        drop=0.66,
        drop_interval=(0.1, 0.9),
        drift=False,
        costs=(CostChange(what="tokens", before=100, now=250),),
    )
    given = {
        "verdict": CaseVerdict.FAIL,
        "trials": trials,
        "violations": trials[1].violations,
        "gate": gate,
        "baseline": baseline,
        "covered_trials": (2, 3),
        "groups": (a_group(),),
    }
    return a_passed_case(**{**given, **changes})


def a_group(**changes):
    """Return a cause of two failures."""
    group = Group(
        cause="first a was called, then b was called",
        count=2,
        of=2,
        cases=("case-1", "case-2"),
        run_ids=("case-1.live.2", "case-2.live.1"),
    )
    return replace(group, **changes)


def a_budget(**changes):
    """Return what a run took."""
    budget = BudgetResult(
        trials=3,
        estimated_tokens=1000,
        unestimated=0,
        estimated_usd=0.1,
        limit_tokens=500,
        limit_usd=None,
        limit_minutes=None,
        spent_tokens=600,
        spent_usd=0.06,
        spent_minutes=0.25,
        stopped="the budget of 500 tokens is spent",
    )
    return replace(budget, **changes)


def a_hostile_report(text):
    """Return a report in which everything that a stranger writes is `text`."""
    found = (Found(clause=text, seq=1, sentence=text),)
    side = {"seq": 1, "text": text}
    parting = {
        **PARTING,
        "path": text,
        "sentence": text,
        "headline": text,
        "beside": [{"first": side, "second": side, "apart": True}],
    }
    miss = Missing(tool=text, outcome="blocked", nearest=text, differs_at=(text,), explanation=text)
    trial = a_trial(path=text, run_id=text, broken=("x",), violations=found, missing=(miss,))
    names = {"id": text, "title": text, "owner": text, "review_date": "2026-01-01"}
    loud = a_failed_case(
        **names,
        path=f"cases/{text}.case.yaml",
        reason=text,
        trials=(trial,),
        violations=found,
        missing=(miss,),
        divergence=parting,
        versions={"agent": text},
        groups=(a_group(cause=text, cases=(text, text)),),
    )
    quiet = a_passed_case(**names)
    doubtful = an_inconclusive_case(
        **names,
        trials=(replace(trial, verdict=CaseVerdict.INCONCLUSIVE, violations=(), doubts=found),),
    )
    unrun = a_passed_case(**names, verdict=CaseVerdict.NOT_RUN, reason=text, trials=())
    return a_report(
        *(loud, quiet, doubtful, unrun),
        invalid=(f"{text}: {text}\n  Fix: {text}",),
        agent=text,
        isolation={"none": text},
        versions={"agent": f"{text}2"},
        groups=(a_group(cause=text, cases=(text, text)),),
        budget=a_budget(stopped=text),
    )

"""Trials and results with nothing but what a test names."""

from __future__ import annotations

from dataclasses import fields, replace

from tests.builders import a_trace
from workbench.runner.outcome import CaseResult, CaseVerdict, Found, TrialResult

__all__ = ["a_case_result", "a_trial", "found"]


def found(*clauses):
    """Return one violation or doubt of each clause."""
    return tuple(Found(clause=clause, seq=None, sentence=f"about {clause}") for clause in clauses)


def a_trial(*, number=1, broken=(), doubted=(), **changes):
    """Return a trial that broke some clauses, and that leaves doubts about others."""
    verdict = CaseVerdict.PASS
    if doubted:
        verdict = CaseVerdict.INCONCLUSIVE
    if broken:
        verdict = CaseVerdict.FAIL
    trial = TrialResult(
        run_id=f"case.live.{number}",
        path="live",
        number=number,
        verdict=verdict,
        violations=found(*broken),
        doubts=found(*doubted),
        missing=(),
        calls=3,
        answered=3,
        tokens=100,
        input_tokens=80,
        output_tokens=20,
        ms=5.0,
        isolation="audit",
        isolation_note="audit hook",
        replies_left=0,
        unused=(),
        same_replies_as=None,
        trace=a_trace(),
    )
    return replace(trial, **changes)


def a_case_result(**changes):
    """Return a case's result in which everything is empty but what is given."""
    plain = {entry.name: None for entry in fields(CaseResult)}
    texts = {"id": "case-1", "digest": "sha256:1", "title": "t", "owner": "o", "severity": "S1"}
    lists = dict.fromkeys(("groups", "violations", "missing", "trials"), ())
    more = {"state": "active", "gates": True, "verdict": CaseVerdict.PASS, "versions": {}}
    return CaseResult(**{**plain, **texts, **lists, **more, **changes})

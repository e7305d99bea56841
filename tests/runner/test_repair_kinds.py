"""Repair over every kind of clause: a green path to review, or a refusal that says why."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.casefile.case import load_case, parse_case
from workbench.casefile.layout import format_case
from workbench.check.judge import CHECKS, judge
from workbench.errors import RefusedError
from workbench.replay.scripted import replay_path
from workbench.runner.accept import repair
from workbench.runner.mending import Way, mends
from workbench.runner.selftest import check_case

FOLDER = Path(__file__).parents[2] / "docs" / "conformance"
FILES = [entry["file"] for entry in json.loads((FOLDER / "manifest.json").read_text())["cases"]]

REFUSED = {
    "final-state": "final_state/1: the final state is not paused",
    "state-changes": "final_state/1: the final state is not calm",
    "limits-input-tokens": "limits/1 is inconclusive: the input tokens of some replies",
    "limits-output-tokens": "limits/1 is inconclusive: the output tokens of some replies",
    "limits-cost": "limits/1 is inconclusive: the US dollars of some replies",
    "answer-json-schema": "answer.json_schema/1: the final answer does not fit the schema",
    "an-unanswered-call": "finishes/1: crm.lookup was never answered",
}
"""What only a person, or a run of the mended agent, can bring."""


def without_accepted(file):
    """Return a case as the export wrote it: the incident alone."""
    case = load_case(FOLDER / file)
    return replace(
        case, paths=(case.recorded,), fixtures=tuple(f for f in case.fixtures if not f.only)
    )


@pytest.mark.parametrize("file", FILES)
def test_a_failing_case_is_mended_or_refused_with_the_reason(file):
    """Never a path that is not green, and never silence."""
    case = without_accepted(file)

    if case.id in REFUSED:
        with pytest.raises(RefusedError) as error:
            repair(case)
        assert error.value.reasons[0].startswith(REFUSED[case.id])
        return

    mended = repair(case)
    folder = (FOLDER / file).parent
    again = parse_case(format_case(mended), name="again", folder=folder)
    report = check_case(again)
    assert (report.recorded_red, report.accepted_green) == (True, True)


def test_every_kind_of_clause_is_among_them():
    """Each of the seventeen can be mended in some case."""
    mended = {
        type(clause)
        for file in FILES
        for clause in load_case(FOLDER / file).contract.clauses
        if load_case(FOLDER / file).id not in REFUSED
    }

    assert mended == set(CHECKS)


def test_a_violation_that_no_turn_made_has_nothing_to_refuse():
    """There is no call to leave out where the path has ended."""
    case = without_accepted("cases/max-calls.case.yaml")
    trace = replay_path(case, case.recorded)
    (violation,) = judge(trace, case.contract).violations
    late = replace(violation, seq=len(trace.events))

    ways = mends(case, case.recorded, trace, late, way=Way(turns=case.recorded.turns))

    assert list(ways) == []

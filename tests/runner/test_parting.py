"""Where a failed trial parts from its path."""

from __future__ import annotations

import json
from dataclasses import replace

from tests.runner.test_trials import a_code_case, an_active_case, run
from workbench.casefile.codec import encode
from workbench.model.event import ToolCall
from workbench.replay.scripted import replay_path
from workbench.runner.outcome import CaseVerdict
from workbench.runner.parting import partings
from workbench.runner.reports.results import results_document
from workbench.runner.reports.terminal import render


def test_half_mended_code_parts_from_the_recorded_path_where_it_was_mended():
    """The reader sees what the change did, beside what it did not."""
    report = run(a_code_case(), agent="careful")

    (case,) = json.loads(json.dumps(results_document(report)))["cases"]
    assert case["divergence"] == {
        "run_id": "code-case.recorded.1",
        "path": "recorded",
        "expect": "fail",
        "what": "claim",
        "first": {"seq": 8, "kind": "claim"},
        "second": {"seq": 11, "kind": "claim"},
        "downstream": [0, 0],
        "sentence": "first success was claimed at 8, then unresolved was claimed at 11",
        "headline": "at 11 unresolved was claimed, where the path has success was claimed",
        "beside": [
            {"first": {"seq": 5, "text": "billing.pause was called"},
             "second": {"seq": 7, "text": "billing.pause was called"}, "apart": False},
            {"first": {"seq": 6, "text": "billing.pause ended unknown"},
             "second": {"seq": 8, "text": "billing.pause ended unknown"}, "apart": False},
            {"first": {"seq": 8, "text": "success was claimed"},
             "second": {"seq": 11, "text": "unresolved was claimed"}, "apart": True},
        ],
    }  # fmt: skip
    assert (
        "    path recorded parts from the recorded path: at 11 unresolved was claimed, where the "
        "path has success was claimed"
    ) in render(report).splitlines()


def test_a_model_case_is_set_beside_its_accepted_path():
    """The recorded mistake was the model's; what the code should do is in the accepted one."""
    report = run(an_active_case(), agent="interrupts")

    divergence = report.cases[0].divergence
    assert divergence is not None
    assert (divergence["path"], divergence["what"]) == ("repaired", "call")
    shown = render(report)
    assert (
        "    path repaired parts from the accepted path: at 1 customer.lookup was skipped" in shown
    )


def test_code_that_repeats_the_incident_does_not_part_from_it():
    """The reference loop and a plain agent leave the same trace, or each trial would part."""
    report = run(a_code_case())

    assert report.cases[0].verdict is CaseVerdict.FAIL
    assert report.cases[0].divergence is None
    assert "parts from" not in render(report)


def test_only_a_failure_is_compared():
    """Mended code has to part from the recorded path."""
    report = run(a_code_case(), agent="reads_back")

    assert report.cases[0].verdict is CaseVerdict.INCONCLUSIVE
    assert report.cases[0].divergence is None


def test_a_trial_that_ended_early_says_so_without_text_of_the_trace():
    """Arguments and answers are personal; a report is read by many."""
    case = a_code_case()
    report = run(case)
    trial = report.cases[0].trials[0]
    events = trial.trace.events
    start = next(at for at, event in enumerate(events) if isinstance(event, ToolCall))
    cut = replace(trial, trace=replace(trial.trace, events=events[:start]))

    (found,) = partings(case, [cut])

    assert found is not None
    assert (found["what"], found["second"]) == ("end", None)
    said = json.dumps(encode(found))
    args = [
        json.dumps(value)
        for event in replay_path(case, case.recorded).events
        if isinstance(event, ToolCall) and isinstance(event.args, dict)
        for value in event.args.values()
    ]
    assert args
    assert not any(value in said for value in args)
    shown = render(replace(report, cases=(replace(report.cases[0], divergence=found),)))
    assert "parts from the recorded path: at its end customer.lookup was skipped" in shown


def test_a_hostile_name_in_the_sentence_is_harmless():
    """A name of a tool comes from the agent."""
    report = run(a_code_case(), agent="careful")
    (case,) = report.cases
    loud = replace(
        case, divergence={**(case.divergence or {}), "headline": "at 1 a\x1b[2Jb was skipped"}
    )

    shown = render(replace(report, cases=(loud,)))

    assert "at 1 a\\x1b[2Jb was skipped" in shown

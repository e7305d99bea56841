"""What is said of losses: each with its cost, the number of runs, and what brings it back."""

from __future__ import annotations

import pytest

from tests.builders import a_call, a_claim, a_trace, a_user
from workbench.model.trace import Effect, Grade, Loss, Losses, Tool
from workbench.review.checkup import MEANINGS, Checkup, checkup_document, checkup_lines

pytestmark = pytest.mark.desk

TIMES = Loss(kind="no_timestamps", count=2, note="no times", fix="export spans")
TEXTS = Loss(kind="content_off", note="no texts", fix="CAPTURE=true", caps=Grade.SKELETON)


def a_checkup(*reports, tools=()):
    """Return the report of runs that lost these."""
    found = Checkup(tools=tools)
    for number, items in enumerate(reports):
        trace = a_trace(a_user(), a_call("a.set"), a_claim(), run_id=f"r{number}")
        found.add(trace.run_id, trace, Losses(items=items))
    return found


def test_a_run_that_lost_nothing_says_so():
    """Silence could be a run that was not looked at."""
    found = Checkup(tools=[Tool(name="a.set", effect=Effect.WRITE)])
    found.add("r", a_trace(a_call("a.set")), Losses())

    assert [*checkup_lines(found)] == [
        "r: replayable",
        f"  {MEANINGS[Grade.REPLAYABLE]}",
        "  nothing was lost",
    ]


def test_what_costs_most_comes_first_with_its_remedy():
    """The reader changes one setting and exports again."""
    lines = [*checkup_lines(a_checkup((TIMES, TEXTS)))]

    assert lines[0] == "r0: skeleton"
    assert lines[2:6] == [
        "  content_off x1: no texts  [at best skeleton]",
        "    Fix: CAPTURE=true",
        "  no_timestamps x2: no times",
        "    Fix: export spans",
    ]


def test_losses_of_many_runs_are_one_line():
    """A file of ten thousand runs has one recorder."""
    found = a_checkup((TIMES,), (TIMES, TEXTS), ())

    lines = [*checkup_lines(found)]

    assert lines[0] == "3 runs, 18 events"
    assert f"       1 skeleton: {MEANINGS[Grade.SKELETON]}" in lines
    assert "  no_timestamps x4 in 2 runs: no times" in lines
    assert "  content_off x1 in 1 run: no texts  [at best skeleton]" in lines
    assert checkup_document(found)["run_id"] is None


def test_two_remedies_of_one_loss_are_two_lines():
    """Two recorders in one file need two settings."""
    other = Loss(kind="content_off", note="no texts", fix="OTHER=1", caps=Grade.SKELETON)

    found = a_checkup((TEXTS,), (other,))

    assert [loss.fix for loss, _ in found.losses] == ["CAPTURE=true", "OTHER=1"]


def test_a_record_that_is_no_trace_says_why():
    """Nothing else is known of it."""
    found = Checkup()
    loss = Loss(kind="unreadable", note="is cut", caps=Grade.UNUSABLE)
    found.add("r", None, Losses(items=(loss,)), reason="line 2: is cut")

    assert [*checkup_lines(found)] == [
        "r: unusable",
        f"  {MEANINGS[Grade.UNUSABLE]}",
        "  unreadable: line 2: is cut",
    ]
    assert checkup_document(found)["unreadable"] == [{"run_id": "r", "reason": "line 2: is cut"}]


def test_effects_that_nobody_declared_are_asked_for():
    """An assumed effect lowers what diagnose may say."""
    declared = [Tool(name="a.set", effect=Effect.WRITE)]

    assert "a.set (write?)" in "\n".join(checkup_lines(a_checkup(())))
    assert a_checkup((), tools=declared).assumed == set()


def test_reports_of_files_add_up():
    """`ingest` says once what all its files lost."""
    found = a_checkup((TIMES,))

    found.merge(a_checkup((TIMES, TEXTS)))

    assert (found.runs, found.events, found.grade) == (2, 12, Grade.SKELETON)
    assert {loss.kind: (loss.count, runs) for loss, runs in found.losses} == {
        "content_off": (1, 1),
        "no_timestamps": (4, 2),
    }


def test_names_cannot_steer_a_terminal():
    """A run id comes from a stranger."""
    found = Checkup()
    found.add("r\x1b[2J", None, Losses(), reason="x\x1b[31m")

    assert "\x1b" not in "\n".join(checkup_lines(found))

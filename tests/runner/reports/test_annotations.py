"""Notes on the lines of a pull request: ten at most, on the clause's own line, inert."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.runner.cases import PAUSE
from tests.runner.reports.samples import (
    HOSTILE,
    a_failed_case,
    a_hostile_report,
    a_live_case,
    a_passed_case,
    a_report,
    an_inconclusive_case,
)
from workbench.runner.outcome import CaseVerdict, Relation
from workbench.runner.reports.annotations import MOST, github_annotations

COMMAND = re.compile(
    r"::(?P<level>error|warning|notice) (?P<facts>[^:]*)::(?P<message>[^\r\n]*)", re.DOTALL
)


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A case file in the working folder."""
    monkeypatch.chdir(tmp_path)
    path = Path("cases/pause.case.yaml")
    path.parent.mkdir()
    path.write_text(PAUSE, "utf-8")
    return str(path)


def parsed(command):
    """Return level, properties and message as GitHub reads them."""
    found = COMMAND.fullmatch(command)
    assert found is not None, command
    facts = dict(fact.split("=", 1) for fact in found["facts"].split(","))
    return found["level"], {k: unescaped(v) for k, v in facts.items()}, unescaped(found["message"])


def unescaped(text):
    """Undo the escapes of a workflow command."""
    for escaped, char in (("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        text = text.replace(escaped, char)
    return text


def line_of(text):
    """Return the number of the line of the case that begins with a text."""
    return next(
        str(n)
        for n, line in enumerate(PAUSE.splitlines(), start=1)
        if line.strip().startswith(text)
    )


def test_each_broken_clause_is_marked_on_its_own_line(file):
    """The reviewer of the pull request sees what was promised there."""
    notes = [parsed(c) for c in github_annotations(a_report(a_failed_case(path=file)))]

    title = "workbench: case-1"
    assert notes == [
        (
            "error",
            {"file": file, "line": line_of("order:"), "title": title},
            "order/1: billing.pause was not followed by a receipt",
        ),
        (
            "error",
            {"file": file, "line": line_of("must_call:"), "title": title},
            "must_call/1: billing.receipt was never called",
        ),
    ]


def test_a_path_is_told_from_the_root_of_the_repository(file, tmp_path, monkeypatch):
    """A step may run in a folder below it; GitHub knows no other path."""
    monkeypatch.chdir(tmp_path / "cases")
    report = a_report(a_failed_case(path="pause.case.yaml"))

    (first, *_) = github_annotations(report, root=tmp_path)
    (outside, *_) = github_annotations(report, root=tmp_path / "elsewhere")

    assert parsed(first)[1]["file"] == "cases/pause.case.yaml"
    assert parsed(outside)[1]["file"] == "pause.case.yaml"


@pytest.mark.parametrize(
    ("case", "level", "line", "message"),
    [
        (a_failed_case(gates=False, state="proposed"), "warning", "order:", "order/1: "),
        (a_failed_case(violations=(), trials=()), "error", "id:", "see the results"),
        (an_inconclusive_case(), "error", "id:", "inconclusive: missing_fixture: "),
        (
            a_passed_case(verdict=CaseVerdict.NOT_RUN, strength=None, reason="f1 is no matcher"),
            "error",
            "id:",
            "f1 is no matcher",
        ),
        (a_passed_case(review_date="2026-11-30"), "warning", "review_date:", "its review was due"),
    ],
)
def test_what_is_noted_and_how_loudly(file, case, level, line, message):
    """What stops the pipeline is an error; what wants a look is a warning."""
    (first, *_) = github_annotations(a_report(replace(case, path=file)))

    found = parsed(first)
    assert (found[0], found[1]["line"]) == (level, line_of(line))
    assert found[2].startswith(message)


def test_near_decisions_and_the_baseline_are_noted_in_the_live_layer(file):
    """One trial more or less would have decided otherwise."""
    case = a_live_case(path=file, verdict=CaseVerdict.PASS, violations=())

    notes = [parsed(c) for c in github_annotations(a_report(case), root=None)]
    live = [parsed(c) for c in github_annotations(a_report(case, layer="live"))]

    worse = ("error", "baseline: 3 of 3 before, 1 of 3 now")
    assert [(level, message) for level, _, message in notes] == [worse]
    assert [(level, message) for level, _, message in live] == [
        ("warning", "one trial decided"),
        worse,
    ]


@pytest.mark.parametrize(
    ("relation", "level"),
    [(Relation.BETTER, "notice"), (Relation.NOT_RUN, "error"), (Relation.NOT_COMPARABLE, "notice")],
)
def test_only_worse_than_the_baseline_is_an_error(relation, level):
    """A rise is reported, not required."""
    case = a_live_case(verdict=CaseVerdict.PASS, violations=())
    assert case.baseline is not None
    case = replace(case, baseline=replace(case.baseline, relation=relation))

    (note,) = github_annotations(a_report(case))

    assert parsed(note)[0] == level


def test_what_passed_or_does_not_count_is_no_news():
    """Ten notes are few."""
    quiet = an_inconclusive_case(gates=False, state="muted")

    assert github_annotations(a_report(a_passed_case(), quiet)) == []


def test_there_are_ten_at_most_and_the_last_counts_the_rest():
    """GitHub shows no more of a step, and drops the others in silence."""
    cases = [a_failed_case(id=f"case-{n}") for n in range(8)]

    notes = github_annotations(a_report(*cases))

    assert len(notes) == MOST
    level, facts, message = parsed(notes[-1])
    assert (level, facts) == ("notice", {"title": "workbench: workbench run"})
    assert message.startswith("7 more; ")


def test_a_file_that_is_no_case_is_marked_where_its_message_says():
    """The error of the loader names file and line."""
    sentence = "cases/x.case.yaml:3: owner is missing\n  Fix: add owner"

    first, second = github_annotations(a_report(invalid=(sentence, "cases: empty")))

    assert parsed(first) == (
        "error",
        {"file": "cases/x.case.yaml", "line": "3", "title": "workbench: no valid case"},
        "owner is missing\nFix: add owner",
    )
    assert parsed(second)[1] == {"file": "cases", "title": "workbench: no valid case"}


def test_a_sentence_without_a_place_is_kept_whole():
    """A message must not be lost to its form."""
    (note,) = github_annotations(a_report(invalid=("no place here",)))

    assert parsed(note)[2] == "no place here"


def test_a_file_that_went_away_is_noted_at_its_top(file):
    """The note counts, whatever happened to the file since."""
    case = a_failed_case(path="cases/gone.case.yaml")

    (first, *_) = github_annotations(a_report(case))

    assert parsed(first)[1]["line"] == "1"


@pytest.mark.parametrize("name", HOSTILE)
def test_a_note_is_one_command_whatever_a_stranger_writes(name):
    """A second command could mask the log, or set what a later step reads."""
    notes = github_annotations(a_hostile_report(HOSTILE[name]))

    assert notes
    for note in notes:
        assert "\n" not in note
        assert "\r" not in note
        assert len(note) < 5_000
        level, facts, _ = parsed(note)
        assert level in ("error", "warning", "notice")
        assert set(facts) <= {"file", "line", "title"}

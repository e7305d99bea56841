"""JUnit XML that Jenkins, GitLab and GitHub's readers take, whatever a case is called."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from tests.runner.reports.samples import (
    HOSTILE,
    a_failed_case,
    a_hostile_report,
    a_passed_case,
    a_report,
    an_inconclusive_case,
)
from workbench.runner.outcome import CaseVerdict
from workbench.runner.reports.junit import junit_xml

COUNTED = {"tests", "failures", "errors", "skipped", "time"}
ALLOWED = {
    "testsuites": ({"name", *COUNTED}, {"testsuite"}),
    "testsuite": ({"name", "timestamp", *COUNTED}, {"properties", "testcase"}),
    "properties": (set(), {"property"}),
    "property": ({"name", "value"}, set()),
    "testcase": (
        {"classname", "name", "time", "file"},
        {"properties", "failure", "error", "skipped", "system-out"},
    ),
    "failure": ({"message", "type"}, set()),
    "error": ({"message", "type"}, set()),
    "skipped": ({"message"}, set()),
    "system-out": (set(), set()),
}
"""Element -> its attributes and children: what the schemas of the readers have in common."""
NO_RETRY = {"rerunFailure", "rerunError", "flakyFailure", "flakyError"}
VALID = re.compile("[\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")


def checked(report):
    """Return the parsed document after checking it as a reader's schema would."""
    text = junit_xml(report)
    assert VALID.fullmatch(text)
    root = ET.fromstring(text.encode())  # noqa: S314  our own
    assert root.tag == "testsuites"
    for element in root.iter():
        attributes, children = ALLOWED[element.tag]
        assert set(element.attrib) <= attributes, element.tag
        assert {child.tag for child in element} <= children
    for case in root.iter("testcase"):
        ends = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        assert len(ends) <= 1
        assert {"classname", "name", "time"} <= set(case.attrib)
    for suite in (root, *root.iter("testsuite")):
        cases = list(suite.iter("testcase"))
        assert int(suite.get("tests", "")) == len(cases)
        for tag, count in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            assert int(suite.get(count, "")) == sum(case.find(tag) is not None for case in cases)
    assert not NO_RETRY & {element.tag for element in root.iter()}
    return root


def the_case(report):
    """Return the one testcase of a report."""
    (case,) = checked(report).iter("testcase")
    return case


def facts(element):
    """Return the properties of an element."""
    return {p.get("name"): p.get("value") for p in element.findall("properties/property")}


def test_a_failed_case_is_one_testcase_with_our_report_as_its_text():
    """Whoever clicks on it in a CI service sees what the terminal shows."""
    case = the_case(a_report(a_failed_case(path="cases/billing/a.case.yaml")))

    assert case.attrib == {
        "classname": "cases.billing",
        "name": "case-1",
        "time": "0.005",
        "file": "cases/billing/a.case.yaml",
    }
    failure = case.find("failure")
    assert failure is not None
    assert failure.attrib == {
        "message": "order/1: billing.pause was not followed by a receipt",
        "type": "violation",
    }
    assert (failure.text or "").splitlines()[:3] == [
        "case-1 [active]",
        "Pause timed out",
        "path recorded: order/1 at event 7: billing.pause was not followed by a receipt",
    ]
    assert facts(case) == {
        "state": "active",
        "owner": "o",
        "severity": "S1",
        "strength": "red ok | green ok | clauses 6/6 killable | coverage 19/20",
        "coverage": "3/3",
        "isolation": "audit (audit hook)",
    }


def test_the_suite_says_what_ran_and_how_it_was_held():
    """Isolation is part of every report."""
    root = checked(a_report(a_passed_case()))
    (suite,) = root

    assert suite.get("timestamp") == "2026-12-01T10:00:00+00:00"
    assert facts(suite)["run"] == (
        "python:support.agent:agent | scripted layer | isolation netns (empty network)"
    )
    assert facts(suite)["exit_code"] == "0: all gates hold"


@pytest.mark.parametrize(
    ("case", "tag", "kind"),
    [
        (a_passed_case(), None, None),
        (a_failed_case(), "failure", "violation"),
        (an_inconclusive_case(), "error", "inconclusive"),
        (a_passed_case(verdict=CaseVerdict.NOT_RUN, reason="nothing", trials=()), "skipped", None),
        (a_failed_case(gates=False, state="proposed"), "skipped", None),
        (an_inconclusive_case(gates=False, state="muted"), "skipped", None),
        (a_passed_case(verdict=CaseVerdict.NOT_RUN, strength=None), "error", "invalid"),
        (
            a_passed_case(verdict=CaseVerdict.NOT_RUN, strength=None, state="archived"),
            "skipped",
            None,
        ),
    ],
)
def test_what_a_verdict_is_for_a_reader(case, tag, kind):
    """Inconclusive is an error, not run is skipped, and what does not gate fails no pipeline."""
    found = the_case(a_report(case))

    ends = [child for child in found if child.tag in ("failure", "error", "skipped")]
    assert [child.tag for child in ends] == ([] if tag is None else [tag])
    assert [child.get("type") for child in ends] == ([] if tag is None else [kind])


def test_a_failure_that_does_not_gate_still_shows_what_it_found():
    """Skipped must not mean unseen."""
    found = the_case(a_report(a_failed_case(gates=False, state="proposed")))

    skipped = found.find("skipped")
    assert skipped is not None
    assert (skipped.get("message") or "").startswith("fail, does not gate: order/1: ")
    assert "at 7 billing.receipt was skipped" in (found.findtext("system-out") or "")


def test_a_file_that_is_no_case_is_an_error_of_its_own():
    """It must not vanish among those that passed."""
    sentence = "cases/x.case.yaml:3: owner is missing\n  Fix: add owner"
    root = checked(a_report(a_passed_case(), invalid=(sentence,)))

    _, lost = root.iter("testcase")
    error = lost.find("error")
    assert (lost.get("classname"), lost.get("name")) == ("invalid", "cases/x.case.yaml:3")
    assert error is not None
    assert (error.get("type"), error.text) == (
        "invalid",
        "cases/x.case.yaml:3: owner is missing\nFix: add owner",
    )


def test_a_report_without_a_time_or_a_place_is_valid_too():
    """`run_cases` may be called with cases in memory."""
    root = checked(a_report(a_passed_case(coverage=None, trials=()), started=None))

    (case,) = root.iter("testcase")
    assert case.get("classname") == "cases"
    assert case.get("file") is None


@pytest.mark.parametrize("name", HOSTILE)
def test_it_stays_valid_whatever_a_stranger_writes(name):
    """A reader that stops at one sign would hide all other cases."""
    root = checked(a_hostile_report(HOSTILE[name]))

    assert len(list(root.iter("testcase"))) == 5
    shown = "".join(
        text for element in root.iter() for text in (element.text or "", *element.attrib.values())
    )
    assert "\x1b" not in shown
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", shown)


def test_an_absolute_path_is_grouped_by_its_folders():
    """A name of a class has no slashes."""
    found = the_case(a_report(replace(a_passed_case(), path="/a/b/../c/x.case.yaml")))

    assert found.get("classname") == "a.b.c"

"""JUnit XML: one testcase a case; inconclusive is an error, not run is skipped, no reruns.

A case that does not gate is never a failure here: a CI service that reads this file must not be
red where the exit code is not. What it showed is in `system-out`.

Source:
    the common part of the JUnit schemas of Jenkins, GitLab and pytest (`xunit2`).
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from workbench.runner.outcome import CaseVerdict
from workbench.runner.reports.case_lines import (
    by_importance,
    case_lines,
    case_title,
    is_invalid,
    other_invalid,
    summary_line,
)
from workbench.runner.reports.harmless import harmless
from workbench.runner.reports.terminal import code_words, head_line
from workbench.runner.strength import strength_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workbench.runner.outcome import CaseResult, RunReport

__all__ = ["junit_xml"]

_FAILURE: Final = "failure"
_ERROR: Final = "error"
_SKIPPED: Final = "skipped"
_MESSAGE: Final = 400


def junit_xml(report: RunReport) -> str:
    """Return the document, with its declaration."""
    root = ET.Element("testsuites", name="workbench")
    suite = ET.SubElement(root, "testsuite", name=f"workbench {report.layer}")
    _properties(suite, _facts(report))
    for case in by_importance(report):
        _case(suite, case, report)
    for sentence in other_invalid(report):
        _no_case(suite, sentence)
    counts = {
        "tests": len(suite.findall("testcase")),
        "failures": len(suite.findall(f"testcase/{_FAILURE}")),
        "errors": len(suite.findall(f"testcase/{_ERROR}")),
        "skipped": len(suite.findall(f"testcase/{_SKIPPED}")),
    }
    for element in (root, suite):
        element.attrib.update({name: str(count) for name, count in counts.items()})
        element.set("time", _seconds(report.cases))
    if report.started is not None:
        suite.set("timestamp", harmless(report.started))
    ET.indent(root)
    return f"<?xml version='1.0' encoding='utf-8'?>\n{ET.tostring(root, encoding='unicode')}\n"


def _facts(report: RunReport) -> dict[str, str]:
    return {
        "agent": report.agent,
        "layer": report.layer,
        "run": head_line(report),
        "exit_code": f"{report.exit_code}: {code_words(report.exit_code)}",
    }


def _properties(parent: ET.Element, facts: dict[str, str]) -> None:
    box = ET.SubElement(parent, "properties")
    for name, value in facts.items():
        ET.SubElement(box, "property", name=name, value=harmless(value))


def _case(suite: ET.Element, case: CaseResult, report: RunReport) -> None:
    element = ET.SubElement(
        suite,
        "testcase",
        classname=_class(case.path),
        name=harmless(case.id),
        time=_seconds([case]),
    )
    if case.path is not None:
        element.set("file", harmless(PurePath(case.path).as_posix()))
    _properties(element, _case_facts(case))
    body = "\n".join((case_title(case), harmless(case.title), *case_lines(case, report)))
    kind = _kind(case)
    if kind is None:
        ET.SubElement(element, "system-out").text = body
        return
    message = summary_line(case)[:_MESSAGE]
    if kind is _SKIPPED:
        state = "" if case.verdict is CaseVerdict.NOT_RUN else f"{case.verdict}, does not gate: "
        ET.SubElement(element, kind, message=state + message)
        ET.SubElement(element, "system-out").text = body
    else:
        ET.SubElement(element, kind, message=message, type=_word(case)).text = body


def _word(case: CaseResult) -> str:
    if is_invalid(case):
        return "invalid"
    return "violation" if case.verdict is CaseVerdict.FAIL else case.verdict.value


def _kind(case: CaseResult) -> str | None:
    """Return the element that says how a case ended; None: it passed."""
    if is_invalid(case):
        return _ERROR
    if case.verdict is CaseVerdict.PASS:
        return None
    if case.verdict is CaseVerdict.NOT_RUN or not case.gates:
        return _SKIPPED
    return _FAILURE if case.verdict is CaseVerdict.FAIL else _ERROR


def _case_facts(case: CaseResult) -> dict[str, str]:
    facts = {"state": case.state, "owner": case.owner, "severity": case.severity}
    if case.strength is not None:
        facts["strength"] = strength_line(case.strength)
    if case.coverage is not None:
        facts["coverage"] = f"{case.coverage[0]}/{case.coverage[1]}"
    levels = dict.fromkeys(f"{t.isolation} ({t.isolation_note})" for t in case.trials)
    if levels:
        facts["isolation"] = "; ".join(levels)
    return facts


def _class(path: str | None) -> str:
    """Return the folder of a case file, as services group by it."""
    parts = () if path is None else PurePath(path).parent.parts
    return harmless(".".join(part for part in parts if part not in ("/", ".", "..")) or "cases")


def _no_case(suite: ET.Element, sentence: str) -> None:
    name = harmless(sentence.partition(": ")[0])[:_MESSAGE]
    element = ET.SubElement(suite, "testcase", classname="invalid", name=name, time="0.000")
    lines = [harmless(line.strip()) for line in sentence.splitlines()]
    error = ET.SubElement(element, _ERROR, message=lines[0][:_MESSAGE], type="invalid")
    error.text = "\n".join(lines)


def _seconds(cases: Iterable[CaseResult]) -> str:
    return f"{sum(trial.ms for case in cases for trial in case.trials) / 1000:.3f}"

"""`results.json`: its schema is what is written, and what is read back."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import jsonschema_rs
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
from tests.runner.test_trials import a_code_case, run
from tools.results_schema import render
from workbench.errors import InputError, UnknownRunError
from workbench.runner.outcome import CaseVerdict
from workbench.runner.reports.results import results_document
from workbench.runner.reports.results_schema import results_schema
from workbench.runner.reports.saved import load_results
from workbench.runner.reports.trace_files import write_traces

DOCS = Path(__file__).parents[3] / "docs"
SCHEMA = jsonschema_rs.validator_for(results_schema())
EVERYTHING = a_report(
    a_failed_case(),
    a_passed_case(path="cases/a.case.yaml"),
    an_inconclusive_case(),
    a_live_case(),
    a_passed_case(verdict=CaseVerdict.NOT_RUN, strength=None, reason="why", trials=()),
    invalid=("x: is empty",),
    groups=(a_group(),),
    budget=a_budget(),
)


def document(report):
    """Return a report's document as it comes out of a file."""
    return json.loads(json.dumps(results_document(report)))


def without_descriptions(value):
    """Return a schema as the package has it."""
    if isinstance(value, dict):
        return {
            name: without_descriptions(item)
            for name, item in value.items()
            if name != "description" or not isinstance(item, str)
        }
    return [without_descriptions(item) for item in value] if isinstance(value, list) else value


def test_the_published_schema_is_the_generated_one_and_says_what_fields_mean():
    """Run `python -m tools.results_schema` when the results grow."""
    published = (DOCS / "results.schema.json").read_text("utf-8")

    assert published == render()
    assert without_descriptions(json.loads(published)) == results_schema()
    trial = json.loads(published)["$defs"]["TrialResult"]
    assert trial["description"].startswith("One replayed run of one path")
    assert trial["properties"]["answered"]["description"] == "Calls that a fixture answered."


def test_a_real_run_is_as_the_schema_says():
    """Written by a run with an agent, not by hand."""
    report = run(a_code_case(), agent="careful", started="2026-12-01T10:00:00Z")

    SCHEMA.validate(document(report))
    assert report.cases[0].divergence is not None


@pytest.mark.parametrize("report", [EVERYTHING, a_report(), a_report(started=None)])
def test_every_part_of_a_report_is_as_the_schema_says(report):
    """Also those that no scripted run has."""
    SCHEMA.validate(document(report))


def test_every_field_is_required_and_none_is_unknown():
    """A reader in another language may rely on each; a field that grows changes the schema."""
    written = document(EVERYTHING)
    for path in places(written):
        broken = copy.deepcopy(written)
        parent = at(broken, path[:-1])
        del parent[path[-1]]
        assert not SCHEMA.is_valid(broken), path
    for path in {path[:-1] for path in places(written)}:
        broken = copy.deepcopy(written)
        at(broken, path)["surprise"] = 1
        assert not SCHEMA.is_valid(broken), path


FREE = ("versions", "settings", "isolation", "causes", "divergence")


def places(value, path=()):
    """Yield the path of each field whose mapping is ours."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield (*path, name)
            if name not in FREE:
                yield from places(item, (*path, name))
    elif isinstance(value, list):
        for nth, item in enumerate(value):
            yield from places(item, (*path, nth))


def at(value, path):
    """Return what stands at a path."""
    for step in path:
        value = value[step]
    return value


# --- reading back ----------------------------------------------------------------------


def saved(folder, report, **changes):
    """Write a report's document, with some of its top keys changed, and return the file."""
    path = folder / "results.json"
    path.write_text(json.dumps({**results_document(report), **changes}), "utf-8")
    return path


def test_a_run_comes_back_with_its_trials(tmp_path):
    """`accept` and `ingest` take a trial from here."""
    found = load_results(saved(tmp_path, EVERYTHING))

    assert found.document == document(EVERYTHING)
    assert [trial.run_id for trial in found.trials][:2] == [
        "case-1.recorded.1",
        "case-1.repaired.1",
    ]
    first = found.trials[0]
    assert (first.case_id, first.case_digest, first.path, first.verdict, first.file) == (
        "case-1",
        "sha256:1",
        "recorded",
        CaseVerdict.FAIL,
        None,
    )


@pytest.mark.parametrize("place", ["out/traces", "traces", "out"])
def test_a_trial_brings_its_trace_wherever_the_traces_lie(tmp_path, monkeypatch, place):
    """Beside the results, below them or above: the path is relative to the results."""
    monkeypatch.chdir(tmp_path)
    report = a_report(a_failed_case())
    Path("out").mkdir()
    results = Path("out/results.json")
    files = write_traces(report, Path(place), beside=results)
    results.write_text(json.dumps(results_document(report, trace_files=files)), "utf-8")
    monkeypatch.chdir("/")

    trial = load_results(tmp_path / results).trial("case-1.recorded.1")

    assert trial.trace() == report.cases[0].trials[0].trace


def test_a_run_without_traces_says_how_to_get_them(tmp_path):
    """The reader has the results, and not what made them."""
    (trial, *_) = load_results(saved(tmp_path, EVERYTHING)).trials

    with pytest.raises(InputError, match=r"has no trace\n  Fix: run again with --traces DIR"):
        trial.trace()


def test_another_runs_trace_is_refused(tmp_path):
    """A file that was moved must not be taken for the trial's."""
    report = a_report(a_failed_case())
    files = write_traces(report, tmp_path / "t", beside=tmp_path / "results.json")
    path = saved(tmp_path, report)
    text = json.dumps(results_document(report, trace_files=files))
    path.write_text(text.replace('"run_id": "case-1.recorded.1"', '"run_id": "another"'), "utf-8")
    trial = load_results(path).trial("another")

    with pytest.raises(InputError, match="is the trace of another run"):
        trial.trace()


def test_an_unknown_trial_is_named_with_the_nearest_one(tmp_path):
    """A typo in a run id."""
    found = load_results(saved(tmp_path, EVERYTHING))

    with pytest.raises(UnknownRunError, match=r"Fix: name case-1\.recorded\.1"):
        found.trial("case-1.recorded.2")
    with pytest.raises(UnknownRunError, match="has no trial 'x'; it has"):
        found.trial("x")


PERSONAL = "ada@example.com"


def broken(**changes):
    """Return the document of everything with something changed in its first case."""
    written = document(EVERYTHING)
    written["cases"][0] |= changes
    return written["cases"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schema": "results/2"}, "schema is a string of 9 characters; expected results/1"),
        ({"schema": 5}, "schema is a number; expected results/1"),
        ({"agent": 5}, "agent is a number; expected a string"),
        ({"started": [PERSONAL]}, "started is a list of 1; expected a string or null"),
        ({"exit_code": True}, "exit_code is true; expected an integer"),
        ({"cases": {}}, "cases is a mapping of 0; expected a list"),
        ({"cases": broken(verdict=PERSONAL)}, "cases.0.verdict is a string of 15 characters; "),
        ({"cases": broken(coverage=[1])}, "cases.0.coverage is a list of 1; expected a list of 2"),
        (
            {"cases": broken(gate=PERSONAL)},
            "cases.0.gate is a string of 15 characters; expected a ",
        ),
        ({"cases": broken(gate={})}, "cases.0.gate.kind is missing; it is required"),
        ({"cases": broken(divergence={})}, "cases.0.divergence.run_id is missing"),
        ({"cases": broken(**{PERSONAL: 1})}, "cases.0 has 1 unknown fields; expected none"),
        ({"summary": {}}, "summary.cases is missing; it is required"),
    ],
)
def test_what_the_schema_does_not_allow_is_an_error_without_its_text(tmp_path, changes, message):
    """Place, what it is, what was expected, and what to do."""
    with pytest.raises(InputError) as raised:
        load_results(saved(tmp_path, EVERYTHING, **changes))

    said = str(raised.value)
    assert said.startswith("results.json: ") or "/results.json: " in said
    assert message in said
    assert "\n  Fix: " in said
    assert PERSONAL not in said


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"\x00\x01",
        b"caf\xe9",
        b'{"schema": "results/1"',
        b'{"schema": "results/1"}',
        b"[" * 100_000,
        b'{"schema": "results/1", "schema": "results/1"}',
        b'{"schema": NaN}',
    ],
)
def test_what_is_no_results_file_is_an_error(tmp_path, data):
    """Empty, cut, binary, nested without end: exit 4 at the command, never a traceback."""
    path = tmp_path / "results.json"
    path.write_bytes(data)

    with pytest.raises(InputError):
        load_results(path)


@pytest.mark.parametrize(
    "named", ["/etc/passwd.json", "traces/a.txt", "a\x00b.json", "../../etc/passwd", ""]
)
def test_a_trace_is_a_json_file_at_a_relative_path(tmp_path, named):
    """A file from a stranger must not choose what is read."""
    report = a_report(a_failed_case())
    path = tmp_path / "results.json"
    text = json.dumps(results_document(report, trace_files={"case-1.recorded.1": named}))
    path.write_text(text, "utf-8")

    with pytest.raises(InputError, match=r"cases\.0\.trials\.0\.trace is a string of"):
        load_results(path)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_come_back_as_they_were(tmp_path, name):
    """A file for machines keeps every sign; it is ASCII, so that no reader stumbles."""
    report = a_hostile_report(HOSTILE[name])
    path = saved(tmp_path, report)

    assert path.read_bytes().isascii()
    assert load_results(path).document == document(report)

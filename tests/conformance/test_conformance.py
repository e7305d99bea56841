"""The published conformance cases end as their manifest says, with our implementation."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest

from tests.conformance.run import observed
from workbench.casefile.case import load_case
from workbench.casefile.layout import format_case
from workbench.casefile.strict_yaml import load_yaml
from workbench.check.judge import CHECKS
from workbench.errors import InputError
from workbench.model.jsonvalue import ABSENT
from workbench.replay.compare import differences, parse_matchers, parse_path, value_at
from workbench.runner.selftest import check_case

FOLDER = Path(__file__).parents[2] / "docs" / "conformance"
MANIFEST = json.loads((FOLDER / "manifest.json").read_text("utf-8"))
TABLE = json.loads((FOLDER / "matching.json").read_text("utf-8"))
SCHEMA = jsonschema_rs.validator_for(
    json.loads((FOLDER.parent / "case.schema.json").read_text("utf-8"))
)
CASES = [pytest.param(entry, id=Path(entry["file"]).name) for entry in MANIFEST["cases"]]
REFUSED = [pytest.param(entry, id=Path(entry["file"]).name) for entry in MANIFEST["refused"]]


@pytest.mark.parametrize("entry", CASES)
def test_a_case_ends_as_the_manifest_says(entry):
    """Verdicts, clauses, positions, signature, fixtures and misses of every path."""
    case = load_case(FOLDER / entry["file"])

    seen = observed(case)

    assert seen["digest"] == entry["digest"]
    assert seen["paths"] == entry["paths"]


@pytest.mark.parametrize("entry", CASES)
def test_a_case_is_canonical_and_red(entry):
    """What another implementation reads is what ours writes."""
    file = FOLDER / entry["file"]
    case = load_case(file)

    assert format_case(case) == file.read_text("utf-8")
    report = check_case(case)
    green = [path["verdict"] == "pass" for name, path in entry["paths"].items()
             if name != case.recorded.name]  # fmt: skip
    assert report.recorded_red
    assert report.accepted_green is (all(green) if green else None)


@pytest.mark.parametrize("entry", CASES)
def test_the_published_schema_takes_a_case(entry):
    """An implementation may check cases with the schema alone before it reads them."""
    document, _ = load_yaml((FOLDER / entry["file"]).read_bytes(), name=entry["file"])

    assert list(SCHEMA.iter_errors(document)) == []


@pytest.mark.parametrize("entry", REFUSED)
def test_a_broken_file_is_refused_at_its_place(entry):
    """A loader that takes one of these reads another case than ours."""
    with pytest.raises(InputError) as error:
        load_case(FOLDER / entry["file"])

    assert (error.value.key or None) == entry["key"]
    if entry["line"] is not None:
        assert error.value.place.endswith(f":{entry['line']}")


def looked_up(place):
    """Find what a fixture returned, as the table's `returned` has it."""
    name, _, rest = place.partition(".result")
    value = TABLE["returned"].get(name, ABSENT)
    return value_at(value, parse_path(rest[1:]) if rest else ())


@pytest.mark.parametrize("row", TABLE["rows"])
def test_the_table_of_matching(row):
    """Recorded, incoming, matcher -> where they differ; a missing key means no arguments."""
    found = differences(
        row.get("recorded", ABSENT),
        row.get("incoming", ABSENT),
        parse_matchers(row["match"]),
        lookup=looked_up,
    )

    assert list(found) == row["differs_at"]


def test_every_file_is_listed_once():
    """A case that nobody runs proves nothing."""
    listed = [entry["file"] for kind in ("cases", "refused") for entry in MANIFEST[kind]]

    there = {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.case.yaml")}
    assert sorted(listed) == sorted(there)


def test_every_kind_of_clause_is_red_once_and_green_once():
    """And every matcher is met; the list of both is the code's own."""
    red, green = set(), set()
    words = set()
    for entry in MANIFEST["cases"]:
        case = load_case(FOLDER / entry["file"])
        kinds = {clause.id: type(clause) for clause in case.contract.clauses}
        results = [pair for path in entry["paths"].values() for pair in path["clauses"].items()]
        red |= {kinds[clause] for clause, result in results if result == "fail"}
        green |= {kinds[clause] for clause, result in results if result == "pass"}
        rules = [rule for fixture in case.fixtures for rule in fixture.match.values()]
        words |= {word for rule in rules for word in (rule if isinstance(rule, dict) else [rule])}

    assert red == green == set(CHECKS)
    assert words == {
        *("any", "ignore", "uuid", "timestamp", "nonempty", "unordered"),
        *("type", "regex", "range", "ref", "optional"),
    }
    assert len(TABLE["rows"]) >= 60

"""The published JSON Schemas accept what we write, and refuse what we would refuse."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings

from tests.casefile.samples import a_case, a_document, changed
from tests.casefile.test_law import a_header
from tests.strategies import contracts, traces
from workbench.casefile.build import build_case
from workbench.casefile.case import case_document
from workbench.casefile.schema import case_schema, trace_schema
from workbench.casefile.trace import trace_document
from workbench.check.outcomes import resolve_outcomes
from workbench.errors import TraceFormatError
from workbench.model.jsonvalue import ABSENT, Absent, Json
from workbench.model.verdict import Signature

if TYPE_CHECKING:
    from workbench.model.contract import Contract
    from workbench.model.trace import Trace

DOCS = Path(__file__).parents[2] / "docs"
CASES = jsonschema_rs.validator_for(case_schema())
TRACES = jsonschema_rs.validator_for(trace_schema())

MUTILATED: list[tuple[str, Json | Absent]] = [
    ("schema", "replay-case/2"),
    ("owner", ABSENT),
    ("owner", " "),
    ("ownr", "x"),
    ("id", "../x"),
    ("review_date", "soon"),
    ("severity", "S4"),
    ("source.kind", ABSENT),
    ("input.messages", []),
    ("input.messages.0.role", "tool"),
    ("tools.0.effect", "none"),
    ("paths", []),
    ("paths.0.turns.0.text", 5),
    ("paths.0.turns.0.nope", 1),
    ("paths.0.turns.0.tool_calls.0.id", ABSENT),
    ("fixtures.0.times", 0),
    ("fixtures.0.times", "many"),
    ("fixtures.0.error", {"status": "504"}),
    ("contract", {}),
    ("contract.must_cal", []),
    ("contract.max_calls", {"x": -1}),
    ("contract.order", [{"before": ["a"]}]),
    ("contract.order", [{"at_most_after": ["a", "b", "c"]}]),
    ("contract.finishes", False),
    ("contract.must_call", [{"where": ["a == 1"]}]),
    ("contract.limits", {"tool_call": 1}),
    ("contract.answer", {"contain": "x"}),
    ("gate", {"scripted": {}}),
    ("gate.live.soft.0.clauses", []),
    ("expect", {}),
    ("expect.signature.first", ["order/1", "end"]),
    ("shrink.events", [1]),
    ("mute", {"by": "x"}),
]


@pytest.mark.parametrize(("name", "schema"), [("case", case_schema()), ("trace", trace_schema())])
def test_the_published_schemas_are_the_generated_ones(name: str, schema: Json) -> None:
    """Write `json.dumps(case_schema(), indent=1)` and a newline when the format grows."""
    assert (DOCS / f"{name}.schema.json").read_text() == json.dumps(schema, indent=1) + "\n"


def test_the_sample_is_valid_as_written_by_a_person_and_by_us() -> None:
    """An editor marks nothing in a case that loads."""
    CASES.validate(a_document())
    CASES.validate(case_document(a_case()))


@pytest.mark.parametrize(("path", "value"), MUTILATED)
def test_a_mutilated_case_is_marked(path: str, value: Json | Absent) -> None:
    """An editor shows the mistake while it is typed."""
    assert not CASES.is_valid(changed(path, value))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(traces(), contracts())
def test_every_document_that_we_write_is_valid(trace: Trace, contract: Contract) -> None:
    """Whoever reads our files by the schema reads all of them."""
    TRACES.validate(trace_document(trace))
    try:
        case = build_case(resolve_outcomes(trace), contract, header=a_header(contract, Signature()))
    except TraceFormatError:
        return
    CASES.validate(case_document(case))


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "trace/2"},
        {"run_id": 5},
        {"extra": 1},
        {"status": "great"},
        {"events": [{"kind": "user_message", "text": "no seq"}]},
        {"events": [{"seq": 0, "kind": "wish"}]},
        {"events": [{"seq": 0, "kind": "user_message"}]},
        {"events": [{"seq": 0, "kind": "tool_call", "call_id": "c", "tool": "t", "turn": "1"}]},
        {"events": [{"seq": -1, "kind": "user_message", "text": ""}]},
        {"tools": [{"name": "t", "effect": "none"}]},
    ],
)
def test_a_mutilated_trace_is_marked(change: dict[str, Json]) -> None:
    """An exporter in another language can test itself."""
    valid: dict[str, Json] = {
        "schema": "trace/1",
        "run_id": "r",
        "events": [{"seq": 0, "kind": "user_message", "text": "hi"}],
    }

    assert TRACES.is_valid(valid)
    assert not TRACES.is_valid({**valid, **change})


def test_absent_values_are_absent_and_not_null() -> None:
    """`"effect": null` is no way to say that nothing is known."""
    document = case_document(replace(a_case(), gate=None))

    assert "gate" not in document
    assert not CASES.is_valid({**document, "gate": None})

"""The canonical layout: it reads well, and it loads back to the same."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.casefile.samples import FULL_CASE, a_case
from tests.casefile.test_law import a_header
from tests.strategies import TOOLS, contracts, hostile_texts, json_values, traces
from workbench.casefile.build import build_case
from workbench.casefile.case import case_document, parse_case
from workbench.casefile.layout import SCHEMA_COMMENT, format_case, format_mapping
from workbench.casefile.strict_yaml import load_yaml
from workbench.check.outcomes import resolve_outcomes
from workbench.errors import CaseFormatError, TraceFormatError
from workbench.model.trace import Tool
from workbench.model.verdict import First, Signature

if TYPE_CHECKING:
    from workbench.model.case import Case
    from workbench.model.contract import Contract
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Trace

QUOTED_WORDS = [
    "no", "Yes", "ON", "y", "N", "true", "Null", "~", "", " a", "a ", "0123", "12:30:45", "1.5",
    "-1", "+1", ".5", ".inf", "-.INF", ".NaN", "0x1F", "0o7", "2027-02-28", "1e3", "=", "<<",
    "- a", "a: b", "a #b", "#a", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a", "[", "{", "a,b",
    "a\nb", "\ta", "a:", "漢字", "é", "sha256:00",
]  # fmt: skip
PLAIN_WORDS = [
    "a",
    "support-agent@v43",
    "billing.pause",
    "order/1",
    "two words",
    "x == y",
    "_",
    "$f",
]


def with_result(result: Json) -> Case:
    """Return the sample case with a result."""
    case = a_case()
    return replace(case, fixtures=(replace(case.fixtures[0], result=result), *case.fixtures[1:]))


def test_the_layout_of_the_sample_is_stable() -> None:
    """Formatting what is formatted changes nothing, or every command would make a diff."""
    text = format_case(a_case())

    assert format_case(parse_case(text, name="again")) == text
    assert text.startswith(f"{SCHEMA_COMMENT}\nschema: replay-case/1\nid: pause-with-unknown")


def test_the_keys_come_in_the_order_of_the_format() -> None:
    """A reviewer finds the owner where it always is."""
    keys = [line.partition(":")[0] for line in format_case(a_case()).splitlines()[1:]]
    top = [key for key in keys if key and not key.startswith((" ", "-"))]

    written = [line.partition(":")[0] for line in FULL_CASE.splitlines()]
    assert top == [key for key in written if key and not key.startswith((" ", "-"))]


def test_items_that_fit_are_in_flow_style_and_others_in_blocks() -> None:
    """One line an item makes a diff show what changed."""
    text = format_case(with_result({"status": "pending", "text": "x" * 160}))

    lines = text.splitlines()
    assert "tags: [billing, timeout]" in lines
    assert "  - {name: billing.pause, wire: billing_pause, effect: write}" in lines
    at = lines.index("  - id: f1")
    assert lines[at + 1 : at + 4] == [
        "    tool: customer.lookup",
        "    args: {email: user_01@mail-01.example}",
        "    outcome: ok",
    ]
    assert lines[at + 4] == "    result:"
    assert max(len(line) for line in lines if '"xxx' not in line and "x" * 150 not in line) <= 160


@pytest.mark.parametrize("word", QUOTED_WORDS)
def test_what_some_reader_would_type_is_quoted(word: str) -> None:
    """Double quotes, so that every YAML reader of every version reads the same text."""
    text = format_mapping({"v": word, "items": [word]})

    assert text.startswith('v: "')
    assert yaml.safe_load(text) == {"v": word, "items": [word]}


@pytest.mark.parametrize("word", PLAIN_WORDS)
def test_plain_words_stay_plain(word: str) -> None:
    """Quotes everywhere would hide the ones that matter."""
    assert format_mapping({"v": word}) == f"v: {word}\n"


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(hostile_texts(), json_values(max_leaves=6), max_size=4))
def test_any_mapping_reads_back_as_itself(document: JsonMap) -> None:
    """Whatever a tool answered: control characters, BOM, NEL, look-alikes of numbers."""
    text = format_mapping(document)

    if document:
        assert repr(load_yaml(text, name="f")[0]) == repr(document)
        assert {sign for sign in text if not sign.isprintable()} == {"\n"}


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])), json_values(max_leaves=3))
def test_other_readers_read_the_same_texts(text: str, value: Json) -> None:
    """A case is language-neutral; PyYAML's safe loader stands for the others."""
    found = yaml.safe_load(format_mapping({"t": text, "k": {text: 1}, "v": json.dumps(value)}))

    assert found == {"t": text, "k": {text: 1}, "v": json.dumps(value)}


@pytest.mark.parametrize("size", [100, 130, 1_100, 100_000])
def test_long_keys_and_texts_read_back(size: int) -> None:
    """A simple key ends at 1,024 characters in libyaml."""
    long = "k" * size
    document: JsonMap = {"a": {long: {long: [long]}}, long: "x"}

    assert load_yaml(format_mapping(document), name="f")[0] == document


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(traces(), contracts())
def test_every_built_case_loads_back_as_itself(trace: Trace, contract: Contract) -> None:
    """Export writes nothing that `check` would read otherwise."""
    clause = contract.clauses[0].id
    signature = Signature(clauses=frozenset({clause}), first=First(clause=clause, kind="end"))
    header = replace(a_header(contract, signature), unproven=())
    listed = tuple(Tool(name=name) for name in TOOLS)  # a contract names tools of its case
    try:
        case = build_case(resolve_outcomes(replace(trace, tools=listed)), contract, header=header)
    except TraceFormatError:
        return
    if case.recorded.turns:
        assert parse_case(format_case(case), name="built") == case


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ("\ud800", "no Unicode text"),
        ({"\udfff": 1}, "has a key that is no Unicode text"),
        ({"id": 2**53 + 1}, "is an integer beyond 2^53"),
        (float("nan"), "is a number that JSON does not have"),
    ],
)
def test_what_no_case_can_hold_is_refused_by_its_place(result: Json, words: str) -> None:
    """A value that changes on the way would be another incident."""
    with pytest.raises(CaseFormatError, match=re.escape(words)) as caught:
        format_case(with_result(result))

    assert caught.value.key.startswith("fixtures.0.result")


def test_nesting_that_no_case_can_hold_is_refused() -> None:
    """The loader stops at 64 levels, so the writer does."""
    deep: Json = 1
    for _ in range(64):
        deep = [deep]

    with pytest.raises(CaseFormatError, match="nested deeper than 64 levels"):
        format_case(with_result(deep))


def test_a_contract_without_its_document_cannot_be_written() -> None:
    """Its clauses alone do not say how they were written."""
    case = a_case()

    with pytest.raises(CaseFormatError, match="read the contract with"):
        case_document(replace(case, contract=replace(case.contract, document={})))

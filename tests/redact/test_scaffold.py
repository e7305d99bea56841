"""Labels of frameworks stay; names that stand where labels do are still found."""

# ruff: noqa: RUF001  a full-width colon is data here

from __future__ import annotations

import json

import pytest

from tests.builders import a_system, a_trace, a_user
from workbench.casefile.trace import trace_document
from workbench.redact import redact_trace
from workbench.redact.finding import Finding
from workbench.redact.scaffold import labels_of, without_labels

pytestmark = pytest.mark.desk


def _found(text: str, span: str, kind: str = "PERSON") -> list[str]:
    start = text.index(span)
    one = Finding(start=start, end=start + len(span), type=kind, score=0.6, detector="model")
    return [text[f.start : f.end] for f in without_labels([one], text)]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("Tool Name: crm.get", "Tool Name"),
        ("Thought: I know", "Thought"),
        ("I see.\nFinal Answer: done", "Final Answer"),
        ("**Action Input**: {}", "Action Input"),
        ("> Expected Output: text", "Expected Output:"),
        ("Observation：无", "Observation"),
        ("tool_name: x", "tool_name"),
        ("Role: ", "Role: "),
    ],
)
def test_a_label_is_no_name(text: str, span: str) -> None:
    """A model that reads names takes capitals at the start of a line for one."""
    assert _found(text, span) == []


@pytest.mark.parametrize(
    ("text", "span", "left"),
    [
        ("Ann Lee: hello", "Ann Lee", "Ann Lee"),
        ("Answer: Ann Lee", "Ann Lee", "Ann Lee"),
        ("Final Answer: Ann Lee", "Final Answer: Ann Lee", "Ann Lee"),
        ("Agent Smith: hello", "Agent Smith", "Agent Smith"),
        ("Ask Tool Name: x", "Tool Name", "Tool Name"),
        ("Tool Name", "Tool Name", "Tool Name"),
        ("User: Ann\nAnn: yes", "Ann: yes", "Ann: yes"),
    ],
)
def test_whatever_else_stands_there_is_found(text: str, span: str, left: str) -> None:
    """Speakers of a chat are people, and values follow labels."""
    assert _found(text, span) == [left]


def test_values_of_other_kinds_are_left_alone() -> None:
    """Only words are labels."""
    assert _found("Input: 4111", "Input: 4111", "CREDIT_CARD") == ["Input: 4111"]


def test_a_label_is_no_name_in_the_prose_of_the_same_document() -> None:
    """`Give your best Final Answer` says how to write it, and the label says what it is."""
    told = "Thought: I know\nFinal Answer: done"
    trace = a_trace(a_system(f"{told}\n"), a_user("Give your best Final Answer, Ann Lee, today!"))

    done = redact_trace(trace, key=bytes(32))
    text = json.dumps(trace_document(done.trace))

    assert list(labels_of(told)) == ["Thought", "Final Answer"]
    assert list(labels_of("no label")) == []
    assert text.count("Final Answer") == 2

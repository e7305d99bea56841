"""How a text becomes a value, and when two values are the same."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

from tests.strategies import json_values
from workbench.model.jsonvalue import ABSENT, Absent, Json, TextForm, parse_text, same_json


@pytest.mark.parametrize(
    ("text", "form", "value"),
    [
        ('{"a": [1, 1.5, null, true]}', "json", {"a": [1, 1.5, None, True]}),
        ("5", "json", 5),
        ('"x"', "json", "x"),
        ("{'a': (1, None, True)}", "literal", {"a": [1, None, True]}),
        (" ['x', 1.5] ", "literal", ["x", 1.5]),
        ("(1), ['x']", "literal", [1, ["x"]]),
        ('[132] link "a" [url: b]', "text", '[132] link "a" [url: b]'),
        ("[INFO] done (7)", "text", "[INFO] done (7)"),
        ("['x'] and more", "text", "['x'] and more"),
        ("True", "text", "True"),
        ("", "text", ""),
        ("plain", "text", "plain"),
        ("{not: closed", "text", "{not: closed"),
        ("NaN", "text", "NaN"),
        ("[NaN]", "text", "[NaN]"),
        ('{"a": 1e999}', "text", '{"a": 1e999}'),
        ("{1: 'a'}", "text", "{1: 'a'}"),
        ("{'a': {1, 2}}", "text", "{'a': {1, 2}}"),
        ("[1e999]", "text", "[1e999]"),
        ("(1).__class__", "text", "(1).__class__"),
        ("{'a': b''}", "text", "{'a': b''}"),
    ],
)
def test_a_text_is_json_then_a_literal_then_a_text(text: str, form: str, value: Json) -> None:
    """The parse order of the trace page."""
    found = parse_text(text)

    assert found.form is TextForm(form)
    assert repr(found.value) == repr(value)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 501 + "]" * 501,
        "[" * 100_000 + "]" * 100_000,
        "(" * 90 + ",)" * 90,
        "('x'," + " " * 1_000_000 + ")",
        "9" * 5_000,
        "[" + "('x'," * 80,
    ],
    ids=["501 levels", "100,000 levels", "90 tuples", "a megabyte", "5,000 digits", "cut"],
)
def test_hostile_texts_end_as_texts_or_values(text: str) -> None:
    """Nothing that a tool answers may stop an import."""
    found = parse_text(text)

    assert found.value == text or found.form is TextForm.LITERAL


def test_many_brackets_are_not_deep() -> None:
    """A long list of small objects is what most tools answer."""
    found = parse_text("[" + ",".join(["{}"] * 600) + "]")

    assert (found.form, found.value) == (TextForm.JSON, [{}] * 600)


def test_literals_that_are_too_deep_stay_texts() -> None:
    """As JSON that is too deep does."""
    assert parse_text("[" * 500 + "'x'" + "]" * 500).form is TextForm.TEXT


@settings(max_examples=100, deadline=None)
@given(json_values())
def test_what_was_written_as_json_is_read_as_itself(value: Json) -> None:
    """Build and replay rest on it."""
    assert repr(parse_text(json.dumps(value)).value) == repr(value)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (False, 0, False),
        (True, True, True),
        ("a", "a ", False),
        ("1", 1, False),
        (None, ABSENT, False),
        (ABSENT, ABSENT, True),
        (None, None, True),
        ([1, 2], [2, 1], False),
        ([1], [1, 2], False),
        ({"a": 1, "b": [True]}, {"b": [True], "a": 1.0}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ({}, [], False),
    ],
)
def test_equality_is_that_of_json(left: Json | Absent, right: Json | Absent, same: bool) -> None:  # noqa: FBT001  a table's column
    """No coercion: a malformed id must not be repaired by comparing."""
    assert same_json(left, right) is same
    assert same_json(right, left) is same


def test_absent_is_false_and_shows_its_name() -> None:
    """A test that fails must be readable."""
    assert not ABSENT
    assert repr(ABSENT) == "ABSENT"

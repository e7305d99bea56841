"""Paths, predicates and selectors: the small texts of a contract."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies as st

from workbench.casefile.grammar import (
    parse_classes,
    parse_path,
    parse_predicate,
    parse_selector,
    path_text,
    regex_problem,
)
from workbench.errors import ContractError
from workbench.model.contract import Operator
from workbench.model.jsonvalue import ABSENT, Absent, Json

PREDICATES: list[tuple[str, tuple[str | int, ...], str, Json | Absent]] = [
    ("amount > 49.9", ("amount",), ">", 49.9),
    ("amount>=5", ("amount",), ">=", 5),
    ("a.b.0.-1 == 1", ("a", "b", 0, -1), "==", 1),
    ("$ == true", (), "==", True),
    ("*.id != null", ("*", "id"), "!=", None),
    ("**.email exists", ("**", "email"), "exists", ABSENT),
    ('"a b"."c.d" absent', ("a b", "c.d"), "absent", ABSENT),
    ('"*"."**"."0"."\\\\x" exists', ("\\*", "\\**", "\\0", "\\\\x"), "exists", ABSENT),
    ("order_id == ORD-123", ("order_id",), "==", "ORD-123"),
    ("at == 2027-02-28", ("at",), "==", "2027-02-28"),
    ("at == 12:30:45", ("at",), "==", "12:30:45"),
    ("code == 0123", ("code",), "==", "0123"),
    ("code == -0.5e3", ("code",), "==", -500.0),
    ("mail == a@b.c", ("mail",), "==", "a@b.c"),
    ('note == "two words, \\"quoted\\""', ("note",), "==", 'two words, "quoted"'),
    ('s in ["open", 1, null]', ("s",), "in", ["open", 1, None]),
    ("s not  in []", ("s",), "not in", []),
    ("text contains paused", ("text",), "contains", "paused"),
    ('text matches "^a+$"', ("text",), "matches", "^a+$"),
    ("  in.contains  <=  x  ", ("in", "contains"), "<=", "x"),
    ("007 exists", ("007",), "exists", ABSENT),
    ("id == true-ish", ("id",), "==", "true-ish"),
]

BROKEN = [
    ("a in [1e400]", "at character 6 expected a JSON string or array"),
    ("a in [NaN]", "at character 6 expected a JSON string or array"),
    ("", "at character 1 expected a word"),
    ("a", "at character 2 expected one of =="),
    ("a.", "at character 3 expected a word"),
    (".a == 1", "at character 1 expected a word"),
    ("a..b == 1", "at character 3 expected a word"),
    ("a = 1", "at character 3 expected one of"),
    ("a ==", "expected a literal"),
    ("a == two words", "at character 9 expected the end"),
    ("a == notes/a.md", "expected the end"),
    ('a == "open', "expected a JSON string or array"),
    ("a in [1, NaN]", "expected a JSON string or array"),
    ("a in open", "expects a JSON array"),
    ("a == [1]", "expects a single value"),
    ("a < true", "expects a number or a text"),
    ("a > null", "expects a number or a text"),
    ("a matches 5", "expects a pattern"),
    ('a matches "("', "RE2 refuses: missing )"),
    ('a matches "(a)\\\\1"', "RE2 refuses: invalid escape sequence"),
    ('a matches "(?=a)"', "RE2 refuses"),
    ("a exists 5", "takes no literal"),
    ("a == 1e999", "too large for a double"),
    ("a isnt 5", "expected one of"),
    ("$.a == 1", "expected one of"),
    ('"a == 1', "expected a JSON string"),
    ("ä == 1", "at character 1 expected a word"),
    ("a inside [1]", "expected one of"),
]


@pytest.mark.parametrize(("text", "path", "operator", "literal"), PREDICATES)
def test_a_predicate_is_a_path_an_operator_and_a_literal(
    text: str, path: tuple[str | int, ...], operator: str, literal: Json | Absent
) -> None:
    """The grammar of the page, quoting and types included."""
    found = parse_predicate(text)

    assert (found.text, found.path, found.operator) == (text, path, Operator(operator))
    assert repr(found.literal) == repr(literal)


@pytest.mark.parametrize(("text", "words"), BROKEN)
def test_a_broken_predicate_says_where_and_what(text: str, words: str) -> None:
    """Nobody counts characters twice."""
    with pytest.raises(ContractError) as caught:
        parse_predicate(text)

    assert words in str(caught.value)


def test_a_broken_predicate_does_not_show_its_literal() -> None:
    """Literals of a contract may be personal until they are redacted."""
    with pytest.raises(ContractError) as caught:
        parse_predicate("mail == anna@example.org or so")

    assert "anna" not in str(caught.value)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(st.text(max_size=6), st.integers(-9, 99)), max_size=4))
def test_any_path_is_written_as_it_is_read(steps: list[str | int]) -> None:
    """Hostile keys too: `*`, numbers, quotes, dots, backslashes."""
    text = path_text(tuple(parse_path(_spelt(step))[0] for step in steps)) if steps else "$"

    assert path_text(parse_path(text)) == text
    assert len(parse_path(text)) == len(steps)


def _spelt(step: str | int) -> str:
    return str(step) if isinstance(step, int) else json.dumps(step)


@pytest.mark.parametrize("text", ["a b", "a.", '"a"b', ""])
def test_a_broken_path_is_refused(text: str) -> None:
    """A path that ends early would find another value."""
    with pytest.raises(ContractError, match="no path"):
        parse_path(text)


def test_a_selector_is_a_glob_and_classes() -> None:
    """`#` begins the classes."""
    found = parse_selector("billing.*#timeout|unknown")

    assert (found.tool, found.classes, found.by) == ("billing.*", ("timeout", "unknown"), "agent")
    assert parse_selector("mcp tool/x").tool == "mcp tool/x"


@pytest.mark.parametrize("text", ["", " a", "a ", "#ok", "a#", "a#|b", "a#b c", "a#b|"])
def test_a_broken_selector_is_refused(text: str) -> None:
    """It would select nothing, for ever, in silence."""
    with pytest.raises(ContractError):
        parse_selector(text)


def test_classes_may_have_spaces_around_the_bar() -> None:
    """A person writes `ok | denied`."""
    assert parse_classes("ok | denied") == ("ok", "denied")


def test_a_pattern_that_is_no_unicode_is_refused() -> None:
    """RE2 reads UTF-8."""
    assert regex_problem("\ud800") == "a character that is not Unicode text"
    assert regex_problem("a{1001}") == "invalid repetition size"
    assert regex_problem("[a-z]+") is None

"""Values, texts and calls that satisfy what a clause asks for."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings, strategies as st

from tests.builders import a_call, a_predicate, a_selector, a_trace
from workbench.check.edits import fresh_ids
from workbench.check.examples import example_call, satisfying
from workbench.check.pattern_text import example_text
from workbench.check.predicates import found_in, holds
from workbench.check.selectors import Stage
from workbench.errors import ContractError
from workbench.model.contract import Operator, Predicate
from workbench.model.event import Outcome, Requestor
from workbench.model.jsonvalue import ABSENT, Json


@pytest.mark.parametrize(
    ("path", "operator", "literal"),
    [
        ("a", "==", "x"),
        ("a.b.c", "==", 1),
        ("a.1", "==", 1),
        ("a.-1", "==", 1),
        ("a.*", "==", 1),
        ("**.a", "==", 1),
        ("a", "!=", "other"),
        ("a", "<", 5),
        ("a", ">", 5.5),
        ("a", ">=", 5),
        ("a", "<", "m"),
        ("a", ">", "m"),
        ("a", "in", [3, 4]),
        ("a", "not in", ["other", "another", 0, 1, None]),
        ("a", "contains", "x"),
        ("a", "contains", 7),
        ("a", "matches", "^sk-[0-9]{3}$"),
        ("a", "exists", ABSENT),
        ("known", "absent", ABSENT),
        ("deep.known", "absent", ABSENT),
        ("$", "==", 5),
    ],
)
def test_a_value_is_changed_until_it_satisfies(path, operator, literal):
    """What was there and does not matter stays."""
    predicate = a_predicate(path, operator, literal)

    value = satisfying((predicate,), {"known": 1, "deep": {"known": 2}, "kept": "k"})

    assert value is not ABSENT
    assert holds(predicate, value)
    assert path == "$" or (isinstance(value, dict) and value["kept"] == "k")


@pytest.mark.parametrize(
    ("path", "operator", "literal"),
    [
        ("a", "in", []),
        ("a", "<", True),
        ("a", "matches", 3),
        ("a", "matches", r"\bx{2000}"),
        ("a", "==", ABSENT),
    ],
)
def test_what_nothing_satisfies_is_absent(path, operator, literal):
    """Such a clause is dead, and must be called so."""
    assert satisfying((a_predicate(path, operator, literal),), {"kept": 1}) is ABSENT


def test_only_what_does_not_hold_yet_is_changed():
    """Two conditions, one of them met."""
    both = (a_predicate("a", literal=1), a_predicate("b", literal=2))

    assert satisfying(both, {"a": 1.0}) == {"a": 1.0, "b": 2}


def test_a_value_that_satisfies_is_left_alone():
    """The smallest change is none."""
    value: Json = {"a": [1, 2]}

    assert satisfying((a_predicate("a.0", literal=1),), value) is value


def test_making_a_value_does_not_change_the_one_given():
    """Values of a trace are never changed."""
    value: Json = {"a": {"b": 1}}

    satisfying((a_predicate("a.b", literal=2),), value)

    assert value == {"a": {"b": 1}}


def test_an_escaped_key_is_written_as_a_key():
    """`"*"` in a path is a key named `*`."""
    predicate = Predicate(text="", path=("\\*",), operator=Operator.EQ, literal=1)

    assert satisfying((predicate,), {}) == {"*": 1}


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("sk-[A-Za-z0-9]{8,}", "sk-AAAAAAAA"),
        ("^acct-[0-9]+$", "acct-0"),
        ("(?i)done|ok", "done"),
        ("a(?:b|c)+?d?", "ab"),
        ("[^a-z]x", "Ax"),
        (r"\bfoo\b", "foo"),
        (r"a\.b\d\D\w\s", "a.b0aa "),
        ("(?P<n>x)y*", "x"),
        ("[[:digit:]]{3}", "000"),
        ("[]a]b", "ab"),
        (r"[\]]", "]"),
        ("a.c", "aac"),
        ("已.*成功", "已成功"),
        (r"\Bx", "axa"),
        ("[", None),
        (r"\x{41}", None),
        (r"[\x{41}-\x{42}]", "A"),
        ("x{2000}", None),
        ("(", None),
        ("a", "a"),
    ],
)
def test_a_text_in_which_the_pattern_is_found(pattern, text):
    """What the reader does not know gives no text, never a wrong one."""
    assert example_text(pattern) == text


@settings(max_examples=100, deadline=None)
@given(st.from_regex(r"[ab(]{0,2}[ab.|)]{0,3}[*+?]?", fullmatch=True))
def test_a_text_is_right_or_there_is_none(pattern):
    """RE2 has the last word."""
    with suppress(ContractError):  # RE2 refuses the pattern itself
        text = example_text(pattern)
        assert text is None or found_in(pattern, text)


def test_a_call_is_taken_from_the_trace_first():
    """Names and arguments that are there make the smallest change."""
    trace = a_trace(a_call("ns.pay", args={"to": "x", "n": 1}), tools={"ns.send": None})
    evil = a_selector("ns.*", where=(a_predicate("to", literal="evil"),))

    call = example_call(evil, trace, Stage.COMPLETED, call_id="m")

    assert call is not None
    assert (call.tool, call.args) == ("ns.pay", {"to": "evil"})
    same = example_call(a_selector("ns.*"), trace, Stage.COMPLETED, call_id="m")
    assert same is not None
    assert same.args == {"to": "x", "n": 1}


@pytest.mark.parametrize(
    ("text", "outcome", "detail"),
    [
        ("a", Outcome.OK, None),
        ("a#any", Outcome.OK, None),
        ("a#denied", Outcome.DENIED, None),
        ("a#timeout", Outcome.UNKNOWN, "timeout"),
        ("a#missing", Outcome.MISSING, None),
    ],
)
def test_a_call_ends_as_the_class_asks(text, outcome, detail):
    """A class is an outcome or a detail."""
    call = example_call(a_selector(text), a_trace(), Stage.EXECUTED, call_id="m")

    assert call is not None
    assert (call.outcome, call.detail) == (outcome, detail)


def test_a_call_is_made_by_whom_the_selector_names():
    """Another agent, a person, the framework."""
    chosen = a_selector("x*", agent="sub-*", by="framework")

    call = example_call(chosen, a_trace(), Stage.EXECUTED, call_id="m")

    assert call is not None
    assert (call.request.requestor, call.request.agent) == (Requestor.FRAMEWORK, "sub-x")
    impossible = a_selector("a", result=(a_predicate("a", "in", []),))
    assert example_call(impossible, a_trace(), Stage.EXECUTED, call_id="m") is None


def test_ids_that_are_taken_are_not_used_again():
    """A mutant of a mutant keeps its ids unique."""
    trace = a_trace(a_call("a", call_id="mutant-1"))

    assert fresh_ids(trace, 2) == ["mutant-2", "mutant-3"]

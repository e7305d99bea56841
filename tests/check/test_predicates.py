"""Predicates on JSON values."""

from __future__ import annotations

import pytest

from tests.builders import a_predicate
from workbench.check.predicates import found_in, holds, values_at
from workbench.errors import ContractError
from workbench.model.contract import Operator, Predicate
from workbench.model.jsonvalue import ABSENT, Json, JsonMap

VALUE: JsonMap = {
    "status": "completed",
    "amount": 49.9,
    "count": 1,
    "paid": True,
    "none": None,
    "items": [{"id": "a", "n": 1}, {"id": "b", "n": 2}],
    "*": "star",
    "\\x": "backslash",
    "0": "zero",
}


@pytest.mark.parametrize(
    ("path", "operator", "literal", "want"),
    [
        ("status", "==", "completed", True),
        ("status", "==", "Completed", False),
        ("count", "==", 1.0, True),
        ("count", "==", True, False),
        ("paid", "==", True, True),
        ("none", "==", None, True),
        ("none", "exists", ABSENT, True),
        ("none", "absent", ABSENT, False),
        ("gone", "==", None, False),
        ("gone", "!=", "x", False),
        ("gone", "not in", ["x"], False),
        ("gone", "absent", ABSENT, True),
        ("gone", "exists", ABSENT, False),
        ("status.deeper", "absent", ABSENT, True),
        ("status", "!=", "failed", True),
        ("status", "!=", "completed", False),
        ("amount", ">", 49, True),
        ("amount", ">", 49.9, False),
        ("amount", ">=", 49.9, True),
        ("amount", "<", 50, True),
        ("amount", "<=", 49.9, True),
        ("amount", "<", "50", False),
        ("paid", "<", 2, False),
        ("status", "<", "d", True),
        ("status", "in", ["completed", "done"], True),
        ("status", "in", ["done"], False),
        ("status", "in", "completed", False),
        ("status", "not in", ["done"], True),
        ("status", "not in", "done", False),
        ("count", "in", [1.0], True),
        ("status", "contains", "plete", True),
        ("status", "contains", 1, False),
        ("amount", "contains", 4, False),
        ("status", "matches", "^comp", True),
        ("amount", "matches", "4", False),
        ("status", "matches", 4, False),
        ("items.0.id", "==", "a", True),
        ("items.-1.id", "==", "b", True),
        ("items.2.id", "absent", ABSENT, True),
        ("items.*.id", "==", "b", True),
        ("items.*.id", "!=", "a", True),
        ("items.*.gone", "absent", ABSENT, True),
        ("**.n", "==", 2, True),
        ("**.status", "==", "completed", True),
        ("items.id", "absent", ABSENT, True),
        ("$", "exists", ABSENT, True),
    ],
)
def test_a_predicate_on_a_value(path, operator, literal, want):
    """Nothing is coerced, and a missing path is false everywhere but in `absent`."""
    assert holds(a_predicate(path, operator, literal), VALUE) is want


def test_contains_finds_members_as_json():
    """Membership is equality as JSON, so `true` is not `1`."""
    assert holds(a_predicate("$", "contains", 1), [1.0])
    assert not holds(a_predicate("$", "contains", 1), [True])


def test_the_whole_value_can_be_compared():
    """`$ == true` reads an answer that is a bare value."""
    yes: Json = True
    assert holds(a_predicate("$", literal=True), yes)
    assert not holds(a_predicate("$", literal=True), "true")


@pytest.mark.parametrize("operator", ["==", "!=", "exists", "not in"])
def test_no_value_at_all_satisfies_only_absent(operator):
    """A call that never answered proves nothing."""
    assert not holds(a_predicate("a", operator, ["x"]), ABSENT)
    assert holds(a_predicate("a", "absent"), ABSENT)


@pytest.mark.parametrize(
    ("step", "want"), [("\\*", "star"), ("\\\\x", "backslash"), ("\\0", "zero")]
)
def test_an_escaped_step_is_a_key(step, want):
    """A key named like a step of another kind must be reachable."""
    assert values_at((step,), VALUE) == [want]


def test_wildcards_reach_mappings_and_lists_in_order():
    """`*` is one level, `**` any depth, also none."""
    value: Json = {"a": [1, {"b": 2}], "b": 3}

    assert values_at(("*",), value) == [[1, {"b": 2}], 3]
    assert values_at(("**", "b"), value) == [3, 2]
    assert values_at(("*",), "text") == []


def test_depth_and_sharing_do_not_explode():
    """A value of shared parts has as many paths as a person has patience; each is seen once."""
    value: Json = {"leaf": 1}
    for _ in range(60):
        value = {"left": value, "right": value}

    assert values_at(("**", "leaf"), value) == [1]


def test_a_pattern_that_re2_refuses_is_an_error_that_does_not_show_it():
    """A pattern may hold personal data, so the message names its length."""
    hidden = "(?=alex)"
    with pytest.raises(ContractError, match="8 characters is not RE2") as caught:
        holds(a_predicate("a", "matches", hidden), {"a": "x"})

    assert "alex" not in str(caught.value)


def test_texts_that_utf8_cannot_say_are_searched():
    """A lone surrogate in a trace must not end the judge."""
    assert found_in("a.b", "a\ud800b")
    assert not holds(Predicate(text="", path=(), operator=Operator.MATCHES, literal="x"), "\udfff")

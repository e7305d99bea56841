"""Arguments are compared as JSON, and a matcher loosens one named path only."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from workbench.errors import CaseFormatError
from workbench.model.jsonvalue import ABSENT, Json, JsonMap
from workbench.replay.compare import differences, parse_matchers, parse_path, value_at

UUID = "123e4567-e89b-12d3-a456-426614174000"

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)

ROWS = [
    # recorded, incoming, match, paths that differ
    ({}, {}, {}, []),
    ({"a": 1}, {"a": 1.0}, {}, []),
    ({"a": 1}, {"a": True}, {}, ["args.a"]),
    ({"a": True}, {"a": 1}, {}, ["args.a"]),
    ({"a": 0}, {"a": False}, {}, ["args.a"]),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {}, []),
    ({"a": [1, 2]}, {"a": [2, 1]}, {}, ["args.a.0", "args.a.1"]),
    ({"a": [1]}, {"a": [1, 2]}, {}, ["args.a"]),
    ({"a": "x "}, {"a": "x"}, {}, ["args.a"]),
    ({"a": "X"}, {"a": "x"}, {}, ["args.a"]),
    ({"a": "\u00e9"}, {"a": "e\u0301"}, {}, ["args.a"]),
    ({"a": "1"}, {"a": 1}, {}, ["args.a"]),
    ({"a": None}, {}, {}, ["args.a"]),
    ({}, {"a": None}, {}, ["args.a"]),
    ({"a": {"b": 1}}, {"a": {"b": 2}}, {}, ["args.a.b"]),
    ({"a": {}}, {"a": []}, {}, ["args.a"]),
    ({"a.b": 1}, {"a.b": 2}, {}, ['args."a.b"']),
    ("not json", "not json", {}, []),
    ("not json", {"a": 1}, {}, ["args"]),
    ({"a": 1}, "not json", {}, ["args"]),
    (ABSENT, ABSENT, {}, []),
    (ABSENT, {}, {}, ["args"]),
    ({"a": 1}, {"a": 2}, {"a": "any"}, []),
    ({"a": 1}, {"a": None}, {"a": "any"}, []),
    ({"a": 1}, {}, {"a": "any"}, ["args.a"]),
    ({}, {}, {"a": "any"}, ["args.a"]),
    ({}, {"a": 1}, {"a": "any"}, []),
    ({"a": 1}, {}, {"a": "ignore"}, []),
    ({}, {"a": 1}, {"a": "ignore"}, []),
    ({"a": 1, "b": 1}, {"a": 2, "b": 2}, {"a": "any"}, ["args.b"]),
    ({"a": 1}, {"a": UUID}, {"a": "uuid"}, []),
    ({"a": 1}, {"a": UUID[:-1]}, {"a": "uuid"}, ["args.a"]),
    ({"a": 1}, {"a": UUID + " "}, {"a": "uuid"}, ["args.a"]),
    ({"a": 1}, {"a": "2026-11-30T10:00:00Z"}, {"a": "timestamp"}, []),
    ({"a": 1}, {"a": "2026-11-30 10:00"}, {"a": "timestamp"}, []),
    ({"a": 1}, {"a": "2026-11-30"}, {"a": "timestamp"}, ["args.a"]),
    ({"a": 1}, {"a": 1_790_000_000}, {"a": "timestamp"}, []),
    ({"a": 1}, {"a": 5}, {"a": "timestamp"}, ["args.a"]),
    ({"a": 1}, {"a": True}, {"a": "timestamp"}, ["args.a"]),
    ({"a": 1}, {"a": "x"}, {"a": "nonempty"}, []),
    ({"a": 1}, {"a": 0}, {"a": "nonempty"}, []),
    ({"a": 1}, {"a": ""}, {"a": "nonempty"}, ["args.a"]),
    ({"a": 1}, {"a": None}, {"a": "nonempty"}, ["args.a"]),
    ({"a": 1}, {"a": []}, {"a": "nonempty"}, ["args.a"]),
    ({"a": [1, 2, 3]}, {"a": [3, 1, 2]}, {"a": "unordered"}, []),
    ({"a": [1, 1, 2]}, {"a": [1, 2, 2]}, {"a": "unordered"}, ["args.a"]),
    ({"a": [1]}, {"a": [1, 1]}, {"a": "unordered"}, ["args.a"]),
    ({"a": [1]}, {"a": 1}, {"a": "unordered"}, ["args.a"]),
    ({"a": [{"i": 1, "t": 5}, {"i": 2, "t": 6}]}, {"a": [{"i": 2, "t": 0}, {"i": 1, "t": 0}]},
     {"a": "unordered", "a.*.t": "any"}, []),
    ({"a": [{"i": 1, "t": 5}]}, {"a": [{"i": 1, "t": 9}]}, {"a.0.t": "any"}, []),
    ({"a": [{"i": 1, "t": 5}]}, {"a": [{"i": 3, "t": 9}]}, {"a.*.t": "any"}, ["args.a.0.i"]),
    ({"a": 1}, {"a": "s"}, {"a": {"type": "string"}}, []),
    ({"a": 1}, {"a": 2}, {"a": {"type": "number"}}, []),
    ({"a": 1}, {"a": True}, {"a": {"type": "number"}}, ["args.a"]),
    ({"a": 1}, {"a": True}, {"a": {"type": "boolean"}}, []),
    ({"a": 1}, {"a": []}, {"a": {"type": "array"}}, []),
    ({"a": 1}, {"a": {}}, {"a": {"type": "object"}}, []),
    ({"a": 1}, {"a": {}}, {"a": {"type": "array"}}, ["args.a"]),
    ({"a": 1}, {"a": "abc"}, {"a": {"regex": "a.c"}}, []),
    ({"a": 1}, {"a": "abcd"}, {"a": {"regex": "a.c"}}, ["args.a"]),
    ({"a": 1}, {"a": 7}, {"a": {"regex": "7"}}, ["args.a"]),
    ({"a": 1}, {"a": "\ud800"}, {"a": {"regex": "."}}, ["args.a"]),
    ({"a": 1}, {"a": 5}, {"a": {"range": [5, 6]}}, []),
    ({"a": 1}, {"a": 6.1}, {"a": {"range": [5, 6]}}, ["args.a"]),
    ({"a": 1}, {"a": True}, {"a": {"range": [0, 6]}}, ["args.a"]),
    ({"a": 1}, {"a": "5"}, {"a": {"range": [5, 6]}}, ["args.a"]),
    ({"a": 1}, {}, {"a": {"optional": "uuid"}}, []),
    ({"a": 1}, {"a": UUID}, {"a": {"optional": "uuid"}}, []),
    ({"a": 1}, {"a": "x"}, {"a": {"optional": "uuid"}}, ["args.a"]),
    ({"a": 1}, {"a": 42}, {"a": {"ref": "f1.result.id"}}, []),
    ({"a": 1}, {"a": 43}, {"a": {"ref": "f1.result.id"}}, ["args.a"]),
    ({"a": 1}, {"a": 42}, {"a": {"ref": "f2.result.id"}}, ["args.a"]),
    ({"a": 1, "b": 2}, {"z": 9}, {"$": "any"}, []),
    ({"a": {"b": 1}}, {"a": {"b": 2}}, {'a."b"': "any"}, []),
]  # fmt: skip


def look_up(place):
    """Stand for one fixture that returned `{id: 42}`."""
    return 42 if place == "f1.result.id" else ABSENT


@pytest.mark.parametrize(("recorded", "incoming", "match", "expected"), ROWS)
def test_the_table_of_matching(recorded, incoming, match, expected):
    """What equals what, and what each matcher loosens, row by row."""
    found = list(differences(recorded, incoming, parse_matchers(match), lookup=look_up))

    assert found == expected


@settings(max_examples=60, deadline=None)
@given(JSON)
def test_a_value_never_differs_from_itself(value):
    """Reflexive, whatever the value."""
    assert list(differences(value, value, {})) == []


@settings(max_examples=60, deadline=None)
@given(JSON, JSON)
def test_differing_is_symmetric(left, right):
    """Whether two values differ does not hang on which was recorded."""
    assert bool(list(differences(left, right, {}))) == bool(list(differences(right, left, {})))


def test_large_unordered_lists_are_refused_rather_than_searched():
    """An agent's list of thousands must not cost minutes."""
    items: list[Json] = list(range(300))

    found = list(differences({"a": items}, {"a": items[::-1]}, parse_matchers({"a": "unordered"})))

    assert found == ["args.a"]


def test_unordered_finds_an_assignment_where_greedy_would_not():
    """The first recorded item may take the only partner of the second."""
    rules = parse_matchers({"a": "unordered", "a.*.k": "ignore"})
    recorded: JsonMap = {"a": [{"k": 1}, {"k": 1, "v": 2}]}

    assert list(differences(recorded, {"a": [{"v": 2}, {}]}, rules)) == []


def test_long_names_are_cut_in_paths():
    """A hostile key must not fill a report."""
    (path,) = differences({}, {"k" * 500: 1}, {})

    assert len(path) < 80


@pytest.mark.parametrize(
    "rule",
    ["uuids", {"type": "text"}, {"regex": "("}, {"regex": 3}, {"range": [1]}, {"range": ["a", "b"]},
     {"ref": "f1"}, {"optional": "no"}, {"any": 1}, {"type": "string", "regex": "a"}, 7, None, []],
)  # fmt: skip
def test_unknown_matchers_are_refused(rule):
    """A matcher that is none would match everything or nothing in silence."""
    with pytest.raises(CaseFormatError, match="is no matcher") as error:
        parse_matchers({"a": rule})

    assert error.value.key == "match.a"


@pytest.mark.parametrize("path", ["", "a.", ".a", "a..b", "a b", '"a', 'a"b"'])
def test_paths_that_cannot_be_read_are_refused(path):
    """A path with a slip would point nowhere in silence."""
    with pytest.raises(CaseFormatError, match="cannot be read"):
        parse_path(path)


def test_values_are_found_by_path():
    """Keys and places; what is not there is absent."""
    value: JsonMap = {"a": [{"b": 1}], "0": 2}

    assert value_at(value, ("a", 0, "b")) == 1
    assert value_at(value, (0,)) == 2
    assert value_at(value, ("a", 1)) is ABSENT
    assert value_at(value, ("a", "b")) is ABSENT

"""Texts inside texts: every leaf is reached, and an edit touches nothing but its span."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies as st

from workbench.model.jsonvalue import parse_text
from workbench.redact.leaves import Edit, apply_edits, walk

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=60)
@given(json_values, st.integers(0, 2))
def test_rewriting_every_leaf_with_itself_keeps_the_value(value: object, wraps: int) -> None:
    """An edit must write a text so that the reader gets the same text back."""
    text = json.dumps(value)
    for _ in range(wraps):
        text = json.dumps({"wrapped": text}, ensure_ascii=False)
    edits = [
        leaf.outer(Edit(0, len(leaf.text), leaf.text)) for leaf in walk(text) if not leaf.is_number
    ]

    done = apply_edits(text, [e for e in edits if e.end > e.start])

    assert parse_text(done).value == parse_text(text).value


def test_every_depth_is_reached() -> None:
    """JSON in a string in JSON, a Python literal in a string, keys and numbers."""
    text = json.dumps({"a": json.dumps({"b": ["x", 7]}), "c": "{'d': \"it's\"}"})

    found = {(leaf.path, leaf.text) for leaf in walk(text) if not leaf.is_key}

    assert found == {(("a", "b", 0), "x"), (("a", "b", 1), "7"), (("c", "d"), "it's")}


def test_siblings_and_keys_are_told() -> None:
    """A bare `name` is a person's only beside other personal keys."""
    leaves = [leaf for leaf in walk('{"name": "x", "email": "y"}') if not leaf.is_key]

    assert all(leaf.siblings == {"name", "email"} for leaf in leaves)


@pytest.mark.parametrize(
    ("text", "old", "new", "want"),
    [
        ('{"a":  "caf\\u00e9 x"}', "x", "é", '{"a":  "caf\\u00e9 \\u00e9"}'),
        ('{"a": "http:\\/\\/x"}', "x", "y/z", '{"a": "http:\\/\\/y\\/z"}'),
        ("{'a': 'x'}", "x", "it's", "{'a': 'it\\'s'}"),
        ('{"a": "\\ud83d\\ude00x"}', "x", "y", '{"a": "\\ud83d\\ude00y"}'),
        ("plain x", "x", 'y"', 'plain y"'),
        ("{'a': '\\d\\\nx'}", "x", "y", "{'a': '\\d\\\ny'}"),
        ("{'a': r'\\dx'}", "x", "y", "{'a': r'\\dy'}"),
    ],
)
def test_the_leaf_s_own_encoding_is_kept(text: str, old: str, new: str, want: str) -> None:
    """Escapes, quotes and blanks elsewhere stay byte for byte."""
    edits = []
    for leaf in walk(text):
        at = leaf.text.find(old)
        if at >= 0 and not leaf.is_key:
            edits.append(leaf.outer(Edit(at, at + len(old), new)))

    assert apply_edits(text, edits) == want


def test_deep_and_broken_texts_are_one_leaf() -> None:
    """Hostile nesting ends as a text."""
    for text in ("[" * 100_000, '{"a": ', "(1, 2", '["' * 30_000, ""):
        assert [leaf.text for leaf in walk(text)] == [text]

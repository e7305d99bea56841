"""One text for equal JSON values."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies as st

from workbench.model.canonical import _pieces, args_digest, canonical_json
from workbench.model.jsonvalue import Json, same_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(-1e30, 1e30) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, b"0"),
        (-0.0, b"0"),
        (1.0, b"1"),
        (-5.25, b"-5.25"),
        (1.5e-5, b"0.000015"),
        (1e-6, b"0.000001"),
        (1.5e-7, b"1.5e-7"),
        (1e-27, b"1e-27"),
        (1e20, b"100000000000000000000"),
        (1e21, b"1e+21"),
        (333333333.33333329, b"333333333.3333333"),
        (5e-324, b"5e-324"),
    ],
)
def test_numbers_are_written_as_ecmascript_writes_them(number, text):
    """The digest of arguments must agree with a runner in another language (RFC 8785)."""
    assert canonical_json(number) == text


def test_integers_keep_all_their_digits():
    """Two account numbers beyond 2^53 that differ must not get one digest."""
    assert args_digest({"account": 2**53}) != args_digest({"account": 2**53 + 1})


def test_keys_are_ordered_by_utf16_units():
    """RFC 8785 sorts an emoji before U+FB01, by its surrogates."""
    text = canonical_json({"ﬁ": 1, "😀": 2, "a": 3}).decode()

    assert text == '{"a":3,"😀":2,"ﬁ":1}'


@settings(max_examples=200)
@given(JSON)
def test_the_quick_way_writes_what_the_long_one_writes(value):
    """Most values are written in C; which way was taken must never show in a digest."""
    written = "".join(_pieces(value)).encode("utf-8", "surrogatepass")

    assert canonical_json(value) == written


@pytest.mark.parametrize(
    "value",
    [
        "a,1.5", [1, 2.5], {"k": 1e-7}, {"k": "[1e"}, "\x00\x1f\x7f\u2028\"\\\b\f", {"\ud800": "\udfff"},
        {"\U0001f600": 1, "\ufb01": 2}, 2**70, True, None, [[], {}, ""],
    ],
)  # fmt: skip
def test_what_looks_like_a_fraction_or_a_rare_sign_is_written_alike(value):
    """The quick way hands over what it may write otherwise, and nothing is lost by a false alarm."""
    written = "".join(_pieces(value)).encode("utf-8", "surrogatepass")

    assert canonical_json(value) == written


def test_nesting_has_no_limit():
    """Hostile nesting must not end the process."""
    value: Json = []
    for _ in range(50_000):
        value = [value]

    assert len(canonical_json(value)) == 100_002


def test_a_number_that_json_does_not_have_is_refused():
    """`NaN` equals nothing, so it has no canonical text."""
    with pytest.raises(ValueError, match="number"):
        canonical_json([float("nan")])


@settings(max_examples=50, deadline=None)
@given(JSON)
def test_the_text_is_json_of_the_same_value(value):
    """Nothing may be lost or changed on the way to a digest."""
    assert same_json(json.loads(canonical_json(value)), value)

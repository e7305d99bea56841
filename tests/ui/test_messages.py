"""Messages of a browser are input."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from workbench.ui.messages import MAX_TEXT, Shape, arguments, fits

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)


def test_exactly_the_stated_fields_are_taken():
    """A field too many is not for us; one too few would fail later, with a traceback."""
    shapes: dict[str, Shape] = {"seq": int, "side": frozenset({"this", "other"})}

    assert arguments({"kind": "k", "seq": 3, "side": "this"}, shapes) == {"seq": 3, "side": "this"}
    assert arguments({"kind": "k", "seq": 3}, shapes) is None
    assert arguments({"kind": "k", "seq": 3, "side": "this", "more": 1}, shapes) is None
    assert arguments({"kind": "k", "seq": "3", "side": "this"}, shapes) is None


@pytest.mark.parametrize(
    ("value", "shape", "is_fit"),
    [
        (True, int, False),
        (10**400, float, False),
        (float("inf"), float, False),
        (2.5, float, True),
        ("a" * MAX_TEXT, str, True),
        ("a" * (MAX_TEXT + 1), str, False),
        ([["a"], []], [[str]], True),
        ([["a"], "b"], [[str]], False),
        (["a"] * 5_001, [str], False),
        (None, str | None, True),
        ({}, dict, True),
        (["up"], frozenset({"up"}), False),
    ],
)
def test_a_value_fits_a_shape_or_not(value, shape, is_fit):
    """A flag is no number, a number that JSON cannot hold is none, and a text has an end."""
    assert fits(value, shape) is is_fit


@given(JSON)
def test_no_message_raises(value):
    """Whatever a browser sends, the answer is yes or no."""
    shapes: list[Shape] = [int, str, float, bool, [str], str | None, frozenset({"a"})]
    for shape in shapes:
        assert fits(value, shape) in (True, False)
    if isinstance(value, dict):
        assert arguments(value, {"seq": int}) is None or set(value) - {"kind"} == {"seq"}

"""Draws that keep an order."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings, strategies as st

from workbench.redact.assign import Value, assign
from workbench.redact.draws import Drawer
from workbench.redact.ordered import draw_in_order

pytestmark = pytest.mark.desk

KEY = bytes(range(32))
_KEYS = st.lists(
    st.text(string.ascii_lowercase + string.digits, min_size=1, max_size=8), min_size=1, unique=True
)


@settings(max_examples=60, deadline=None)
@given(_KEYS)
def test_order_and_lengths_stay_and_all_are_distinct(keys: list[str]) -> None:
    """Whatever the values are."""
    done = draw_in_order(keys, Drawer(KEY), "g", 0)

    assert [done[key] for key in sorted(keys)] == sorted(done.values())
    assert len(set(done.values())) == len(keys)
    assert all(len(old) == len(new) for old, new in done.items())
    assert done == draw_in_order(reversed(keys), Drawer(KEY), "g", 0)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 10**7), min_size=2, max_size=20, unique=True))
def test_numbers_keep_their_order_as_numbers(numbers: list[int]) -> None:
    """Also when they are of different widths."""
    done = draw_in_order(map(str, numbers), Drawer(KEY), "g", 0)

    drawn = [int(done[str(number)]) for number in sorted(numbers)]
    assert drawn == sorted(drawn)


def test_a_shared_head_stays_shared_and_schema_stays() -> None:
    """A prefix says which branch a value belongs to."""
    done = draw_in_order(["acc10017", "acc10019", "acc20011"], Drawer(KEY), "g", 0, keep=3)

    assert all(new.startswith("acc") for new in done.values())
    assert done["acc10017"][:7] == done["acc10019"][:7] != done["acc20011"][:7]
    assert not set(done) & set(done.values())


def test_a_variant_follows_a_value_with_an_order() -> None:
    """The damaged copy of a sorted id is damaged in the same way."""
    ordered = [Value(text=f"ACC-{n}4471", type="ACCOUNT_ID", order="g") for n in (1, 2, 3)]
    texts = [Value(text="acc 24471", type="ACCOUNT_ID"), Value(text="ACC-2447", type="ACCOUNT_ID")]

    done = assign([*ordered, *texts], Drawer(KEY)).pseudonyms

    assert [done[v.text] for v in ordered] == sorted(done[v.text] for v in ordered)
    assert done["acc 24471"] == done["ACC-24471"].lower().replace("-", " ")
    assert done["ACC-2447"] == done["ACC-24471"][:-1]

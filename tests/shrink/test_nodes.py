"""JSON values as trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.builders import a_call, a_trace, a_user
from workbench.shrink import count_nodes
from workbench.shrink.nodes import aligned, cut, is_part, leaves, loose_nodes

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json


def test_leaves_come_in_order_with_their_paths():
    """Order makes everything that follows deterministic."""
    assert list(leaves({"a": [1, {"b": None}], "c": "x"})) == [
        (("a", 0), 1),
        (("a", 1, "b"), None),
        (("c",), "x"),
    ]


def test_a_cut_takes_nodes_out_by_their_original_places():
    """Several items of one list go at once."""
    value: Json = {"a": [0, 1, 2, {"x": 1, "y": 2}], "b": 1}

    assert cut(value, [("a", 0), ("a", 2), ("a", 3, "y"), ("b",)]) == {"a": [1, {"x": 1}]}
    assert cut(value, []) == value


def test_kept_nodes_hold_their_parents_and_whole_ones_their_children():
    """What hangs below a firm node may go, below a whole one not."""
    value: Json = {"a": {"x": 1, "y": 2}, "b": {"z": 3}, "c": 4}

    assert loose_nodes(value, firm=[("a",)], whole=[("b",)]) == [("c",), ("a", "x"), ("a", "y")]


@pytest.mark.parametrize("depth", [3, 64, 70, 2000])
def test_hostile_nesting_does_not_exhaust_the_stack(depth):
    """Deep values are atoms here."""
    value: Json = 1
    for _ in range(depth):
        value = [value, 0]

    assert is_part(value, value)
    assert is_part([], value)
    assert len(loose_nodes(value, firm=[], whole=[])) <= 2 * 64
    assert list(leaves(value))[-1] == ((1,), 0)


def test_parts_that_differ_too_deep_are_not_believed():
    """We never cut there, so such a trace is not ours."""
    small: Json = [1]
    large: Json = [1, 2]
    for _ in range(70):
        small, large = [small], [large, 0]

    assert not is_part(small, large)


def test_items_are_found_again_in_a_shorter_list():
    """Places of a ledger follow them."""
    assert aligned([{"a": 1}, 3], [0, {"a": 1, "b": 2}, 2, 3]) == {1: 0, 3: 1}


def test_nodes_are_counted_as_the_document_has_them():
    """Before and after a person sees how much less there is to read."""
    small = a_trace(a_user())
    large = a_trace(a_user(), a_call("pay", args={"to": [1, 2]}))

    assert count_nodes(small) < count_nodes(large)

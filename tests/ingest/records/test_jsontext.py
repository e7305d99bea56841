"""JSON read by the standard library."""

from __future__ import annotations

import gc
import json
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import example, given, strategies as st

from tests.strategies import json_values
from workbench.errors import TraceFormatError
from workbench.ingest.records.jsontext import (
    depth_within,
    path_of,
    read_carefully,
    without_lone_surrogates,
)

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json


def test_depth_counts_containers() -> None:
    """A scalar has none."""
    assert depth_within(1, 0)
    assert not depth_within([[]], 0)
    assert depth_within([[]], 1)
    assert depth_within({"a": [{}]}, 2)
    assert not depth_within({"a": [{}]}, 1)


def levels_below(value: Json) -> int:
    """Return how deep lists and mappings nest below the top."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return max(
        (1 + levels_below(item) for item in items if isinstance(item, dict | list)), default=0
    )


@given(json_values(), st.integers(0, 5))
@example([[{"a": "x"}]], 2)
@example([[{"a": "x"}]], 1)
@example({"a": {"b": {"c": {}}}}, 3)
@example({"a": {"b": {"c": {}}}}, 2)
@example([1, [2, [3]], "[[[["], 2)
def test_depth_is_that_of_the_deepest_item(value: Json, limit: int) -> None:
    """Whoever made the value, and whatever the collector of garbage did with it since."""
    read = msgspec.json.decode(json.dumps(value))
    gc.collect(0)

    assert depth_within(read, limit) == (levels_below(value) <= limit)
    assert depth_within(value, limit) == (levels_below(value) <= limit)


@pytest.mark.parametrize(
    "text", ["", " ", "{", "[1,", '"abc', "{'a': 1}", "01", "[1] 2", "\ufeff1"]
)
def test_what_is_no_json_is_refused_without_its_text(text: str) -> None:
    """The reason says where, never what."""
    with pytest.raises(TraceFormatError, match=r"^is not (JSON|whole)") as error:
        read_carefully(text)

    assert "abc" not in str(error.value)


def test_paths_are_read_back() -> None:
    """A number is a position in a list."""
    assert path_of("a.0.b") == ("a", 0, "b")


def test_halves_in_keys_are_replaced_too() -> None:
    """A key is a text like any other."""
    assert without_lone_surrogates({"\ud800": ["\udfff", 1, "ok"]}) == (
        {"\ufffd": ["\ufffd", 1, "ok"]},
        2,
    )

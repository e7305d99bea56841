"""Times of recorders: zones, seconds, and what is no time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from workbench.ingest.moments import moment_of
from workbench.ingest.times import elapsed_ms, time_of

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-11-30T12:34:41.534617Z", "2026-11-30T12:34:41.534617Z"),
        ("2026-11-30T12:34:41+00:00", "2026-11-30T12:34:41+00:00"),
        (1733043686.8428597, "2024-12-01T09:01:26.842859+00:00"),
    ],
)
def test_times_with_a_zone_stay_as_they_are(written: Json, read: str) -> None:
    """The zone a recorder gave is a fact; it is not changed to UTC."""
    counts: Counter[str] = Counter()

    assert time_of(written, counts) == read
    assert not counts


def test_a_time_without_a_zone_is_counted() -> None:
    """It is taken as UTC, which only the gaps survive."""
    counts: Counter[str] = Counter()

    assert time_of("2026-11-30T12:34:41", counts) == "2026-11-30T12:34:41+00:00"
    assert counts == {"timestamps_without_zone": 1}


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        [],
        {},
        "",
        "yesterday",
        "2026-02-30T00:00:00Z",
        "2026-11-30",
        1e30,
        -1e30,
        float("inf"),
        float("nan"),
    ],
)
def test_what_is_no_time_is_left_out(value: Json) -> None:
    """A wrong time would be worse than none."""
    assert time_of(value, Counter()) is None


@given(st.one_of(st.text(), st.datetimes().map(str), st.floats(), st.integers()))
def test_anything_may_stand_where_a_time_should(value: Json) -> None:
    """Hostile values end as a time or as none."""
    found = time_of(value, Counter())

    assert found is None or moment_of(found) is not None


def test_elapsed_time_needs_two_times_in_order() -> None:
    """Naive and aware times mix in one log."""
    assert elapsed_ms("2026-01-01T00:00:00", "2026-01-01T00:00:00.5Z") == 500
    assert elapsed_ms("2026-01-01T00:00:01Z", "2026-01-01T00:00:00Z") is None
    assert elapsed_ms(None, "2026-01-01T00:00:00Z") is None
    assert elapsed_ms("then", "now") is None

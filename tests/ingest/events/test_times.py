"""Times of recorders: zones, seconds, and what is no time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from workbench.ingest.events.times import Moment, elapsed_ms, moment_of, passed_ms, time_of

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


SECOND = 1_700_000_000


@pytest.mark.parametrize(
    "count", [SECOND, SECOND * 10**3, SECOND * 10**6, SECOND * 10**9, float(SECOND)]
)
def test_a_counts_unit_follows_from_its_size(count: float) -> None:
    """Exports count in seconds, milli-, micro- and nanoseconds and do not say which."""
    found = moment_of(count)

    assert found == Moment(micros=SECOND * 10**6, text="2023-11-14T22:13:20+00:00")


def test_a_time_without_zone_is_utc_and_says_so() -> None:
    """Only the gaps between such times are right."""
    found = moment_of("2023-11-14 22:13:20.5")

    assert found is not None
    assert found.naive
    assert found.text == "2023-11-14T22:13:20.500000+00:00"


def test_a_zone_counts_and_its_text_stays() -> None:
    """The recorder's own words are kept where they are RFC 3339."""
    found = moment_of("2023-11-15T00:13:20+02:00")

    assert found == Moment(micros=SECOND * 10**6, text="2023-11-15T00:13:20+02:00")


@pytest.mark.parametrize(
    "value",
    [None, True, [], "", "soon", "2023-11-14", "x" * 60, 5, -1.0, 10**30, float("nan"),
     "2023-11-14T22:13:20+00:00:01"],
)  # fmt: skip
def test_what_is_no_moment_is_no_moment(value: Json) -> None:
    """A wrong field is left out; it never stops an import."""
    assert moment_of(value) is None


def test_the_time_between_needs_both_ends_in_order() -> None:
    """A latency that nobody measured is absent."""
    start, end = moment_of(SECOND), moment_of(SECOND + 2)
    place = Moment(micros=SECOND * 10**6)

    assert passed_ms(start, end) == 2000
    assert passed_ms(end, start) is None
    assert passed_ms(None, end) is None
    assert passed_ms(start, None) is None
    assert passed_ms(place, end) is None
    assert passed_ms(start, Moment(micros=(SECOND + 2) * 10**6)) is None

"""Times of spans: texts and counts, with and without a zone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from workbench.ingest.moments import Moment, moment_of, passed_ms

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json

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
def test_what_is_no_time_is_no_time(value: Json) -> None:
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

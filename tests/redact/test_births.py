"""Days of birth by what is said before them."""

# ruff: noqa: RUF001  typographic marks are data here
from __future__ import annotations

import pytest

from workbench.redact.births import find_births

pytestmark = pytest.mark.desk


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("born on 3 March 1981 in Ulm", "3 March 1981"),
        ("DOB: 12/05/1979", "12/05/1979"),
        ("D.O.B. 1979-05-12", "1979-05-12"),
        ("date of birth is Mar 8th, 1977.", "Mar 8th, 1977"),
        ("她的生日是1990年5月17日", "1990年5月17日"),
        ("出生日期：19900517", "19900517"),
    ],
)
def test_a_day_of_birth_is_found(text: str, day: str) -> None:
    """With a place and a postcode it is a name."""
    assert [text[f.start : f.end] for f in find_births(text)] == [day]


@pytest.mark.parametrize(
    "text",
    ["created 1979-05-12", "reborn project, v1", "born ready", "birthday cake for 12 people"],
)
def test_other_days_stay(text: str) -> None:
    """Times are what an incident is read by."""
    assert list(find_births(text)) == []

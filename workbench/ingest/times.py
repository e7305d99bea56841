"""Times of recorders as RFC 3339, and the time between two of them.

A time without a zone is taken as UTC and counted, since only the gaps between such times are
right. What is no time at all is no time: it is left out, never guessed.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections import Counter

    from workbench.model.jsonvalue import Json

__all__ = ["elapsed_ms", "instant", "time_of"]

_TIME: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d+)?) ?(Z|[+-]\d\d:?\d\d|UTC)?", re.ASCII
)


def time_of(value: Json, counts: Counter[str]) -> str | None:
    """Return a time as RFC 3339: from a text, or from seconds since 1970.

    Args:
        value: as the recorder wrote it.
        counts: `timestamps_without_zone` is raised there for a text without a zone.

    >>> from collections import Counter
    >>> time_of("2026-01-02 03:04:05.5", Counter()), time_of(1.5, Counter())
    ('2026-01-02T03:04:05.5Z', '1970-01-01T00:00:01.500000Z')
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_seconds(value)
    found = _TIME.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        return None
    day, clock, zone = found.groups()
    if zone is None:
        counts["timestamps_without_zone"] += 1
    text = f"{day}T{clock}{_zone(zone)}"
    return text if instant(text) is not None else None


def instant(text: str | None) -> datetime | None:
    """Return the instant of an RFC 3339 time; None when it is none, as 30 February."""
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def elapsed_ms(start: Json, end: Json) -> float | None:
    """Return the milliseconds between two texts; None when one is no time, or they are reversed."""
    first, last = (instant(value) if isinstance(value, str) else None for value in (start, end))
    if first is None or last is None or last < first:
        return None
    return round((last - first).total_seconds() * 1000, 3)


def _zone(zone: str | None) -> str:
    if zone in (None, "Z", "UTC"):
        return "Z"
    return zone if ":" in zone else f"{zone[:3]}:{zone[3:]}"


def _from_seconds(value: float) -> str | None:
    try:
        if not math.isfinite(value):
            return None
        found = datetime.fromtimestamp(value, UTC)
    except (OverflowError, OSError, ValueError):
        return None
    return f"{found.replace(tzinfo=None).isoformat(timespec='microseconds')}Z"

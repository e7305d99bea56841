"""Points in time as exports write them: texts, or counts since 1970.

A count's unit follows from its size: seconds, milliseconds, microseconds and nanoseconds of the
years 1973 to 2286 differ by a factor of a thousand each. A time without a zone is taken as UTC and counted, since only the gaps
between such times are right. What is no time at all is no time: it is left out, never guessed.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections import Counter

    from workbench.model.jsonvalue import Json

__all__ = ["Moment", "elapsed_ms", "moment_of", "passed_ms", "time_of"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LEAST: Final = 1e8
_UNITS_US: Final = ((1e10, 1e6), (1e13, 1e3), (1e16, 1.0), (1e19, 1e-3))
"""Below this count the unit is so many microseconds."""


class Moment(Struct, frozen=True, kw_only=True):
    """A point in time."""

    micros: int
    """Microseconds since 1970, UTC; or any position, where a source gives an order only."""
    text: str | None = None
    """RFC 3339; None: only the order is known."""
    naive: bool = False
    """The source gave no zone; UTC was taken."""


def moment_of(value: Json) -> Moment | None:
    """Read a time; None when `value` is none.

    >>> moment_of("2026-11-30 12:38:12.959426+00:00").text
    '2026-11-30T12:38:12.959426+00:00'
    >>> moment_of(1728803138291).text
    '2024-10-13T07:05:38.291000+00:00'
    """
    if isinstance(value, str):
        return _from_text(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_count(value)
    return None


def passed_ms(start: Moment | None, end: Moment | None) -> float | None:
    """Return the milliseconds between two moments; None when one is unknown or they are swapped."""
    if start is None or end is None or end.micros < start.micros:
        return None
    if start.text is None or end.text is None:
        return None
    return (end.micros - start.micros) / 1000


def time_of(value: Json, counts: Counter[str]) -> str | None:
    """Return a time as RFC 3339: from a text, or from a count since 1970.

    Args:
        value: as the recorder wrote it.
        counts: `timestamps_without_zone` is raised there for a text without a zone.

    >>> from collections import Counter
    >>> time_of("2026-01-02 03:04:05.5Z", Counter())
    '2026-01-02T03:04:05.500000+00:00'
    """
    if not isinstance(value, str):
        found = moment_of(value)
        return None if found is None else found.text
    time = _parsed(value)
    if time is None:
        return None
    if time.tzinfo is None:
        counts["timestamps_without_zone"] += 1
        return f"{time.isoformat()}+00:00"
    return value if "T" in value else time.isoformat()


def elapsed_ms(start: Json, end: Json) -> float | None:
    """Return the milliseconds between two times; None when one is none, or they are reversed."""
    return passed_ms(moment_of(start), moment_of(end))


def _from_text(text: str) -> Moment | None:
    time = _parsed(text)
    if time is None:
        return None
    if time.tzinfo is None:
        written = f"{time.isoformat()}+00:00"
        return Moment(micros=_micros(time.replace(tzinfo=UTC)), text=written, naive=True)
    return Moment(micros=_micros(time), text=text if "T" in text else time.isoformat())


def _parsed(text: str) -> datetime | None:
    """Return a time, without a zone where the text gives none; None: it is no time."""
    if not 10 < len(text) < 50:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    is_odd = time.tzinfo not in (None, UTC) and _seconds_of(time) % 60
    return None if is_odd else time


def _seconds_of(time: datetime) -> float:
    offset = time.utcoffset()
    return 0.0 if offset is None else offset.total_seconds()


def _from_count(count: float) -> Moment | None:
    if not count >= _LEAST:
        return None
    for limit, unit in _UNITS_US:
        if count < limit:
            micros = int(count // 1000) if unit < 1 else int(count * unit)
            time = _EPOCH + timedelta(microseconds=micros)
            return Moment(micros=micros, text=time.isoformat())
    return None


def _micros(time: datetime) -> int:
    return (time - _EPOCH) // timedelta(microseconds=1)

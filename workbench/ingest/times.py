"""When an event was, for formats whose order does not hang on times.

A time without a zone is taken as UTC and counted, since only the gaps between such times are
right. What is no time at all is no time: it is left out, never guessed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.ingest.moments import moment_of, passed_ms

if TYPE_CHECKING:
    from collections import Counter

    from workbench.model.jsonvalue import Json

__all__ = ["elapsed_ms", "time_of"]


def time_of(value: Json, counts: Counter[str]) -> str | None:
    """Return a time as RFC 3339: from a text, or from a count since 1970.

    Args:
        value: as the recorder wrote it.
        counts: `timestamps_without_zone` is raised there for a text without a zone.

    >>> from collections import Counter
    >>> time_of("2026-01-02 03:04:05.5Z", Counter())
    '2026-01-02T03:04:05.500000+00:00'
    """
    found = moment_of(value)
    if found is None:
        return None
    if found.naive:
        counts["timestamps_without_zone"] += 1
    return found.text


def elapsed_ms(start: Json, end: Json) -> float | None:
    """Return the milliseconds between two times; None when one is none, or they are reversed."""
    return passed_ms(moment_of(start), moment_of(end))

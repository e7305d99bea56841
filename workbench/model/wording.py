"""Counts in sentences."""

from __future__ import annotations

__all__ = ["counted"]


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, which takes an `s` unless it is one.

    >>> counted(1, "event"), counted(0, "event")
    ('1 event', '0 events')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"

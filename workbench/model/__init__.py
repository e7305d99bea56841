"""Frozen values that every other package speaks in; no I/O, clocks or callbacks."""

from __future__ import annotations

__all__: list[str] = []

"""One loopback server for all trials: a sans-IO core, its dialects, and a thin HTTP edge."""

from __future__ import annotations

__all__: list[str] = []

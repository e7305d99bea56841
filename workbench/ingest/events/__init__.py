"""What importers build traces with: messages, calls and their results, times, losses."""

from __future__ import annotations

__all__: list[str] = []

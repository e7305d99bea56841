"""Pure functions that judge a trace: clauses, claims, diagnosis, mutation."""

from __future__ import annotations

__all__: list[str] = []

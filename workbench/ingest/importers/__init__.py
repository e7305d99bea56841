"""One module a format: from the records of a run to its trace and losses."""

from __future__ import annotations

__all__: list[str] = []

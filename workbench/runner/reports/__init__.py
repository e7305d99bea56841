"""One report of a run, in several forms; all are made from the same values."""

from __future__ import annotations

__all__: list[str] = []

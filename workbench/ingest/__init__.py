"""Importers: other people's records to traces, with a report of what was lost."""

from __future__ import annotations

__all__: list[str] = []

"""Append-only raw traces in a Delta table; the only door to deltalake, pyarrow and DuckDB."""

from __future__ import annotations

__all__: list[str] = []

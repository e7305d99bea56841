"""Makes a failing trace smaller without changing how it fails."""

from __future__ import annotations

__all__: list[str] = []

"""The bundled synthetic incident and its two agents."""

from __future__ import annotations

__all__: list[str] = []

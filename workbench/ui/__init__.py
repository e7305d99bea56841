"""The review in a notebook: controllers without widgets, and the views that show them."""

from __future__ import annotations

__all__: list[str] = []

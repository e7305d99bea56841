"""One widget a view: it hears, asks its controller, and tells the browser."""

from __future__ import annotations

__all__: list[str] = []

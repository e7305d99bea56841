"""One record of a file: where it stands, the shape of its values, its text."""

from __future__ import annotations

__all__: list[str] = []

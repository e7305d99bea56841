"""From the bytes of a file to its records, in the order of the file."""

from __future__ import annotations

__all__: list[str] = []

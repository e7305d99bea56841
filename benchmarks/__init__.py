"""What the README's figures come from: `make bench`."""

from __future__ import annotations

__all__: list[str] = []

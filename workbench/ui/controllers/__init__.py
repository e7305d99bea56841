"""What the views do, in pure Python: no widgets, no notebook; each holds a lock for its callbacks."""

from __future__ import annotations

__all__: list[str] = []

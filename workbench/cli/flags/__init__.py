"""What each command takes, apart from what it does: a wrong flag is answered without the work's packages."""

from __future__ import annotations

__all__: list[str] = []

"""How an agent is started and driven through the user turns of one trial."""

from __future__ import annotations

__all__: list[str] = []

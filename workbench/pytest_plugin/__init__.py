"""Cases as tests of pytest: `pytest cases/ --agent SPEC`."""

from __future__ import annotations

__all__: list[str] = []

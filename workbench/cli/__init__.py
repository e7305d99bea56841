"""The command line: each module parses, calls one function, prints, returns an exit code."""

from __future__ import annotations

__all__: list[str] = []

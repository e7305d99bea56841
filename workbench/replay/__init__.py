"""Runs a case: fixtures answer or nothing does."""

from __future__ import annotations

__all__: list[str] = []

"""Trials, gates, self-test and reports; what CI calls."""

from __future__ import annotations

__all__: list[str] = []

"""Replaces personal data by pseudonyms that keep what made the failure happen."""

from __future__ import annotations

__all__: list[str] = []

"""The file formats: traces, contracts, drafts and cases, strict in and canonical out."""

from __future__ import annotations

__all__: list[str] = []

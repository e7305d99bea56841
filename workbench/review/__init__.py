"""The workflow of a review: make, accept, activate, edit."""

from __future__ import annotations

__all__: list[str] = []

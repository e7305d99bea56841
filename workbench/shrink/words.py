"""Texts as words, so that some of them can be left out and nothing else changes.

A word is what stands between blanks, with the blanks before it. A text without some of its words
keeps the others in their order, each as it was; only the blanks at its start may be gone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["is_text_part", "without_words", "words_of"]

_PIECE: Final = re.compile(r"\s*\S+|\s+\Z")


def words_of(text: str) -> list[str]:
    """Cut a text into its words; together they are the text.

    >>> words_of("Your plan  is paused. ")
    ['Your', ' plan', '  is', ' paused.', ' ']
    """
    return _PIECE.findall(text)


def without_words(text: str, gone: Collection[int]) -> str:
    """Return the text without the words at these places.

    >>> without_words("Your plan is paused.", {0, 2})
    'plan paused.'
    """
    kept = [word for place, word in enumerate(words_of(text)) if place not in gone]
    return "".join(kept).lstrip() if 0 in gone else "".join(kept)


def is_text_part(part: str, text: str) -> bool:
    """Whether `part` is `text` without some, but not all, of its words.

    >>> is_text_part("plan paused.", "Your plan is paused.")
    True
    >>> is_text_part("paused plan", "Your plan is paused.")
    False
    """
    if part == text:
        return True
    words = words_of(part)
    if not words or not part.strip():
        return False
    others = iter(words_of(text))
    first = any(words[0] in (other, other.lstrip()) for other in others)
    return first and all(any(word == other for other in others) for word in words[1:])

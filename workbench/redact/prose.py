"""Which parts of a text may name somebody: the rest needs no model.

A name has a capital letter, and the model's findings without one are dropped anyway; so a sentence
whose only capitals are those of plain words (`The`, `I`, `Please`) has none to find. Neighbouring
sentences that may have one are read together.
"""

# ruff: noqa: RUF001  typographic apostrophes are data here
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["parts_with_names"]

_SENTENCE: Final = re.compile(r"[^.!?\n]{1,2000}[.!?\n]{0,8}\s{0,64}|[.!?\n]{1,64}")
_CAPITAL: Final = re.compile(r"[^\W\d_a-z][\w'’]{0,64}")
_TEXT_OF_PLAIN: Final = (
    "the a an this that these those it its it's he she they we you i i'm i'll i've i'd your our my his "
    "her their please thank thanks if in on at for from to and but or so as when while what which "
    "who whom how why is are was were do does did don't can could would should might must have has had be not no yes "
    "there here then also all any each some once after before by with without ok okay sure let "
    "note sorry hello of than because since until however you're we're we'll you'll that's there's let's"
)
_PLAIN: Final = frozenset(_TEXT_OF_PLAIN.split())


def parts_with_names(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the parts of a text start and end that may hold a name.

    >>> text = "The plan ends soon. It was Ann Lee. She paid. I know."
    >>> [text[start:end] for start, end in parts_with_names(text)]
    ['It was Ann Lee. ']
    """
    start, end = 0, 0
    for match in _SENTENCE.finditer(text):
        if not _may_name(match[0]):
            continue
        if match.start() > end:
            if end > start:
                yield start, end
            start = match.start()
        end = match.end()
    if end > start:
        yield start, end


def _may_name(sentence: str) -> bool:
    words = _CAPITAL.findall(sentence)
    return any(word.replace("’", "'").lower() not in _PLAIN for word in words)

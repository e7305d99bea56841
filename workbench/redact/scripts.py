"""Links names of other scripts with their Latin forms: one person, one cluster, one pseudonym.

`许燕` and `Xu Yan` get pseudonyms that are read alike, since the Latin letters follow from the draw of
each character.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.redact.finding import Family, family_of
from workbench.redact.romanise import latin_forms, latin_of
from workbench.redact.skeleton import words_of
from workbench.redact.variants import script

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.redact.book import Book
    from workbench.redact.taken import Known

__all__ = ["link_scripts"]

_LEAST = 2
"""Letters of a word that may be one character's reading."""


def link_scripts(book: Book) -> None:
    """Note which words are Latin forms of names, and put values that are one in its cluster."""
    named: dict[str, str] = {}
    for one in sorted(book.known.values(), key=lambda k: (-k.value.count, k.value.text)):
        if one.value.type != "PERSON" or one.core.key.isascii():
            continue
        for word, places in _readings(_words(one)):
            book.readings.setdefault(word, places)
        for form in latin_forms(" ".join(_words(one))):
            named.setdefault(form.replace(" ", ""), one.anchor)
    forms = [one for one in book.known.values() if family_of(one.value.type) is Family.WORDS]
    old = {one.value.text: book.anchors[one.anchor] for one in forms}
    for one in forms:
        whole, near = named.get(one.core.key), old[one.value.text]
        if whole is not None:
            one.anchor, one.form, one.steps = whole, one, script(one.core.key, one.core.key)
        elif (
            near.core.key in named
        ):  # a misspelt form is damaged as the form that it is near is drawn
            one.anchor, one.form = named[near.core.key], near


def _words(one: Known) -> list[str]:
    return [one.core.key[left:right] for left, right in words_of(one.core, one.parts)]


def _readings(words: list[str]) -> Iterator[tuple[str, tuple[tuple[str, int], ...]]]:
    """Yield Latin words with the characters, as (word, place), that they are read from."""
    for word in words:
        latin = latin_of(word)
        if latin is None:
            continue
        places = tuple((word, at) for at in range(len(word)))
        runs: list[Sequence[int]] = [range(len(word))]
        if "\u4e00" <= word[0] <= "\u9fff":
            runs += [range(cut, len(word)) for cut in (1, 2)] + [range(cut) for cut in (1, 2)]
            runs += [[*range(cut, len(word)), *range(cut)] for cut in (1, 2)]
            runs += [[at] for at in range(len(word))]
        for run in runs:
            text = "".join(latin[at] for at in run if at < len(word))
            if len(text) >= _LEAST:
                yield text, tuple(places[at] for at in run if at < len(word))

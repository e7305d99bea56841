"""Draws again until no fact is lost, no two values are one, and nothing raw shows through."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import ahocorasick_rs

from workbench.redact.draws import alphabet_of
from workbench.redact.facts import lost_facts, pair_facts
from workbench.redact.finding import Family, family_of
from workbench.redact.skeleton import folded

if TYPE_CHECKING:
    from workbench.redact.book import Book, Known

__all__ = ["Drawn", "search"]

_FIXED: Final = (
    "length:",
    "chars:",
    "case:",
    "script:",
    "form:",
    "leading_",
    "trailing_",
    "doubled_",
)


def _patience(lost: tuple[str, ...], tries: int) -> int:
    """Return how many draws are worth it: facts of the form rarely depend on the draw."""
    return min(tries, 12) if all(fact.startswith(_FIXED) for fact in lost) else tries


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """What a search ended with."""

    pseudonyms: dict[str, str]
    lost: dict[str, tuple[str, ...]]
    """Only values that lost a fact."""


@dataclass(slots=True)
class _Search:
    """Draws again until nothing is lost."""

    book: Book
    texts: list[str]
    """All raw values, folded."""
    raw: ahocorasick_rs.AhoCorasick
    done: dict[str, str] = field(default_factory=dict)
    owners: Counter[str] = field(default_factory=Counter)
    """Pseudonym, case-folded -> how many values have it."""
    tried: Counter[str] = field(default_factory=Counter)

    def run(self, tries: int) -> Drawn:
        """Return the pseudonyms with the facts that they still lost."""
        book = self.book
        users: dict[str, set[str]] = defaultdict(set)
        for text, known in book.known.items():
            for label in book.labels(known):
                users[label].add(text)
        lost: dict[str, tuple[str, ...]] = {}
        pinned = {text for text, known in book.known.items() if known.value.pin is not None}
        for text, known in book.known.items():
            if known.value.pin is not None:
                self._set(text, known.value.pin.pseudonym)
        pending = sorted(text for text in book.known if text not in self.done)
        while pending:
            for text in pending:
                self._set(text, book.render(book.known[text]))
            lost |= {text: self._lost(text) for text in pending}
            again = [t for t in pending if lost[t] and self.tried[t] < _patience(lost[t], tries)]
            self.tried.update(again)
            labels = {label for t in again for label in book.labels(book.known[t])} - book.frozen
            book.redraw(labels)
            pending = sorted({t for label in labels for t in users[label]} - pinned)
        return Drawn(pseudonyms=dict(self.done), lost={t: f for t, f in lost.items() if f})

    def _set(self, text: str, pseudonym: str) -> None:
        old = self.done.get(text)
        if old is not None:
            self.owners[old] -= 1
        self.done[text] = pseudonym
        self.owners[pseudonym] += 1

    def _lost(self, text: str) -> tuple[str, ...]:
        known = self.book.known[text]
        pseudonym = self.done[text]
        lost = list(lost_facts(text, pseudonym, known.value.type))
        if known.value.exact_length and len(text) != len(pseudonym):
            lost.append("exact_length")
        if self.owners[pseudonym] > 1:
            lost.append("distinct")
        if self._shows_raw(known, pseudonym):
            lost.append("replaced")
        anchor = self.book.anchors[known.anchor].value.text
        linked = family_of(known.value.type) not in (Family.DATE, Family.ADDRESS)
        if linked and anchor != text and anchor in self.done:
            lost += pair_facts(text, anchor) - pair_facts(pseudonym, self.done[anchor])
        return tuple(sorted(lost))

    def _shows_raw(self, known: Known, pseudonym: str) -> bool:
        """Whether a pseudonym is, or holds as a whole word, a value that is replaced."""
        if family_of(known.value.type) is Family.DATE:
            return False
        if not any(len(alphabet_of(c)) > 1 for c in known.core.key):
            return False
        plain = folded(pseudonym).strip()
        for number, start, end in self.raw.find_matches_as_indexes(plain, overlapping=True):
            whole = end - start == len(plain)
            if whole or (len(self.texts[number]) >= 5 and not _inside_word(plain, start, end)):
                return True
        return False


def _inside_word(text: str, start: int, end: int) -> bool:
    return text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()


def search(book: Book, tries: int) -> Drawn:
    """Return pseudonyms of all values of a book, drawn again while facts are lost.

    Args:
        book: with its clusters formed.
        tries: draws of one value before its facts are given up.
    """
    texts = sorted({folded(text).strip() for text in book.known} - {""})
    return _Search(book=book, texts=texts, raw=ahocorasick_rs.AhoCorasick(texts)).run(tries)

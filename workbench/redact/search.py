"""Draws again until no fact is lost, no two values are one, and nothing raw shows through."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import ahocorasick_rs

from workbench.redact.crowds import is_numbered
from workbench.redact.draws import alphabet_of
from workbench.redact.facts import is_lost, is_of_validity, lost_facts, pair_facts
from workbench.redact.finding import Family, family_of
from workbench.redact.members import draws_behind, draws_in_reserve, draws_of, render
from workbench.redact.skeleton import folded, letters_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workbench.redact.book import Book
    from workbench.redact.taken import Known

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


_CLASHES: Final = frozenset({"distinct", "replaced"})
"""Facts for which a value leaves what pinned values say of it, and its length."""
_FEW: Final = 12
_LONGER: Final = 2
"""Characters that a pseudonym may be longer by, where no other is left."""
_SHARED_DRAWS: Final = 100_000
"""Values drawn again for one value, before its facts are given up."""


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
    owners: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Pseudonym -> the values that have it."""
    forms: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Letters and digits of a pseudonym -> the values that have them, in whatever dress."""
    users: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Label of a draw -> the values that rest on it."""
    tried: Counter[str] = field(default_factory=Counter)
    hard: dict[str, str] = field(default_factory=dict)
    """Value -> the validity that it lost last, which the next draw loses most likely, too."""

    def run(self, tries: int) -> Drawn:
        """Return the pseudonyms with the facts that they still lost."""
        book = self.book
        self._note_users(book.known)
        for text, known in book.known.items():
            if known.value.pin is not None:
                self._set(text, known.value.pin.pseudonym)
        drawn = sorted(text for text in book.known if text not in self.done)
        self._settle(drawn, tries)
        for _ in range(_LONGER):
            labels = self._without_room(drawn)
            if not labels:
                break
            book.more.update(labels)
            book.redraw(labels)
            self.tried.clear()
            self._settle(self._users_of(labels), min(tries, _FEW))
        left = {text: self._lost(text) for text in drawn}
        return Drawn(pseudonyms=dict(self.done), lost={t: f for t, f in left.items() if f})

    def _settle(self, pending: list[str], tries: int) -> None:
        """Draw values, and again while they lose facts and draws are left."""
        book = self.book
        while pending:
            for text in pending:
                self._set(text, render(book, book.known[text]))
            lost = {text: self._lost_first(text) for text in pending}
            again = [
                t for t in pending if lost[t] and self.tried[t] < self._patience(t, lost[t], tries)
            ]
            self.tried.update(again)
            for text in again:
                if self._must_leave(text, lost[text]):
                    self._leave_series(book.known[text].anchor)
            labels = {label for t in again for label in self._cure(t, lost[t])} - book.frozen
            book.redraw(labels)
            pending = self._users_of(labels)

    def _users_of(self, labels: Iterable[str]) -> list[str]:
        """Return the values that rest on draws, but for pinned ones."""
        found = sorted({text for label in labels for text in self.users[label]})
        found = [text for text in found if self.book.known[text].value.pin is None]
        if self.book.frozen:  # with draws of its own a value may rest on others than before
            self._note_users(found)
        return found

    def _without_room(self, drawn: Iterable[str]) -> set[str]:
        """Return draws of values that no draw of their length told from all others."""
        lost = {text: self._lost(text) for text in drawn}
        stuck = [text for text, facts in lost.items() if not _CLASHES.isdisjoint(facts)]
        labels = {label for text in stuck for label in self._cure(text, lost[text])}
        first = self.book.first
        return {
            label
            for label in labels - self.book.frozen
            if label.startswith("word:")
            or (label in first and is_numbered(first[label].value.type))
        }

    def _note_users(self, texts: Iterable[str]) -> None:
        for text in texts:
            for label in draws_behind(self.book, self.book.known[text]):
                self.users[label].add(text)

    def _patience(self, text: str, lost: tuple[str, ...], tries: int) -> int:
        """Return how many draws are worth it: facts of the form rarely depend on the draw.

        What thousands share is drawn again less often, so that the work grows with the values only.
        """
        if all(fact.startswith(_FIXED) for fact in lost):
            in_series = self.book.known[text].anchor in self.book.series
            return 0 if in_series else min(tries, _FEW)
        anchor = self.book.known[text].anchor
        if self._must_leave(text, lost):
            sharing = sum(one.anchor == anchor for one in self.book.known.values())
        else:
            sharing = max(len(self.users[label]) for label in self._cure(text, lost))
        return min(tries, max(_FEW, _SHARED_DRAWS // sharing))

    def _set(self, text: str, pseudonym: str) -> None:
        old = self.done.get(text)
        if old == pseudonym:
            return
        if old is not None:
            self.owners[old].discard(text)
            self.forms[self._form(text, old)].discard(text)
        self.done[text] = pseudonym
        self.owners[pseudonym].add(text)
        self.forms[self._form(text, pseudonym)].add(text)

    def _form(self, text: str, pseudonym: str) -> str:
        """Return what is left of a pseudonym without its dress; a date or address is its own form."""
        if family_of(self.book.known[text].value.type) in (Family.DATE, Family.ADDRESS):
            return pseudonym
        return letters_of(pseudonym)

    def _alike(self, text: str) -> set[str]:
        """Return the values that a value cannot be told from, itself among them.

        The letters and digits of two values are the same after redaction only if they were before.
        """
        pseudonym, known = self.done[text], self.book.known
        forms = self.forms[self._form(text, pseudonym)]
        key = known[text].core.key
        return self.owners[pseudonym] | {o for o in forms if known[o].core.key != key} | {text}

    def _cure(self, text: str, lost: tuple[str, ...]) -> set[str]:
        """Return the draws to take again.

        What all that have one pseudonym share tells none of them apart, so it is one of the other draws that the
        fewest values rest on.
        """
        book, known = self.book, self.book.known[text]
        labels = draws_behind(book, known)
        if _CLASHES.isdisjoint(lost):
            return draws_of(book, known)
        if lost != ("distinct",):
            return labels
        owners = [book.known[owner] for owner in self._alike(text)]
        owned = [draws_behind(book, one) for one in owners]
        apart = labels.union(*owned) - labels.intersection(*owned) - book.frozen
        apart = apart.difference(*(draws_in_reserve(book, one) for one in owners)) or apart
        rarest = min((len(self.users[label]) for label in apart), default=0)
        return {label for label in apart if len(self.users[label]) == rarest} or labels

    def _must_leave(self, text: str, lost: tuple[str, ...]) -> bool:
        """Whether a value is of a series that cannot keep what it lost: only alone it can be kept."""
        return lost != ("distinct",) and self.book.known[text].anchor in self.book.series

    def _leave_series(self, anchor: str) -> None:
        """Draw an anchor, and all that are variants of it, alone from now on."""
        self.users[anchor].update(self.book.leave_series(anchor))

    def _lost_first(self, text: str) -> tuple[str, ...]:
        """Return the facts that a draw lost, or one of validity that makes looking at others idle."""
        hard = None if self.book.frozen else self.hard.get(text)
        if hard is not None and is_lost(hard, self.done[text]):
            return (hard,)
        lost = self._lost(text)
        hard = next(filter(is_of_validity, lost), None)
        if hard is not None:
            self.hard[text] = hard
        return lost

    def _lost(self, text: str) -> tuple[str, ...]:
        known = self.book.known[text]
        pseudonym = self.done[text]
        lost = list(lost_facts(text, pseudonym, known.value.type))
        if known.value.exact_length and len(text) != len(pseudonym):
            lost.append("exact_length")
        if len(self._alike(text)) > 1:
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

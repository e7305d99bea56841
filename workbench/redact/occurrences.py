"""Where values that were found once occur again, undetected.

Three searches over every leaf: the folded text of a value on word boundaries; the core of an id
whatever stands between its characters; and tokens that are a damaged or cut-off copy of a value. Single
words of a name count where they are written like a name.
"""

# ruff: noqa: RUF001  typographic apostrophes are data here
from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

import ahocorasick_rs
from rapidfuzz import process
from rapidfuzz.distance import OSA

from workbench.redact.finding import Family, Finding, family_of, merged
from workbench.redact.romanise import latin_forms
from workbench.redact.skeleton import Piece, core_of, folded, pieces
from workbench.redact.wording import (
    COMMON_WORDS,
    are_close,
    flattened,
    is_written_as_name,
    on_boundary,
    words_of_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workbench.redact.leaves import Leaf

__all__ = ["Occurrences"]

_NAME: Final = "known_value"
_CORE: Final = re.compile(r"[^\W_]+")
_DIGIT: Final = re.compile(r"\d")
_TOKEN: Final = re.compile(r"[^\s\"'<>(){}\[\];:=,?&|]{4,72}")
_WORD: Final = re.compile(r"[^\W\d_][\w'’-]{4,24}")
_TAIL: Final = re.compile(
    r"(?i)(?:ending(?:\s(?:in|with|on))?|ends\s(?:in|with)|last\s(?:four|4)(?:\sdigits)?(?:\s(?:are|is|of))?|尾号(?:是|为)?|[x*•]{2,16}[- ]?)[\s:]{0,2}(?P<tail>\d{4})(?!\d)"
)
_TAIL_KEY: Final = re.compile(r"(?i)last_?-?(?:4|four)|tail|ending|尾号")
_TAILED: Final = frozenset(
    {"CREDIT_CARD", "PHONE_NUMBER", "ACCOUNT_ID", "US_SSN", "IBAN_CODE", "ZH_ID"}
)


class _Pattern(NamedTuple):
    type: str
    is_word: bool
    """One word of a name: counts only where it is written like a name."""


@dataclass(slots=True)
class Occurrences:
    """Searches leaves for known values; build it once per document."""

    protected: frozenset[str]
    """Folded words that stay: tool names, property names, enum words."""
    _texts: dict[str, _Pattern] = field(default_factory=dict)
    _alone: frozenset[str] = frozenset()
    _cores: dict[str, str] = field(default_factory=dict)
    _names: dict[str, None] = field(default_factory=dict)
    _hosts: dict[str, str] = field(default_factory=dict)
    """Cores of addresses and hosts -> type."""
    _words: dict[str, bool] = field(default_factory=dict)
    """Words that were looked at -> whether they are a damaged name."""
    _copies: dict[str, str | None] = field(default_factory=dict)
    """Tokens that were looked at -> type of the value they are a copy of."""
    _patterns: tuple[_Pattern, ...] = ()
    """Of the texts, in their order."""
    _core_types: tuple[str, ...] = ()
    """Of the cores, in their order."""
    _text_machine: ahocorasick_rs.AhoCorasick | None = None
    _core_machine: ahocorasick_rs.AhoCorasick | None = None

    def learn(self, values: Iterable[tuple[str, str]], alone: Iterable[str] = ()) -> None:
        """Take in values.

        Args:
            values: (text, type) pairs.
            alone: texts of whole leaves; a name that is one of them counts however it is written.
        """
        self._alone = frozenset(folded(text).strip() for text in alone)
        for text, kind in sorted(set(values)):
            plain = folded(text).strip()
            if plain and plain not in self.protected:
                self._learn(plain, text, kind)
        self._hosts = {
            "".join(c for c in text if c.isalnum()): pattern.type
            for text, pattern in self._texts.items()
            if pattern.type in ("EMAIL_ADDRESS", "DOMAIN_NAME")
        }
        self._patterns = tuple(self._texts.values())
        self._core_types = tuple(self._cores.values())
        self._text_machine = _machine(self._texts)
        self._core_machine = _machine(self._cores)

    def _learn(self, plain: str, text: str, kind: str) -> None:
        family = family_of(kind)
        if family in (Family.WORDS, Family.DOMAIN):
            if len(plain) >= 3 or not plain.isascii():
                self._add(plain, kind, is_word=family is Family.WORDS and plain.isalpha())
            if kind == "PERSON":
                for form in latin_forms(plain):
                    self._add(form, kind, is_word=form.isalpha() and len(form) < 6)
                for word in words_of_name(text):
                    self._add(word, kind, is_word=True)
                    self._names[word] = None
            return
        core = core_of(pieces(text)).key
        if len(core) >= 5 or not core.isascii():
            self._add(plain, kind)
        if family is Family.EMAIL:
            self._learn_mail(plain)
        elif family is Family.SEQUENCE and len(core) >= 6:
            self._cores.setdefault(core, kind)
            digits = re.sub(r"^[a-z]+|[a-z]+$", "", core)
            if digits != core and digits.isdigit() and len(digits) >= 6:
                self._cores.setdefault(digits, kind)

    def _learn_mail(self, plain: str) -> None:
        local, sign, host = plain.rpartition("@")
        local = local.strip(" @")
        if sign and len(local) >= 6 and sum(c.isalpha() for c in local) >= 4:
            self._add(local, "USERNAME")
        host = host.strip(" @")
        if sign and "." in host and len(host) >= 6:
            self._add(host, "DOMAIN_NAME")

    def _add(self, plain: str, kind: str, *, is_word: bool = False) -> None:
        if plain in self.protected or (is_word and plain in COMMON_WORDS):
            return
        is_word = is_word and plain not in self._alone
        old = self._texts.get(plain)
        if old is None or (old.is_word and not is_word):
            self._texts[plain] = _Pattern(kind, is_word)

    # --- search ----------------------------------------------------------

    def find(self, leaf: Leaf) -> Iterator[Finding]:
        """Yield occurrences of known values in a leaf."""
        text = leaf.text
        if leaf.is_number:
            yield from self._whole_number(text)
            return
        parts = None if text.isascii() and "%" not in text else pieces(text)
        exact = [*self._folded(leaf, parts), *self._compact(text, parts)]
        yield from exact
        if not leaf.is_key:
            yield from self._tails(leaf)
            taken = merged(exact)
            starts = [found.start for found in taken]
            for copy in self._damaged(text):
                before = bisect_left(starts, copy.end) - 1
                if before < 0 or taken[before].end <= copy.start:
                    yield copy

    def _whole_number(self, text: str) -> Iterator[Finding]:
        kind = self._cores.get(text.lstrip("-"))
        if kind is not None:
            yield _finding(len(text) - len(text.lstrip("-")), len(text), kind)

    def _folded(self, leaf: Leaf, parts: list[Piece] | None) -> Iterator[Finding]:
        if self._text_machine is None:
            return
        text = leaf.text
        plain, starts, ends = flattened(text, parts)
        for number, start, end in self._text_machine.find_matches_as_indexes(
            plain, overlapping=True
        ):
            if not on_boundary(plain, start, end):
                continue
            kind, is_word = self._patterns[number]
            left = start if starts is None else starts[start]
            right = end if ends is None else ends[end - 1]
            if is_word and not is_written_as_name(text, left, right):
                continue
            if leaf.is_key and is_word:
                continue
            yield _finding(left, right, kind)

    def _compact(self, text: str, parts: list[Piece] | None) -> Iterator[Finding]:
        if self._core_machine is None or _DIGIT.search(text) is None:
            return
        plain, starts, ends = flattened(text, parts)
        compact = "".join(_CORE.findall(plain))
        matches = self._core_machine.find_matches_as_indexes(compact, overlapping=True)
        if not matches:
            return
        at = [n for n, c in enumerate(plain) if c.isalnum()]
        for number, start, end in matches:
            left, right = at[start], at[end - 1] + 1
            if not on_boundary(plain, left, right) or not are_close(plain, at[start:end]):
                continue
            yield _finding(
                left if starts is None else starts[left],
                right if ends is None else ends[right - 1],
                self._core_types[number],
            )

    def _tails(self, leaf: Leaf) -> Iterator[Finding]:
        text = leaf.text
        if len(text) == 4 and text.isdigit() and _TAIL_KEY.search(str(leaf.path[-1:])):
            kind = self._tail_type(text)
            if kind is not None:
                yield _finding(0, 4, kind)
        for match in _TAIL.finditer(text):
            kind = self._tail_type(match["tail"])
            if kind is not None:
                yield _finding(*match.span("tail"), kind)

    def _tail_type(self, tail: str) -> str | None:
        owners = (k for core, k in self._cores.items() if core.endswith(tail) and k in _TAILED)
        return next(owners, None)

    def _damaged(self, text: str) -> Iterator[Finding]:
        for match in _TOKEN.finditer(text):
            token = match[0].rstrip(".,!?…")
            if len(token) >= 4 and ("." in token or _DIGIT.search(token)):
                if token not in self._copies:
                    self._copies[token] = self._copy_type(token)
                kind = self._copies[token]
                if kind is not None:
                    yield _finding(match.start(), match.start() + len(token), kind)
        for match in _WORD.finditer(text) if self._names else ():
            if match[0][0].isupper() and self._is_damaged_name(match[0]):
                yield _finding(*match.span(), "PERSON")

    def _copy_type(self, token: str) -> str | None:
        key = folded(token)
        core = "".join(c for c in key if c.isalnum())
        if len(core) < 5 or key in self.protected or core in self._cores:
            return None
        return self._near(core)

    def _near(self, core: str) -> str | None:
        digits = sum(c.isdigit() for c in core)
        if digits < 4:
            return self._near_text(core)
        limit = 1 if len(core) < 10 else 2
        if len(core) >= 7:
            found = process.extractOne(
                core, self._cores.keys(), scorer=OSA.distance, score_cutoff=limit
            )
            if found is not None:
                return self._cores[found[0]]
        if len(core) < 5 or len(core) > 40:
            return None
        longer = (
            k for c, k in self._cores.items() if c.startswith(core) and len(core) * 10 >= len(c) * 6
        )
        return next(longer, None)

    def _near_text(self, core: str) -> str | None:
        """A damaged address or host: no digits to go by, so it must be long and very near."""
        if len(core) < 10 or not self._hosts:
            return None
        found = process.extractOne(core, self._hosts.keys(), scorer=OSA.distance, score_cutoff=1)
        return None if found is None else self._hosts[found[0]]

    def _is_damaged_name(self, word: str) -> bool:
        known = self._words.get(word)
        if known is None:
            known = self._words[word] = self._is_near_name(folded(word))
        return known

    def _is_near_name(self, key: str) -> bool:
        if len(key) < 5 or key in self.protected or key in COMMON_WORDS or key in self._names:
            return False
        found = process.extractOne(key, self._names.keys(), scorer=OSA.distance, score_cutoff=1)
        return found is not None and len(found[0]) >= 5


def _machine(patterns: Iterable[str]) -> ahocorasick_rs.AhoCorasick | None:
    words = list(patterns)
    return ahocorasick_rs.AhoCorasick(words) if words else None


def _finding(start: int, end: int, kind: str) -> Finding:
    return Finding(start=start, end=end, type=kind, score=0.75, detector=_NAME)

"""Counts marks of many forms in long records: each is looked for only where it can be.

A pattern names short texts, hints, of which every match of it holds one. One machine finds the
hints of all patterns in one pass, and a pattern then reads what stands around its own. Thirty
searches of a record take more time than parsing it; one pass takes a fifth of that.

Of a long record even that is only done around needles, which every hint holds and of which there are
few: so few can be looked for with the processor's wide registers, ten times as fast.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import ahocorasick_rs
from msgspec import Struct

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["Mark", "mark_counter", "shortest"]

_REACH_BYTES: Final = 512
"""A name of a host has up to a hundred characters of up to four bytes."""
_SIEVE: Final = 64
"""More texts, or one of two bytes, and they are looked for byte by byte."""
_SHORT: Final = 2048
"""Up to this length looking for needles first saves nothing."""
_RARE: Final = 256
"""Where a needle stands more often than once in so many bytes, all bytes are looked at."""


class Mark(Struct, frozen=True, kw_only=True):
    """A form of text that is counted."""

    kind: str
    hints: tuple[str, ...]
    """Every match holds one of these."""
    needles: tuple[str, ...] = ()
    """Every hint holds one of these; none: they are the hints."""
    pattern: re.Pattern[str]
    reach_bytes: int = _REACH_BYTES
    """No match begins further before its hint, or ends further behind it, than this."""


def mark_counter(marks: Iterable[Mark]) -> Callable[[str | bytes], dict[str, int]]:
    r"""Return what counts marks in a text, by kind; kinds of which there are none are left out.

    >>> import re
    >>> count = mark_counter([Mark(kind="cut", hints=("cut",), pattern=re.compile(r"\bcut\b"))])
    >>> count("a cut, uncut, cuts, cut"), count(b"nothing")
    ({'cut': 2}, {})
    """
    known = tuple(marks)
    owners: dict[bytes, list[int]] = {}
    for number, mark in enumerate(known):
        for hint in mark.hints:
            owners.setdefault(hint.encode(), []).append(number)
    hints_in = _hint_finder(
        tuple(owners), [n for mark in known for n in mark.needles or mark.hints]
    )
    owners_of = tuple(owners.values())

    def count(text: str | bytes) -> dict[str, int]:
        raw = text if isinstance(text, bytes) else text.encode(errors="replace")
        starts: dict[int, list[int]] = {}
        for hint, start in hints_in(raw):
            for number in owners_of[hint]:
                starts.setdefault(number, []).append(start)
        found: dict[str, int] = {}
        for number, places in starts.items():
            mark = known[number]
            around = _around(raw, places, mark.reach_bytes)
            times = sum(len(mark.pattern.findall(near)) for near in around)
            if times:
                found[mark.kind] = found.get(mark.kind, 0) + times
        return found

    return count


def _hint_finder(
    hints: Sequence[bytes], needles: Iterable[str]
) -> Callable[[bytes], list[tuple[int, int]]]:
    """Return what finds all hints in bytes, overlapping ones too: which, and where it starts."""
    machine = ahocorasick_rs.BytesAhoCorasick(
        hints,
        implementation=ahocorasick_rs.Implementation.DFA,  # the largest, and twice as quick
    )
    words = [needle.encode() for needle in shortest(needles)]
    sieves = [
        ahocorasick_rs.BytesAhoCorasick(
            words[at : at + _SIEVE], matchkind=ahocorasick_rs.MatchKind.LeftmostFirst
        )
        for at in range(0, len(words), _SIEVE)
    ]
    longest = max(map(len, hints))

    def hints_in(raw: bytes) -> list[tuple[int, int]]:
        spans = [(0, len(raw))]
        if len(raw) > _SHORT:
            hits = [hit for sieve in sieves for hit in sieve.find_matches_as_indexes(raw)]
            if len(hits) * _RARE < len(raw):
                spans = _merged((start - longest, end + longest) for _, start, end in hits)
        return [
            (hint, first + start)
            for first, last in spans
            for hint, start, _ in machine.find_matches_as_indexes(raw[first:last], overlapping=True)
        ]

    return hints_in


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans of which none touches another, in their order; none starts before 0."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((max(0, start), end))
    return found


def _around(raw: bytes, starts: Sequence[int], reach: int) -> Iterator[str]:
    """Yield what stands around these places, each byte once; that is a small part of a record."""
    places = sorted(starts)
    first = places[0]
    for last, following in pairwise((*places, len(raw) + 3 * reach)):
        if following - last > 2 * reach:
            yield raw[max(0, first - reach) : last + reach].decode(errors="ignore")
            first = following


def shortest(words: Iterable[str]) -> tuple[str, ...]:
    """Return words of which each of these begins with one.

    >>> shortest(["EMAIL_ADDRESS", "IP", "EMAIL"])
    ('EMAIL', 'IP')
    """
    found: list[str] = []
    for word in sorted(words):
        if not found or not word.startswith(found[-1]):
            found.append(word)
    return tuple(found)

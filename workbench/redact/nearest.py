"""The nearest anchor of a value, asked of all anchors at once.

An anchor is near when a value is a part of it (its head, or its last digits), else when few edits lie
between the two: none under five characters, then one to three. Of two as near the earlier one counts.
"""

from __future__ import annotations

from bisect import bisect_left, insort

from rapidfuzz.distance import OSA
from rapidfuzz.process import extractOne

__all__ = ["Anchors"]

_LAST: str = chr(0x10FFFF)


def _limit(length: int) -> int:
    if length < 5:
        return 0
    if length < 8:
        return 1
    return 2 if length < 14 else 3


class Anchors:
    """Keys in the order in which they were added, distinct."""

    __slots__ = ("_by_length", "_heads", "_place", "_tails")

    def __init__(self) -> None:
        self._place: dict[str, int] = {}
        self._heads: list[str] = []
        self._tails: list[str] = []
        self._by_length: dict[int, list[str]] = {}

    def add(self, key: str) -> None:
        """Add an anchor behind those that are known."""
        self._place[key] = len(self._place)
        insort(self._heads, key)
        insort(self._tails, key[::-1])
        self._by_length.setdefault(len(key), []).append(key)

    def nearest(self, key: str) -> str | None:
        """Return the anchor that a key, which is none, is a variant of."""
        parts = [*self._longer(key), *self._ending(key)]
        if parts:
            return min(parts, key=self._place.__getitem__)
        return self._by_edits(key, _limit(len(key)))

    def _longer(self, key: str) -> list[str]:
        """Return the anchors whose cut-off head a key is."""
        wide = not key.isascii()
        if len(key) < (2 if wide else 4):
            return []
        left, right = (bisect_left(self._heads, end) for end in (key, key + _LAST))
        found = self._heads[left:right]
        return found if wide else [a for a in found if len(key) * 5 >= len(a) * 2]

    def _ending(self, key: str) -> list[str]:
        """Return the anchors whose last digits a key is."""
        if len(key) < 4 or not key.isdigit():
            return []
        tail = key[::-1]
        left, right = (bisect_left(self._tails, end) for end in (tail, tail + _LAST))
        return [anchor[::-1] for anchor in self._tails[left:right]]

    def _by_edits(self, key: str, limit: int) -> str | None:
        best: tuple[int, int, str] | None = None
        if not limit:
            return None
        for length in range(len(key) - limit, len(key) + limit + 1):
            known = self._by_length.get(length, ())
            found = extractOne(key, known, scorer=OSA.distance, score_cutoff=limit)
            if found is not None:
                place = self._place[found[0]]
                best = min(best or (limit + 1, 0, ""), (int(found[1]), place, found[0]))
        return None if best is None else best[2]

"""Which values of a document are drawn as series: those of crowds.

A crowd is more values near one another than one value has variants. Ids of a crowd are drawn as a
series, a head of letters a series; so are the numbers in words, as in `user017`. Types with a check digit or a
range of their own are drawn alone: a permutation would not keep those.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Final

from workbench.redact.builders import schema_length
from workbench.redact.finding import Family, family_of
from workbench.redact.series import Series
from workbench.redact.variants import CROWD

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from workbench.redact.book import Book

__all__ = ["dense", "form_numbers", "form_series", "is_numbered"]

_TRIES: Final = 32
"""Permutations tried before numbers get more digits."""
_ALONE: Final = frozenset(["CREDIT_CARD", "IBAN_CODE", "PHONE_NUMBER", "SECRET", "US_SSN", "ZH_ID"])
_DIGIT: Final = re.compile(r"[0-9]")
_ZEROS: Final = re.compile("0+")
_HEX: Final = frozenset("0123456789abcdef")


def is_numbered(kind: str) -> bool:
    """Whether values of a type may be told apart by their numbers."""
    family = family_of(kind)
    return kind not in _ALONE and family in (Family.SEQUENCE, Family.WORDS, Family.EMAIL)


def dense(keys: Iterable[str]) -> frozenset[str]:
    """Return the keys of frames that are so full that near ones are near by chance.

    Of one frame are keys that differ only in their digits, whatever the width of the number.

    >>> sorted(dense(f"acc{n:02d}" for n in range(20)))[:2], dense(["acc01", "acc02"])
    (['acc00', 'acc01'], frozenset())
    """
    frames: dict[str, list[str]] = defaultdict(list)
    for key in keys:
        frames[_DIGIT.sub("0", key)].append(key)
    full = {_ZEROS.sub("0", frame) for frame, found in frames.items() if _is_full(frame, found)}
    return frozenset(
        key for frame, found in frames.items() if _ZEROS.sub("0", frame) in full for key in found
    )


def _is_full(frame: str, keys: Sequence[str]) -> bool:
    """Whether draws by chance would meet: as many as a quarter of the root, or a third, of what it allows."""
    size, room = len(keys), 10 ** frame.count("0")
    return (size > CROWD and 16 * size**2 > room) or (size > 2 and 3 * size > room)


def form_series(book: Book, crowded: Collection[str]) -> None:
    """Note which anchors are of a series; what a pin says of one counts more.

    Args:
        book: with its clusters and frozen draws.
        crowded: anchors that are of a crowd.
    """
    frames: dict[tuple[str, str], list[str]] = defaultdict(list)
    for anchor, keep in sorted(_schema_of(book, crowded).items()):
        known = book.anchors[anchor]
        frames[known.value.type, known.core.key[:keep]].append(anchor)
    for (kind, head), anchors in frames.items():
        keys = [book.anchors[anchor].core.key for anchor in anchors]
        series = Series(
            label=f"series:{kind}:{head}",
            keep=len(head),
            is_number=all(key.isdigit() for key in keys),
            hexadecimal=all(len(key) >= 8 and _HEX.issuperset(key) for key in keys),
        )
        taken = frozenset(one.core.key for one in book.known.values() if one.value.type == kind)
        book.series |= dict.fromkeys(anchors, _with_room(book, series, keys, taken))


def _schema_of(book: Book, crowded: Collection[str]) -> dict[str, int]:
    """Return for each id of a crowd how much of it is schema, as its most telling form says."""
    found: dict[str, int] = defaultdict(int)
    for one in book.known.values():
        anchor = book.anchors[one.anchor]
        is_id = is_numbered(one.value.type) and family_of(one.value.type) is Family.SEQUENCE
        is_alone = bool(anchor.value.order) or one.anchor in book.pinned
        if is_id and one.anchor in crowded and not is_alone:
            same = one.core.key == anchor.core.key
            keep = schema_length(book.draw(one.anchor, one)) if same else 0
            found[one.anchor] = max(found[one.anchor], keep)
    return found


def _with_room(book: Book, series: Series, keys: Sequence[str], taken: Collection[str]) -> Series:
    """Return the series, its counter set so that none of its keys becomes a taken one."""
    if series.label in book.frozen:
        wide = (u.text for us in book.pinned.values() for u in us if u.label == series.label)
        return replace(series, more=max(map(len, wide), default=1) - 1)
    most = 1 + max(map(len, taken)) - min(map(len, keys))
    for more, counter in product(range(most), range(_TRIES)):
        book.counters[series.label] = counter
        wider = replace(series, more=more)
        if all("".join(_texts(book, wider, key)) not in taken for key in keys):
            return wider
    book.counters[series.label] = 0
    return replace(series, more=most)


def _texts(book: Book, series: Series, key: str) -> list[str]:
    return series.drawn(key, book.drawer, book.counters[series.label], book.char)


def form_numbers(book: Book, words: Iterable[str]) -> None:
    """Note of which width there are so many numbers in words that they are drawn as a series."""
    widths: dict[int, set[str]] = defaultdict(set)
    for word in words:
        if word.isascii() and word.isdigit():
            widths[len(word)].add(word)
    book.numbered = frozenset(width for width, found in widths.items() if len(found) > CROWD)

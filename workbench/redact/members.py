"""A value as a member of its cluster: what stands for it, and which draws are behind that.

Members replay their edit scripts on the units of their anchor, and wear their own dress. Where
pinned values say all of it, nothing is left to draw again when two that differ would become one: such a
value has draws of its own in reserve, for what tells it from the pinned one, or for all of it.
"""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING

from workbench.redact.finding import Family, family_of
from workbench.redact.pinned import parts_of
from workbench.redact.skeleton import dressed
from workbench.redact.special import address_for, anchor_address, date_for, first_draw

if TYPE_CHECKING:
    from workbench.redact.book import Book
    from workbench.redact.taken import Known, Unit

__all__ = ["draws_behind", "draws_in_reserve", "draws_of", "render", "units_of"]


def render(book: Book, known: Known) -> str:
    """Return the pseudonym of a value under the present counters."""
    text = known.value.text
    if known.value.pin is not None:
        return known.value.pin.pseudonym
    match family_of(known.value.type):
        case Family.ADDRESS:
            anchor = anchor_address(text, book.addresses)
            turn = book.counters[known.anchor] + book.counters[_own_address(known)]
            return address_for(text, anchor, book.drawer, turn + first_draw(book.addresses))
        case Family.DATE:
            return date_for(text, book.dates, book.drawer)
        case _:
            return _worn(book, known)


def _worn(book: Book, known: Known) -> str:
    at_piece: dict[int, str] = defaultdict(str)
    for place, unit in zip(known.core.at, units_of(book, known), strict=True):
        at_piece[place] += unit.text
    return "".join(
        dressed(piece, at_piece[n]) if n in at_piece else piece.surface
        for n, piece in enumerate(known.parts)
    )


def units_of(book: Book, known: Known) -> list[Unit]:
    """Return the units of a value, one for each character of its core."""
    if known.name in book.pinned:
        return list(book.pinned[known.name])
    shared = _as_cluster(book, known)
    taken = {label for label in draws_in_reserve(book, known) if book.counters[label]}
    if known.name in taken:
        alone = partial(book.alone, known)
        return book.apart(known.name, known.core.key, shared, known.steps, alone)
    return _in_parts(book, known, shared, taken) if taken else shared


def _in_parts(book: Book, known: Known, shared: list[Unit], taken: set[str]) -> list[Unit]:
    """Return units with own draws of some of a value's words, or of its host."""
    units = list(shared)
    for label, start, end in parts_of(known):
        if label in taken:
            part = slice(start, end)
            own = book.retold(label, known.core.key[part], shared[part], known.steps[part])
            units[part] = own or shared[part]
    return book.composed(known.name, known) if units == shared else units


def _as_cluster(book: Book, known: Known) -> list[Unit]:
    """Return the units that a value has as a variant of its anchor."""
    if known.form is not None:
        words = book.worded(known.form, 0, len(known.form.core.key))
        return book.replay(words, known.steps)
    return book.replay(book.of_anchor(known.anchor), known.steps)


def draws_in_reserve(book: Book, known: Known) -> set[str]:
    """Return the draws that a value has of its own, beside those that pinned values rest on.

    None: it is pinned itself, or another draw is left that changes it.
    """
    if not book.frozen or known.value.pin is not None or known.name in book.pinned:
        return set()
    family = family_of(known.value.type)
    if family in (Family.ADDRESS, Family.DATE):
        is_drawn = family is Family.ADDRESS and known.anchor in book.frozen
        return {_own_address(known)} if is_drawn else set()
    shared, key = _as_cluster(book, known), known.core.key
    parts = {
        label
        for label, start, end in parts_of(known)
        if label not in book.pinned
        and not book.is_kept(key[start:end])
        and book.is_fixed(shared[start:end], key[start:end])
    }
    return parts or ({known.name} if key and book.is_fixed(shared, key) else set())


def _own_address(known: Known) -> str:
    return f"own:{known.value.text}"


def draws_behind(book: Book, known: Known) -> set[str]:
    """Return the draws that a value depends on, and those that it has in reserve."""
    reserve = draws_in_reserve(book, known)
    if family_of(known.value.type) in (Family.ADDRESS, Family.DATE):
        return {known.anchor} | reserve
    if known.name in book.pinned:
        return {unit.label for unit in book.pinned[known.name]}
    is_form = known.form is not None
    units = units_of(book, known) if is_form else book.of_anchor(known.anchor)
    also = units_of(book, known) if reserve else ()
    return reserve.union(unit.label for unit in (*units, *also))


def draws_of(book: Book, known: Known) -> set[str]:
    """Return the draws that a value depends on as it is now."""
    unused = {label for label in draws_in_reserve(book, known) if not book.counters[label]}
    return draws_behind(book, known) - unused

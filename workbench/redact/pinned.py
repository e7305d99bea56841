"""What pinned values say of other values: of their other forms, their words and their hosts.

Under which draws a pseudonym came about hangs on all values of its document: on what was its anchor, on
whether it was one of a crowd. A next document has other values, so a pin tells the outcome, character by
character, and not only the draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.redact.finding import Family, family_of
from workbench.redact.skeleton import words_of
from workbench.redact.taken import sign_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workbench.redact.taken import Known, Unit

__all__ = ["parts_of", "pinned_units"]


def pinned_units(known: Iterable[Known]) -> dict[str, tuple[Unit, ...]]:
    """Return what stands for the characters of clusters, words and hosts that pins know.

    Args:
        known: all values; of a word that two pins say otherwise counts the one that was drawn as this word.
    """
    found: dict[str, tuple[Unit, ...]] = {}
    for one in sorted(known, key=lambda k: k.value.text):
        pin = one.value.pin
        if pin is None or len(pin.units) != len(one.core.key):
            continue
        found.setdefault(one.name, pin.units)
        for label, start, end in parts_of(one):
            units = pin.units[start:end]
            is_kept = "".join(unit.text for unit in units) == one.core.key[start:end]
            if not is_kept and (label not in found or {u.label for u in units} == {label}):
                found[label] = units
    return found


def parts_of(one: Known) -> Iterator[tuple[str, int, int]]:
    """Yield the labels of a value's words and of its host, each with its span in the core."""
    family, key = family_of(one.value.type), one.core.key
    start = {Family.WORDS: len(key), Family.DOMAIN: 0}.get(family)
    if family is Family.EMAIL:
        start = sign_of(one)
    if start is None:
        return
    if start < len(key):
        yield f"domain:{key[start:]}", start, len(key)
    for left, right in words_of(one.core, one.parts):
        if right <= start:
            yield f"word:{key[left:right]}", left, right

"""Draws that keep the order of values, for what a person declared as `ordered`.

At each place the characters that follow one and the same head get others of their kind in the same order.
So values that share a head still share one, lengths stay, and whoever sorts sees what was
seen before. Where all ten digits occur at a place, they stay there: order says so much.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workbench.redact.draws import Drawer

__all__ = ["draw_in_order"]

_KINDS: Final = ("0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_TRIES: Final = 8


def draw_in_order(
    keys: Iterable[str], drawer: Drawer, label: str, counter: int, *, keep: int = 0
) -> dict[str, str]:
    """Return for each key one of the same length, so that all sort as before.

    Args:
        keys: letters and digits.
        drawer: draws under the draft's key.
        label: of the group.
        counter: number of the try.
        keep: leading characters that are schema and stay.
    """
    done: dict[str, str] = {}
    todo = [("", "", sorted(set(keys)))]
    while todo:
        head, new_head, group = todo.pop()
        at = len(head)
        tails: dict[str, list[str]] = {}
        for key in group:
            if len(key) == at:
                done[key] = new_head
            else:
                tails.setdefault(key[at], []).append(key)
        drawn = _level(tails, drawer, (label, head, str(counter)), fixed=at < keep)
        todo += [(head + char, new_head + drawn[char], tails[char]) for char in tails]
    return done


def _level(
    chars: Iterable[str], drawer: Drawer, label: tuple[str, ...], *, fixed: bool
) -> dict[str, str]:
    """Draw the characters that may follow one head; a leading zero stays one, and no other comes."""
    found: dict[str, str] = {}
    for kind in _KINDS:
        mine = sorted(c for c in chars if c in kind)
        options = kind[1:] if kind[0] == "0" and not label[1] else kind
        if "0" in mine and options[0] != "0":
            found["0"], mine = "0", mine[1:]
        drawn = mine
        for nth in range(_TRIES):
            chance = random.Random(drawer.number(2**64, "order", *label, kind, str(nth)))  # noqa: S311  seeded by a keyed draw
            drawn = sorted(chance.sample(options, len(mine)))
            if drawn != mine:
                break
        found |= dict(zip(mine, mine if fixed else drawn, strict=True))
    return {c: found.get(c, c) for c in chars}

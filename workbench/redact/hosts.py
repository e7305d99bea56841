"""How the name of a host is drawn: its last label becomes `example`, or one that nobody gives out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from workbench.redact.builders import spread

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.redact.draws import Drawer

__all__ = ["HostDraw", "draw_host"]

_FREE_LABEL: Final = ("", "", "x", "zq", "zqx", "zqxj", "zqxjk", "zqxjkv")
"""By length: what a last label starts with that no registry gives out; its letters differ, so that
a swap of two shows."""


class HostDraw(NamedTuple):
    """What a host may be drawn from."""

    drawer: Drawer
    name: str
    """Label of the draw."""
    counter: int
    unit: Callable[[int, str], str]
    """The default replacement of a character at a place."""


def draw_host(key: str, labels: tuple[int, ...], draw: HostDraw) -> list[str]:
    """Return the text that stands for each character of a host.

    Args:
        key: letters and digits of the host.
        labels: how many of them each label has.
        draw: draws under the host's label.
    """
    found = [draw.unit(at, c) for at, c in enumerate(key)]
    if len(labels) > 1 and labels[-1] >= 2:
        start = len(key) - labels[-1]
        found[start:] = spread("example", labels[-1])
        _shorten(found, start, labels, draw)
    return found


def _shorten(found: list[str], start: int, labels: tuple[int, ...], draw: HostDraw) -> None:
    """Take characters off the label before the last until the length is as before.

    A label that is too short for that, or whose variants lost a fact, gets a last label of the old
    length that no registry can give out.
    """
    surplus = len("example") - labels[-1]
    tag = str(draw.counter)
    if draw.counter > 4:
        letter = draw.drawer.pick("bdefgh", draw.name, "last", tag)
        texts = _FREE_LABEL[labels[-1]] + letter if labels[-1] < 8 else "z" * labels[-1]
        found[start:] = texts
        return
    if not 0 < surplus <= labels[-2] - 3:
        return
    places = list(range(start - labels[-2] + 1, start))
    for n in range(surplus):
        turn = draw.drawer.number(len(places), draw.name, "short", str(n), tag)
        found[places.pop(turn)] = ""

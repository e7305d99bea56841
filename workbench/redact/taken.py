"""Values taken apart: what is known of each before anything is drawn."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from workbench.redact.finding import group_of

if TYPE_CHECKING:
    from workbench.redact.skeleton import Core, Piece
    from workbench.redact.variants import Step

__all__ = ["Host", "Known", "Pin", "Unit", "Value", "labels_of", "sign_of"]


class Unit(NamedTuple):
    """The text that stands for one character, and the draw that made it."""

    text: str
    label: str
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """What another redaction of the same draft gave a value."""

    pseudonym: str
    draws: tuple[tuple[str, int], ...] = ()
    """Labels of the draws behind it, with their counters."""
    units: tuple[Unit, ...] = ()
    """What stands for each letter and digit; none: its type is not drawn so."""

    def __repr__(self) -> str:
        return f"Pin({len(self.draws)} draws)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A distinct text to be replaced."""

    text: str
    type: str
    count: int = 1
    pin: Pin | None = None
    """None: it is drawn here."""
    turn: int = 0
    """Draws to leave out, since a person or the contract refused them."""
    exact_length: bool = False
    """Whether a pseudonym of another length is a lost fact."""
    order: str = ""
    """Name of the group among whose values its place in the order stays; empty: none."""


@dataclass(slots=True)
class Known:
    """A value taken apart."""

    value: Value
    parts: list[Piece]
    core: Core
    steps: tuple[Step, ...] = ()
    anchor: str = ""
    """Group and key of the anchor; names the cluster."""
    form: Known | None = None
    """The value whose words draw it: a form of its anchor in another script."""

    @property
    def name(self) -> str:
        """Name of the cluster that it would be the anchor of."""
        return f"{group_of(self.value.type)}:{self.core.key}"


class Host(NamedTuple):
    """What a host name is a variant of."""

    anchor: str
    labels: tuple[int, ...]
    """Of the anchor."""
    steps: tuple[Step, ...]
    parent: str = ""
    """Core of the known host that it is a name in: `shop.fabrikam.com` in `fabrikam.com`."""


def sign_of(known: Known) -> int | None:
    """Return the place in the core of the first character behind the last @."""
    signs = [n for n, piece in enumerate(known.parts) if "@" in piece.folded]
    if not signs:
        return None
    behind = sum(1 for at in known.core.at if at < signs[-1])
    return behind if 0 < behind < len(known.core.key) else None


def labels_of(known: Known, start: int) -> tuple[int, ...]:
    """Return the lengths, in core characters, of a host name's labels."""
    dots = [n for n, piece in enumerate(known.parts) if piece.folded == "."]
    lengths = Counter(sum(dot < at for dot in dots) for at in known.core.at[start:])
    return tuple(lengths[n] for n in sorted(lengths))

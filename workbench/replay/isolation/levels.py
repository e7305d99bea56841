"""How far an agent is kept from the world, and what was reached."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from workbench.errors import InputError

__all__ = ["AUTO", "Level", "Reached", "parse_level"]

AUTO: Final = "auto"


class Level(StrEnum):
    """From nothing to everything; each level includes the ones before it, where they apply."""

    NONE = "none"
    AUDIT = "audit"
    """A Python agent's own side effects are refused and named; native code passes."""
    LANDLOCK = "landlock"
    """The kernel refuses TCP connections and file writes, in any language."""
    NETNS = "netns"
    """The kernel gives the agent a network with nothing in it but the gateway."""

    def reaches(self, other: Level) -> bool:
        """Whether this level is at least as strong as another."""
        order = list(Level)
        return order.index(self) >= order.index(other)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """The level that one agent ran under."""

    level: Level
    note: str
    """What stands behind it, e.g. `Landlock ABI 7, audit hook`."""


def parse_level(text: str) -> Level | None:
    """Read `--isolate`; None: `auto`.

    Raises:
        InputError: it is none of the words.
    """
    if text == AUTO:
        return None
    try:
        return Level(text)
    except ValueError:
        words = ", ".join((AUTO, *reversed(Level)))
        raise InputError(
            f"isolation {text!r} is not known; expected one of {words}", fix="--isolate auto"
        ) from None

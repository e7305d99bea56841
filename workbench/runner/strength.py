"""How strong a case is: the same one line wherever a case is shown."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Measured", "Strength", "strength_line"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What trials of one version showed."""

    version: str
    failed: int
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """What is known of a case; None: not known yet. No field has a default: all are written."""

    red: bool
    """The recorded path fails with the recorded signature."""
    green: bool | None
    """Every accepted path passes; None: there is none."""
    killable: tuple[int, int] | None
    """Clauses that a mutation turns red, of all; None: no passing path to mutate."""
    idle: bool | None
    """Whether an agent that does nothing passes; None: no path was replayed."""
    fails: Measured | None
    passes: Measured | None
    coverage: tuple[int, int] | None
    """Calls that a fixture answered, of all that an agent made."""


def strength_line(strength: Strength) -> str:
    """Return the line.

    >>> strength_line(
    ...     Strength(
    ...         red=True,
    ...         green=None,
    ...         killable=None,
    ...         idle=True,
    ...         fails=None,
    ...         passes=None,
    ...         coverage=(19, 20),
    ...     )
    ... )
    'red ok | no accepted path yet | doing nothing passes | coverage 19/20'
    """
    parts = [
        "red ok" if strength.red else "NOT RED",
        {True: "green ok", False: "NOT GREEN", None: "no accepted path yet"}[strength.green],
    ]
    if strength.killable is not None:
        killed, clauses = strength.killable
        parts.append(f"clauses {killed}/{clauses} killable")
    if strength.idle:
        parts.append("doing nothing passes")
    if (fails := strength.fails) is not None:
        parts.append(f"fails on {fails.version} {fails.failed}/{fails.n}")
    if (passes := strength.passes) is not None:
        parts.append(f"passes on {passes.version} {passes.n - passes.failed}/{passes.n}")
    if strength.coverage is not None:
        answered, calls = strength.coverage
        parts.append(f"coverage {answered}/{calls}")
    return " | ".join(parts)

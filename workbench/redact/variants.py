"""Variants of one value: which values belong together, and by which edits they differ.

Values are compared by their cores (letters and digits, folded). An *anchor* is the well-formed
member of a cluster; every other member is an edit script over the anchor, and replaying the script
on the anchor's pseudonym damages it in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from rapidfuzz.distance import OSA, Levenshtein

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Copied", "Drawn", "Member", "Step", "cluster", "script"]


class Copied(NamedTuple):
    """A character of the variant that comes from the anchor."""

    at: int


class Drawn(NamedTuple):
    """A character that the anchor does not have."""

    char: str
    near: int
    """Position in the anchor whose permutation draws it."""


Step = Copied | Drawn


def script(anchor: str, variant: str) -> tuple[Step, ...]:
    """Return for each character of `variant` where it comes from.

    >>> script("mail", "maail")
    (Copied(at=0), Copied(at=1), Copied(at=1), Copied(at=2), Copied(at=3))
    """
    if anchor == variant:
        return tuple(map(Copied, range(len(anchor))))
    steps: list[Step] = []
    for code in Levenshtein.opcodes(anchor, variant):
        if code.tag == "equal":
            steps += map(Copied, range(code.src_start, code.src_end))
        elif code.tag in ("insert", "replace"):
            for at in range(code.dest_start, code.dest_end):
                near = code.src_start + (at - code.dest_start) * (code.tag == "replace")
                steps.append(_step(anchor, variant[at], near, inserted=code.tag == "insert"))
    return tuple(steps)


def _step(anchor: str, char: str, near: int, *, inserted: bool) -> Step:
    """A doubled or swapped character is a copy; any other is new."""
    for shift in (0, -1, 1, -2) if inserted else (-1, 1):
        at = near + shift
        if 0 <= at < len(anchor) and anchor[at] == char:
            return Copied(at)
    return Drawn(char, min(max(near, 0), len(anchor) - 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A distinct core and what is known of it."""

    key: str
    group: str
    """Only members of one group are compared by distance."""
    valid: bool
    count: int
    pinned: bool = False
    """Known from another redaction of the same draft: an anchor there is one here."""
    apart: bool = False
    """An anchor whatever is near: its order among others counts, not its distance."""


def cluster(members: Iterable[Member]) -> dict[tuple[str, str], str]:
    """Return for each (group, key) the key of its anchor; an anchor is its own.

    Pinned members come first as anchors, then well-formed, then frequent, then long ones. The result does not
    depend on the order of `members`.
    """
    order = sorted(
        members,
        key=lambda m: (not m.pinned, not m.apart, not m.valid, -m.count, -len(m.key), m.key),
    )
    anchors: dict[str, list[str]] = {}
    found: dict[tuple[str, str], str] = {}
    for member in order:
        known = anchors.setdefault(member.group, [])
        anchor = None if member.apart else _nearest(member.key, known)
        if anchor is None:
            known.append(member.key)
            anchor = member.key
        found[member.group, member.key] = anchor
    return found


def _limit(length: int) -> int:
    if length < 5:
        return 0
    if length < 8:
        return 1
    return 2 if length < 14 else 3


def _nearest(key: str, anchors: Sequence[str]) -> str | None:
    limit = _limit(len(key))
    best: tuple[int, str] | None = None
    for anchor in anchors:
        if _is_part(key, anchor):
            distance = 0
        elif abs(len(anchor) - len(key)) > limit:
            continue
        else:
            distance = OSA.distance(key, anchor, score_cutoff=limit)
            if distance > limit:
                continue
        if best is None or distance < best[0]:
            best = (distance, anchor)
    return None if best is None else best[1]


def _is_part(key: str, anchor: str) -> bool:
    """Whether a key is the cut-off head of an anchor, or its last digits."""
    if len(key) >= len(anchor):
        return False
    if len(key) >= 2 and not key.isascii() and anchor.startswith(key):
        return True
    if len(key) >= 4 and anchor.endswith(key) and key.isdigit():
        return True
    return len(key) >= 4 and len(key) * 5 >= len(anchor) * 2 and anchor.startswith(key)

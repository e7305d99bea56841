"""Variants of one value: which values belong together, and by which edits they differ.

Values are compared by their cores (letters and digits, folded). An *anchor* is the well-formed
member of a cluster; every other member is an edit script over the anchor, and replaying the script
on the anchor's pseudonym damages it in the same way.
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from rapidfuzz.distance import Levenshtein

from workbench.redact.nearest import Anchors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "CROWD",
    "Clusters",
    "Copied",
    "Drawn",
    "Member",
    "Step",
    "cluster",
    "script",
    "told_apart_at",
]

CROWD: Final = 12
"""Members that may be variants of one anchor; more of them, as well-formed as it, are a series."""
_CHECKED: Final = 2
"""Members of one anchor that may be valid by a check digit: draws that keep three of them are rare."""


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


def told_apart_at(steps: Sequence[Step]) -> frozenset[int]:
    """Return where a variant has a character that its anchor has not, or else not there.

    >>> sorted(told_apart_at(script("4701", "4790"))), sorted(told_apart_at(script("4701", "4700")))
    ([2], [3])
    """
    new = frozenset(at for at, step in enumerate(steps) if isinstance(step, Drawn))
    copies = enumerate(itertools.pairwise(steps), start=1)
    return new or frozenset(at for at, (left, right) in copies if _steps_back(left, right))


def _steps_back(left: Step, right: Step) -> bool:
    return isinstance(left, Copied) and isinstance(right, Copied) and right.at <= left.at


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
    checked: bool = False
    """Valid by a check digit, which no edit script keeps but by chance."""


class Clusters(NamedTuple):
    """What belongs together."""

    anchors: dict[tuple[str, str], str]
    """(group, key) -> the key of its anchor; an anchor is its own."""
    crowded: frozenset[tuple[str, str]]
    """Anchors that are near more others than a value has variants."""


def cluster(members: Iterable[Member]) -> Clusters:
    """Return for each (group, key) the key of its anchor.

    Pinned members come first as anchors, then well-formed, then frequent, then long ones. The result does not
    depend on the order of `members`. Where more than `CROWD` members as well-formed as their anchor are near it,
    they are values of their own (`user001` to `user500`), not variants of one; damaged ones then belong
    to the nearest of them, unless more than `CROWD` do: no value is damaged in so many ways. Of values
    with a check digit that is right three are that many.
    """
    order = sorted(
        members,
        key=lambda m: (not m.pinned, not m.apart, not m.valid, -m.count, -len(m.key), m.key),
    )
    groups: dict[str, list[Member]] = {}
    for member in order:
        groups.setdefault(member.group, []).append(member)
    anchors: dict[tuple[str, str], str] = {}
    crowded: set[tuple[str, str]] = set()
    for group, ordered in groups.items():
        found, own = _taken_apart(ordered)
        anchors |= {(group, key): anchor for key, anchor in found.items()}
        crowded |= {(group, key) for key in own}
    return Clusters(anchors, frozenset(crowded))


def _taken_apart(order: Sequence[Member]) -> tuple[dict[str, str], frozenset[str]]:
    """Return for each key of one group its anchor, and the anchors that are of crowds."""
    found = _attached(order, frozenset())
    members = {m.key: m for m in order}
    alike = {
        key: anchor for key, anchor in found.items() if members[key].valid == members[anchor].valid
    }
    most = {anchor: _CHECKED if members[anchor].checked else CROWD for anchor in alike.values()}
    crowded = {anchor for anchor, size in Counter(alike.values()).items() if size > most[anchor]}
    own = frozenset(key for key, anchor in alike.items() if anchor in crowded)
    found = _attached(order, own) if own else found
    sizes = Counter(found.values())
    more = frozenset(key for key, anchor in found.items() if sizes[anchor] > CROWD + 1)
    return (_attached(order, own | more) if more else found), own | more


def _attached(order: Sequence[Member], own: frozenset[str]) -> dict[str, str]:
    """Return for each key the anchor that it is nearest to; `own` are anchors whatever is near."""
    anchors = Anchors()
    found: dict[str, str] = {}
    for member in sorted(order, key=lambda m: m.key not in own and not m.pinned):
        apart = member.apart or member.key in own
        anchor = None if apart else anchors.nearest(member.key)
        if anchor is None:
            anchors.add(member.key)
        found[member.key] = anchor or member.key
    return found

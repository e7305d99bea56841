"""Which decisions of the log stand, and the policy that they make.

A decision names places and a type, as `redaction.yaml` does. A later one on the same finding
takes the place of an earlier one; replacements that were asked for again add up to other draws.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from workbench.casefile.codec import decode
from workbench.casefile.place import Place
from workbench.redact.policy import Decision, DecisionWord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.redact.policy import Policy
    from workbench.store.records import Decision as Entry

__all__ = ["TOGETHER", "Key", "Taken", "decided_policy", "key_of", "taken"]

TOGETHER: Final = "together"
"""Key of an entry's payload: what was decided at once has the same number."""
Key: TypeAlias = tuple[frozenset[str], str | None, bool]
"""What a decision is about: its places, the type of value, and whether it is about a text."""


def key_of(decision: Decision) -> Key:
    """Return what a decision is about."""
    places = frozenset((decision.at, *decision.also))
    return places, decision.type, decision.decision is DecisionWord.SEEN


class Taken:
    """The decisions that stand, by what they are about."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._last: dict[Key, tuple[Entry, Decision]] = {}
        self.seen: frozenset[str] = frozenset()
        for entry in entries:
            decision = taken(entry)
            self._last[key_of(decision)] = entry, decision
        self.seen = frozenset().union(*(key[0] for key in self._last if key[2]))

    def last(self, key: Key) -> tuple[Entry, Decision] | None:
        """Return the entry that counts for a finding, and what it says."""
        return self._last.get(key)

    def who_saw(self, places: frozenset[str]) -> Entry | None:
        """Return the last entry by which somebody has seen a text at any of these places."""
        found = [e for key, (e, _) in self._last.items() if key[2] and key[0] & places]
        return max(found, key=lambda entry: entry.seq) if found else None

    def about(self, places: frozenset[str]) -> tuple[Entry, ...]:
        """Return the entries on texts or values at any of these places, oldest first."""
        found = (entry for key, (entry, _) in self._last.items() if key[0] & places)
        return tuple(sorted(found, key=lambda entry: entry.seq))


def taken(entry: Entry) -> Decision:
    """Read the decision of an entry.

    Raises:
        CaseFormatError: the entry was not written by this controller.
    """
    payload = {name: value for name, value in entry.payload.items() if name != TOGETHER}
    return decode(Decision, payload, place=Place(name=f"decision {entry.seq}"))


def decided_policy(policy: Policy, entries: Sequence[Entry]) -> Policy:
    """Return a policy with the decisions that stand added."""
    kept: dict[Key, list[Decision]] = {}
    for entry in entries:
        decision = taken(entry)
        key = key_of(decision)
        if decision.decision is DecisionWord.ACCEPTED:
            before = [d for d in kept.get(key, ()) if d.decision is DecisionWord.ACCEPTED]
            kept[key] = [*before, decision]
        else:
            kept[key] = [decision]
    added = tuple(decision for decisions in kept.values() for decision in decisions)
    return replace(policy, decisions=(*policy.decisions, *added))

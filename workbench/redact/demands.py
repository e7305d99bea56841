"""What a person asked of the draws: `exact_length` and `ordered`.

The draws are told before, and what came out is checked after: what could not be kept is refused,
not passed over.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from workbench.redact.policy import DecisionWord, Strategy
from workbench.redact.trigger import matches_any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from workbench.redact.assign import Value
    from workbench.redact.places import PlaceGlob
    from workbench.redact.policy import Policy
    from workbench.redact.survey import Spot, Survey

__all__ = ["demanded", "unmet"]

_TURN: Final = 1000
"""Draws that one refusal leaves out."""

Kinds = dict[str, tuple[str, str | None]]


def demanded(survey: Survey, policy: Policy, kinds: Kinds) -> list[Value]:
    """Return the values of a document with what is asked of their draws."""
    values = survey.values()
    spots = [spot for spot in survey.spots if spot.stays is None]
    exact = {text for glob in policy.globs("exact_length") for text in _at(glob, spots, kinds)}
    order = {text: g.text for g in policy.globs("ordered") for text in _at(g, spots, kinds)}
    exact |= set(_chosen(Strategy.EXACT_LENGTH, spots, policy, kinds))
    turns = _chosen(Strategy.NEXT_DRAW, spots, policy, kinds)
    return [
        replace(
            value,
            exact_length=value.text in exact,
            order=order.get(value.text, ""),
            turn=_TURN * turns[value.text],
        )
        for value in values
    ]


def _chosen(
    strategy: Strategy, spots: Sequence[Spot], policy: Policy, kinds: Kinds
) -> Counter[str]:
    """Return for each value how often a person chose a strategy for it."""
    return Counter(
        text
        for decision in policy.decisions
        if decision.strategy is strategy and decision.decision is DecisionWord.ACCEPTED
        for text in {
            s.text
            for s in spots
            if (decision.type is None or decision.type == s.finding.type)
            and matches_any(decision.globs(), s.leaf.path, kinds)
        }
    )


def _at(glob: PlaceGlob, spots: Sequence[Spot], kinds: Kinds) -> dict[str, Spot]:
    return {s.text: s for s in spots if matches_any((glob,), s.leaf.path, kinds)}


def unmet(
    spots: Sequence[Spot], pseudonyms: Mapping[str, str], policy: Policy, kinds: Kinds
) -> Iterator[tuple[Spot, str]]:
    """Yield where a draw did not keep what was asked, and what."""
    for glob in policy.globs("exact_length"):
        for text, spot in _at(glob, spots, kinds).items():
            if len(text) != len(pseudonyms[text]):
                yield spot, "exact_length"
    for glob in policy.globs("ordered"):
        members = _at(glob, spots, kinds)
        order = _sorted(members)
        drawn = [pseudonyms[text] for text in order]
        if drawn != _sorted(drawn):
            yield members[order[0]], "ordered"


def _sorted(texts: Iterable[str]) -> list[str]:
    """Sort as whoever compares them does: numbers by value, other texts by their characters."""
    found = list(texts)
    numbers = all(text.isascii() and text.isdigit() for text in found)
    return sorted(found, key=(lambda t: (int(t), t)) if numbers else None)

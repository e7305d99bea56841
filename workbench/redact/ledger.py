"""The ledger: what was replaced, where and why; never a raw value, never its hash."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.model.ledger import LedgerEntry, TriggerNote
from workbench.redact.facts import facts_of
from workbench.redact.policy import Decision, DecisionWord, Policy, Strategy
from workbench.redact.substitute import shown_place
from workbench.redact.trigger import Triggers, matches_any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from workbench.redact.assign import Assignment
    from workbench.redact.survey import Spot, Survey

__all__ = ["ledger_of", "trigger_notes"]

_TELLING: Final = (
    "invalid:",
    "leading_",
    "trailing_",
    "doubled_",
    "invisible",
    "magnitude:int64",
    "magnitude:beyond",
    "direction:",
    "form:",
    "chars:non_ascii",
    "length:>",
    "length:<=255",
)


def ledger_of(
    survey: Survey,
    assignment: Assignment,
    *,
    policy: Policy,
    triggers: Triggers,
    keys: Mapping[str, str],
) -> tuple[LedgerEntry, ...]:
    """Return one entry a value and decision, in order of the first place."""
    grouped: dict[tuple[str, str | None], list[Spot]] = {}
    for spot in survey.spots:
        grouped.setdefault((spot.text, spot.stays), []).append(spot)
    return tuple(
        _entry(spots, assignment, policy=policy, triggers=triggers, keys=keys)
        for spots in grouped.values()
    )


def _entry(
    spots: list[Spot],
    assignment: Assignment,
    *,
    policy: Policy,
    triggers: Triggers,
    keys: Mapping[str, str],
) -> LedgerEntry:
    first = max(spots, key=lambda s: s.finding.score)
    at = tuple(dict.fromkeys(shown_place(s.leaf.path, keys) for s in spots))
    if first.stays is not None:
        return LedgerEntry(
            at=at,
            type=first.finding.type,
            by=first.finding.detector,
            decision=first.stays,
            reason=first.reason,
        )
    decision = _decision(spots, policy, triggers)
    return LedgerEntry(
        at=at,
        type=first.finding.type,
        pseudonym=assignment.pseudonyms[first.text],
        strategy=(decision and decision.strategy) or Strategy.SHAPE,
        by=first.finding.detector,
        decision="rule" if decision is None else "accepted",
        reason=None if decision is None else decision.reason,
        facts_lost=assignment.lost.get(first.text, ()),
    )


def _decision(spots: list[Spot], policy: Policy, triggers: Triggers) -> Decision | None:
    for decision in policy.decisions:
        if decision.decision is DecisionWord.ACCEPTED:
            globs = decision.globs()
            if any(matches_any(globs, s.leaf.path, triggers.kinds) for s in spots):
                return decision
    return None


def trigger_notes(
    survey: Survey, *, triggers: Triggers, keys: Mapping[str, str], schema_facts: Mapping[str, str]
) -> tuple[TriggerNote, ...]:
    """Return the places of the trigger that hold a replaced value, with the facts that matter.

    Args:
        survey: what is in the document.
        triggers: which places make the failure happen.
        keys: replaced keys.
        schema_facts: place of a call's arguments -> `valid:schema` or `invalid:schema`.
    """
    found: dict[str, set[str]] = {}
    for spot in survey.spots:
        if spot.stays is not None or not triggers.covers(spot.leaf.path):
            continue
        at = shown_place(spot.leaf.path, keys)
        facts = own = facts_of(spot.text, spot.finding.type)
        if len(spot.leaf.text) <= 4000:
            facts |= facts_of(spot.leaf.text)
        told = {f for f in facts if f.startswith(_TELLING)} or _plain(own)
        schema = schema_facts.get(".".join(at.split(".")[:2]))
        told |= {schema} if schema == "invalid:schema" else set()
        found.setdefault(at, set()).update(told)
    return tuple(TriggerNote(at=at, facts=tuple(sorted(facts))) for at, facts in found.items())


def _plain(facts: Iterable[str]) -> set[str]:
    """Return what is true of a value without damage: that it is valid, else its form."""
    valid = {fact for fact in facts if fact.startswith("valid:")}
    return valid or {fact for fact in facts if fact.startswith(("chars:", "length:"))}

"""Personal data in a case as it is: detectors again, on what is committed.

A finding is no stranger when it is a pseudonym of the case's ledger, or a value that the ledger says
was left there with a reason. Whatever else a detector finds was put in by hand, or is found by a newer
detector than the one that redacted the case.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.redact.detect import Models, Ner, models_for
from workbench.redact.finding import Family, family_of
from workbench.redact.places import parse_glob, place_text
from workbench.redact.policy import DEFAULT_POLICY
from workbench.redact.skeleton import folded
from workbench.redact.slots import Slot, tree_slots
from workbench.redact.survey import Spot, survey
from workbench.review.places import case_parts

if TYPE_CHECKING:
    from workbench.model.case import Case
    from workbench.model.ledger import LedgerEntry

__all__ = ["Stranger", "find_strangers"]

_LEAST: Final = 3
"""Characters of a rest that is a value of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stranger:
    """A finding in a case that is no pseudonym of it; never the text itself."""

    at: str
    type: str
    detector: str
    length: int


def find_strangers(case: Case, *, ner: str = "auto") -> tuple[Stranger, ...]:
    """Return what detectors find in a case and its ledger does not explain, each value once.

    Args:
        case: as committed.
        ner: which models read prose: `auto` takes what is installed.

    Raises:
        RefusedError: a detector ran out of time.
    """
    slots = _slots_of(case)
    found = survey(slots, models=_models(ner), policy=DEFAULT_POLICY, kinds={}, words=_words(case))
    ledger = case.redaction.ledger if case.redaction is not None else ()
    ours = sorted(
        {folded(e.pseudonym).strip() for e in ledger if e.pseudonym}, key=len, reverse=True
    )
    strangers: dict[str, Stranger] = {}
    for spot in found.spots:
        if not (_is_ours(spot, ours) or _was_left(spot, ledger)):
            strangers.setdefault(spot.text, _stranger(spot))
    return tuple(strangers.values())


def _models(ner: str) -> Models:
    return models_for(Ner(ner))


def _slots_of(case: Case) -> list[Slot]:
    slots: list[Slot] = []

    def collect(slot: Slot) -> str:
        slots.append(slot)
        return slot.text

    for place, part in ((("title",), case.title), *case_parts(case)):
        tree_slots(part, place, collect)
    return slots


def _words(case: Case) -> set[str]:
    """Return what is structure: names of tools and their parts, of paths and of clauses."""
    names = {tool.name for tool in case.tools}
    parts = {part for name in names for part in name.replace(".", "_").split("_")}
    return names | parts | {path.name for path in case.paths}


def _is_ours(spot: Spot, ours: list[str]) -> bool:
    """Whether nothing is left of a finding without the case's pseudonyms and their words."""
    text = folded(spot.text).strip()
    if any(text in pseudonym for pseudonym in ours if len(text) >= _LEAST):
        return True
    for pseudonym in ours:
        text = text.replace(pseudonym, " ")
    words = {word for pseudonym in ours for word in _split(pseudonym)}
    rest = [word for word in _split(text) if word not in words]
    if family_of(spot.finding.type) is Family.WORDS:  # a word beside a name: `Dear`, a month
        return len(rest) < len(_split(folded(spot.text)))
    return not any(len(word) >= _LEAST for word in rest)


def _split(text: str) -> list[str]:
    return "".join(c if c.isalnum() else " " for c in text).split()


def _was_left(spot: Spot, ledger: tuple[LedgerEntry, ...]) -> bool:
    """Whether the ledger says that a value of the type stays at the place, or around it."""
    kept = (entry for entry in ledger if entry.pseudonym is None)
    return any(
        entry.type == spot.finding.type and any(_holds(at, spot) for at in entry.at)
        for entry in kept
    )


def _holds(at: str, spot: Spot) -> bool:
    return parse_glob(at).matches(spot.leaf.path)


def _stranger(spot: Spot) -> Stranger:
    return Stranger(
        at=place_text(spot.leaf.path),
        type=spot.finding.type,
        detector=spot.finding.detector,
        length=len(spot.text),
    )

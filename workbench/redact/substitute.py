"""Writes pseudonyms into the slots of a document, each in its leaf's own encoding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from workbench.errors import RefusedError
from workbench.redact.leaves import Edit, apply_edits
from workbench.redact.places import place_text
from workbench.redact.survey import Spot, Survey

if TYPE_CHECKING:
    from workbench.redact.slots import Fill, Place, Slot

__all__ = ["Replacing", "filler", "new_texts", "refuse_patterns", "shown_place"]


Replacing: TypeAlias = Callable[[Spot], str | None]
"""Returns the text that stands for a spot; None: it stays."""


def new_texts(survey: Survey, replacement: Replacing) -> list[str]:
    """Return the new text of every slot.

    Args:
        survey: what is in the document.
        replacement: the text that stands for a spot; None: it stays.
    """
    edits: dict[int, list[Edit]] = defaultdict(list)
    for spot in survey.spots:
        text = replacement(spot)
        if text is not None:
            edit = Edit(spot.finding.start, spot.finding.end, text)
            edits[spot.slot].append(spot.leaf.outer(edit))
    return [
        apply_edits(slot.text, edits[n]) if n in edits else slot.text
        for n, slot in enumerate(survey.slots)
    ]


def filler(texts: list[str]) -> Fill:
    """Return a filler that gives the texts in order; slots are visited in the order of the survey."""
    rest = iter(texts)

    def fill(_: Slot) -> str:
        return next(rest)

    return fill


def refuse_patterns(survey: Survey) -> None:
    """Refuse patterns that hold a value: only a person can rewrite them.

    Raises:
        RefusedError: with the places.
    """
    places = sorted(
        {
            place_text(s.leaf.path)
            for s in survey.spots
            if survey.slots[s.slot].is_pattern and not s.stays
        }
    )
    if places:
        raise RefusedError(
            f"{len(places)} patterns contain a value that redaction replaces",
            reasons=tuple(f"{place} contains a replaced value" for place in places),
            fix="rewrite the pattern without the value, or reject the finding in redaction.yaml",
        )


def shown_place(place: Place, keys: Mapping[str, str]) -> str:
    """Return a place as text, with replaced keys under their pseudonyms."""
    return place_text(tuple(keys.get(s, s) if isinstance(s, str) else s for s in place))

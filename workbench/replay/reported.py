"""What an agent reports of itself: one event of `POST /events`, written as in `trace/1`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from workbench.casefile.codec import decode
from workbench.casefile.place import Place
from workbench.model.event import EVENT_TYPES, Claim, ClaimBasis, ClaimOutcome

if TYPE_CHECKING:
    from workbench.model.event import Event
    from workbench.model.jsonvalue import Json

__all__ = ["reported_event"]

_REPORTED: Final = ("permission", "state_change", "claim", "context_change")
_NOT_REPORTED: Final = ("kind", "seq", "basis", "final", "origin_seq")


def reported_event(document: Json, at: int) -> Event:
    """Read one event, the `at`-th of a request, from 0.

    Raises:
        CaseFormatError: it is none of the four kinds that an agent reports.
    """
    place, key = Place(name="events"), str(at)
    kind = document.get("kind") if isinstance(document, dict) else None
    if not isinstance(document, dict) or kind not in _REPORTED:
        message = f"is no event that an agent reports; expected one of {', '.join(_REPORTED)}"
        raise place.error(key, message, fix="give it a `kind`")
    fields = {name: value for name, value in document.items() if name not in _NOT_REPORTED}
    event = decode(EVENT_TYPES[str(kind)], fields, place=place, key=key)
    if isinstance(event, Claim) and event.outcome is not ClaimOutcome.UNKNOWN:
        return replace(event, basis=ClaimBasis.STRUCTURED)
    return event

"""Events that are entries of a path beside its replies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.casefile.codec import encode_fields
from workbench.model.event import Permission

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workbench.model.event import ContextChange, Event, StateChange
    from workbench.model.jsonvalue import JsonMap

__all__ = ["entry_of", "has_decision"]


def has_decision(events: Iterable[Event]) -> bool:
    """Whether a decision about a tool is among them."""
    return any(isinstance(event, Permission) for event in events)


def entry_of(event: Permission | StateChange | ContextChange) -> JsonMap:
    """Return an event as a case file holds it, without what only the raw record has."""
    left_out = ("seq", "kind", "at", "agent", "source_ref", "origin_seq")
    return {name: item for name, item in encode_fields(event).items() if name not in left_out}

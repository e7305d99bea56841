"""Histories of requests, of which each repeats the one before and adds to it.

A history that begins as one that was read before shares its messages: only what is new is
parsed, so a run of n turns is read in n steps and not in n squared. The messages of the beginning
keep the place where they were first seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from workbench.ingest.events.messages import Role
from workbench.ingest.otlp.attributes import messages_in

if TYPE_CHECKING:
    from workbench.ingest.events.messages import Message
    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json

__all__ = ["Histories"]

_KEPT: Final = 4
"""Histories of one attribute that may go on: agents that take turns have one each."""
_SPACE: Final = " \t\r\n"


@dataclass(frozen=True, slots=True)
class _Known:
    stem: str | list[Json]
    """JSON text of a list without its end, or the list."""
    messages: list[Message]


@dataclass(slots=True)
class Histories:
    """What was read so far, by the name of the attribute."""

    _known: dict[str, list[_Known]] = field(default_factory=dict)

    def read(self, name: str, value: Json, ref: str, origin: Origin) -> list[Message]:
        """Read an attribute of messages as `messages_in` does.

        Args:
            name: of the attribute.
            value: a list, or its JSON text.
            ref: place of the span.
            origin: the run.
        """
        known = self._known.setdefault(name, [])
        for at in range(len(known) - 1, -1, -1):
            found = _continued(known[at], value, ref, origin)
            if found is not None:
                del known[at]
                break
        else:
            found = messages_in(value, ref, origin)
        stem = _stem(value)
        if found and stem is not None:
            known.append(_Known(stem, found))
            del known[:-_KEPT]
        return list(found)


def _stem(value: Json) -> str | list[Json] | None:
    if isinstance(value, list):
        return value
    text = value.rstrip(_SPACE) if isinstance(value, str) else ""
    return text[:-1].rstrip(_SPACE) if text.endswith("]") else None


def _continued(known: _Known, value: Json, ref: str, origin: Origin) -> list[Message] | None:
    """Return the messages of a value that begins as a known one; None: it does not."""
    rest: Json
    if isinstance(value, str) and isinstance(known.stem, str):
        if not value.startswith(known.stem):
            return None
        after = value[len(known.stem) :].strip(_SPACE)
        if after == "]":
            return known.messages
        if not after.startswith(","):
            return None
        rest = f"[{after[1:]}"
    elif isinstance(value, list) and isinstance(known.stem, list):
        if value[: len(known.stem)] != known.stem:
            return None
        rest = value[len(known.stem) :]
        if not rest:
            return known.messages
    else:
        return None
    added = messages_in(rest, ref, origin)
    if not added:
        return None  # it is damaged, or no list of messages: read as a whole, it says so
    if known.messages[-1].role is added[0].role is Role.ASSISTANT:
        return None  # parts of one reply, perhaps: how they join hangs on all of them
    return [*known.messages, *added]

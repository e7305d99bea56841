"""Places in a draft's trace: `#17.args.account_id`, what is locked there, where it went.

`#17` is the event that was number 17 in the raw trace, so a place holds through redaction and
shrinking; only places in a list move when items before them go. The steps below are written as
everywhere else, a step that is no word as a JSON string. A place may go on inside a text that is
itself JSON, and `args` and `result` also stand for the exact texts that came.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.casefile.codec import encode
from workbench.casefile.place import step_key
from workbench.errors import InputError
from workbench.model.ledger import TriggerNote
from workbench.shrink.nodes import NodePath, aligned

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from workbench.model.event import Event
    from workbench.model.jsonvalue import Json
    from workbench.model.trace import Trace

__all__ = ["Lock", "locks_of", "moved_places", "origin_of"]

_PLACE: Final = re.compile(r"#(\d{1,9})(?=\.|$)")
_STEP: Final = re.compile(r'\.(?:([A-Za-z0-9_#*-]+)|("(?:[^"\\]|\\.)*"))')


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """A place that shrinking must leave as it is."""

    position: int
    """Of the event in the trace's list."""
    path: NodePath = ()
    """Field of the event and path below it; empty: the whole event."""


def locks_of(trace: Trace, places: Iterable[str | TriggerNote]) -> tuple[Lock, ...]:
    """Read the places that are locked.

    A trigger whose value is not in the trace any more locks the nearest value above it.

    Raises:
        InputError: a place cannot be read, or is not in the trace.
    """
    positions = _positions(trace)
    found: list[Lock] = []
    for place in places:
        text = place.at if isinstance(place, TriggerNote) else place
        origin, steps = _parsed(text)
        if origin not in positions:
            raise _refused(text, "is no event of the trace")
        document = encode(trace.events[positions[origin]])
        path, rest, value = _walk(document, _field_first(document, steps))
        if rest and not isinstance(value, str) and isinstance(place, str):
            raise _refused(text, "names a value that the trace does not have")
        found.append(Lock(position=positions[origin], path=path))
    return tuple(found)


def _positions(trace: Trace) -> dict[int, int]:
    return {origin_of(event): place for place, event in enumerate(trace.events)}


def _field_first(document: Json, steps: list[str]) -> list[str]:
    """Name the field that is there: `args` for what was `args_raw`, or the reverse."""
    if not steps or not isinstance(document, dict):
        return steps
    name = steps[0].removesuffix("_raw")
    if name not in ("args", "result"):
        return steps
    return [name if name in document else f"{name}_raw", *steps[1:]]


def origin_of(event: Event) -> int:
    """Return the `seq` that an event had in the raw trace."""
    return event.seq if event.origin_seq is None else event.origin_seq


def moved_places(places: Iterable[str], *, before: Trace, after: Trace) -> dict[str, str | None]:
    """Return where places of `before` are in the smaller `after`; None: dropped.

    Places that are in no event stay as they are.

    Raises:
        InputError: one is no place of `before`.
    """
    old, new = _positions(before), _positions(after)

    def moved(place: str) -> str | None:
        origin, steps = _parsed(place)
        if origin not in old:
            raise _refused(place, "is no event of the trace")
        if origin not in new:
            return None
        return _moved(
            f"#{origin}",
            steps,
            encode(before.events[old[origin]]),
            encode(after.events[new[origin]]),
        )

    return {place: moved(place) if place.startswith("#") else place for place in places}


def _moved(root: str, steps: list[str], old: Json, new: Json) -> str | None:
    key = root
    path, rest, _ = _walk(old, _field_first(old, steps))
    for step in path:
        found = _followed(old, new, step)
        if found is None:
            return None
        moved, old, new = found
        key = step_key(key, steps[0] if key == root else moved)
    for word in rest:
        key = step_key(key, word)
    return key


def _followed(old: Json, new: Json, step: str | int) -> tuple[str | int, Json, Json] | None:
    """Take one step in both values; None: the new one lost it."""
    if isinstance(old, dict) and isinstance(new, dict) and isinstance(step, str):
        return (step, old[step], new[step]) if step in new else None
    if isinstance(old, list) and isinstance(new, list) and isinstance(step, int):
        at = aligned(new, old).get(step)
        return None if at is None else (at, old[step], new[at])
    return None


def _parsed(text: str) -> tuple[int, list[str]]:
    head = _PLACE.match(text)
    if head is None:
        raise _refused(text, "is no place in a trace")
    steps: list[str] = []
    at = head.end()
    while at < len(text):
        step = _STEP.match(text, at)
        if step is None:
            raise _refused(text, "is no path")
        steps.append(step[1] if step[1] is not None else json.loads(step[2]))
        at = step.end()
    return int(head[1]), steps


def _walk(value: Json, steps: Sequence[str]) -> tuple[NodePath, Sequence[str], Json]:
    """Follow steps as far as they go; return the path, what is left over and the value there."""
    path: list[str | int] = []
    for n, word in enumerate(steps):
        if isinstance(value, dict) and word in value:
            path.append(word)
            value = value[word]
        elif isinstance(value, list) and word.isdigit() and int(word) < len(value):
            path.append(int(word))
            value = value[int(word)]
        else:
            return tuple(path), steps[n:], value
    return tuple(path), (), value


def _refused(text: str, why: str) -> InputError:
    shown = text if len(text) <= 80 else f"{text[:77]}..."
    return InputError(
        f"{why}; expected #SEQ or #SEQ.field.path, e.g. #17.args.account_id",
        key=shown,
        fix="copy the place from `workbench show` or from the draft's ledger",
    )

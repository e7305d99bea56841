"""The exact text of a run, after its importer has read the value: rows and arguments.

A run that is one record is cut at its messages, so that the store can keep a row each. The cuts
only divide the bytes: what stands between two messages belongs to the earlier one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec import Struct

from workbench.ingest.records.jsontext import Step, path_of
from workbench.model.event import ToolCall
from workbench.model.jsonvalue import ABSENT, Absent, Json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from workbench.ingest.records.parts import PartMap, Span
    from workbench.model.event import Event
    from workbench.model.trace import Trace

__all__ = ["PartPath", "Rows", "message_paths", "rows_of", "with_exact_arguments"]

PartPath: TypeAlias = tuple[Step, ...]
"""Steps from the record down to a part of it."""

_ARGUMENTS: Final[tuple[PartPath, ...]] = (
    ("args",),
    ("arguments",),
    ("input",),
    ("function", "arguments"),
    ("custom", "input"),
)
"""Where the formats keep a call's arguments, from the call on."""


class Rows(Struct, frozen=True, kw_only=True):
    """How a run's bytes are divided."""

    cuts: tuple[int, ...] = (0,)
    of_event: tuple[int, ...] = ()


def rows_of(paths: Sequence[PartPath], parts: PartMap) -> Rows:
    """Divide a record at the parts that events come from.

    Args:
        paths: for each event the path of its part; empty: that of the event before.
        parts: of the record.

    Where the parts do not stand in the order of the events, the record stays whole.
    """
    starts: list[int] = []
    number: dict[PartPath, int] = {}
    rows: list[int] = []
    row = 0
    last: PartPath = ()
    above: PartPath | None = None
    inside: Mapping[Step, Span] = {}
    for path in paths:
        if path and path != last:
            last = path
            if path[:-1] != above:
                above = path[:-1]
                inside = parts.children(above)
            row = number.setdefault(path, len(starts))
            if row == len(starts):
                span = inside.get(path[-1])
                if span is None or (starts and span[0] <= starts[-1]):
                    return Rows(of_event=(0,) * len(paths))
                starts.append(span[0])
        rows.append(row)
    if rows != sorted(rows):
        return Rows(of_event=(0,) * len(paths))
    return Rows(cuts=(0, *starts[1:]), of_event=tuple(rows))


def message_paths(events: Iterable[Event]) -> list[PartPath]:
    """Return for each event the path of the message that it comes from; empty: none."""
    return list(map(_message_at, [event.source_ref or "" for event in events]))


@lru_cache(maxsize=4096)
def _message_at(reference: str) -> PartPath:
    path = path_of(reference)
    at = next((n for n, step in enumerate(path) if isinstance(step, int)), None)
    return () if at is None else path[: at + 1]


def with_exact_arguments(trace: Trace, value: Json, parts: PartMap) -> tuple[Trace, int]:
    """Give each call whose source has a structure the exact text of it.

    Args:
        trace: as imported.
        value: of the record, or of the records of a grouped run.
        parts: of its JSON.

    Returns:
        The trace, and how many calls keep arguments that we wrote.
    """
    left = 0
    changed = False
    events: list[Event] = []
    for event in trace.events:
        if isinstance(event, ToolCall) and event.args_raw is not None:
            path = _argument_path(event, value)
            text = parts.text(path) if path else None
            if text is not None and text != event.args_raw:
                changed = True
                event = replace(event, args_raw=text)  # noqa: PLW2901  the same event, exact
            left += path is None
        events.append(event)
    return (replace(trace, events=tuple(events)) if changed else trace), left


def _argument_path(call: ToolCall, value: Json) -> PartPath | None:
    """Return where the structure of the arguments stands; empty: a text is its own exact text."""
    path = path_of(call.source_ref) if call.source_ref else ()
    body = _part(value, path) if path else None
    if not isinstance(body, dict):
        return None
    for steps in _ARGUMENTS:
        found = _part(body, steps) if steps[0] in body else ABSENT
        if found is not ABSENT:
            return () if isinstance(found, str) else (*path, *steps)
    return None


def _part(value: Json | Absent, path: PartPath) -> Json | Absent:
    """Return the part of a value at a path."""
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step, ABSENT)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return ABSENT
    return value

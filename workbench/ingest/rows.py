"""The exact text of a run, after its importer has read the value: rows and arguments.

A run that is one record is cut at its messages, so that the store can keep a row each. The cuts
only divide the bytes: what stands between two messages belongs to the earlier one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

from workbench.ingest.jsontext import Step, TextMap, path_of
from workbench.ingest.transcript import compact
from workbench.model.event import ToolCall
from workbench.model.jsonvalue import ABSENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.model.event import Event
    from workbench.model.trace import Trace

__all__ = ["PartPath", "Rows", "message_path", "rows_of", "with_exact_arguments"]

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """How a run's bytes are divided."""

    cuts: tuple[int, ...] = (0,)
    of_event: tuple[int, ...] = ()


def rows_of(paths: Sequence[PartPath], spans: TextMap) -> Rows:
    """Divide a record at the parts that events come from.

    Args:
        paths: for each event the path of its part; empty: that of the event before.
        spans: the record's text.

    Where the parts do not stand in the order of the events, the record stays whole.
    """
    starts: dict[PartPath, int] = {}
    for path in paths:
        if path and path not in starts:
            span = spans.span(path)
            if span is None:
                return Rows(of_event=(0,) * len(paths))
            starts[path] = span[0]
    chars = list(starts.values())
    if any(later <= earlier for earlier, later in pairwise(chars)):
        return Rows(of_event=(0,) * len(paths))
    number = {path: n for n, path in enumerate(starts)}
    rows: list[int] = []
    for path in paths:
        rows.append(number[path] if path else (rows[-1] if rows else 0))
    if rows != sorted(rows):
        return Rows(of_event=(0,) * len(paths))
    return Rows(cuts=_bytes(spans.text, [0, *chars[1:]]), of_event=tuple(rows))


def message_path(event: Event) -> PartPath:
    """Return the path of the message that an event comes from; empty: none."""
    return _message_at(event.source_ref) if event.source_ref else ()


@lru_cache(maxsize=4096)
def _message_at(reference: str) -> PartPath:
    path = path_of(reference)
    at = next((n for n, step in enumerate(path) if isinstance(step, int)), None)
    return () if at is None else path[: at + 1]


def _bytes(text: str, chars: Sequence[int]) -> tuple[int, ...]:
    if text.isascii():
        return tuple(chars)
    offsets = [0]
    for start, end in pairwise(chars):
        offsets.append(offsets[-1] + len(text[start:end].encode()))
    return tuple(offsets)


def with_exact_arguments(trace: Trace, spans: TextMap) -> tuple[Trace, int]:
    """Give each call whose source has a structure the exact text of it.

    Returns:
        The trace, and how many calls keep arguments that we wrote.
    """
    left = 0
    events: list[Event] = []
    for event in trace.events:
        if isinstance(event, ToolCall) and _may_be_ours(event):
            text = _argument_text(event, spans)
            if text is None:
                left += 1
            elif not text.startswith('"'):  # a string is its own exact text already
                event = replace(event, args_raw=text)  # noqa: PLW2901  the same event, exact
        events.append(event)
    return replace(trace, events=tuple(events)), left


def _may_be_ours(call: ToolCall) -> bool:
    """Whether the text of the arguments is as we write it, so that the source may have another."""
    return call.args is not ABSENT and call.args_raw == compact(call.args)


def _argument_text(call: ToolCall, spans: TextMap) -> str | None:
    path = path_of(call.source_ref) if call.source_ref else ()
    members = spans.children(path) if path else {}
    found = (spans.span((*path, *steps)) for steps in _ARGUMENTS if steps[0] in members)
    span = next((span for span in found if span is not None), None)
    return None if span is None else spans.text[span[0] : span[1]]

"""What an event holds, as a tree that a browser can draw: bounded in depth, number and length.

Numbers travel as text, since a browser would round what is above 2^53; what was left out is
counted, never silently dropped. A value that was replaced carries its mark.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.casefile.codec import encode
from workbench.casefile.place import step_key
from workbench.model.event import ToolCall, ToolResult
from workbench.runner.reports.text import masked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workbench.model.event import Event
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.ledger import LedgerEntry

__all__ = ["Marks", "event_detail", "event_text"]

MAX_DEPTH: Final = 24
MAX_ITEMS: Final = 200
MAX_TEXT: Final = 4_000
MAX_RAW: Final = 40_000
_ENVELOPE: Final = ("seq", "kind", "at", "origin_seq", "source_ref")
_RAW: Final = ("args_raw", "result_raw")


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What is known of places of a trace."""

    replaced: Mapping[str, LedgerEntry]
    """Entry of the ledger by place."""
    trigger: frozenset[str]
    """Places that make the failure happen."""
    is_masked: bool = False
    """Whether types and lengths stand in place of values."""


def event_detail(event: Event, marks: Marks) -> JsonMap:
    """Return all that an event holds: its envelope, its fields as trees, its raw texts."""
    document = encode(event)
    assert isinstance(document, dict)  # noqa: S101  an event is a mapping
    place = f"#{event.seq if event.origin_seq is None else event.origin_seq}"
    fields: list[Json] = [
        {"name": name, "value": _tree(value, step_key(place, name), marks, 0)}
        for name, value in document.items()
        if name not in (*_ENVELOPE, *_RAW)
    ]
    raw: list[Json] = [
        {"name": name, **_text(value, marks, MAX_RAW)}
        for name in _RAW
        if isinstance(value := document.get(name), str)
    ]
    return {
        "seq": event.seq,
        "kind": event.kind,
        "place": place,
        "at": event.at,
        "origin": event.source_ref,
        "fields": fields,
        "raw": raw,
    }


def event_text(event: Event) -> str:
    """Return every text of an event, for searching.

    What was not parsed is there as it came; an escape in it is looked for as it is read.
    """
    document = encode(event)
    assert isinstance(document, dict)  # noqa: S101  an event is a mapping
    if isinstance(event, ToolCall) and "args" in document:
        document.pop("args_raw", None)
    if isinstance(event, ToolResult) and "result" in document:
        document.pop("result_raw", None)
    found: list[str] = []
    waiting: list[Json] = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            found += value
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif value is not None:
            found.append(value if isinstance(value, str) else json.dumps(value))
    return "\n".join(found)


def _tree(value: Json, place: str, marks: Marks, depth: int) -> JsonMap:
    node = (
        _leaf(value, marks)
        if not isinstance(value, dict | list)
        else _branch(value, place, marks, depth)
    )
    entry = marks.replaced.get(place)
    if entry is not None:
        node["mark"] = {"type": entry.type, "decision": entry.decision, "by": entry.by or ""}
    if place in marks.trigger:
        node["trigger"] = True
    return node


def _branch(value: JsonMap | list[Json], place: str, marks: Marks, depth: int) -> JsonMap:
    kind = "object" if isinstance(value, dict) else "array"
    if depth >= MAX_DEPTH:
        return {"type": kind, "size": len(value), "items": [], "more": len(value)}
    pairs = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    items: list[Json] = [
        [_name(name, marks), _tree(item, step_key(place, name), marks, depth + 1)]
        for name, item in pairs[:MAX_ITEMS]
    ]
    return {
        "type": kind,
        "size": len(value),
        "items": items,
        "more": max(0, len(value) - MAX_ITEMS),
    }


def _name(name: str | int, marks: Marks) -> str:
    """Return a key; one that is no word may be of anybody, so it is masked like a value."""
    text = str(name)
    return (
        masked(text)
        if marks.is_masked and not text.isidentifier() and isinstance(name, str)
        else text
    )


def _leaf(value: Json, marks: Marks) -> JsonMap:
    if isinstance(value, str):
        return {"type": "string", **_text(value, marks, MAX_TEXT)}
    if value is None or isinstance(value, bool):
        return {"type": "word", "text": json.dumps(value), "more": 0}
    text = masked(value) if marks.is_masked else json.dumps(value)
    return {"type": "number", "text": text, "more": 0}


def _text(value: str, marks: Marks, most: int) -> JsonMap:
    if marks.is_masked:
        return {"text": masked(value), "more": 0, "masked": True}
    return {"text": value[:most], "more": max(0, len(value) - most)}

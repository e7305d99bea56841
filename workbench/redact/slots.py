"""Every text of a trace document that may hold personal data, and the way to write it back.

A *slot* is one string, number or key of the plain JSON of a trace; what is structure (kinds, positions, tool
names, outcomes, times) is no slot and never changes; an `at` that is no time is a text. `filled` rebuilds the document from the slots' new
texts in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, TypeAlias

from workbench.model.jsonvalue import Json, JsonMap, parse_text, same_json
from workbench.redact.leaves import Leaf, walk

__all__ = ["Fill", "Place", "Slot", "filled", "iterate", "leaves_of", "tree_slots"]

Place: TypeAlias = tuple[str | int, ...]
"""Steps from the document's root: `("#17", "args", "email")`."""

_TEXT_OF_FIXED_OF_EVENT: Final = (
    "seq kind at origin_seq call_id_source tool requestor turn offered_tools "
    "n_messages usage outcome latency_ms decision args_digest basis change "
    "final"
)
_FIXED_OF_EVENT: Final = frozenset(_TEXT_OF_FIXED_OF_EVENT.split())
_FIXED_OF_TRACE: Final = frozenset({"schema", "status", "tools", "events"})
_RAW_OF: Final = {"args": "args_raw", "result": "result_raw"}
_SCHEMA_TEXTS: Final = frozenset(
    {"description", "title", "default", "const", "enum", "examples", "example", "$comment"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One text of the document."""

    place: Place
    text: str
    siblings: frozenset[str] = frozenset()
    is_key: bool = False
    is_number: bool = False
    is_pattern: bool = False
    """A regular expression of a tool's schema; a person rewrites it."""
    hints: tuple[str, ...] = ()
    """Of a literal: the keys of the values that it is compared with."""


Fill: TypeAlias = Callable[[Slot], str]
"""Returns the new text of a slot."""


def leaves_of(slot: Slot) -> tuple[Leaf, ...]:
    """Return the leaves of a slot; their paths go on from the slot's place."""
    if slot.is_key or slot.is_number:
        return (
            Leaf(
                text=slot.text,
                path=slot.place,
                siblings=slot.siblings,
                is_key=slot.is_key,
                is_number=slot.is_number,
            ),
        )
    found = walk(slot.text, path=slot.place, siblings=slot.siblings)
    return tuple(replace(leaf, hints=slot.hints) for leaf in found) if slot.hints else tuple(found)


def filled(document: JsonMap, fill: Fill) -> JsonMap:
    """Rebuild a trace document, asking `fill` for the new text of every slot."""
    done: JsonMap = {}
    for name, value in document.items():
        if name == "events" and isinstance(value, list):
            done[name] = [_event(event, fill) for event in value if isinstance(event, dict)]
        elif name == "tools" and isinstance(value, list):
            done[name] = [_tool(tool, fill) for tool in value if isinstance(tool, dict)]
        elif name in _FIXED_OF_TRACE:
            done[name] = value
        else:
            done[name] = tree_slots(value, (name,), fill)
    return done


def _event(event: JsonMap, fill: Fill) -> JsonMap:
    root = f"#{event.get('origin_seq', event.get('seq'))}"
    done: JsonMap = {}
    for name, value in event.items():
        if name in _FIXED_OF_EVENT and not (name == "at" and _is_text(value)):
            done[name] = value
        elif name in ("args_raw", "result_raw"):
            field = name.removesuffix("_raw")
            done[name] = tree_slots(value, (root, field), fill)
        elif name in _RAW_OF:
            done[name] = _parsed(event, done, name, root, fill)
        elif name == "error" and isinstance(value, dict):
            done[name] = {
                key: item if key == "status" else tree_slots(item, (root, "error", key), fill)
                for key, item in value.items()
            }
        else:
            done[name] = tree_slots(value, (root, name), fill)
    return done


def _is_text(at: Json) -> bool:
    """Whether a recorder wrote something else than a time there."""
    try:
        datetime.fromisoformat(str(at))
    except ValueError:
        return at is not None
    return False


def _parsed(event: JsonMap, done: JsonMap, name: str, root: str, fill: Fill) -> Json:
    """Return the new value of `args` or `result`: what its new raw text says, where it was that."""
    raw, new = event.get(_RAW_OF[name]), done.get(_RAW_OF[name])
    value = event[name]
    if isinstance(raw, str) and isinstance(new, str) and same_json(parse_text(raw).value, value):
        return value if raw == new else parse_text(new).value
    return tree_slots(value, (root, name), fill)


def _tool(tool: JsonMap, fill: Fill) -> JsonMap:
    root: Place = ("tools", str(tool.get("name")))
    done: JsonMap = {}
    for name, value in tool.items():
        if name == "description":
            done[name] = tree_slots(value, (*root, name), fill)
        elif name == "schema":
            done[name] = _schema(value, (*root, name), fill)
        else:
            done[name] = value
    return done


def _schema(value: Json, place: Place, fill: Fill, *, literal: bool = False) -> Json:
    """Rebuild a JSON Schema: descriptions and literals are slots, names and keywords are not."""
    if isinstance(value, dict):
        return {
            key: _schema_entry(key, item, (*place, key), fill, literal=literal)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_schema(item, (*place, n), fill, literal=literal) for n, item in enumerate(value)]
    return tree_slots(value, place, fill) if literal else value


def _schema_entry(key: str, item: Json, place: Place, fill: Fill, *, literal: bool) -> Json:
    names_properties = len(place) > 1 and place[-2] in ("properties", "$defs", "definitions")
    if key == "pattern" and isinstance(item, str) and not (literal or names_properties):
        return fill(Slot(place=place, text=item, is_pattern=True))
    is_literal = literal or (key in _SCHEMA_TEXTS and not names_properties)
    return _schema(item, place, fill, literal=is_literal)


def tree_slots(
    value: Json, place: Place, fill: Fill, *, siblings: frozenset[str] = frozenset()
) -> Json:
    """Rebuild any JSON value; every string, number and key in it is a slot."""
    if isinstance(value, str):
        return fill(Slot(place=place, text=value, siblings=siblings))
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, float):
        return value
    if isinstance(value, int):
        return _number(value, place, fill, siblings)
    if isinstance(value, list):
        return [
            tree_slots(item, (*place, n), fill, siblings=siblings) for n, item in enumerate(value)
        ]
    keys = frozenset(value)
    return {
        fill(Slot(place=(*place, key), text=key, siblings=keys, is_key=True)): tree_slots(
            item, (*place, key), fill, siblings=keys
        )
        for key, item in value.items()
    }


def _number(value: int, place: Place, fill: Fill, siblings: frozenset[str]) -> Json:
    if abs(value) >= 10**400:
        return value
    text = str(value)
    new = fill(Slot(place=place, text=text, siblings=siblings, is_number=True))
    return value if new == text else int(new)


def iterate(document: JsonMap) -> Iterator[Slot]:
    """Yield the slots of a trace document in order."""
    found: list[Slot] = []

    def collect(slot: Slot) -> str:
        found.append(slot)
        return slot.text

    filled(document, collect)
    yield from found

"""What became of a case's tools: reworded, grown, changed so that old calls break, or gone.

A difference that nobody can say is harmless counts as breaking.

Source:
    JSON Schema draft 2020-12.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from workbench.model.jsonvalue import ABSENT, same_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from workbench.model.case import CaseTool
    from workbench.model.jsonvalue import Absent, Json, JsonMap
    from workbench.model.trace import Tool

__all__ = ["Change", "Drift", "drifts"]

_WORDS: Final = frozenset({"description", "title", "examples", "$comment", "default"})
"""Keywords of a schema that say something and refuse nothing."""
_NAMED: Final = frozenset({"$defs", "definitions", "dependentSchemas", "patternProperties"})
"""Keywords whose mapping holds schemas by name; a name is no keyword, whatever it is."""


class Change(StrEnum):
    """What became of a tool, the worst first."""

    GONE = "gone"
    BREAKING = "breaking"
    ADDITIVE = "additive"
    REWORDED = "reworded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """One difference between a case's tool and the one of today."""

    tool: str
    """Of the case."""
    change: Change
    what: str
    """Place in the schema, and what is there now; names only, no text."""


def drifts(tools: Iterable[CaseTool], current: Iterable[Tool]) -> Iterator[Drift]:
    """Yield what became of a case's tools, in the case's order.

    Args:
        tools: of the case; one without a schema is only looked for.
        current: of today.
    """
    by_name = {tool.name: tool for tool in current}
    for tool in tools:
        now = by_name.get(tool.name) or by_name.get(tool.wire or "")
        if now is None:
            yield Drift(tool=tool.name, change=Change.GONE, what="it is not offered any more")
            continue
        if tool.schema is not None and now.schema is not None:
            for change, what in _changes(tool.schema, now.schema, ""):
                yield Drift(tool=tool.name, change=change, what=what)
        if tool.description is not None and tool.description != now.description:
            yield Drift(tool=tool.name, change=Change.REWORDED, what="its description")


def _changes(old: JsonMap, new: JsonMap, at: str) -> Iterator[tuple[Change, str]]:
    """Compare two schemas, keyword by keyword."""
    yield from _required(old, new, at)
    yield from _properties(_map(old, "properties"), _map(new, "properties"), at)
    yield from _enum(old, new, at)
    for key in sorted((old.keys() | new.keys()) - {"properties", "required", "enum"}):
        before, after = old.get(key, ABSENT), new.get(key, ABSENT)
        if same_json(before, after):
            continue
        if key in _WORDS:
            yield Change.REWORDED, f"{at}{key}"
        elif key in _NAMED and isinstance(before, dict) and isinstance(after, dict):
            for name in sorted(before.keys() | after.keys()):
                left, right = before.get(name, ABSENT), after.get(name, ABSENT)
                yield from _schemas(left, right, f"{at}{key}.{name}")
        else:
            yield from _schemas(before, after, f"{at}{key}")


def _schemas(before: Json | Absent, after: Json | Absent, at: str) -> Iterator[tuple[Change, str]]:
    """Compare what is a schema, or the value of a keyword."""
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _changes(before, after, f"{at}.")
    elif not same_json(before, after):
        yield Change.BREAKING, f"{at} is another one"


def _required(old: JsonMap, new: JsonMap, at: str) -> Iterator[tuple[Change, str]]:
    before, after = _names(old, "required"), _names(new, "required")
    for name in sorted(after - before):
        yield Change.BREAKING, f"{at}{name} is required now"
    for name in sorted((before - after) & _map(new, "properties").keys()):
        yield Change.ADDITIVE, f"{at}{name} is optional now"


def _properties(
    old: Mapping[str, Json], new: Mapping[str, Json], at: str
) -> Iterator[tuple[Change, str]]:
    for name in sorted(old.keys() - new.keys()):
        yield Change.BREAKING, f"{at}{name} is gone"
    for name in sorted(new.keys() - old.keys()):
        yield Change.ADDITIVE, f"{at}{name} is new"
    for name in sorted(old.keys() & new.keys()):
        yield from _schemas(old[name], new[name], f"{at}{name}")


def _enum(old: JsonMap, new: JsonMap, at: str) -> Iterator[tuple[Change, str]]:
    before, after = old.get("enum"), new.get("enum")
    if same_json(before, after):
        return
    if not isinstance(before, list) or not isinstance(after, list):
        narrower = before is None
        yield Change.BREAKING if narrower else Change.ADDITIVE, f"{at}enum is another one"
        return
    if any(not _is_in(value, after) for value in before):
        yield Change.BREAKING, f"{at}enum has lost values"
    if any(not _is_in(value, before) for value in after):
        yield Change.ADDITIVE, f"{at}enum has more values"


def _is_in(value: Json, values: Sequence[Json]) -> bool:
    return any(same_json(value, other) for other in values)


def _map(schema: JsonMap, key: str) -> Mapping[str, Json]:
    found = schema.get(key)
    return found if isinstance(found, dict) else {}


def _names(schema: JsonMap, key: str) -> set[str]:
    found = schema.get(key)
    return {name for name in found if isinstance(name, str)} if isinstance(found, list) else set()

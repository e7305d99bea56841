"""What became of a case's tools: reworded, grown, changed so that old calls break, or gone.

The current tools are a file: what a server answers to `tools/list`, or the list that an agent sends
to a model. A difference that nobody can say is harmless counts as breaking.

Source:
    Model Context Protocol 2025-06-18, `tools/list`; JSON Schema draft 2020-12; the tool lists of
    the OpenAI and Anthropic message APIs (2025).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from workbench.casefile.files import read_bytes, shown_path
from workbench.casefile.place import describe
from workbench.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from workbench.model.case import CaseTool
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["Change", "CurrentTool", "Drift", "drifts", "load_tools"]

_MAX_BYTES: Final = 8 << 20
_SCHEMA_KEYS: Final = ("inputSchema", "input_schema", "parameters", "schema")
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
class CurrentTool:
    """A tool as it is offered today."""

    name: str
    description: str | None = None
    schema: JsonMap | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """One difference between a case's tool and the one of today."""

    tool: str
    """Of the case."""
    change: Change
    what: str
    """Place in the schema, and what is there now; names only, no text."""


def load_tools(path: Path) -> tuple[CurrentTool, ...]:
    """Read the tools of today from a JSON file.

    Raises:
        InputError: it cannot be read, or holds no list of tools.
    """
    name = shown_path(path)
    try:
        document: Json = json.loads(read_bytes(path, limit=_MAX_BYTES))
    except (ValueError, RecursionError):
        message = "is no JSON"
        raise InputError(message, place=name, fix="write what tools/list answers") from None
    found = document
    for key in ("result", "tools"):
        if isinstance(found, dict) and key in found:
            found = found[key]
    if not isinstance(found, list):
        message = f"is {describe(found)}; expected a list of tools"
        raise InputError(message, place=name, fix="write what tools/list answers")
    return tuple(_tool(item, place=name, at=at) for at, item in enumerate(found))


def drifts(tools: Iterable[CaseTool], current: Iterable[CurrentTool]) -> Iterator[Drift]:
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


def _tool(item: Json, *, place: str, at: int) -> CurrentTool:
    inner = item.get("function", item) if isinstance(item, dict) else item
    name = inner.get("name") if isinstance(inner, dict) else None
    if not isinstance(inner, dict) or not isinstance(name, str):
        message = f"is {describe(item)}; expected a tool with a name"
        raise InputError(message, place=place, key=f"tools.{at}", fix="leave it out")
    said = inner.get("description")
    schemas = (inner[key] for key in _SCHEMA_KEYS if isinstance(inner.get(key), dict))
    schema = next(schemas, None)
    return CurrentTool(
        name=name,
        description=said if isinstance(said, str) else None,
        schema=schema if isinstance(schema, dict) else None,
    )


def _changes(old: JsonMap, new: JsonMap, at: str) -> Iterator[tuple[Change, str]]:
    """Compare two schemas, keyword by keyword."""
    yield from _required(old, new, at)
    yield from _properties(_map(old, "properties"), _map(new, "properties"), at)
    yield from _enum(old, new, at)
    for key in sorted((old.keys() | new.keys()) - {"properties", "required", "enum"}):
        before, after = old.get(key), new.get(key)
        if before == after:
            continue
        if key in _WORDS:
            yield Change.REWORDED, f"{at}{key}"
        elif key in _NAMED and isinstance(before, dict) and isinstance(after, dict):
            for name in sorted(before.keys() | after.keys()):
                yield from _schemas(before.get(name), after.get(name), f"{at}{key}.{name}")
        else:
            yield from _schemas(before, after, f"{at}{key}")


def _schemas(before: Json, after: Json, at: str) -> Iterator[tuple[Change, str]]:
    """Compare what is a schema, or the value of a keyword."""
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _changes(before, after, f"{at}.")
    elif before != after:
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
    if before == after:
        return
    if not isinstance(before, list) or not isinstance(after, list):
        narrower = before is None
        yield Change.BREAKING if narrower else Change.ADDITIVE, f"{at}enum is another one"
        return
    if any(value not in after for value in before):
        yield Change.BREAKING, f"{at}enum has lost values"
    if any(value not in before for value in after):
        yield Change.ADDITIVE, f"{at}enum has more values"


def _map(schema: JsonMap, key: str) -> Mapping[str, Json]:
    found = schema.get(key)
    return found if isinstance(found, dict) else {}


def _names(schema: JsonMap, key: str) -> set[str]:
    found = schema.get(key)
    return {name for name in found if isinstance(name, str)} if isinstance(found, list) else set()

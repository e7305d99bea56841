"""Tools of a run: listed by the source, declared in a file, or merely called.

Source:
    formats page for the listings of chat APIs; MCP 2025-06-18 for `annotations`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.casefile.codec import decode
from workbench.casefile.files import read_bytes, shown_path
from workbench.casefile.place import Place, describe, step_key
from workbench.casefile.strict_json import load_json
from workbench.errors import CaseFormatError
from workbench.ingest.records.shapes import map_in, text_in
from workbench.model.event import Event, ToolCall
from workbench.model.trace import Effect, Tool

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Sequence

    from workbench.model.jsonvalue import Json

__all__ = ["known_tools", "listed_tools", "offered_tools", "read_tools"]

_MAX_BYTES: Final = 8 << 20
_OWN_KEYS: Final = frozenset({"name", "description", "effect", "schema"})
_SCHEMA_KEYS: Final = ("parameters", "input_schema", "inputSchema", "schema")


def read_tools(path: str | os.PathLike[str]) -> tuple[Tool, ...]:
    """Read a `--tools` file that declares what tools may do: see `offered_tools`, each with an effect.

    An MCP server's `readOnlyHint` is one.

    Raises:
        InputError: the file cannot be read or breaks this format.
    """
    return _read(Path(path), _declared)


def offered_tools(path: str | os.PathLike[str]) -> tuple[Tool, ...]:
    """Read a `--tools` file of the tools that there are.

    It is a JSON array of `{name, description?, effect?, schema?}`, what a server answers to
    `tools/list`, or the list that an agent sends to a model.

    Raises:
        InputError: the file cannot be read or breaks this format.
    """
    return _read(Path(path), _offered)


def _read(path: Path, tool_of: Callable[[Json, Place, str], Tool]) -> tuple[Tool, ...]:
    name = shown_path(path)
    document, place = load_json(read_bytes(path, limit=_MAX_BYTES), name=name)
    found, key = document, ""
    for wrapper in ("result", "tools"):
        if isinstance(found, dict) and wrapper in found:
            found, key = found[wrapper], step_key(key, wrapper)
    if not isinstance(found, list):
        raise CaseFormatError(
            f"is {describe(found)}; expected a list of tools",
            place=name,
            key=key,
            fix='write [{"name": "...", "effect": "pure|read|write"}], or what tools/list answers',
        )
    tools = tuple(tool_of(item, place, step_key(key, n)) for n, item in enumerate(found))
    seen: set[str] = set()
    for n, tool in enumerate(tools):
        if tool.name in seen:
            at = step_key(step_key(key, n), "name")
            raise place.error(at, "is declared twice", fix="keep one of them")
        seen.add(tool.name)
    return tools


def _declared(item: Json, place: Place, key: str) -> Tool:
    tool = _offered(item, place, key)
    if tool.effect is None:
        raise place.error(
            step_key(key, "effect"),
            "is missing; expected pure, read or write",
            fix="declare what the tool may do",
        )
    return tool


def _offered(item: Json, place: Place, key: str) -> Tool:
    is_ours = not isinstance(item, dict) or "effect" in item or _OWN_KEYS.issuperset(item)
    tool = decode(Tool, item, place=place, key=key) if is_ours else _listed(item)
    if tool is None:
        raise place.error(key, f"is {describe(item)}; expected a tool with a name")
    if not tool.name:
        raise place.error(step_key(key, "name"), "is empty; expected the name of a tool")
    return tool


def listed_tools(listing: Json) -> tuple[Tool, ...]:
    """Read the tools that a request offered, in any of the chat APIs' forms.

    An entry without a readable name is left out: it cannot be called by name either.
    """
    if not isinstance(listing, list):
        return ()
    found: dict[str, Tool] = {}
    for entry in listing:
        tool = _listed(entry)
        if tool is not None:
            found.setdefault(tool.name, tool)
    return tuple(found.values())


def _listed(entry: Json) -> Tool | None:
    body = map_in(entry, "function") or (entry if isinstance(entry, dict) else {})
    name = text_in(body, "name") or text_in(entry, "type")  # a provider's own tool has a type only
    if not name:
        return None
    schemas = (body.get(key) for key in _SCHEMA_KEYS)
    read_only = map_in(entry, "annotations").get("readOnlyHint")
    effects: dict[Json, Effect] = {True: Effect.READ, False: Effect.WRITE}
    return Tool(
        name=name,
        description=text_in(body, "description"),
        effect=effects[read_only] if isinstance(read_only, bool) else None,
        schema=next((schema for schema in schemas if isinstance(schema, dict)), None),
    )


def known_tools(
    events: Iterable[Event], *, listed: Sequence[Tool] = (), declared: Sequence[Tool] = ()
) -> tuple[Tool, ...]:
    """Return the tools of a run: listed, then declared, then those that were only called.

    What a person declared wins over what the source says. A tool that was only called has no
    effect: it counts as `write` and is shown as assumed.
    """
    found = {tool.name: tool for tool in listed}
    for tool in declared:
        other = found.get(tool.name, tool)
        found[tool.name] = Tool(
            name=tool.name,
            description=tool.description or other.description,
            effect=tool.effect or other.effect,
            schema=tool.schema if tool.schema is not None else other.schema,
        )
    for event in events:
        if isinstance(event, ToolCall) and event.tool not in found:
            found[event.tool] = Tool(name=event.tool)
    return tuple(found.values())

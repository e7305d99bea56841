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
    from collections.abc import Iterable, Sequence

    from workbench.model.jsonvalue import Json

__all__ = ["known_tools", "listed_tools", "read_tools"]

_SCHEMA_KEYS: Final = ("parameters", "input_schema", "inputSchema", "schema")


def read_tools(path: str | os.PathLike[str]) -> tuple[Tool, ...]:
    """Read a `--tools` file: a JSON array of `{name, description?, effect, schema?}`.

    Raises:
        InputError: the file cannot be read or breaks this format.
    """
    name = shown_path(Path(path))
    document, place = load_json(read_bytes(Path(path)), name=name)
    if not isinstance(document, list):
        raise CaseFormatError(
            f"is {describe(document)}; expected a list of tools",
            place=name,
            fix='write [{"name": "...", "effect": "pure|read|write"}]',
        )
    tools = tuple(_declared(item, place, str(n)) for n, item in enumerate(document))
    seen: set[str] = set()
    for n, tool in enumerate(tools):
        if tool.name in seen:
            raise place.error(step_key(str(n), "name"), "is declared twice", fix="keep one of them")
        seen.add(tool.name)
    return tools


def _declared(item: Json, place: Place, key: str) -> Tool:
    tool = decode(Tool, item, place=place, key=key)
    if tool.effect is None:
        raise place.error(
            step_key(key, "effect"),
            "is missing; expected pure, read or write",
            fix="declare what the tool may do",
        )
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

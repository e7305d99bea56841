"""Checked access to the parts of a record; a wrong type is an error with its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.casefile.place import describe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["as_map", "integer_in", "map_in", "map_items", "maps_at", "text_in"]


def as_map(value: Json, *, key: str, origin: Origin) -> JsonMap:
    """Return `value`, which must be a mapping."""
    if not isinstance(value, dict):
        raise origin.error(key, f"is {describe(value)}; expected a mapping")
    return value


def map_items(value: Json, *, key: str, origin: Origin) -> Iterator[tuple[str, JsonMap]]:
    """Yield place and value of each mapping of a list; None is an empty list."""
    if value is None:
        return
    if not isinstance(value, list):
        raise origin.error(key, f"is {describe(value)}; expected a list")
    before = f"{key}." if key else ""
    for at, item in enumerate(value):
        place = f"{before}{at}"
        yield place, item if isinstance(item, dict) else as_map(item, key=place, origin=origin)


def text_in(value: Json, name: str) -> str | None:
    """Return a text of a mapping; None when it is absent, null or no text."""
    item = value.get(name) if isinstance(value, dict) else None
    return item if isinstance(item, str) else None


def map_in(value: Json, *names: str) -> JsonMap:
    """Return the mapping at the end of `names`; an empty one when there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def maps_at(
    record: Json, paths: Iterable[tuple[str, ...]]
) -> list[tuple[JsonMap, tuple[str, ...]]]:
    """Return the mappings at the ends of these paths, in their order; absent ones may be empty."""
    if not isinstance(record, dict):
        return []
    return [(map_in(record, *path), path) for path in paths if not path or path[0] in record]


def integer_in(value: Json, name: str) -> int | None:
    """Return an integer of a mapping; None when it is absent or no integer."""
    item = value.get(name) if isinstance(value, dict) else None
    return item if isinstance(item, int) and not isinstance(item, bool) else None

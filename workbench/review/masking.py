"""A case document without its values: how it is built can be read, whom it is about cannot.

What stays is what the format or a person of the team states: names of tools, paths and fixtures,
outcomes, the contract, title and reasons. Everything that an agent, a tool or a customer said is a
type and a length.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.review.timeline import word_or_mask

if TYPE_CHECKING:
    from collections.abc import Collection

    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["masked_case"]

_WORD: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_-]{0,39}")
_TOLD: Final = ("input", "environment", "tags", "also_covers")
"""Parts of a case that are values all through."""
_STATED: Final[dict[str, Collection[str]]] = {
    "source": ("kind", "draft", "trace_digest", "store_head", "imported_from", "incident", "grade"),
    "tools": ("name", "wire", "effect"),
    "paths": ("name", "expect", "basis", "by", "outcome"),
    "fixtures": ("id", "tool", "outcome", "basis", "by", "times", "only", "must_use"),
    "expect": ("signature",),
}
"""Part of a case -> the keys in it whose values stay."""
_NESTED: Final = ("turns", "tool_calls")
"""Lists within a path, masked as the path itself."""


def masked_case(document: JsonMap) -> JsonMap:
    """Return a case document with the values of its trace masked."""
    return {key: _masked_part(key, value) for key, value in document.items()}


def _masked_part(key: str, value: Json) -> Json:
    if key in _TOLD:
        return _masked(value)
    stated = _STATED.get(key)
    return value if stated is None else _masked_items(value, stated)


def _masked_items(value: Json, stated: Collection[str]) -> Json:
    if isinstance(value, list):
        return [_masked_items(item, stated) for item in value]
    if not isinstance(value, dict):
        return _masked(value)
    found: JsonMap = {}
    for name, item in value.items():
        if name in _NESTED:
            found[name] = _masked_items(item, stated)
        elif name == "schema":
            found[name] = "masked"
        elif name == "detail" and isinstance(item, str):
            found[name] = word_or_mask(item)
        else:
            found[name] = item if name in stated else _masked(item)
    return found


def _masked(value: Json) -> Json:
    match value:
        case None | bool():
            return value
        case int() | float():
            return "number"
        case str():
            return f"text({len(value)})"
        case list():
            return [_masked(item) for item in value]
        case dict():
            return {
                _masked_key(name, at): _masked(item)
                for at, (name, item) in enumerate(value.items())
            }


def _masked_key(name: str, at: int) -> str:
    """Keys that are words stay; others are told apart by their position."""
    return name if _WORD.fullmatch(name) else f"key({len(name)}) no. {at + 1}"

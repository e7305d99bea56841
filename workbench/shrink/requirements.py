"""Which parts of a call's arguments its tool's JSON Schema asks for.

Without one of them the call would be another error than the recorded one. Followed are `properties`,
`additionalProperties`, `items`, `prefixItems`, `minItems`, `allOf`, those branches of `anyOf` and `oneOf` whose
keys are there, and `$ref` within the schema. A part is asked for as long as what it is in stays: an
optional object may go as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.shrink.nodes import NodePath

__all__ = ["required_paths"]

_DEEPEST: Final = 64
"""Nodes below are never cut one by one."""


def required_paths(schema: JsonMap, value: Json) -> list[NodePath]:
    """Return the nodes of a value that a schema asks for, each below a node that it may do without.

    Args:
        schema: of the whole value; one that is odd asks for nothing where it is odd.
        value: the arguments of a call.
    """
    found: dict[NodePath, None] = {}
    pending: list[tuple[NodePath, Json, Json]] = [((), schema, value)]
    while pending:
        path, asked, item = pending.pop()
        for one in _applied(schema, asked, item):
            if isinstance(item, dict):
                names = one.get("required")
                known = names if isinstance(names, list) else []
                found |= {(*path, n): None for n in known if isinstance(n, str) and n in item}
            elif isinstance(item, list):
                found |= {(*path, place): None for place in range(min(len(item), _least(one)))}
            if len(path) < _DEEPEST:
                pending += [((*path, step), sub, part) for step, sub, part in _below(one, item)]
    return list(found)


def _applied(root: JsonMap, schema: Json, item: Json) -> Iterator[JsonMap]:
    """Yield the schemas that hold for one value: itself, what it refers to, and what it is composed of."""
    seen: set[int] = set()
    pending: list[Json] = [schema]
    while pending:
        one = pending.pop()
        if not isinstance(one, dict) or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        pending.append(_referred(root, one.get("$ref")))
        everything = one.get("allOf")
        pending += everything if isinstance(everything, list) else []
        for word in ("anyOf", "oneOf"):
            branches = one.get(word)
            if isinstance(branches, list):
                pending += [branch for branch in branches if _fits(root, branch, item)]


def _fits(root: JsonMap, branch: Json, item: Json) -> bool:
    """Whether all keys that a branch asks for are there, as far as its top says."""
    for _ in range(_DEEPEST):
        if not isinstance(branch, dict):
            return False
        if "$ref" not in branch:
            break
        branch = _referred(root, branch["$ref"])
    names = branch.get("required") if isinstance(branch, dict) else None
    if not isinstance(names, list):
        return isinstance(branch, dict)
    return isinstance(item, dict) and all(isinstance(n, str) and n in item for n in names)


def _referred(root: JsonMap, ref: Json) -> Json:
    """Return what a reference within the schema points at; null: it points elsewhere, or nowhere.

    Source:
        RFC 6901, JSON Pointer, section 6.
    """
    if not isinstance(ref, str) or not (ref == "#" or ref.startswith("#/")):
        return None
    node: Json = root
    for step in unquote(ref).split("/")[1:]:
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(node, dict):
            node = node.get(key)
        elif isinstance(node, list) and key.isdecimal() and len(key) < 6 and int(key) < len(node):
            node = node[int(key)]
        else:
            return None
    return node


def _least(schema: JsonMap) -> int:
    least = schema.get("minItems")
    return least if isinstance(least, int) and not isinstance(least, bool) else 0


def _below(schema: JsonMap, item: Json) -> Iterator[tuple[str | int, Json, Json]]:
    """Yield the parts of a value with the schema of each."""
    if isinstance(item, dict):
        properties = schema.get("properties")
        named = properties if isinstance(properties, dict) else {}
        for key, part in item.items():
            yield key, named.get(key, schema.get("additionalProperties")), part
    elif isinstance(item, list):
        prefix, rest = schema.get("prefixItems"), schema.get("items")
        if isinstance(rest, list):  # drafts before 2020-12
            prefix, rest = rest, schema.get("additionalItems")
        first = prefix if isinstance(prefix, list) else []
        for place, part in enumerate(item):
            yield place, first[place] if place < len(first) else rest, part

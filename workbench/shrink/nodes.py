"""JSON values as trees: their leaves, their nodes by path, and what is left after cuts.

A path is a tuple of keys and places; the empty path is the whole value. Nodes deeper than 64
are never cut one by one: no case holds them, and hostile nesting must not exhaust the stack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from workbench.casefile.codec import encode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from workbench.model.jsonvalue import Json
    from workbench.model.trace import Trace

__all__ = ["NodePath", "aligned", "count_nodes", "cut", "is_part", "leaves", "loose_nodes"]

NodePath: TypeAlias = tuple[str | int, ...]

_DEEPEST: Final = 64


def leaves(value: Json) -> Iterator[tuple[NodePath, Json]]:
    """Yield each scalar with its path, in order."""
    pending: list[tuple[NodePath, Json]] = [((), value)]
    while pending:
        path, item = pending.pop()
        if isinstance(item, dict):
            pending.extend(((*path, key), item[key]) for key in reversed(item))
        elif isinstance(item, list):
            pending.extend(((*path, at), item[at]) for at in range(len(item) - 1, -1, -1))
        else:
            yield path, item


def count_nodes(trace: Trace) -> int:
    """Return the number of JSON nodes of a trace's document."""
    total = 0
    pending: list[Json] = [encode(trace)]
    while pending:
        item = pending.pop()
        total += 1
        if isinstance(item, dict):
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)
    return total


def loose_nodes(
    value: Json, *, firm: Collection[NodePath], whole: Collection[NodePath]
) -> list[NodePath]:
    """Return the nodes that may be cut, parents before their children.

    Args:
        value: the tree; its root is never cut.
        firm: nodes that stay as long as what they are in; what hangs below them may go.
        whole: nodes that stay with everything below them.
    """
    kept = {path[:end] for path in whole for end in range(len(path) + 1)} | set(firm)
    untouched = set(whole)
    found: list[NodePath] = []
    level: list[tuple[NodePath, Json]] = [((), value)]
    for _ in range(_DEEPEST):
        below: list[tuple[NodePath, Json]] = []
        for path, item in level:
            if path in untouched:
                continue
            if path and path not in kept:
                found.append(path)
            if isinstance(item, dict):
                below.extend(((*path, key), part) for key, part in item.items())
            elif isinstance(item, list):
                below.extend(((*path, at), part) for at, part in enumerate(item))
        level = below
    return found


def cut(value: Json, paths: Collection[NodePath]) -> Json:
    """Return `value` without the nodes at `paths`; places count in the original lists."""
    by_parent: dict[NodePath, set[str | int]] = {}
    inner: set[NodePath] = set()
    for path in paths:
        by_parent.setdefault(path[:-1], set()).add(path[-1])
        inner.update(path[:end] for end in range(len(path)))
    return _cut(value, (), by_parent, inner)


def _cut(
    value: Json, path: NodePath, by_parent: dict[NodePath, set[str | int]], inner: set[NodePath]
) -> Json:
    if path not in inner:
        return value
    gone = by_parent.get(path, set())
    if isinstance(value, dict):
        return {
            key: _cut(item, (*path, key), by_parent, inner)
            for key, item in value.items()
            if key not in gone
        }
    if isinstance(value, list):
        return [
            _cut(item, (*path, at), by_parent, inner)
            for at, item in enumerate(value)
            if at not in gone
        ]
    return value


def is_part(part: Json, value: Json) -> bool:
    """Whether `part` is `value` without some keys and items; scalars and their types equal."""
    return _is_part(part, value, depth=0)


def _is_part(part: Json, value: Json, *, depth: int) -> bool:
    pending: list[tuple[Json, Json]] = [(part, value)]
    while pending:
        left, right = pending.pop()
        if isinstance(left, dict) and isinstance(right, dict):
            if any(key not in right for key in left):
                return False
            pending.extend((item, right[key]) for key, item in left.items())
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) == len(right):
                pending.extend(zip(left, right, strict=True))
            elif depth == _DEEPEST or not _is_sublist(left, right, depth=depth + 1):
                return False
        elif type(left) is not type(right) or left != right:
            return False
    return True


def _is_sublist(left: list[Json], right: list[Json], *, depth: int) -> bool:
    """Whether each item is part of an item of `right`, in order.

    Taking the first item that fits is enough: an earlier place never shuts out a later one.
    """
    others = iter(right)
    return all(any(_is_part(item, other, depth=depth) for other in others) for item in left)


def aligned(part: list[Json], value: list[Json]) -> dict[int, int]:
    """Return, for each item of `value` that `part` kept, its place in `part`."""
    found: dict[int, int] = {}
    for at, item in enumerate(value):
        if len(found) < len(part) and is_part(part[len(found)], item):
            found[at] = len(found)
    return found

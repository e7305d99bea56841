"""The smallest JSON value for which predicates hold; for declared fixtures and read-backs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.check.predicates import holds
from workbench.model.contract import Operator, Predicate
from workbench.model.jsonvalue import ABSENT, Absent, Json, JsonMap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.model.contract import Step

__all__ = ["satisfying"]

_ANY: Final = "declared"
_MOST_FILLED: Final = 100


def satisfying(predicates: Sequence[Predicate], *, start: Json = None) -> Json | Absent:
    """Return a value for which all predicates hold; `ABSENT`: none is found this way.

    Args:
        predicates: what has to hold.
        start: the value to extend; None: an empty mapping.

    >>> satisfying(())
    {}
    """
    value: Json = {} if start is None else start
    for predicate in predicates:
        if not holds(predicate, value):
            value = _put(value, predicate.path, _leaf(predicate))
    return value if all(holds(predicate, value) for predicate in predicates) else ABSENT


def _leaf(predicate: Predicate) -> Json:
    """Return a value for the end of the path."""
    literal: Json = None if isinstance(predicate.literal, Absent) else predicate.literal
    match predicate.operator:
        case Operator.IN:
            return literal[0] if isinstance(literal, list) and literal else None
        case Operator.EXISTS | Operator.NE | Operator.NOT_IN:
            return _ANY
        case Operator.LT:
            return literal - 1 if isinstance(literal, int | float) else ""
        case Operator.GT:
            return literal + 1 if isinstance(literal, int | float) else f"{literal}~"
        case Operator.CONTAINS if not isinstance(literal, str):
            return [literal]
        case _:
            return literal


def _put(value: Json, path: tuple[Step, ...], leaf: Json) -> Json:
    if not path:
        return leaf
    step, rest = path[0], path[1:]
    if isinstance(step, int) or step in ("*", "**"):
        return _put_in_list(value, step if isinstance(step, int) else 0, rest, leaf)
    known: JsonMap = dict(value) if isinstance(value, dict) else {}
    name = step.removeprefix("\\")
    known[name] = _put(known.get(name), rest, leaf)
    return known


def _put_in_list(value: Json, place: int, rest: tuple[Step, ...], leaf: Json) -> Json:
    """Set an item of a list, and fill up what is missing before it."""
    items: list[Json] = list(value) if isinstance(value, list) else []
    missing = place + 1 - len(items) if place >= 0 else -place - len(items)
    if missing > _MOST_FILLED:
        return items
    items += [None] * missing
    items[place] = _put(items[place], rest, leaf)
    return items

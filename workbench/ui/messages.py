"""What a browser may say to a view: every message is input and is checked before it is used."""

from __future__ import annotations

import math
from types import UnionType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = ["MAX_TEXT", "Shape", "arguments", "fits"]

MAX_TEXT: Final = 20_000
"""Characters of a text that a person can have typed or pasted."""
_MAX_ITEMS: Final = 5_000

Shape: TypeAlias = "type | UnionType | frozenset[str] | list[Shape]"
"""A type, a union of types, a closed set of words, or `[shape]`: a list of such values."""


def arguments(content: Mapping[str, Any], shapes: Mapping[str, Shape]) -> dict[str, Any] | None:
    """Return what a message carries beside its kind; None: it is not what is expected.

    Args:
        content: the message, a mapping with `kind`.
        shapes: what each of its other fields must be; no more, no fewer.
    """
    given = {name: value for name, value in content.items() if name != "kind"}
    if given.keys() != shapes.keys():
        return None
    return given if all(fits(given[name], shape) for name, shape in shapes.items()) else None


def fits(value: object, shape: Shape) -> bool:
    """Whether a value from the browser has a shape.

    >>> fits(3, int), fits(True, int), fits(3, float), fits(float("nan"), float)
    (True, False, True, False)
    >>> fits("up", frozenset({"up", "down"})), fits(["a", 1], [str]), fits(None, str | None)
    (True, False, True)
    """
    if isinstance(shape, frozenset):
        return isinstance(value, str) and value in shape
    if isinstance(shape, list):
        return isinstance(value, list) and _all_fit(value, shape[0])
    if isinstance(shape, UnionType):
        return any(fits(value, one) for one in shape.__args__)
    if shape is float:
        return type(value) in (int, float) and math.isfinite(_number(value))
    return type(value) is shape and (not isinstance(value, str) or len(value) <= MAX_TEXT)


def _all_fit(values: Collection[object], shape: Shape) -> bool:
    return len(values) <= _MAX_ITEMS and all(fits(value, shape) for value in values)


def _number(value: Any) -> float:  # noqa: ANN401  an int or a float, however large
    try:
        return float(value)
    except OverflowError:
        return math.inf

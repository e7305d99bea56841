"""Predicates on JSON values.

A path may reach several values (`*`, `**`); a predicate holds when one of them satisfies it. A
path that reaches none makes every operator but `absent` false, also `!=` and `not in`. Nothing
is coerced: `1 == 1.0`, and that is all.

Source:
    design page 03, `pred`.
"""

from __future__ import annotations

import operator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import re2

from workbench.errors import ContractError
from workbench.model.contract import Operator, Predicate, Step
from workbench.model.jsonvalue import ABSENT, Absent, Json, same_json

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["compile_pattern", "found_in", "holds", "searchable", "values_at"]


def holds(predicate: Predicate, value: Json | Absent) -> bool:
    """Whether a value satisfies a predicate; `ABSENT` satisfies only `absent`.

    Raises:
        ContractError: a `matches` pattern that RE2 does not take.
    """
    values = [] if value is ABSENT else values_at(predicate.path, value)
    if predicate.operator is Operator.ABSENT:
        return not values
    if predicate.operator is Operator.EXISTS:
        return bool(values)
    compare = _COMPARE[predicate.operator]
    return any(compare(found, predicate.literal) for found in values)


def values_at(path: tuple[Step, ...], value: Json | Absent) -> list[Json]:
    """Return every value that a path reaches, in document order; none: an empty list."""
    found: list[Json] = [] if value is ABSENT else [value]
    for step in path:
        if step == "*":
            found = [child for node in found for child in _children(node)]
        elif step == "**":
            found = _descendants(found)
        elif isinstance(step, int):
            found = [
                node[step]
                for node in found
                if isinstance(node, list) and -len(node) <= step < len(node)
            ]
        else:
            key = step.removeprefix("\\")
            found = [node[key] for node in found if isinstance(node, dict) and key in node]
    return found


def _children(node: Json) -> list[Json]:
    if isinstance(node, dict):
        return list(node.values())
    return node if isinstance(node, list) else []


def _descendants(nodes: list[Json]) -> list[Json]:
    """Return the nodes and everything below them, each once, without recursion."""
    found: list[Json] = []
    seen: set[int] = set()
    pending = nodes[::-1]
    while pending:
        node = pending.pop()
        if isinstance(node, dict | list):
            if id(node) in seen:
                continue
            seen.add(id(node))
            pending.extend(_children(node)[::-1])
        found.append(node)
    return found


@lru_cache(maxsize=512)
def compile_pattern(pattern: str) -> Any:  # noqa: ANN401  re2 has no types
    """Compile an RE2 pattern once.

    Raises:
        ContractError: RE2 does not take it.
    """
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError):
        raise ContractError(
            f"a pattern of {len(pattern)} characters is not RE2",
            fix="RE2 has no look-around and no back-references; write it without",
        ) from None


def found_in(pattern: str, text: str) -> bool:
    """Whether RE2 finds a pattern anywhere in a text."""
    return compile_pattern(pattern).search(searchable(text)) is not None


def searchable(text: str) -> str:
    """Return the text with what UTF-8 cannot say replaced; RE2 takes no lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Json, Json | Absent], bool]:
    def check(found: Json, literal: Json | Absent) -> bool:
        both_numbers = _is_number(found) and _is_number(literal)
        both_texts = isinstance(found, str) and isinstance(literal, str)
        return (both_numbers or both_texts) and compare(found, literal)

    return check


def _is_number(value: Json | Absent) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_in(found: Json, literal: Json | Absent) -> bool:
    return isinstance(literal, list) and any(same_json(found, item) for item in literal)


def _is_not_in(found: Json, literal: Json | Absent) -> bool:
    return isinstance(literal, list) and not _is_in(found, literal)


def _differs(found: Json, literal: Json | Absent) -> bool:
    return not same_json(found, literal)


def _contains(found: Json, literal: Json | Absent) -> bool:
    if isinstance(found, str):
        return isinstance(literal, str) and literal in found
    return isinstance(found, list) and any(same_json(item, literal) for item in found)


def _matches(found: Json, literal: Json | Absent) -> bool:
    return isinstance(found, str) and isinstance(literal, str) and found_in(literal, found)


_COMPARE: Final[dict[Operator, Callable[[Json, Json | Absent], bool]]] = {
    Operator.EQ: same_json,
    Operator.NE: _differs,
    Operator.LT: _ordered(operator.lt),
    Operator.LE: _ordered(operator.le),
    Operator.GT: _ordered(operator.gt),
    Operator.GE: _ordered(operator.ge),
    Operator.IN: _is_in,
    Operator.NOT_IN: _is_not_in,
    Operator.CONTAINS: _contains,
    Operator.MATCHES: _matches,
}

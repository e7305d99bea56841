"""One reader for each key of a contract that holds clauses.

Every reader takes `(value, place, key)`, the value of its key and where it is, and returns the
key's clauses in file order with their ids: the kind, a slash and the 1-based place.

Source:
    design page 03.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, TypeAlias, TypeVar

from workbench.casefile.argument_schema import schema_problem
from workbench.casefile.clause_parts import (
    contract_error,
    read_evidence,
    read_items,
    read_mapping,
    read_pattern,
    read_selector,
    read_text,
    read_word,
)
from workbench.casefile.place import Place, describe, step_key
from workbench.model.contract import (
    After,
    AnswerRule,
    ArgsSchema,
    AtMostAfter,
    Before,
    Clause,
    FinalState,
    Finishes,
    ForbidCall,
    ImmediatelyAfter,
    Limit,
    MaxCalls,
    MinCalls,
    MustCall,
    NeverBetween,
    OnlyCall,
    PermissionRule,
    Selector,
    SuccessRequires,
)
from workbench.model.jsonvalue import Json

__all__ = ["ANSWER_RULES", "COUNTS", "COVERS", "MEASURES", "ORDERS", "READERS"]

Reader: TypeAlias = Callable[[Json, Place, str], list[Clause]]
OneSelector = TypeVar("OneSelector", MustCall, ForbidCall)
Counted = TypeVar("Counted", MaxCalls, MinCalls)

MEASURES: Final = (
    "tool_calls",
    "model_calls",
    "identical_calls",
    "wall_time_ms",
    "input_tokens",
    "output_tokens",
    "cost_usd",
)
COUNTS: Final = frozenset(MEASURES) - {"wall_time_ms", "cost_usd"}
ANSWER_RULES: Final = (
    "contains",
    "not_contains",
    "matches",
    "not_matches",
    "json_schema",
    "quotes_results",
)
COVERS: Final = ("same_args", "same_tool", "session")
ORDERS: Final = {
    "before": 2,
    "after": 2,
    "never_between": 3,
    "at_most_after": 3,
    "immediately_after": 2,
}
"""Order -> number of its items."""


def _read_must_call(value: Json, place: Place, key: str) -> list[Clause]:
    return [
        MustCall(id=f"must_call/{n}", selector=read_selector(item, place, at))
        for n, (at, item) in enumerate(read_items(value, place, key), start=1)
    ]


def _read_forbid_call(value: Json, place: Place, key: str) -> list[Clause]:
    return [
        ForbidCall(id=f"forbid_call/{n}", selector=read_selector(item, place, at))
        for n, (at, item) in enumerate(read_items(value, place, key), start=1)
    ]


def _read_only_call(value: Json, place: Place, key: str) -> list[Clause]:
    selectors = (read_selector(item, place, at) for at, item in read_items(value, place, key))
    return [OnlyCall(id="only_call/1", selectors=tuple(selectors))]


def _read_counts(value: Json, place: Place, key: str) -> list[tuple[int, Selector, int]]:
    """Return place, selector and bound of each entry of a mapping selstr -> integer."""
    return [
        (
            n,
            read_selector(text, place, step_key(key, text)),
            _read_count(bound, place, step_key(key, text)),
        )
        for n, (text, bound) in enumerate(read_mapping(value, place, key).items(), start=1)
    ]


def _read_count(value: Json, place: Place, key: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        shown = str(value) if isinstance(value, int | float) else describe(value)
        raise contract_error(
            place,
            key,
            f"is {shown}; expected an integer >= 0",
            fix="use 0 to forbid the call" if key.startswith("contract.max_calls") else None,
        )
    return value


def _read_max_calls(value: Json, place: Place, key: str) -> list[Clause]:
    return [
        MaxCalls(id=f"max_calls/{n}", selector=selector, limit=limit)
        for n, selector, limit in _read_counts(value, place, key)
    ]


def _read_min_calls(value: Json, place: Place, key: str) -> list[Clause]:
    return [
        MinCalls(id=f"min_calls/{n}", selector=selector, limit=limit)
        for n, selector, limit in _read_counts(value, place, key)
    ]


def _read_orders(value: Json, place: Place, key: str) -> list[Clause]:
    return [
        _read_order(item, place, at, f"order/{n}")
        for n, (at, item) in enumerate(read_items(value, place, key), start=1)
    ]


def _read_order(value: Json, place: Place, key: str, clause: str) -> Clause:
    given = read_mapping(value, place, key, known=ORDERS)
    if len(given) != 1:
        raise place.error(
            key, f"has {len(given)} keys; expected one of {', '.join(ORDERS)}", fix="split it"
        )
    kind, items = next(iter(given.items()))
    at = step_key(key, kind)
    if not isinstance(items, list) or len(items) != ORDERS[kind]:
        raise place.error(at, f"is {describe(items)}; expected a list of {ORDERS[kind]}")
    if kind == "at_most_after":
        first, then = (
            read_selector(item, place, step_key(at, n)) for n, item in enumerate(items[:2])
        )
        limit = _read_count(items[2], place, step_key(at, 2))
        return AtMostAfter(id=clause, first=first, then=then, limit=limit)
    selectors = [read_selector(item, place, step_key(at, n)) for n, item in enumerate(items)]
    if kind == "never_between":
        never, opens, closes = selectors
        return NeverBetween(id=clause, never=never, opens=opens, closes=closes)
    pair: dict[str, type[Before | After | ImmediatelyAfter]] = {
        "before": Before,
        "after": After,
        "immediately_after": ImmediatelyAfter,
    }
    return pair[kind](id=clause, first=selectors[0], then=selectors[1])


def _read_args(value: Json, place: Place, key: str) -> list[Clause]:
    found: list[Clause] = []
    for n, (tool, schema) in enumerate(read_mapping(value, place, key).items(), start=1):
        at = step_key(key, tool)
        problem = schema_problem(schema)
        if problem is not None:
            raise contract_error(place, at, f"cannot be used: {problem}")
        selector = read_selector(tool, place, at)
        found.append(ArgsSchema(id=f"args/{n}", selector=selector, schema=schema))
    return found


def _read_success_requires(value: Json, place: Place, key: str) -> list[Clause]:
    return [
        SuccessRequires(id=f"success_requires/{n}", evidence=read_evidence(item, place, at))
        for n, (at, item) in enumerate(read_items(value, place, key), start=1)
    ]


def _read_final_state(value: Json, place: Place, key: str) -> list[Clause]:
    names = tuple(read_text(item, place, at) for at, item in read_items(value, place, key))
    if not names:
        raise contract_error(place, key, "is an empty list; no state could ever be the final one")
    return [FinalState(id="final_state/1", names=names)]


def _read_answer(value: Json, place: Place, key: str) -> list[Clause]:
    return [
        AnswerRule(
            id=f"answer.{rule}/1",
            rule=rule,
            value=_read_answer_value(rule, item, place, step_key(key, rule)),
        )
        for rule, item in read_mapping(value, place, key, known=ANSWER_RULES).items()
    ]


def _read_answer_value(rule: str, value: Json, place: Place, key: str) -> Json:
    if rule == "json_schema":
        problem = schema_problem(value)
        if problem is not None:
            raise contract_error(place, key, f"cannot be used: {problem}")
        return value
    if rule == "quotes_results":
        return _read_true(value, place, key)
    read = read_pattern if rule.endswith("matches") else read_text
    return [read(item, place, at) for at, item in read_items(value, place, key)]


def _read_true(value: Json, place: Place, key: str) -> bool:
    if value is not True:
        raise place.error(
            key, f"is {describe(value)}; expected true", fix="remove it if it need not hold"
        )
    return True


def _read_limits(value: Json, place: Place, key: str) -> list[Clause]:
    given = read_mapping(value, place, key, known=MEASURES)
    return [
        Limit(
            id=f"limits/{n}",
            measure=measure,
            bound=_read_bound(measure, bound, place, step_key(key, measure)),
        )
        for n, (measure, bound) in enumerate(given.items(), start=1)
    ]


def _read_bound(measure: str, value: Json, place: Place, key: str) -> float:
    if measure in COUNTS:
        return _read_count(value, place, key)
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else -1
    if not math.isfinite(number) or number < 0:
        raise contract_error(place, key, f"is {describe(value)}; expected a number >= 0")
    return number


def _read_permissions(value: Json, place: Place, key: str) -> list[Clause]:
    return [
        _read_permission(item, place, at, f"permissions/{n}")
        for n, (at, item) in enumerate(read_items(value, place, key), start=1)
    ]


def _read_permission(value: Json, place: Place, key: str, clause: str) -> Clause:
    given = read_mapping(value, place, key, known=("grant", "covers", "by"))
    for name in ("grant", "covers"):
        if name not in given:
            raise place.error(step_key(key, name), "is missing; it is required", fix=f"add {name}")
    by = step_key(key, "by")
    return PermissionRule(
        id=clause,
        grant=read_selector(given["grant"], place, step_key(key, "grant")),
        covers=read_word(given["covers"], place, step_key(key, "covers"), known=COVERS),
        by=None if "by" not in given else read_word(given["by"], place, by, known=["other_actor"]),
    )


def _read_finishes(value: Json, place: Place, key: str) -> list[Clause]:
    _read_true(value, place, key)
    return [Finishes(id="finishes/1")]


READERS: Final[dict[str, Reader]] = {
    "must_call": _read_must_call,
    "forbid_call": _read_forbid_call,
    "only_call": _read_only_call,
    "max_calls": _read_max_calls,
    "min_calls": _read_min_calls,
    "order": _read_orders,
    "args": _read_args,
    "success_requires": _read_success_requires,
    "final_state": _read_final_state,
    "answer": _read_answer,
    "limits": _read_limits,
    "permissions": _read_permissions,
    "finishes": _read_finishes,
}
"""Key of a contract -> its reader, in the order of the grammar."""

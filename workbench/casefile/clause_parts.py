"""The parts that clauses are made of, read with their place for errors.

Every function takes `(value, place, key)`, a JSON value and where it is, and returns a model
value or raises an error that says where.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from workbench.casefile.grammar import (
    parse_classes,
    parse_predicate,
    parse_selector,
    regex_problem,
    selector_text,
)
from workbench.casefile.place import Place, describe, fix_of, nearest, shown_key, step_key
from workbench.errors import ContractError, InputError
from workbench.model.contract import Evidence, Predicate, Selector
from workbench.model.event import Requestor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from workbench.model.jsonvalue import Json, JsonMap

__all__ = [
    "REQUESTORS",
    "at_place",
    "contract_error",
    "read_evidence",
    "read_items",
    "read_mapping",
    "read_pattern",
    "read_predicate",
    "read_selector",
    "read_text",
    "read_word",
]

Read = TypeVar("Read")

REQUESTORS = (*Requestor, "any")


def contract_error(
    place: Place, key: str, message: str, *, fix: str | None = None
) -> ContractError:
    """Return the error of a clause that can never be judged as written."""
    return ContractError(
        message, place=place.at(key), key=shown_key(key), fix=fix or fix_of(message)
    )


def at_place(read: Callable[[str], Read], text: str, place: Place, key: str) -> Read:
    """Read a text of the grammar; its error gets the place."""
    try:
        return read(text)
    except InputError as error:
        message = str(error).removesuffix(f"\n  Fix: {error.fix}")
        raise contract_error(place, key, message, fix=error.fix) from None


def read_items(value: Json, place: Place, key: str) -> list[tuple[str, Json]]:
    """Return the items of a list with their keys; a scalar is a list of one."""
    if value is None:
        raise place.error(key, "is null; expected a list", fix="remove it, or fill it in")
    if isinstance(value, list):
        return [(step_key(key, at), item) for at, item in enumerate(value)]
    return [(key, value)]


def read_mapping(
    value: Json, place: Place, key: str, *, known: Iterable[str] | None = None
) -> JsonMap:
    """Return a mapping; with `known`, any other key is an error that names the nearest."""
    if not isinstance(value, dict):
        raise place.error(key, f"is {describe(value)}; expected a mapping")
    names = None if known is None else tuple(known)
    for name in value if names is not None else ():
        if name not in (names or ()):
            near = nearest(name, names or ())
            raise place.error(
                step_key(key, name),
                f"is not a key here; expected one of {', '.join(names or ())}",
                fix="remove it" if near is None else f"write {near}",
            )
    return value


def read_text(value: Json, place: Place, key: str) -> str:
    """Return a non-empty text."""
    if not isinstance(value, str) or not value:
        raise place.error(key, f"is {describe(value)}; expected a text that is not empty")
    return value


def read_word(value: Json, place: Place, key: str, *, known: Iterable[str]) -> str:
    """Return one of a closed set of words."""
    words = tuple(known)
    if isinstance(value, str) and value in words:
        return value
    near = nearest(value, words) if isinstance(value, str) else None
    raise place.error(
        key,
        f"is {describe(value)}; expected one of {', '.join(words)}",
        fix=None if near is None else f"write {near}",
    )


def read_pattern(value: Json, place: Place, key: str) -> str:
    """Return a regular expression that RE2 takes."""
    pattern = read_text(value, place, key)
    problem = regex_problem(pattern)
    if problem is not None:
        raise contract_error(
            place,
            key,
            f"is a pattern that RE2 refuses: {problem}",
            fix="RE2 has no look-around and no back-references; write it without",
        )
    return pattern


def read_predicate(value: Json, place: Place, key: str) -> Predicate:
    """Return one predicate."""
    return at_place(parse_predicate, read_text(value, place, key), place, key)


def _read_predicates(value: Json, place: Place, key: str) -> tuple[Predicate, ...]:
    return tuple(read_predicate(item, place, at) for at, item in read_items(value, place, key))


def read_selector(value: Json, place: Place, key: str) -> Selector:
    """Return a selector, from its text or its mapping."""
    if isinstance(value, str):
        return at_place(parse_selector, value, place, key)
    given = read_mapping(
        value, place, key, known=("tool", "where", "result", "class", "agent", "by")
    )
    tool = _read_tool(given, place, key)
    classes: tuple[str, ...] = ()
    if "class" in given:
        at = step_key(key, "class")
        classes = at_place(parse_classes, read_text(given["class"], place, at), place, at)
    agent = given.get("agent")
    by = given.get("by", "agent")
    selector = Selector(
        text="",
        tool=tool,
        where=_read_predicates(given.get("where", []), place, step_key(key, "where")),
        result=_read_predicates(given.get("result", []), place, step_key(key, "result")),
        classes=classes,
        agent=None if "agent" not in given else read_text(agent, place, step_key(key, "agent")),
        by=read_word(by, place, step_key(key, "by"), known=REQUESTORS),
    )
    return Selector(
        text=selector_text(selector),
        tool=selector.tool,
        where=selector.where,
        result=selector.result,
        classes=selector.classes,
        agent=selector.agent,
        by=selector.by,
    )


def _read_tool(given: JsonMap, place: Place, key: str) -> str:
    at = step_key(key, "tool")
    if "tool" not in given:
        raise place.error(at, "is missing; it is required", fix="add tool, a name or a glob")
    tool = read_text(given["tool"], place, at)
    if "#" in tool or tool != tool.strip():
        raise place.error(
            at,
            f"is {describe(tool)} with `#` or spaces around it; expected a tool name or glob",
            fix="name the class under `class`",
        )
    return tool


def read_evidence(value: Json, place: Place, key: str) -> Evidence:
    """Return a piece of evidence, from its short or its long form."""
    if isinstance(value, str):
        predicate = read_predicate(value, place, key)
        if len(predicate.path) < 2 or not isinstance(predicate.path[0], str):
            raise contract_error(
                place,
                key,
                "names no tool and path; expected tool.path op literal",
                fix='use the long form, {tool: NAME, pred: "path op literal"}',
            )
        return Evidence(text=value, tool=None, predicate=predicate)
    given = read_mapping(value, place, key, known=("tool", "pred", "args"))
    at = step_key(key, "pred")
    tool = _read_tool(given, place, key)
    if "pred" not in given:
        raise place.error(at, "is missing; it is required", fix="add pred, path op literal")
    predicate = read_predicate(given["pred"], place, at)
    return Evidence(
        text=f"{tool}: {predicate.text}",
        tool=tool,
        predicate=predicate,
        args=_read_predicates(given.get("args", []), place, step_key(key, "args")),
    )

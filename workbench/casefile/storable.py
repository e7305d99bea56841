"""What a case file can hold: the values that every YAML and JSON reader keeps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from workbench.casefile.place import step_key
from workbench.casefile.strict_yaml import MAX_DEPTH, MAX_INTEGER
from workbench.errors import CaseFormatError

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json

__all__ = ["check_storable", "is_storable"]

_ROOM: Final = 8
"""Levels that a case has above a result, and some to spare."""


def is_storable(value: Json) -> bool:
    """Whether a case file can hold a value as it is, below a fixture."""
    return _problem(value, MAX_DEPTH - _ROOM) is None


def check_storable(document: Json, *, place: str) -> None:
    """Refuse a document that a case file cannot hold.

    Raises:
        CaseFormatError: an integer beyond 2^53, a text that is no Unicode, nesting beyond 64.
    """
    found = _problem(document, MAX_DEPTH)
    if found is not None:
        key, message = found
        raise CaseFormatError(
            f"{message}; a case file cannot hold it",
            place=place,
            key=key,
            fix="redact it, or carry it as text",
        )


def _problem(value: Json, depth: int) -> tuple[str, str] | None:
    pending: list[tuple[str, Json, int]] = [("", value, 0)]
    while pending:
        key, item, level = pending.pop()
        message = _scalar_problem(item)
        if message is not None:
            return key, message
        if isinstance(item, dict | list) and level >= depth:
            return key, f"is nested deeper than {depth} levels"
        match item:
            case dict():
                for name, part in item.items():
                    if _scalar_problem(name) is not None:
                        return key, "has a key that is no Unicode text (a lone surrogate)"
                    pending.append((step_key(key, name), part, level + 1))
            case list():
                pending.extend((step_key(key, at), part, level + 1) for at, part in enumerate(item))
            case _:
                pass
    return None


def _scalar_problem(value: Json) -> str | None:
    match value:
        case bool() | None:
            return None
        case int() if abs(value) > MAX_INTEGER:
            return "is an integer beyond 2^53"
        case float() if not math.isfinite(value):
            return "is a number that JSON does not have"
        case str() if any("\ud800" <= sign <= "\udfff" for sign in value):
            return "is no Unicode text (a lone surrogate)"
        case _:
            return None

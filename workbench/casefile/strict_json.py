"""Strict JSON: what JSON readers disagree about is refused.

Refused: invalid UTF-8, duplicate keys, numbers that JSON does not have or that overflow, nesting
that the parser cannot follow.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from workbench.casefile.place import Place
from workbench.errors import CaseFormatError
from workbench.model.jsonvalue import finite_number, refuse_constant

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json

__all__ = ["load_json"]


def load_json(data: bytes | str, *, name: str) -> tuple[Json, Place]:
    """Read one JSON document.

    Args:
        data: its text, or its bytes in UTF-8.
        name: of the file, for errors.

    Raises:
        CaseFormatError: not JSON, or JSON that two readers would read differently.
    """
    text = data if isinstance(data, str) else _decoded(data, name)
    try:
        value = json.loads(
            text,
            parse_constant=refuse_constant,
            parse_float=finite_number,
            object_pairs_hook=_distinct,
        )
    except json.JSONDecodeError as error:
        raise CaseFormatError(
            f"is not JSON: {error.msg.lower()}; expected one JSON document",
            place=f"{name}:{error.lineno}",
            fix="check that the file is whole and no binary or compressed file",
        ) from None
    except RecursionError:
        raise CaseFormatError(
            "is nested too deeply to read; expected at most 500 levels",
            place=name,
            fix="flatten it",
        ) from None
    except ValueError as error:
        raise CaseFormatError(
            f"is not strict JSON: {error}", place=name, fix="write what JSON can say, once"
        ) from None
    return value, Place(name=name)


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CaseFormatError(
            f"is not UTF-8 text: byte {error.start} of {len(data)} cannot be read",
            place=name,
            fix="save the file as UTF-8",
        ) from None


def _distinct(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a mapping has the same key twice")
    return found

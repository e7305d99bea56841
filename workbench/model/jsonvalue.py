"""JSON as Python values, and how a text becomes one.

A JSON value is plain Python (`dict` with string keys, `list`, `str`, `int`, `float`, `bool`,
`None`) and is never changed once it is part of a model value. `ABSENT` stands for a field that
is not there, which differs from a recorded `null`.
"""

from __future__ import annotations

import ast
import json
import math
import re
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias

from workbench.model.quick_init import maker_of, quick_init

__all__ = [
    "ABSENT",
    "STRICT_DECODER",
    "Absent",
    "Json",
    "JsonMap",
    "Parsed",
    "TextForm",
    "finite_number",
    "parse_text",
    "refuse_constant",
    "same_json",
]

if TYPE_CHECKING:
    Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
    JsonMap: TypeAlias = dict[str, Json]
else:  # the codec reads hints at run time, where a recursive alias would not resolve
    Json = dict[str, Any] | list[Any] | str | int | float | bool | None
    JsonMap = dict[str, Any]

_LITERAL_LIMIT_CHARS: Final = 1_000_000
_OPENING: Final = ("{", "[", "(")
_CLOSING: Final = ("}", "]", ")")
"""A structure that Python writes ends with one; prose that begins with one most often does not."""
_LABEL: Final = re.compile(r"[\[({][^\[\](){}'\"#\\]*[\])}]\s*[^\s,]")
"""`[132] link ...`, `[INFO] ...`: no literal, and told so before a parser says it at length."""
_DEPTH_LIMIT: Final = 500
_JSON_SPACE: Final = " \t\n\r"
_LAST_OF: Final = {"{": "}", "[": "]", '"': '"'}
"""First character of a structure or text in JSON -> its last one."""
_SCALAR: Final = re.compile(r"(?:true|false|null|-?[0-9][0-9.eE+-]*)[ \t\n\r]*")


class Absent(Enum):
    """The type of `ABSENT`."""

    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False


ABSENT: Final = Absent.ABSENT


class TextForm(StrEnum):
    """How a text was read."""

    JSON = "json"
    LITERAL = "literal"
    """A Python literal, as several SDKs write results."""
    TEXT = "text"


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A text and the value that was read from it."""

    value: Json
    form: TextForm


_parsed: Final = maker_of(Parsed)


def parse_text(text: str) -> Parsed:
    """Read `text` as JSON, else as a Python literal, else leave it a text.

    Hostile texts end as texts: numbers that JSON does not have (`NaN`), nesting beyond 500
    levels, literals over a million characters, integers of thousands of digits.

    Source:
        design page 02, "Parse order"; the reverse order would read `True` in JSON-like text
        differently from the producers seen.
    """
    if not _may_be_json(text):
        return _parse_literal(text)
    try:
        value = STRICT_DECODER.decode(text)
    except (ValueError, RecursionError):
        return _parse_literal(text)
    few = text.count("[") + text.count("{") < _DEPTH_LIMIT
    if few or _depth_is_sane(value):
        return _parsed(value=value, form=TextForm.JSON)
    return _parsed(value=text, form=TextForm.TEXT)


def _may_be_json(text: str) -> bool:
    """Whether a text begins and ends as JSON does: a parser says at length why prose is none."""
    first = text[:1]
    if first in _JSON_SPACE:
        text = text.lstrip(_JSON_SPACE)
        first = text[:1]
    last = _LAST_OF.get(first)
    if last is not None:
        return text.endswith((last, *_JSON_SPACE)) and text.rstrip(_JSON_SPACE).endswith(last)
    return _SCALAR.fullmatch(text) is not None


def _parse_literal(text: str) -> Parsed:
    plain = _parsed(value=text, form=TextForm.TEXT)
    stripped = text.strip()
    if not stripped.startswith(_OPENING) or len(text) > _LITERAL_LIMIT_CHARS:
        return plain
    if not stripped.endswith(_CLOSING) or _LABEL.match(stripped):
        return plain
    try:
        value = _as_json(ast.literal_eval(stripped))
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return plain
    return Parsed(value=value, form=TextForm.LITERAL)


def _as_json(value: object) -> Json:
    """Translate a Python literal, which nests 200 levels at most; refuse what JSON cannot say."""
    match value:
        case None | bool() | int() | str():
            return value
        case float() if math.isfinite(value):
            return value
        case list() | tuple():
            return [_as_json(item) for item in value]
        case dict() if all(isinstance(key, str) for key in value):
            return {key: _as_json(item) for key, item in value.items()}
        case _:
            raise ValueError


def refuse_constant(_: str) -> NoReturn:
    """Refuse a word that Python's `json` takes for a number, as its `parse_constant`.

    Raises:
        ValueError: always.
    """
    raise ValueError("NaN and Infinity are no JSON numbers")


def finite_number(text: str) -> float:
    """Read a number with a point or an exponent, as the `parse_float` of Python's `json`.

    Raises:
        ValueError: it is too large for a double.
    """
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is too large for a double")
    return number


STRICT_DECODER: Final = json.JSONDecoder(parse_constant=refuse_constant, parse_float=finite_number)
"""Reads JSON and nothing more; a key that stands twice has its last value."""


def _depth_is_sane(value: Json) -> bool:
    level = [value]
    for _ in range(_DEPTH_LIMIT):
        level = [
            item
            for node in level
            if isinstance(node, dict | list)
            for item in (node.values() if isinstance(node, dict) else node)
        ]
        if not level:
            return True
    return False


def same_json(left: Json | Absent, right: Json | Absent) -> bool:
    """Whether two values are equal as JSON: `1 == 1.0`, `True != 1`, strings byte-exact.

    >>> same_json({"a": 1, "b": [True]}, {"b": [True], "a": 1.0})
    True
    >>> same_json(True, 1)
    False
    """
    if type(left) is str or type(right) is str:  # most values are
        return type(left) is type(right) and left == right
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(
            same_json(value, right[key]) for key, value in left.items()
        )
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same_json, left, right))
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    return type(left) is type(right) and left == right

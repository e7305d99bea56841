"""Where a value stands in a document, and what a message says of it.

A message names the place, what is there and what was expected; it never shows a text of the
input, only its type and length.
"""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from workbench.errors import CaseFormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Place", "describe", "fix_of", "nearest", "shown_key", "step_key"]

_WORD: Final = re.compile(r"[A-Za-z0-9_-]+")
_SHOWN_KEY: Final = 200


def step_key(key: str, step: str | int) -> str:
    """Extend a dotted path by one step; a step that is no word is written as a JSON string.

    >>> step_key("contract.max_calls", "billing.pause")
    'contract.max_calls."billing.pause"'
    """
    word = _step_word(step)
    return f"{key}.{word}" if key else word


@lru_cache(maxsize=4096)
def _step_word(step: str | int) -> str:
    text = str(step)
    return text if _WORD.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def shown_key(key: str) -> str:
    """Return a dotted path for a message; a name in it may be anything that a file can hold.

    >>> shown_key("tools." + "x" * 1000)[:9]
    'tools.xxx'
    >>> len(shown_key("tools." + "x" * 1000))
    201
    """
    return key if len(key) <= _SHOWN_KEY else f"{key[:_SHOWN_KEY]}…"


def fix_of(message: str) -> str:
    """Return what mends a value of which a message only says what was expected.

    >>> fix_of("is a number; expected a string")
    'write a string'
    """
    _, said, wanted = message.partition("; expected ")
    return f"write {wanted}" if said else "correct it, or take it out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A document and the lines of its values, for errors."""

    name: str
    lines: Mapping[str, int] = field(default_factory=dict)
    """Dotted path (see `step_key`) -> line, from 1."""

    def line(self, key: str) -> int | None:
        """Return the line of a value, or of the nearest one above it that has a line."""
        path = key
        while path and path not in self.lines:
            path = path.rpartition(".")[0]
        return self.lines.get(path)

    def at(self, key: str) -> str:
        """Return `name:line` of a value, or of the nearest one above it that has a line."""
        line = self.line(key)
        return self.name if line is None else f"{self.name}:{line}"

    def error(self, key: str, message: str, *, fix: str | None = None) -> CaseFormatError:
        """Return the error of a value at `key`; without `fix`, it is to write what was expected."""
        return CaseFormatError(
            message, place=self.at(key), key=shown_key(key), fix=fix or fix_of(message)
        )


def describe(value: object) -> str:
    """Say what a JSON value is without showing it.

    >>> describe("secret")
    'a string of 6 characters'
    """
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return "a number"
        case str():
            return f"a string of {len(value)} characters"
        case list():
            return f"a list of {len(value)}"
        case dict():
            return f"a mapping of {len(value)}"
        case _:
            return f"a {type(value).__name__}"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that looks most like `name`, if any does."""
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return found[0] if found else None

"""A text in which a pattern is found, for breaking clauses that search for one.

Reads the common part of RE2's syntax; what it does not know it gives up on. The result is
checked with RE2 itself, so a text that comes back is right.
"""

from __future__ import annotations

import re
from typing import Final

from workbench.check.predicates import found_in

__all__ = ["example_text"]

_LONGEST: Final = 1_000
_REPEAT: Final = re.compile(r"[*+?]|\{(\d+)(?:,\d*)?\}")
_GROUP: Final = re.compile(r"\?(?:P?<\w+>|[a-zA-Z-]*:|[a-zA-Z-]+(?=\)))")
_ESCAPES: Final = {
    "d": "0",
    "D": "a",
    "w": "a",
    "W": " ",
    "s": " ",
    "S": "a",
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "",
    "B": "",
    "A": "",
    "z": "",
}
_SIGNS: Final = "aA0 _-.,é中\n!#$%&'()*+/:;<=>?@[]^`{|}~\\\\\""


class _UnknownSyntaxError(Exception):
    """A part of a pattern that no text is made for."""


def example_text(pattern: str) -> str | None:
    """Return a text in which RE2 finds a pattern; None: none was found.

    >>> example_text("(?i)sk-[A-Za-z0-9]{4,}(end|x)?|y")
    'sk-AAAA'
    """
    try:
        text = _Reader(pattern).alternatives()
    except (_UnknownSyntaxError, IndexError, RecursionError):
        return None
    padded = (text, f" {text} ", f"a{text}a")
    return next((found for found in padded if found_in(pattern, found)), None)


class _Reader:
    """Reads a pattern from left to right and writes one text that fits."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def alternatives(self) -> str:
        """Read up to the end or a closing bracket; the first alternative is taken."""
        first = self._sequence()
        while self._peek() == "|":
            self._at += 1
            self._sequence()
        return first

    def _peek(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _take(self) -> str:
        sign = self._pattern[self._at]
        self._at += 1
        return sign

    def _sequence(self) -> str:
        parts: list[str] = []
        while self._peek() not in ("", "|", ")"):
            parts.append(self._atom() * self._count())
        return "".join(parts)

    def _count(self) -> int:
        """Read a repetition; the smallest number is taken."""
        found = _REPEAT.match(self._pattern, self._at)
        if found is None:
            return 1
        self._at = found.end()
        if self._peek() == "?":
            self._at += 1
        if found[1] is not None and int(found[1]) > _LONGEST:
            raise _UnknownSyntaxError
        return int(found[1]) if found[1] is not None else int(found[0] == "+")

    def _atom(self) -> str:
        sign = self._take()
        match sign:
            case "(":
                return self._group()
            case "[":
                return self._class()
            case "\\":
                return self._escape()
            case "^" | "$":
                return ""
            case ".":
                return "a"
            case _:
                return sign

    def _group(self) -> str:
        found = _GROUP.match(self._pattern, self._at)
        if found is not None:
            self._at = found.end()
        inner = self.alternatives()
        self._take()
        return inner

    def _escape(self) -> str:
        sign = self._take()
        if sign in _ESCAPES:
            return _ESCAPES[sign]
        if sign.isalnum():
            raise _UnknownSyntaxError
        return sign

    def _class(self) -> str:
        """Read a class and return a sign in it, found by asking RE2."""
        start = self._at - 1
        self._at += self._peek() == "^"
        self._at += self._peek() == "]"
        first = self._peek()
        while self._peek() != "]":
            if self._pattern.startswith("[:", self._at):
                self._at = self._pattern.index(":]", self._at) + 1
            self._at += 1 + (self._peek() == "\\")
            if self._at >= len(self._pattern):
                raise _UnknownSyntaxError
        self._at += 1
        written = self._pattern[start : self._at]
        return next((sign for sign in f"{first}{_SIGNS}" if found_in(written, sign)), "")

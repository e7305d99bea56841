"""The JSON text of a record: its strict value, and where each part of it stands in the text.

Offsets count characters of the text. Parsing is the standard library's; only the way down to a
part is walked here, so that the exact text of a part can be cut out.
"""

from __future__ import annotations

import json
import math
import re
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NoReturn, TypeAlias, cast

from workbench.errors import TraceFormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from workbench.model.jsonvalue import Json

__all__ = [
    "DEPTH_LIMIT",
    "TOO_DEEP",
    "Step",
    "TextMap",
    "depth_within",
    "elements",
    "has_lone_surrogate",
    "path_of",
    "read_value",
    "texts_in",
    "without_lone_surrogates",
]

Step: TypeAlias = "str | int"
Span: TypeAlias = tuple[int, int]

DEPTH_LIMIT: Final = 100
"""Levels of nesting that later steps, which walk values recursively, follow safely."""

TOO_DEEP: Final = f"is nested too deeply; expected at most {DEPTH_LIMIT} levels"

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_LONE_CANDIDATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_LONE: Final = re.compile(r"[\ud800-\udfff]")


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError("NaN and Infinity are no JSON numbers")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is too large for a double")
    return number


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)


def read_value(text: str, *, depth: int | None = DEPTH_LIMIT) -> Json:
    """Return the one JSON value that `text` is.

    Args:
        text: without a byte order mark; white space around the value is fine.
        depth: how deep it may nest; None: as deep as it can be parsed.

    Raises:
        TraceFormatError: not JSON, cut off, more than one value, a number that JSON does not
            have, or nested too deeply. It says no place.
    """
    try:
        value = cast("Json", _DECODER.decode(text))
    except json.JSONDecodeError as error:
        raise TraceFormatError(_reason(error, len(text))) from None
    except RecursionError:
        raise TraceFormatError(TOO_DEEP) from None
    except ValueError as error:
        known = "JSON" in str(error) or "double" in str(error)
        reason = str(error) if known else "an integer has more digits than can be read"
        raise TraceFormatError(f"is not strict JSON: {reason}") from None
    if depth is not None and not depth_within(value, depth):
        raise TraceFormatError(TOO_DEEP)
    return value


def _reason(error: json.JSONDecodeError, length: int) -> str:
    if error.pos >= length or error.msg.startswith("Unterminated string"):
        return f"is not whole: the JSON text is cut off after {length} characters"
    return f"is not JSON: {error.msg.lower()} at character {error.pos} of {length}"


def depth_within(value: Json, limit: int) -> bool:
    """Whether lists and mappings nest at most `limit` levels; a scalar has none."""
    level: list[Json] = [value]
    for _ in range(limit + 1):
        level = [
            item
            for node in level
            if isinstance(node, dict | list)
            for item in (node.values() if isinstance(node, dict) else node)
            if isinstance(item, dict | list)
        ]
        if not level:
            return True
    return False


def has_lone_surrogate(text: str) -> bool:
    """Whether `text`, JSON, may hold half of a surrogate pair as an escape."""
    return _LONE_CANDIDATE.search(text) is not None


def without_lone_surrogates(value: Json) -> tuple[Json, int]:
    """Replace halves of surrogate pairs, which no UTF-8 file can hold, by U+FFFD.

    Returns:
        The value and how many were replaced.
    """
    count = 0

    def mended(node: Json) -> Json:
        nonlocal count
        match node:
            case str():
                text, found = _LONE.subn("�", node)
                count += found
                return text
            case list():
                return [mended(item) for item in node]
            case dict():
                return {cast("str", mended(key)): mended(item) for key, item in node.items()}
            case _:
                return node

    return mended(value), count


# --- where the parts stand ---------------------------------------------------


def path_of(reference: str) -> tuple[Step, ...]:
    """Split a `source_ref` into steps.

    >>> path_of("data.messages.5.tool_calls.0")
    ('data', 'messages', 5, 'tool_calls', 0)
    """
    return tuple(int(step) if step.isdecimal() else step for step in reference.split("."))


def _space_end(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def elements(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Yield the span of each element of the list that starts at `at`; the text is valid JSON."""
    at = _space_end(text, at + 1)
    while text[at] != "]":
        end = _DECODER.raw_decode(text, at)[1]
        yield at, end
        at = _space_end(text, end)
        if text[at] == ",":
            at = _space_end(text, at + 1)


def _members(text: str, at: int) -> Iterator[tuple[str, Span]]:
    at = _space_end(text, at + 1)
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        at = _space_end(text, _space_end(text, end) + 1)  # behind the colon
        end = _DECODER.raw_decode(text, at)[1]
        yield key, (at, end)
        at = _space_end(text, end)
        if text[at] == ",":
            at = _space_end(text, at + 1)


def texts_in(text: str) -> Iterator[str]:
    """Yield the texts of JSON values that stand one after the other, with white space between.

    What is no JSON is yielded up to the end of its line.
    """
    at = _space_end(text, 0)
    while at < len(text):
        try:
            end = _DECODER.raw_decode(text, at)[1]
        except (ValueError, RecursionError):
            found = text.find("\n", at)
            end = len(text) if found < 0 else found
        yield text[at:end]
        at = _space_end(text, end)


class TextMap:
    """Finds the text of a part of one JSON value; remembers what it walked."""

    __slots__ = ("_children", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._children: dict[tuple[Step, ...], dict[Step, Span]] = {}

    @classmethod
    def of_lines(cls, lines: Sequence[str], numbered: Iterable[int]) -> TextMap:
        """Return the map of a list of values, each on its line.

        Args:
            lines: texts; those that are not `numbered` need not be JSON.
            numbered: positions of the lines that are values 0, 1, ...; a path starts with that.
        """
        made = cls("\n".join(lines))
        starts = [0, *accumulate(len(line) + 1 for line in lines)]
        spans = ((starts[at], starts[at] + len(lines[at])) for at in numbered)
        made._children[()] = dict(enumerate(spans))
        return made

    def span(self, path: tuple[Step, ...]) -> Span | None:
        """Return start and end of the part at `path`; None: there is no such part.

        Of a key that occurs twice the last one counts, as in the parsed value.
        """
        if not path:
            start = _space_end(self.text, 0)
            return start, len(self.text.rstrip(" \t\n\r"))
        parent, step = path[:-1], path[-1]
        if parent not in self._children:
            self._children[parent] = self._walked(self.span(parent))
        return self._children[parent].get(step)

    def _walked(self, span: Span | None) -> dict[Step, Span]:
        if span is None:
            return {}
        match self.text[span[0]]:
            case "[":
                return dict(enumerate(elements(self.text, span[0])))
            case "{":
                return dict(_members(self.text, span[0]))
            case _:
                return {}

"""The JSON text of a record: its strict value, and where each part of it stands in the text.

Offsets count characters of the text. Parsing is the standard library's; only the way down to a
part is walked here, so that the exact text of a part can be cut out.
"""

from __future__ import annotations

import json
import math
import re
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NoReturn, TypeAlias, cast

from workbench.errors import TraceFormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from workbench.model.jsonvalue import Json, JsonMap

__all__ = [
    "DEPTH_LIMIT",
    "TOO_DEEP",
    "Step",
    "TextMap",
    "depth_within",
    "elements",
    "has_lone_surrogate",
    "path_of",
    "read_mapped",
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
_MEMBER: Final = r'"([^"\\\x00-\x1f]*)"[ \t\n\r]*:[ \t\n\r]*'
_FIRST_MEMBER: Final = re.compile(r"\{[ \t\n\r]*" + _MEMBER)
_NEXT_MEMBER: Final = re.compile(r"[ \t\n\r]*,[ \t\n\r]*" + _MEMBER)
_COMMA: Final = re.compile(r"[ \t\n\r]*,[ \t\n\r]*")
_COLON: Final = re.compile(r"[ \t\n\r]*:[ \t\n\r]*")
_CLOSED: Final = re.compile(r"[ \t\n\r]*\}")
_BEHIND_ITEM: Final = re.compile(r"[ \t\n\r]*([,\]])[ \t\n\r]*")
_LIST_OF_MAPPINGS: Final = re.compile(r"\[[ \t\n\r]*\{")
_WALKED_CHARS: Final = 2048
"""From this length on it pays to note where parts stand while a text is parsed."""
_WALKED_LEVELS: Final = 2
"""Levels of mappings in which they are noted: formats keep messages no deeper."""
_CONTAINERS: Final = (dict, list)
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
_PLAIN: Final = json.JSONDecoder()
"""For text that is known to be strict JSON: no call of ours for each number."""


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
    _check_depth(text, value, depth)
    return value


def _check_depth(text: str, value: Json, depth: int | None) -> None:
    """Refuse what nests too deeply; few brackets in the text cannot."""
    if depth is None or text.count("[") + text.count("{") <= depth:
        return
    if not depth_within(value, depth):
        raise TraceFormatError(TOO_DEEP)


def read_mapped(text: str, *, depth: int | None = DEPTH_LIMIT) -> tuple[Json, TextMap]:
    """Return the one JSON value that `text` is, and the map of its parts.

    A long text is walked while it is parsed, so that its messages need not be looked for later.

    Raises:
        TraceFormatError: as for `read_value`.
    """
    if len(text) < _WALKED_CHARS:
        return read_value(text, depth=depth), TextMap(text)
    try:
        value, spans = TextMap.parsed(text)
    except (ValueError, RecursionError):  # `read_value` knows how to say why
        return read_value(text, depth=depth), TextMap(text)
    _check_depth(text, value, depth)
    return value, spans


def _reason(error: json.JSONDecodeError, length: int) -> str:
    if error.pos >= length or error.msg.startswith("Unterminated string"):
        return f"is not whole: the JSON text is cut off after {length} characters"
    return f"is not JSON: {error.msg.lower()} at character {error.pos} of {length}"


def depth_within(value: Json, limit: int) -> bool:
    """Whether lists and mappings nest at most `limit` levels; a scalar has none."""
    level = [value] if isinstance(value, _CONTAINERS) else []
    for _ in range(limit + 1):
        if not level:
            return True
        level = [
            item
            for node in level
            for item in (node.values() if isinstance(node, dict) else node)
            if isinstance(item, _CONTAINERS)
        ]
    return not level


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


@lru_cache(maxsize=4096)
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
    yield from _list(text, at, _PLAIN)[0].values()


def _list(
    text: str, at: int, decoder: json.JSONDecoder
) -> tuple[dict[Step, Span], list[Json], int]:
    """Read the list that starts at `at`: where its elements stand, its value, and its end.

    Raises:
        ValueError: the text is no JSON here.
    """
    spans: dict[Step, Span] = {}
    value: list[Json] = []
    at = _space_end(text, at + 1)
    if text.startswith("]", at):
        return spans, value, at + 1
    while True:
        item, end = decoder.raw_decode(text, at)
        spans[len(value)] = at, end
        value.append(item)
        found = _BEHIND_ITEM.match(text, end)
        if found is None:
            raise ValueError
        if found[1] == "]":
            return spans, value, found.end(1)
        at = found.end()


def _mapping(
    text: str, at: int, read: Callable[[str, int, str], tuple[Json, int]]
) -> tuple[dict[Step, Span], JsonMap, int]:
    """Read the mapping that starts at `at`, as `_list` does; of equal keys the last one counts.

    Args:
        text: which holds the mapping.
        at: where.
        read: takes text, start and key of a value; returns it and its end.

    Raises:
        ValueError: the text is no JSON here.
    """
    spans: dict[Step, Span] = {}
    value: JsonMap = {}
    found, end = _FIRST_MEMBER.match(text, at), at + 1
    while True:
        if found is not None:
            key, start = found[1], found.end()
        elif closed := _CLOSED.match(text, end):
            return spans, value, closed.end()
        else:
            key, start = _key_with_escapes(text, end, _COMMA if spans else _SPACE)
        value[key], end = read(text, start, key)
        spans[key] = start, end
        found = _NEXT_MEMBER.match(text, end)


def _key_with_escapes(text: str, at: int, before: re.Pattern[str]) -> tuple[str, int]:
    """Return the key that stands at `at`, and where its value starts."""
    gap = before.match(text, at)
    key, end = ("", 0) if gap is None else _PLAIN.raw_decode(text, gap.end())
    colon = _COLON.match(text, end)
    if colon is None or not isinstance(key, str):
        raise ValueError
    return key, colon.end()


def _plain_value(text: str, at: int, _: str) -> tuple[Json, int]:
    return _PLAIN.raw_decode(text, at)


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
    def parsed(cls, text: str) -> tuple[Json, TextMap]:
        """Return the strict value of a text, and its map with what was seen on the way.

        Raises:
            ValueError: it is no strict JSON.
            RecursionError: it nests too deeply to be parsed.
        """
        made = cls(text)
        value, end = made._read(_space_end(text, 0), (), _WALKED_LEVELS)
        if _space_end(text, end) != len(text):
            raise ValueError
        return value, made

    def _read(self, at: int, path: tuple[Step, ...], levels: int) -> tuple[Json, int]:
        """Read the value at `at`, and note where its parts stand."""
        text = self.text
        value: Json
        if levels and text.startswith("{", at):
            spans, value, end = _mapping(
                text, at, lambda _, start, key: self._member(start, (*path, key), levels - 1)
            )
        elif _LIST_OF_MAPPINGS.match(text, at):
            spans, value, end = _list(text, at, _DECODER)
        else:
            return cast("tuple[Json, int]", _DECODER.raw_decode(text, at))
        self._children[path] = spans
        return value, end

    def _member(self, at: int, path: tuple[Step, ...], levels: int) -> tuple[Json, int]:
        if path in self._children:
            raise ValueError  # a second value of one key: what was noted of the first is wrong
        return self._read(at, path, levels)

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
        return self.children(path[:-1]).get(path[-1])

    def children(self, path: tuple[Step, ...]) -> Mapping[Step, Span]:
        """Return where the members or elements of the part at `path` stand."""
        found = self._children.get(path)
        if found is None:
            found = self._children[path] = self._walked(path)
        return found

    def _walked(self, path: tuple[Step, ...]) -> dict[Step, Span]:
        span = self.span(path)
        if span is None:
            return {}
        at = span[0]
        if self.text.startswith("[", at):
            return _list(self.text, at, _PLAIN)[0]
        if not self.text.startswith("{", at):
            return {}
        below = TextMap(self.text)
        try:
            below._read(at, path, 1)
        except ValueError:  # a key occurs twice: only the later value's places count
            return _mapping(self.text, at, _plain_value)[0]
        self._children.update(below._children)
        return self._children[path]

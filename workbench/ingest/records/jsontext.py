"""JSON as the standard library reads it: strictly, with a reason for what is refused.

`parts` reads most texts faster and asks here for the rest; spans count characters of the text.
"""

from __future__ import annotations

import gc
import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from workbench.errors import TraceFormatError
from workbench.model.jsonvalue import STRICT_DECODER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.model.jsonvalue import Json

__all__ = [
    "CUT_OFF",
    "DEPTH_LIMIT",
    "FIX_CUT",
    "TOO_DEEP",
    "Step",
    "checked_depth",
    "depth_within",
    "element_spans",
    "member_spans",
    "path_of",
    "read_carefully",
    "texts_in",
    "without_lone_surrogates",
]

Step: TypeAlias = "str | int"
Span: TypeAlias = tuple[int, int]

DEPTH_LIMIT: Final = 100
"""Levels of nesting that later steps, which walk values recursively, follow safely."""

CUT_OFF: Final = "is not whole"
"""How the reason begins where a JSON text ends too early."""

FIX_CUT: Final = "the file ends in the middle of a record: export or copy it again, whole"

TOO_DEEP: Final = f"is nested too deeply; expected at most {DEPTH_LIMIT} levels"

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_MEMBER: Final = r'"([^"\\\x00-\x1f]*)"[ \t\n\r]*:[ \t\n\r]*'
_FIRST_MEMBER: Final = re.compile(r"\{[ \t\n\r]*" + _MEMBER)
_NEXT_MEMBER: Final = re.compile(r"[ \t\n\r]*,[ \t\n\r]*" + _MEMBER)
_COMMA: Final = re.compile(r"[ \t\n\r]*,[ \t\n\r]*")
_COLON: Final = re.compile(r"[ \t\n\r]*:[ \t\n\r]*")
_CLOSED: Final = re.compile(r"[ \t\n\r]*\}")
_BEHIND_ITEM: Final = re.compile(r"[ \t\n\r]*,?[ \t\n\r]*")
_CONTAINERS: Final = (dict, list)
_LONE: Final = re.compile(r"[\ud800-\udfff]")


_PLAIN: Final = json.JSONDecoder()
"""For text that is known to be strict JSON: no call of ours for each number."""


def read_carefully(text: str, *, depth: int | None = DEPTH_LIMIT) -> Json:
    """Return the one JSON value that `text` is, by the standard library.

    Args:
        text: without a byte order mark; white space around the value is fine.
        depth: how deep it may nest; None: as deep as it can be parsed.

    Raises:
        TraceFormatError: not JSON, cut off, more than one value, a number that JSON does not
            have, or nested too deeply. It says no place.
    """
    try:
        value = cast("Json", STRICT_DECODER.decode(text))
    except json.JSONDecodeError as error:
        raise TraceFormatError(_reason(error, len(text))) from None
    except RecursionError:
        raise TraceFormatError(TOO_DEEP) from None
    except ValueError as error:
        known = "JSON" in str(error) or "double" in str(error)
        reason = str(error) if known else "an integer has more digits than can be read"
        raise TraceFormatError(f"is not strict JSON: {reason}") from None
    return checked_depth(value, depth)


def checked_depth(value: Json, depth: int | None) -> Json:
    """Return a value that was read; refuse what nests too deeply.

    Raises:
        TraceFormatError: it nests deeper than `depth`; it says no place.
    """
    if depth is not None and not depth_within(value, depth):
        raise TraceFormatError(TOO_DEEP)
    return value


def _reason(error: json.JSONDecodeError, length: int) -> str:
    if error.pos >= length or error.msg.startswith("Unterminated string"):
        return f"{CUT_OFF}: the JSON text is cut off after {length} characters"
    return f"is not JSON: {error.msg.lower()} at character {error.pos} of {length}"


def depth_within(value: Json, limit: int) -> bool:
    """Whether lists and mappings nest at most `limit` levels; a scalar has none.

    The interpreter notes of a list or mapping what it refers to, to collect garbage, and of what
    holds neither that it need not be looked at. Asking that takes a quarter of the time of walking,
    which is done only for what is about as deep as the limit.
    """
    level: list[Any] = [value] if isinstance(value, _CONTAINERS) else []
    for _ in range(limit):
        if not level:
            return True
        level = list(filter(gc.is_tracked, gc.get_referents(*level)))
    return not level or _walked_within(value, limit)


def _walked_within(value: Json, limit: int) -> bool:
    level: list[Any] = [value]
    for _ in range(limit + 1):
        below: list[Any] = []
        for node in level:
            items = node.values() if isinstance(node, dict) else node
            below += [item for item in items if isinstance(item, _CONTAINERS)]
        level = below
    return not level


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


def element_spans(text: str) -> dict[Step, Span]:
    """Return the spans of the elements of a list; the text is valid JSON and starts with it."""
    spans: dict[Step, Span] = {}
    at = _space_end(text, 1)
    while not text.startswith("]", at):
        end = _PLAIN.raw_decode(text, at)[1]
        spans[len(spans)] = at, end
        found = _BEHIND_ITEM.match(text, end)
        at = end if found is None else found.end()
    return spans


def member_spans(text: str) -> dict[Step, Span]:
    """Return the spans of the members of a mapping, as `element_spans` does.

    Of equal keys the last one counts.
    """
    spans: dict[Step, Span] = {}
    found, end = _FIRST_MEMBER.match(text), 1
    while True:
        if found is not None:
            key, start = found[1], found.end()
        elif _CLOSED.match(text, end):
            return spans
        else:
            key, start = _key_with_escapes(text, end, _COMMA if spans else _SPACE)
        end = _PLAIN.raw_decode(text, start)[1]
        spans[key] = start, end
        found = _NEXT_MEMBER.match(text, end)


def _key_with_escapes(text: str, at: int, before: re.Pattern[str]) -> tuple[str, int]:
    """Return the key that stands at `at`, and where its value starts."""
    gap = before.match(text, at)
    assert gap is not None  # noqa: S101  the text is valid JSON
    key, end = _PLAIN.raw_decode(text, gap.end())
    colon = _COLON.match(text, end)
    assert colon is not None  # noqa: S101  the same
    return key, colon.end()


def texts_in(text: str) -> Iterator[str]:
    """Yield the texts of JSON values that stand one after the other, with white space between.

    What is no JSON is yielded up to the end of its line.
    """
    at = _space_end(text, 0)
    while at < len(text):
        try:
            end = STRICT_DECODER.raw_decode(text, at)[1]
        except (ValueError, RecursionError):
            found = text.find("\n", at)
            end = len(text) if found < 0 else found
        yield text[at:end]
        at = _space_end(text, end)

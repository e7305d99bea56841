"""Where the parts of one JSON value stand in its bytes.

`msgspec` reads JSON twice as fast as the standard library and hands out the exact bytes of a
member or an element. It is as strict as `jsontext`, where the two were compared, but for halves
of surrogate pairs and deep nesting, which it refuses: what it refuses is read by `jsontext`, which
also knows how to say why.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import ahocorasick_rs
import msgspec

from workbench.ingest.records.jsontext import (
    DEPTH_LIMIT,
    checked_depth,
    depth_within,
    element_spans,
    member_spans,
    read_carefully,
)
from workbench.model.jsonvalue import Parsed, TextForm, parse_text
from workbench.model.quick_init import maker_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from workbench.ingest.records.jsontext import Step
    from workbench.model.jsonvalue import Json

__all__ = ["PartMap", "read_text", "read_value"]

Span: TypeAlias = tuple[int, int]

_REFUSED: Final = (msgspec.DecodeError, RecursionError)
_VALUE: Final = msgspec.json.Decoder().decode
_MEMBERS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_ELEMENTS: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode
_parsed: Final = maker_of(Parsed)
_SPACE: Final = b" \t\n\r"
_STRUCTURES: Final = ("{", "[")
_OPENED: Final = re.compile(rb"\[[ \t\n\r]*")
_ENDED: Final = re.compile(rb"[ \t\n\r]*\]")
_BETWEEN: Final = frozenset((b" ", b"\t", b"\n", b"\r", b",", b""))
_GAP: Final = re.compile(rb"[ \t\n\r,]*")
_COLON: Final = re.compile(rb"[ \t\n\r]*:[ \t\n\r]*")
_CLOSED: Final = re.compile(rb"[ \t\n\r]*\}")


def read_value(text: str | bytes, *, depth: int | None = DEPTH_LIMIT) -> Json:
    """Return the one JSON value that `text` is.

    Args:
        text: without a byte order mark; white space around the value is fine.
        depth: how deep it may nest; None: as deep as it can be parsed.

    Raises:
        TraceFormatError: not JSON, cut off, more than one value, a number that JSON does not
            have, or nested too deeply. It says no place.
        UnicodeDecodeError: bytes that are no UTF-8 text.
    """
    try:
        value: Json = _VALUE(text)
    except (*_REFUSED, UnicodeError):
        plain = text.decode() if isinstance(text, bytes) else text
        return read_carefully(plain, depth=depth)
    return checked_depth(value, depth)


def read_text(text: str) -> Parsed:
    """Return what `parse_text` returns; JSON that stands in a text is most often a structure."""
    if text.startswith(_STRUCTURES):
        try:
            value: Json = _VALUE(text)
        except (*_REFUSED, UnicodeError):
            return parse_text(text)
        if depth_within(value, DEPTH_LIMIT):
            return _parsed(value=value, form=TextForm.JSON)
    return parse_text(text)


class PartMap:
    """Finds the bytes of a part of one JSON value; remembers what it walked."""

    __slots__ = ("_children", "raw")

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        """The value, perhaps with white space around it."""
        self._children: dict[tuple[Step, ...], dict[Step, Span]] = {}

    @classmethod
    def of_lines(cls, lines: Sequence[bytes], numbered: Iterable[int]) -> PartMap:
        """Return the map of a list of values, each on its line.

        Args:
            lines: those that are not `numbered` need not be JSON.
            numbered: positions of the lines that are values 0, 1, ...; a path starts with that.
        """
        made = cls(b"\n".join(lines))
        starts = [0, *accumulate(len(line) + 1 for line in lines)]
        spans = ((starts[at], starts[at] + len(lines[at])) for at in numbered)
        made._children[()] = dict(enumerate(spans))
        return made

    def text(self, path: tuple[Step, ...]) -> str | None:
        """Return the exact text of the part at `path`; None: there is no such part.

        Places are noted down to the first list on the way, which is that of the messages; what is
        below one message is asked for once.
        """
        known = next((n for n, step in enumerate(path, start=1) if isinstance(step, int)), None)
        span = self.span(path[:known])
        if span is None:
            return None
        part = self.raw[span[0] : span[1]]
        if known is None or known == len(path):
            return part.decode()
        try:
            below = _part_below(part, path[known:])
        except (*_REFUSED, ValueError):  # a name with quotes or controls; halves of pairs
            span = self.span(path)
            return None if span is None else self.raw[span[0] : span[1]].decode()
        return None if below is None else bytes(below).decode()

    def span(self, path: tuple[Step, ...]) -> Span | None:
        """Return start and end of the part at `path`; None: there is no such part.

        Of a key that occurs twice the last one counts, as in the parsed value.
        """
        if not path:
            start = len(self.raw) - len(self.raw.lstrip(_SPACE))
            return start, len(self.raw.rstrip(_SPACE))
        above, step = path[:-1], path[-1]
        known = self._children.get(above)
        if known is not None:
            return known.get(step)
        return self.children(above).get(step)

    def children(self, path: tuple[Step, ...]) -> Mapping[Step, Span]:
        """Return where the members or elements of the part at `path` stand."""
        found = self._children.get(path)
        if found is None:
            found = self._list_at(path)
            if found is None:
                span = self.span(path)
                found = {} if span is None else _walked(self.raw, span)
            self._children[path] = found
        return found

    def _list_at(self, path: tuple[Step, ...]) -> dict[Step, Span] | None:
        """Return where the elements of a list stand that has texts on the way to it, if quickly.

        None: it is to be walked to, step by step.
        """
        known = max((n for n in range(len(path)) if path[:n] in self._children), default=-1) + 1
        names = tuple(step for step in path[known:] if isinstance(step, str))
        around = self.span(path[:known])
        if around is None or not names or len(names) < len(path) - known:
            return None
        return _list_below(self.raw, around, names)


def _walked(raw: bytes, span: Span) -> dict[Step, Span]:
    start, end = span
    if raw.startswith(b"[", start):
        found = _elements(raw, start, end)
    elif raw.startswith(b"{", start):
        found = _members(raw, start, end)
    else:
        return {}
    return _walked_carefully(raw, start, end) if found is None else found


def _part_below(part: bytes, path: tuple[Step, ...]) -> msgspec.Raw | None:
    """Return the bytes of a part below another; None: there is no such part."""
    names = tuple(step if isinstance(step, str) else None for step in path)
    node = _decoder_to(names, msgspec.Raw)(part)
    for step in path:
        if node is None or (isinstance(step, int) and step >= len(node)):
            return None
        node = node.below if isinstance(step, str) else node[step]
    found: msgspec.Raw | None = node
    return found


def _list_below(raw: bytes, around: Span, names: tuple[str, ...]) -> dict[Step, Span] | None:
    """Return the spans of the elements of the list at the end of `names`.

    It stands behind its name; None: such a list stands there more often, or other than it is read.
    Where the name stands once, its two ends tell enough.
    """
    start, end = around
    try:
        node = _decoder_to(names, list[msgspec.Raw])(memoryview(raw)[start:end])
    except (*_REFUSED, ValueError):  # a name with quotes or controls
        return None
    for _ in names:
        node = node and node.below
    if node is None:
        return None
    if not node:
        return {}
    places = list(_values_of(raw, names[-1], start, end))
    found = [placed for at in places if (placed := _placed(raw, at, node)) is not None]
    which = range(1, len(node)) if len(places) > 1 else (len(node) - 1,)
    found = [placed for placed in found if _are_at(raw, placed, node, which)]
    return found[0] if len(found) == 1 else None


def _values_of(raw: bytes, name: str, start: int, end: int) -> Iterator[int]:
    """Yield where the values of this name stand; in a text, its quotes would be escaped."""
    for _, at, behind in _finder_of(name)(raw):
        colon = _COLON.match(raw, behind) if start <= at < end else None
        if colon is not None:
            yield colon.end()


@lru_cache(maxsize=64)
def _finder_of(name: str) -> Callable[[bytes], list[tuple[int, int, int]]]:
    """Return what finds a name in its quotes, twenty times as fast as `bytes.find`."""
    return ahocorasick_rs.BytesAhoCorasick([f'"{name}"'.encode()]).find_matches_as_indexes


@lru_cache(maxsize=256)
def _decoder_to(names: tuple[str | None, ...], kind: object) -> Callable[[bytes | memoryview], Any]:
    """Return what reads only the part at the end of `names`, and jumps over the rest.

    Args:
        names: of mappings in one another; None: all items of a list.
        kind: what the part is.
    """
    found: Any = kind
    for name in reversed(names):
        if name is None:
            found = list[found]
        else:
            below = ("below", found if found is msgspec.Raw else found | None, None)
            found = msgspec.defstruct("_Above", [below], rename={"below": name})
    return msgspec.json.Decoder(found).decode


def _elements(raw: bytes, start: int, end: int) -> dict[Step, Span] | None:
    """Return the spans of a list's elements."""
    try:
        items = _ELEMENTS(memoryview(raw)[start:end])
    except _REFUSED:
        return None
    return _placed(raw, start, items)


def _placed(raw: bytes, at: int, items: Sequence[msgspec.Raw]) -> dict[Step, Span] | None:
    """Return the spans of the elements of the list at `at`; None: no list begins there with them.

    Of those behind the first only the lengths are looked at. Only white space and a comma stand
    between two, most often the same as before.
    """
    opened = _OPENED.match(raw, at)
    if opened is None or (items and not raw.startswith(bytes(items[0]), opened.end())):
        return None
    found: dict[Step, Span] = {}
    gap, last = b"", opened.end()
    for n, item in enumerate(items):
        at = last + len(gap)
        if not raw.startswith(gap, last) or raw[at : at + 1] in _BETWEEN:
            gap = _GAP.match(raw, last).group()  # type: ignore[union-attr]  # it matches everywhere
            at = last + len(gap)
        last = at + memoryview(item).nbytes
        found[n] = at, last
        if not n:
            gap = b", "
    return found if _ENDED.match(raw, last) else None


def _are_at(
    raw: bytes, spans: Mapping[Step, Span], items: Sequence[msgspec.Raw], which: Iterable[int]
) -> bool:
    """Whether these of the elements stand there."""
    return all(raw.startswith(bytes(items[n]), spans[n][0]) for n in which)


def _members(raw: bytes, start: int, end: int) -> dict[Step, Span] | None:
    """Return the spans of a mapping's members; None: a key is written with escapes, or twice."""
    try:
        items = _MEMBERS(memoryview(raw)[start:end])
    except _REFUSED:
        return None
    found: dict[Step, Span] = {}
    at = start + 1
    for key, item in items.items():
        at = _GAP.match(raw, at).end()  # type: ignore[union-attr]  # it matches everywhere
        quoted = f'"{key}"'.encode()
        colon = _COLON.match(raw, at + len(quoted))
        if colon is None or not raw.startswith(quoted, at):
            return None
        first = colon.end()
        at = first + memoryview(item).nbytes
        if not raw.startswith(bytes(item), first):
            return None
        found[key] = first, at
    closed = _CLOSED.match(raw, at)
    return found if closed is not None and closed.end() == end else None


def _walked_carefully(raw: bytes, start: int, end: int) -> dict[Step, Span]:
    """Return the spans of what `msgspec` does not read."""
    text = raw[start:end].decode()
    spans = element_spans(text) if text.startswith("[") else member_spans(text)
    chars = sorted({0, *(at for span in spans.values() for at in span)})
    places = dict(zip(chars, _offsets(text, chars), strict=True))
    return {
        key: (start + places[one], start + places[other]) for key, (one, other) in spans.items()
    }


def _offsets(text: str, chars: Sequence[int]) -> Iterable[int]:
    """Return the bytes before each of these characters, of which the first is 0."""
    return accumulate((len(text[one:other].encode()) for one, other in pairwise(chars)), initial=0)

"""Values in their contexts, as a review shows code: what is there, and what will be there.

Raw values are masked on both sides, also those that only stand nearby; what is between them is
shown. A part is `{"t": text}`, `{"m": length}` (masked) or `{"p": pseudonym}`, with `own` on the
value that the hunk is about.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.redact.desk import Context, Look

__all__ = ["MAX_HUNKS", "Lines", "text_parts"]

MAX_HUNKS: Final = 40
"""Contexts of one value that are sent at once."""
_WIDTH: Final = 72
_Place: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mark:
    start: int
    end: int
    context: Context


class Lines:
    """The texts of a look, with every value in them."""

    def __init__(self, look: Look) -> None:
        self._marks: dict[_Place, list[_Mark]] = {}
        self._now: dict[tuple[str, str, int], Context] = {}
        for cluster in look.clusters:
            for context in cluster.contexts:
                end = context.start + len(context.value)
                mark = _Mark(start=context.start, end=end, context=context)
                self._marks.setdefault((context.at, context.text), []).append(mark)
                self._now[context.at, context.text, context.start] = context
        for marks in self._marks.values():
            marks.sort(key=lambda mark: (mark.start, mark.end))

    def now(self, context: Context) -> Context:
        """Return a context of another look as it is in this one."""
        return self._now.get((context.at, context.text, context.start), context)

    def hunks(self, contexts: Iterable[Context]) -> list[Json]:
        """Return contexts of values as they are in this look, the first `MAX_HUNKS` of them."""
        return [self._hunk(self.now(context)) for context in islice(contexts, MAX_HUNKS)]

    def _hunk(self, context: Context) -> JsonMap:
        own = _Mark(start=context.start, end=context.start + len(context.value), context=context)
        marks = [m for m in self.marks(context.at, context.text) if not _overlap(m, own)]
        marks = sorted([*marks, own], key=lambda mark: mark.start)
        start, end = _window(own, marks, len(context.text))
        inside = [mark for mark in marks if start <= mark.start and mark.end <= end]
        return {
            "at": context.at,
            "detector": context.detector,
            "score": round(context.score, 2),
            "stays": context.stays,
            "more_before": start > 0,
            "more_after": end < len(context.text),
            "old": list(_parts(context.text, start, end, inside, own, is_new=False)),
            "new": list(_parts(context.text, start, end, inside, own, is_new=True)),
        }

    def marks(self, at: str, text: str) -> list[_Mark]:
        """Return the values in a text, those inside others left out."""
        found: list[_Mark] = []
        for mark in self._marks.get((at, text), ()):
            if not found or mark.start >= found[-1].end:
                found.append(mark)
        return found


def text_parts(lines: Lines, at: str, text: str, start: int, end: int) -> list[Json]:
    """Return a text as it will reach the case, from one place to another.

    A value belongs to the portion that it begins in.
    """
    marks = lines.marks(at, text)
    inside = [mark for mark in marks if start <= mark.start < end]
    start = max([start, *(mark.end for mark in marks if mark.start < start)])
    end = max([end, *(mark.end for mark in inside)])
    return list(_parts(text, start, end, inside, None, is_new=True))


def _overlap(left: _Mark, right: _Mark) -> bool:
    return left.start < right.end and right.start < left.end


def _window(own: _Mark, marks: list[_Mark], length: int) -> tuple[int, int]:
    """Return what of a text is shown: no other value is cut in two."""
    start, end = max(0, own.start - _WIDTH), min(length, own.end + _WIDTH)
    for mark in marks:
        if mark.start < start < mark.end:
            start = mark.end
        if mark.start < end < mark.end:
            end = mark.start
    return start, end


def _parts(
    text: str, start: int, end: int, marks: list[_Mark], own: _Mark | None, *, is_new: bool
) -> Iterator[Json]:
    at = start
    for mark in marks:
        if mark.start > at:
            yield {"t": text[at : mark.start]}
        yield _part(mark, own, is_new=is_new)
        at = mark.end
    if at < end:
        yield {"t": text[at:end]}


def _part(mark: _Mark, own: _Mark | None, *, is_new: bool) -> JsonMap:
    context = mark.context
    part: JsonMap = {"m": len(context.value)}
    if context.stays == "rejected" and mark is not own:
        part = {"t": context.value}
    elif is_new and context.stays is None:
        part = {"p": context.pseudonym}
    return {**part, "own": True} if mark is own else part

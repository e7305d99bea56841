"""Two traces side by side around the event where they part, in the width of the terminal."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

from workbench.runner.reports.harmless import harmless

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["fitted", "side_by_side"]

_NARROWEST: Final = 20
_BETWEEN: Final = " | "
_SAME: Final = "  "
_APART: Final = "> "
_AFTER: Final = ". "
_WIDE: Final = frozenset({"W", "F"})


def side_by_side(document: JsonMap, *, heads: tuple[str, str], width: int) -> Iterator[str]:
    """Yield the rows of a parting (see `runner.beside`): `>` where they part, `.` downstream.

    Args:
        document: with `beside`; one without has no rows.
        heads: what stands over the two columns.
        width: columns of the terminal; below 45 it is not kept.
    """
    rows = document.get("beside")
    if not isinstance(rows, list) or not rows:
        return
    column = max(_NARROWEST, (width - len(_APART) - len(_BETWEEN)) // 2)
    texts = [(_text(row, "first"), _text(row, "second")) for row in rows]
    column = min(column, max(_cells(text) for pair in (heads, *texts) for text in pair))
    yield _row(_SAME, heads, column)
    mark = _APART
    for row, pair in zip(rows, texts, strict=True):
        apart = isinstance(row, dict) and row["apart"] is True
        yield _row(mark if apart else _SAME, pair, column)
        mark = _AFTER if apart else mark


def _text(row: Json, side: str) -> str:
    entry = row.get(side) if isinstance(row, dict) else None
    return harmless(f"{entry['seq']} {entry['text']}") if isinstance(entry, dict) else "-"


def _row(mark: str, pair: tuple[str, str], column: int) -> str:
    return f"{mark}{fitted(pair[0], column)}{_BETWEEN}{fitted(pair[1], column)}".rstrip()


def fitted(text: str, cells: int) -> str:
    """Return `text` cut or filled up to a number of terminal cells; `…` where something is cut.

    >>> fitted("abcdef", 4), fitted("ab", 4)
    ('abc…', 'ab  ')
    """
    if _cells(text) > cells:
        text = text[:cells]
        while _cells(text) > cells - 1:
            text = text[:-1]
        text += "…"
    return text + " " * (cells - _cells(text))


def _cells(text: str) -> int:
    """Return how many cells of a terminal a text takes; East Asian signs take two."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in _WIDE)
        for char in text
    )

"""How trace text may be printed: made harmless, cut, or masked.

A terminal obeys control characters and reorders by bidirectional marks, so that a trace could
rewrite what the reader sees. Nothing of a trace is printed but through `harmless` or `masked`.
"""

from __future__ import annotations

import json
import os
import re
import sys
from typing import TYPE_CHECKING

from workbench.model.jsonvalue import ABSENT, Absent

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from workbench.model.jsonvalue import Json

__all__ = ["bold", "cut", "masked", "red", "table", "wants_colour"]

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,39}")


def cut(text: str, width: int) -> str:
    """Return at most `width` characters, the last one an ellipsis where something is missing."""
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def masked(value: Json | Absent, *, depth: int = 2) -> str:
    """Describe a JSON value without showing any text of it; keys only where they are words.

    >>> masked({"email": "ada@example.com", "n": [1, 2]})
    '{email: text(15), n: [2 x number]}'
    """
    if value is ABSENT:
        return "-"
    match value:
        case None | bool():
            return json.dumps(value)
        case int() | float():
            return "number"
        case str():
            return f"text({len(value)})"
        case list() if not value:
            return "[]"
        case list():
            first = masked(value[0], depth=depth - 1) if depth > 0 else "…"
            return f"[{len(value)} x {first}]" if len(value) > 1 else f"[{first}]"
        case dict() if depth <= 0 and value:
            return f"{{{len(value)} keys}}"
        case _:
            items = (
                f"{_key(name)}: {masked(item, depth=depth - 1)}" for name, item in value.items()
            )
            return "{" + ", ".join(items) + "}"


def _key(name: str) -> str:
    return name if _WORD.fullmatch(name) else f"key({len(name)})"


def wants_colour(stream: TextIO) -> bool:
    """Whether to print colours: a terminal, and `NO_COLOR` is not set."""
    return stream.isatty() and not os.environ.get("NO_COLOR")


def bold(text: str) -> str:
    """Return `text` in bold where stdout takes it."""
    return f"\x1b[1m{text}\x1b[0m" if wants_colour(sys.stdout) else text


def red(text: str) -> str:
    """Return `text` in red where stdout takes it."""
    return f"\x1b[31m{text}\x1b[0m" if wants_colour(sys.stdout) else text


def table(rows: Sequence[tuple[str, ...]], *, head: tuple[str, ...] | None = None) -> str:
    """Lay out rows in columns, two blanks apart, each as wide as its longest cell."""
    every = [head, *rows] if head else rows
    if not every:
        return ""
    widths = [max(len(row[at]) for row in every) for at in range(len(every[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in every
    )

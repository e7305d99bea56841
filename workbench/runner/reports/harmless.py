"""Text that a terminal only prints: names in a case come from strangers."""

from __future__ import annotations

import unicodedata
from typing import Final

__all__ = ["harmless"]

_REFUSED: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def harmless(text: str) -> str:
    r"""Return `text` with what moves, hides or colours as escapes.

    >>> print(harmless("a\x1b[31mb"))
    a\x1b[31mb
    """
    return "".join(
        char.encode("unicode_escape").decode("ascii")
        if unicodedata.category(char) in _REFUSED
        else char
        for char in text
    )

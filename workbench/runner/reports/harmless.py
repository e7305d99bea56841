"""Text that a terminal and the log of a CI service only print: names in a case come from strangers.

A terminal obeys control characters and reorders by bidirectional marks. A CI service reads its
log line by line: GitHub obeys lines that begin with `::` and `##[` anywhere, Azure `##vso[`,
TeamCity `##teamcity[`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

__all__ = ["harmless"]

_REFUSED: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_COMMAND: Final = re.compile(r"##(?=\[|vso\[|teamcity\[)", re.IGNORECASE)
_LINE_COMMAND: Final = re.compile(r"\A(\s*):(?=:)")


def harmless(text: str) -> str:
    r"""Return `text` with what moves, hides, colours or commands as escapes.

    >>> print(harmless("a\x1b[31mb"))
    a\x1b[31mb
    >>> print(harmless("::error::x"), harmless("##[add-mask]x"))
    \x3a:error::x #\x23[add-mask]x
    """
    if not (text.isascii() and text.isprintable()):
        text = "".join(map(_escaped, text))
    return _LINE_COMMAND.sub(r"\1\\x3a", _COMMAND.sub(r"#\\x23", text))


def _escaped(char: str) -> str:
    if unicodedata.category(char) in _REFUSED or _is_no_character(ord(char)):
        return char.encode("unicode_escape").decode("ascii")
    return char


def _is_no_character(code: int) -> bool:
    """Whether Unicode keeps a code point for nobody; XML refuses two of them."""
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF

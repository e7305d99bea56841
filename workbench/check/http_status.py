"""An HTTP status that stands in an error's text: `billing backend 504: upstream timeout`.

A number alone says nothing: accounts, orders and lines have numbers too. It counts where the
words around it say that something answered with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.check.predicates import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["status_in"]

_REASON: Final = (
    r"(?:Gateway Time-?out|Bad Gateway|Service (?:Temporarily )?Unavailable|Internal Server Error"
    r"|Too Many Requests|Bad Request|Unauthorized|Payment Required|Forbidden|Not Found"
    r"|Method Not Allowed|Not Acceptable|Request Time-?out|Conflict|Gone|Precondition Failed"
    r"|(?:Payload|Content|Request Entity) Too Large|Unprocessable (?:Entity|Content)|Locked"
    r"|Client Closed Request|Not Implemented|(?:Client|Server) Error)\b"
)
_ENDS: Final = r"(?:[:.,;)\]'\"]|\s*$| -|\s+\(|\s+" + _REASON + ")"
_PLACES: Final = (
    (
        r"\bHTTP(?:/\d(?:\.\d)?|Error|StatusError|Exception)?[ :=('-]{1,3}"
        r"(?:(?:status|error|code)[ :=]{1,3}){0,2}([45]\d\d)\b"
    ),
    (
        r"\b(?:status|status[ _-]?code|error[ _-]code|response[ _-]code)['\"]?[ :=]{1,3}"
        r"(?:was |is |of )?([45]\d\d)\b"
    ),
    r"\b(?:returned|responded with|answered(?: with)?|replied with|failed with|received|got)"
    r"(?: an?)?(?: HTTP| status| error)? ([45]\d\d)" + _ENDS,
    r"\b(?:backend|gateway|upstream|proxy|api|endpoint|(?:client|server|http) error)"
    r"(?: error)?[ :]{1,2}([45]\d\d)" + _ENDS,
    r"(?:^|[:;,(\[\"'>-] ?|\berror )([45]\d\d)(?: -)? " + _REASON,
    r"^[\s\"'\[(]*([45]\d\d):",
)
_PATTERN: Final = "(?i)" + "|".join(_PLACES)


def status_in(texts: Iterable[str]) -> int | None:
    """Return the HTTP status that the first text with one names, from 400 to 599.

    >>> status_in(["billing backend 504: retry-after=2"]), status_in(["account 504: closed"])
    (504, None)
    """
    pattern = compile_pattern(_PATTERN)
    for text in texts:
        found = pattern.search(text)
        if found is not None:
            return int(next(group for group in found.groups() if group is not None))
    return None

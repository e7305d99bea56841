"""Pseudonyms of this tool in a raw record: someone put a redacted value back into real work.

Only values of ranges that the world keeps free can be told from real ones: reserved names of
hosts, numbers of films, issuers that nobody is, addresses of documentation. A drawn name, street,
key, account, day, IBAN or hardware address looks like any other, by intent.

Source:
    RFC 2606, RFC 6761 (names); RFC 5737, RFC 3849, RFC 2544 (addresses); the North American
    Numbering Plan's 555-0100 to 555-0199; design page 05.
"""

from __future__ import annotations

import re
from typing import Final

from workbench.ingest.events.hints import Mark, mark_counter

__all__ = ["PSEUDONYMS", "count_pseudonyms"]

_KIND: Final = "pseudonym"

_FREE_LABEL: Final = "example|invalid|x[bdefgh]|zq(?:x(?:j(?:k(?:v)?)?)?)?[bdefgh]"
_HOST: Final = rf"[\w.-]{{1,100}}\.(?:{_FREE_LABEL})(?![\w-]|\.\w)"
_HOST_HINTS: Final = (".example", ".invalid", ".zq", *(f".x{letter}" for letter in "bdefgh"))
_OCTET: Final = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_END: Final = r"(?![\d.]*\d)"

# Each pattern starts with plain characters, which are found quickly; what stands before them is
# looked at from behind them.
_PSEUDONYMS: Final = (
    (_HOST_HINTS, re.compile(f"@{_HOST}")),
    (_HOST_HINTS, re.compile(f"://{_HOST}")),
    (("99999",), re.compile(r"99999(?<![\d.][89]99999)(?<=[89]99999)\d{7,13}(?!\d|\.\d)")),
    (
        ("999-99", "999 99"),
        re.compile(r"999(?<!\d[89]999)(?<=[89]999)[- ]99\d\d[- ]\d{4}[- ]\d{1,7}(?!\d)"),
    ),
    (
        ("555",),
        re.compile(
            r"555(?:(?<=[2-9]\d\d555)|(?<=[2-9]\d\d[-. )]555)|(?<=[2-9]\d\d\) 555))"
            r"[-. ]?01\d\d(?!\d)"
        ),
    ),
    (("192.0.2.",), re.compile(rf"192\.0\.2\.(?<![\d.]192\.0\.2\.){_OCTET}{_END}")),
    (("198.51.100.",), re.compile(rf"198\.51\.100\.(?<![\d.]198\.51\.100\.){_OCTET}{_END}")),
    (("203.0.113.",), re.compile(rf"203\.0\.113\.(?<![\d.]203\.0\.113\.){_OCTET}{_END}")),
    (
        ("198.18.", "198.19."),
        re.compile(rf"198\.1[89]\.(?<![\d.]198\.1\d\.){_OCTET}\.{_OCTET}{_END}"),
    ),
    (("2001:db8:",), re.compile(r"2001:db8:(?<![\w:]2001:db8:)[0-9a-f:]{1,34}(?![\w:])")),
)
"""Texts of which a pseudonym has at least one, found quickly; and its pattern."""

_NUMBER_BYTES: Final = 96
"""No number is longer than this, with what is looked at around it."""
PSEUDONYMS: Final = tuple(
    Mark(kind=_KIND, hints=hints, pattern=pattern)
    if hints is _HOST_HINTS
    else Mark(kind=_KIND, hints=hints, pattern=pattern, reach_bytes=_NUMBER_BYTES)
    for hints, pattern in _PSEUDONYMS
)
_counted: Final = mark_counter(PSEUDONYMS)


def count_pseudonyms(text: str) -> int:
    """Count values that redaction makes and nobody has.

    >>> count_pseudonyms("kolu@bvarn.example called +1 415-555-0142 from 203.0.113.9")
    3
    >>> count_pseudonyms("anna@example.com called 415-555-2002 from 203.0.114.9")
    0
    """
    return _counted(text).get(_KIND, 0)

"""Addresses of mail, grown from their sign: nothing here backtracks.

What stands around a sign, a doubled one, `%40` or `(at)`, is taken in as far as an address may
reach. The text is projected (see `shapes`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["mail_spans"]

_SIGN: Final = re.compile(r"@|%40|[\[(]\s?at\s?[\])]")
_LOCAL: Final = frozenset(".+%-_,'")
_HOST: Final = frozenset(".-_,")
_VERSION: Final = re.compile(r"v?\d[\w.+-]{0,20}|latest|next|main|master|stable|localhost")
_USER_PART: Final = re.compile(r"://[^/\s@]{1,128}:\Z")
_LAST_LABEL: Final = re.compile(r"[A-Za-z]{2,4}(?:[.,][A-Za-z]{2,3})?")
_LABELS: Final = re.compile(r"[A-Za-z]{2,4}|[A-Za-z]{2,16}(?:[.,][A-Za-z]{2,16}){1,3}")
"""Behind a host that has no dot yet."""
_TAIL: Final = re.compile(r"([.,;:_@-]{0,2})")


def mail_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where addresses are in a projected text, damaged ones with their damage."""
    if _SIGN.search(text) is None:
        return
    for match in re.finditer(r"\s?(?:@{1,3}|%40)\s?|\s?[\[(]\s?at\s?[\])]\s?", text):
        start = _grow(text, match.start(), -1, _LOCAL)
        end = _grow(text, match.end(), 1, _HOST)
        start = _past_list(text, start, match.start())
        end = _before_list(text, match.end(), end)
        spaced = match[0] != match[0].strip()
        host = text[match.end() : end]
        if start == match.start() or end == match.end() or not any(c.isalnum() for c in host):
            continue
        if spaced and "." not in host:
            continue
        if _USER_PART.search(text, max(0, start - 200), start):
            continue  # a password in a URL, found as a secret
        if _is_version(host):
            continue  # package@1.2.3, prompt@v43
        yield start, _to_the_end(text, start, end)


def _is_version(host: str) -> bool:
    """Whether what is behind the sign is a version; `163.com` and `2x.io` are hosts."""
    last = host.rpartition(".")[2]
    is_host = "." in host and len(last) >= 2 and last.isalpha()
    return _VERSION.fullmatch(host) is not None and not is_host


def _to_the_end(text: str, start: int, end: int) -> int:
    """Take in marks behind an address that is all of a text, or all that quotes hold."""
    tail = _TAIL.match(text, end)
    if tail is None or not tail[1]:
        return end
    alone = start == 0 and tail.end() == len(text)
    quoted = (
        start > 0
        and text[start - 1] in "\"'<`"
        and text[tail.end() : tail.end() + 1] in tuple("\"'>`")
    )
    return tail.end() if alone or quoted else end


def _past_list(text: str, start: int, at: int) -> int:
    """Move the start past the last comma when what is before it belongs to another field."""
    comma = text.rfind(",", start, at)
    if comma < 0:
        return start
    complete = "." in text[comma:at] or text[start - 1 : start] in ("@", ",")
    return comma + 1 if complete else start


def _before_list(text: str, at: int, end: int) -> int:
    """Move the end before a comma, unless it stands for the dot of a last label (`mail,com`)."""
    comma = text.find(",", at, end)
    if comma < 0:
        return end
    labels = _LABELS if "." not in text[at:comma] else _LAST_LABEL
    if labels.fullmatch(text, comma + 1, end) and text[end : end + 1] != "@":
        return end
    return comma


def _grow(text: str, at: int, step: int, allowed: frozenset[str]) -> int:
    """Move outwards over letters, digits and `allowed`, 128 characters at most."""
    edge = at
    for _ in range(128):
        char = text[edge - 1 : edge] if step < 0 else text[edge : edge + 1]
        if not char or not (char.isalnum() or char in allowed) or "\u2e80" <= char <= "\u9fff":
            break
        edge += step
    while edge != at and not _ends_word(text[edge] if step < 0 else text[edge - 1], step):
        edge -= step
    return edge


def _ends_word(char: str, step: int) -> bool:
    return char.isalnum() or char == "_" or (step < 0 and char == "+")

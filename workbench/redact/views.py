"""Views of a document: each undoes one way in which a value can be written."""

from __future__ import annotations

import base64
import binascii
import html
import itertools
import re
import unicodedata
import zlib
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote, unquote_plus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["VIEWS", "View", "compact", "fold_text"]

_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]"
)
_MARKS: Final = re.compile("[\u0300-\u036f]")
_ESCAPE: Final = re.compile(
    r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|\\(.)",
    re.DOTALL,
)
_SIMPLE: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{11,}")
_HEX: Final = re.compile(
    r"(?:[0-9a-fA-F]{2}){5,}|(?:\\x[0-9a-fA-F]{2}|[0-9a-fA-F]{2}[ :]){5,}[0-9a-fA-F]{0,2}"
)
_SPACED: Final = re.compile(r"(?<!\w)(?:\w[\s._\-*|,/]{1,2}){4,200}\w(?!\w)")
_GROUPED: Final = re.compile(r"\+?\d(?:[\s\-./()_]{0,2}\d){6,40}")
_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?', re.DOTALL)
_CLOSING: Final = re.compile(r"[\s,\[\]{}]*")
_SEAM_CHARS: Final = 64
_HEAD_WORD: Final = re.compile(r"\A[^\W_]+")
_TAIL_WORD: Final = re.compile(r"[^\W_]+\Z")
_BETWEEN: Final = "\n\0\n"
_MAX_INFLATED: Final = 4_000_000


class View(NamedTuple):
    """A way to look at a document."""

    name: str
    texts: Callable[[str], Iterator[str]]
    plain: bool = False
    """Short values are searched for too."""
    compact: bool = False
    """The texts are letters and digits only, and cores are searched for."""


def fold_text(text: str) -> str:
    """Return a text without case, width, marks and invisible characters."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).casefold()
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", plain)))


def compact(text: str) -> str:
    """Return the letters and digits of a folded text."""
    return "".join(c for c in fold_text(text) if c.isalnum())


def _raw(text: str) -> Iterator[str]:
    yield text


def _url(text: str) -> Iterator[str]:
    if "%" in text:
        yield unquote(text)
        yield unquote_plus(text)


def _url_twice(text: str) -> Iterator[str]:
    if "%25" in text:
        yield unquote(unquote(text))
        yield unquote_plus(unquote_plus(text))


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_plain_escape, text)


def _plain_escape(match: re.Match[str]) -> str:
    high, low, unit, byte, simple = match.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    if unit or byte:
        return chr(int(unit or byte, 16))
    return _SIMPLE.get(simple, simple)


def _escapes(text: str) -> Iterator[str]:
    if "\\" in text:
        yield _unescaped(text)


def _escapes_twice(text: str) -> Iterator[str]:
    if "\\\\" in text:
        twice = _unescaped(_unescaped(text))
        yield twice
        yield _unescaped(twice)


def _entities(text: str) -> Iterator[str]:
    if "&" in text:
        once = html.unescape(text)
        yield once
        yield html.unescape(once)


def _reversed(text: str) -> Iterator[str]:
    yield text[::-1]


@lru_cache(maxsize=2)
def _blobs(text: str) -> tuple[tuple[bytes, bytes], ...]:
    """Return (bytes of base64 runs, inflated bytes or nothing), at every alignment."""
    found = []
    for match in _BASE64.finditer(text):
        if match[0].isalpha() and match[0][1:].islower():
            continue  # a word
        run = match[0].replace("-", "+").replace("_", "/")[:2_000_000]
        for shift in range(4):
            body = run[shift:]
            body = body[: len(body) // 4 * 4] if len(body) % 4 == 1 else body
            try:
                data = base64.b64decode(body + "=" * (-len(body) % 4))
            except (binascii.Error, ValueError):
                continue
            found.append((data, _inflated(data) if shift == 0 else b""))
    return tuple(found)


def _inflated(data: bytes) -> bytes:
    for start, bits in ((b"\x1f\x8b", 31), (b"\x78", 15)):
        if data.startswith(start):
            try:
                return zlib.decompressobj(bits).decompress(data, _MAX_INFLATED)
            except zlib.error:
                return b""
    return b""


def _shown(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _base64(text: str) -> Iterator[str]:
    yield _BETWEEN.join(_shown(data) for data, _ in _blobs(text))


def _gzip(text: str) -> Iterator[str]:
    for _, inflated in _blobs(text):
        if inflated:
            yield _shown(inflated)


def _jwt(text: str) -> Iterator[str]:
    for match in re.finditer(r"eyJ[\w-]{4,}\.([\w-]{4,})", text):
        body = match[1]
        try:
            yield _unescaped(_shown(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))))
        except (binascii.Error, ValueError):
            continue


def _hex(text: str) -> Iterator[str]:
    found = []
    for match in _HEX.finditer(text):
        digits = re.sub(r"[^0-9a-fA-F]", "", match[0].replace("\\x", ""))
        for shift in (0, 1):
            part = digits[shift:]
            found.append(_shown(bytes.fromhex(part[: len(part) // 2 * 2])))
    yield _BETWEEN.join(found)


def _spaced(text: str) -> Iterator[str]:
    yield _BETWEEN.join(compact(match[0]) for match in _SPACED.finditer(text))


def _grouped(text: str) -> Iterator[str]:
    yield _BETWEEN.join(compact(match[0]) for match in _GROUPED.finditer(text))


def _joined(text: str) -> Iterator[str]:
    """Texts of adjacent strings without what stands between them: a value cut in two."""
    values = [_unescaped(m[1]) for m in _STRING.finditer(text) if m[2] is None]
    pairs = itertools.pairwise(values)
    yield _BETWEEN.join(_end_of(left) + _start_of(right) for left, right in pairs)


def _end_of(text: str) -> str:
    """Return the last characters; a word that would be cut is left out, since a cut is no boundary."""
    end = text[-_SEAM_CHARS:]
    cut = len(text) > _SEAM_CHARS and text[-_SEAM_CHARS - 1].isalnum()
    return _HEAD_WORD.sub("", end) or end if cut else end


def _start_of(text: str) -> str:
    start = text[:_SEAM_CHARS]
    cut = len(text) > _SEAM_CHARS and text[_SEAM_CHARS].isalnum()
    return _TAIL_WORD.sub("", start) or start if cut else start


VIEWS: Final = (
    View("raw", _raw, plain=True),
    View("url", _url, plain=True),
    View("url_twice", _url_twice, plain=True),
    View("escapes", _escapes, plain=True),
    View("escapes_twice", _escapes_twice, plain=True),
    View("entities", _entities, plain=True),
    View("reversed", _reversed),
    View("base64", _base64),
    View("gzip", _gzip),
    View("jwt", _jwt),
    View("hex", _hex),
    View("spaced", _spaced, compact=True),
    View("grouped", _grouped, compact=True),
    View("split", _joined),
)
"""Case, full width, zero-width and marks are undone in each of them."""

"""Characters without their dress: the skeleton by which variants of one value meet.

A *piece* is the smallest part of a text that stands for something: one character, or one
percent-encoded character. Its *folded* form is what remains after NFKC, case folding, removal of
marks and of invisible characters, and after look-alikes of other scripts became Latin (only inside
a word that also has Latin letters). `dressed` is the way back: it gives a replacement the dress of
the piece it replaces.
"""

# ruff: noqa: RUF001, RUF002  look-alikes are data here
from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote

__all__ = [
    "Core",
    "Piece",
    "can_dress",
    "core_of",
    "dressed",
    "folded",
    "letters_of",
    "pieces",
    "words_of",
]

_LOOK_ALIKES = {
    "cyrillic": dict(zip("аверосухкмтніјѕһԁԛԝ", "abepocyxkmthijshdqw", strict=True)),
    "greek": dict(zip("αβεικνορτυχ", "abeiknoptux", strict=True)),
}
_LATIN = {ord(c): latin for table in _LOOK_ALIKES.values() for c, latin in table.items()}
_BACK = {name: {v: k for k, v in table.items()} for name, table in _LOOK_ALIKES.items()}
_PLAIN = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"})
_ENCODED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_WORD = re.compile(r"[^\W_]+")
_FULL_WIDTH_SHIFT = 0xFEE0


class Piece(NamedTuple):
    """A part of a text and what it stands for."""

    start: int
    surface: str
    folded: str
    """Empty for what does not count: marks, zero-width characters."""


class Core(NamedTuple):
    """The letters and digits of a value, and which piece each belongs to."""

    key: str
    at: tuple[int, ...]
    """For each character of `key` the index of its piece."""


@lru_cache(maxsize=65536)
def _fold(char: str) -> str:
    if char.isascii():
        return char.lower()
    if unicodedata.category(char) in ("Cf", "Mn", "Me"):
        return ""
    plain = unicodedata.normalize("NFKC", char).casefold().translate(_PLAIN)
    parts = unicodedata.normalize("NFD", plain)
    bare = "".join(c for c in parts if unicodedata.category(c) != "Mn")
    return unicodedata.normalize("NFC", bare)


def folded(text: str) -> str:
    """Return the folded form of a whole text.

    >>> folded("Ｊosé")
    'jose'
    """
    if text.isascii() and "%" not in text:
        return text.lower()
    return "".join(piece.folded for piece in pieces(text))


def _char_pieces(text: str, offset: int) -> list[Piece]:
    found = [Piece(offset + at, char, _fold(char)) for at, char in enumerate(text)]
    if text.isascii():
        return found
    for word in _WORD.finditer(text):
        if not any(c.isascii() and c.isalpha() for c in word[0]):
            continue
        for at in range(word.start(), word.end()):
            piece = found[at]
            found[at] = piece._replace(folded=piece.folded.translate(_LATIN))
    return found


def _encoded_pieces(match: re.Match[str]) -> list[Piece]:
    text = unquote(match[0], errors="surrogateescape")
    done, at = [], match.start()
    for char in text:
        width = 3 * len(char.encode("utf-8", "surrogateescape"))
        safe = "" if "\ud800" <= char <= "\udfff" else _fold(char)
        done.append(Piece(at, match.string[at : at + width], safe))
        at += width
    return done


def pieces(text: str) -> list[Piece]:
    """Cut a text into pieces; their surfaces concatenate to it."""
    if "%" not in text:
        return _char_pieces(text, 0)
    done: list[Piece] = []
    at = 0
    for match in _ENCODED.finditer(text):
        done += _char_pieces(text[at : match.start()], at)
        done += _encoded_pieces(match)
        at = match.end()
    return done + _char_pieces(text[at:], at)


def core_of(parts: list[Piece]) -> Core:
    """Return all letters and digits of a value as one core."""
    key: list[str] = []
    at: list[int] = []
    for number, piece in enumerate(parts):
        for char in piece.folded:
            if char.isalnum():
                key.append(char)
                at.append(number)
    return Core("".join(key), tuple(at))


def letters_of(text: str) -> str:
    """Return the key of a text's core.

    >>> letters_of("Ａnn  Lee-7")
    'annlee7'
    """
    if text.isascii() and "%" not in text:
        return "".join(filter(str.isalnum, text.lower()))
    return core_of(pieces(text)).key


def words_of(core: Core, parts: list[Piece]) -> tuple[tuple[int, int], ...]:
    """Return the words of a core as spans of its key.

    A word ends at a separator, and where letters meet digits or ideographs meet letters.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for n in range(1, len(core.key) + 1):
        if n == len(core.key) or _breaks(core, parts, n):
            spans.append((start, n))
            start = n
    return tuple(spans)


def _breaks(core: Core, parts: list[Piece], n: int) -> bool:
    left, right = core.at[n - 1], core.at[n]
    if any(parts[between].folded for between in range(left + 1, right)):
        return True
    return _kind(core.key[n - 1]) != _kind(core.key[n])


def _kind(char: str) -> str:
    if char.isdigit():
        return "digit"
    return "ideograph" if "\u2e80" <= char <= "\u9fff" else "letter"


def dressed(piece: Piece, text: str) -> str:
    """Return `text`, folded letters or digits, in the dress of a piece it replaces.

    The dress is: upper case, full width, marks, a look-alike's script, percent encoding.
    """
    surface = piece.surface
    if surface.startswith("%") and len(surface) > 1:
        return quote(_case_of(unquote(surface, errors="replace"), text), safe="")
    return _case_of(surface, text)


def _case_of(surface: str, text: str) -> str:
    if surface.isascii():
        return text.upper() if surface.isupper() else text
    lower = unicodedata.normalize("NFKC", surface)
    upper = lower.isupper()
    if 0xFF01 <= ord(surface[0]) <= 0xFF5E:
        cased = text.upper() if upper else text
        return "".join(chr(ord(c) + _FULL_WIDTH_SHIFT) if "!" <= c <= "~" else c for c in cased)
    marks = "".join(c for c in unicodedata.normalize("NFD", lower) if _is_mark(c))
    script = _script_of(surface.casefold())
    if script and text.isascii():
        text = "".join(_BACK[script].get(c, c) for c in text)
    done = unicodedata.normalize("NFC", text + marks)
    return done.upper() if upper else done


def _is_mark(char: str) -> bool:
    return unicodedata.category(char) == "Mn"


def _script_of(char: str) -> str | None:
    return next((name for name, table in _LOOK_ALIKES.items() if char in table), None)


def can_dress(piece: Piece, text: str) -> bool:
    """Whether a replacement can wear the piece's dress and still folds back to itself."""
    if piece.surface.isascii() or piece.surface.lower() == piece.folded:
        return True
    done = dressed(piece, text)
    if len(done) != len(piece.surface) * len(text):
        return False
    return done != text and "".join(map(_fold, done)).translate(_LATIN) == text

"""How words stand in a text: folded with their places, on boundaries, written like a name."""

# ruff: noqa: RUF001  a full-width colon is data here
from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Final

from workbench.redact.skeleton import folded

if TYPE_CHECKING:
    from workbench.redact.skeleton import Piece

__all__ = [
    "COMMON_WORDS",
    "ambiguous_name",
    "are_close",
    "flattened",
    "is_escape",
    "is_written_as_name",
    "on_boundary",
    "says_version",
    "words_of_name",
]

_TEXT_OF_COMMON_WORDS: Final = (
    "visa mastercard amex discover paypal google apple iphone ipad android slack github gmail "
    "openai gpt claude gemini llama mistral command json api http https html xml sql python csv "
    "url uuid iban swift usb wifi sms gps vpn pdf "
    "will may mark rose grace hope art bill page young long day june april august summer "
    "best good street king faith joy sunny rich frank max angel christian drew chase chance "
    "hunter mason cook baker hill wood stone field park lake church west north south east "
    "white black brown green gray grey gold silver love price case melody crystal amber "
    "ruby pearl jade ivy lily daisy olive violet heather iris holly robin jay martin miles "
    "dean duke earl baron bishop pope major general said see way first last name customer "
    "user support agent order account hello dear thanks please team bank card email phone "
    "the and for you your from with this that hi mr mrs ms dr sir an is it in of on to at "
    "by as"
)
_TEXT_OF_PLACE_NAMES: Final = (
    "paris london china india jordan chad israel georgia virginia carolina dakota victoria "
    "austin dallas houston phoenix charlotte savannah florence sydney"
)
COMMON_WORDS: Final = frozenset(_TEXT_OF_COMMON_WORDS.split())
"""Plain words that are also names: alone they say nothing of a person."""
_PLACE_NAMES: Final = frozenset(_TEXT_OF_PLACE_NAMES.split())
_VERSION_WORD: Final = re.compile(
    r"(?i)(?:\bv|version|ver|release|build|chrome|firefox|版本号?)[\s/:=：\x01]{0,2}\Z"
)
_GAP: Final = re.compile(r"[\s\-_./()+\u00ad\u200b-\u200f\u2010-\u2015\u2060\ufeff]{0,3}")


def ambiguous_name(word: str) -> bool:
    """Whether a word of a name is also a plain word, so that alone it says nothing."""
    return word in COMMON_WORDS or word in _PLACE_NAMES or len(word) < 3


def words_of_name(text: str) -> list[str]:
    """Return the folded words of a person's name that may stand alone."""
    return [w for w in re.findall(r"[^\W\d_]+", folded(text)) if not ambiguous_name(w)]


def flattened(
    text: str, parts: list[Piece] | None
) -> tuple[str, list[int] | None, list[int] | None]:
    """Return the folded text, and where each of its characters starts and ends in `text`."""
    if parts is None:
        return text.lower(), None, None
    chars: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for piece in parts:
        for char in piece.folded:
            chars.append(char)
            starts.append(piece.start)
            ends.append(piece.start + len(piece.surface))
    return "".join(chars), starts, ends


def on_boundary(text: str, start: int, end: int) -> bool:
    """Whether a match is no part of a longer word; ideographs have no boundaries."""
    left, right = text[start - 1 : start], text[end : end + 1]
    if is_escape(text, start):
        left = ""
    return not (_joins(left, text[start]) or _joins(text[end - 1], right))


def is_escape(text: str, at: int) -> bool:
    r"""Whether the letter before a place is the end of an escape, as in a text with `\n` written out."""
    return at > 1 and text[at - 2] == "\\" and text[at - 1] in "nrt"


def says_version(before: str) -> bool:
    """Whether what stands before four numbers says that they are a version, no address."""
    return _VERSION_WORD.search(before) is not None


def _joins(left: str, right: str) -> bool:
    if not (left.isalnum() and right.isalnum()):
        return False
    return not any("\u2e80" <= c <= "\u9fff" for c in (left, right))


def are_close(text: str, places: list[int]) -> bool:
    """Whether only separators stand between some places of a text."""
    return all(b - a == 1 or _GAP.fullmatch(text, a + 1, b) for a, b in itertools.pairwise(places))


def is_written_as_name(text: str, start: int, end: int) -> bool:
    """Whether a word has the case or the surroundings of a name: `Rose`, `rose@`, `/rose`."""
    word = text[start:end]
    if word[0].isupper() or not word[0].isascii():
        return True
    whole = text.strip() == word
    inside = text[start - 1 : start] in ("@", ".", "_", "/", "=") or (
        text[end : end + 1] in ("@", "_", ".") and text[end + 1 : end + 2].isalnum()
    )
    return whole or inside

"""Keys and values inside plain text: log lines, query strings, headers, broken JSON."""

# ruff: noqa: RUF001  Chinese punctuation is data here
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.redact.finding import Finding
from workbench.redact.lexicon import accepts, key_type, titled_type

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["find_pairs"]

_NAME = "key_lexicon 1"
_KEY = r"(?<![\w-])\\{0,4}[\"']?(?P<key>[A-Za-z_][\w-]{0,40}|[\u4e00-\u9fff]{2,8})\\{0,4}[\"']?"
_PAIR: Final = re.compile(
    _KEY + r"[ \t]?(?P<sign>[=:：])[ \t]{0,16}"
    r"(?:\\{0,4}\"(?P<double>[^\"\\\n]{1,400})\\{0,4}\"|\\{0,4}'(?P<single>[^'\\\n]{1,400})\\{0,4}'"
    r"|(?P<bare>(?:(?!\\[nrt])[^\s\"'&;,<>(){}\[\]，。；、|\x01]){1,256}))"
)
_WORDED: Final = frozenset({"PERSON", "LOCATION"})
_LINE: Final = re.compile(r"[^\n;|<>\"{}\[\]，。；]{2,80}")
_TITLE: Final = re.compile(r"[^\W\d_a-z][\w'’.-]*(?:[ \t][^\W\d_a-z][\w'’.-]*){0,3}")


def find_pairs(text: str) -> Iterator[Finding]:
    """Find values that a key beside them names: `email=...`, `Name: ...`, `"phone": "..."`."""
    if "=" not in text and ":" not in text and "：" not in text:
        return
    for match in _PAIR.finditer(text):
        kind = key_type((match["key"],), frozenset({"email", match["key"]}))
        if kind is None:
            yield from _titled(match)
            continue
        if "cookie" in match["key"].lower():
            continue
        start, end = _span(match, kind)
        if end > start and accepts(kind, text[start:end]) and not _is_scheme(text, start, end):
            yield Finding(start=start, end=end, type=kind, score=0.7, detector=_NAME)


def _titled(match: re.Match[str]) -> Iterator[Finding]:
    """Yield a name behind a key that may also have an id: `caller=Ann Lee; queue=3`."""
    start, end = _span(match, "PERSON")
    if titled_type((match["key"],), match.string[start:end]) is not None:
        yield Finding(start=start, end=end, type="PERSON", score=0.65, detector=_NAME)


def _is_scheme(text: str, start: int, end: int) -> bool:
    return text[start:end].lower() in ("bearer", "basic") or text.startswith("//", start)


def _span(match: re.Match[str], kind: str) -> tuple[int, int]:
    group = next(name for name in ("double", "single", "bare") if match[name] is not None)
    start, end = match.span(group)
    if group != "bare":
        return start, end
    if kind in _WORDED and (match["sign"] != "=" or kind == "PERSON"):
        pattern = _TITLE if kind == "PERSON" else _LINE
        line = pattern.match(match.string, start)
        if line and line.end() >= end - 1:
            return line.span()
        return (start, end) if match["sign"] == "=" else (start, start)
    if (
        kind == "SECRET"
        and match["sign"] != "="
        and ((match[group].isalpha() and match[group].islower()) or "://" in match[group])
    ):
        return start, start  # "password: reset it" is prose, and so is a link to do it
    while end > start and match.string[end - 1] in ".!?":
        end -= 1
    return start, end

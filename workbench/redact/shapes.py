"""Shapes of personal values that tolerate damage.

Each shape is a bounded pattern over the projected text (full width became plain, zero-width
characters are gone) and a check that keeps request ids, hashes, versions and times out. Nothing here backtracks
without bound: repetitions are counted, and addresses with a sign are grown from the sign.
"""

# ruff: noqa: RUF001  look-alike dashes are data here
from __future__ import annotations

import re
import unicodedata
from datetime import date
from typing import TYPE_CHECKING, Final, NamedTuple

from workbench.redact.checks import IBAN_LENGTHS, has_luhn, is_iban, is_ip
from workbench.redact.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["find_shapes", "project"]

_NAME = "shapes 1"
_HIDDEN = dict.fromkeys(map(ord, "\xad\u200b\u200c\u200d\u2060\ufeff\u180e\u200e\u200f"))
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−－", "-") | {"\u00a0": " ", "\u3000": " ", "＠": "@"})
_LOCAL: Final = frozenset(".+%-_,'")
_HOST: Final = frozenset(".-_,")
_CARD_WORD = re.compile(r"(?i)card|visa|master|amex|\bpan\b|卡")
_PHONE_WORD = re.compile(r"(?i)phone|call|tel|mobile|cell|fax|sms|text me|number|reach|电话|手机")
_VERSION = re.compile(r"v?\d[\w.+-]{0,20}|latest|next|main|master|stable|localhost")
_LOCAL_ADDRESSES = frozenset({"127.0.0.1", "0.0.0.0", "255.255.255.255"})  # noqa: S104  not bound to
_SIGN = re.compile(r"@|%40|[\[(]\s?at\s?[\])]")
_DIGIT = re.compile(r"\d")
_USER_PART = re.compile(r"://[^/\s@]{1,128}:\Z")
_DAY = re.compile(
    r"(?:19|20)\d\d[- ](?:0?[1-9]|1[0-2])[- ][0-3]?\d\b|[0-3]?\d[- ][0-3]?\d[- ](?:19|20)\d\d\b"
)
_LAST_LABEL = re.compile(r"[A-Za-z]{2,4}")
_UUID = re.compile(r"(?i)(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])")
"""An id of a request or a call: its digits are no card and no phone number."""
_HEX = re.compile(r"[0-9a-f]+")


class _Shape(NamedTuple):
    type: str
    pattern: re.Pattern[str]
    check: Callable[[re.Match[str]], bool]
    score: float


def project(text: str) -> tuple[str, list[int] | None]:
    """Return the text as patterns see it, and the position of each of its characters.

    None stands for positions that did not change.
    """
    if text.isascii():
        return text, None
    chars: list[str] = []
    places: list[int] = []
    for at, char in enumerate(text):
        if ord(char) in _HIDDEN:
            continue
        plain = char if char.isascii() else unicodedata.normalize("NFKC", char)
        chars.append(plain if len(plain) == 1 else char)
        places.append(at)
    return "".join(chars).translate(_DASHES), places


def find_shapes(text: str) -> Iterator[Finding]:
    """Find values by their shape."""
    plain, places = project(text)
    ids = [match.span() for match in _UUID.finditer(plain)]
    for shape in _SHAPES if _DIGIT.search(plain) else ():
        for match in shape.pattern.finditer(plain):
            in_id = any(start < match.end() and match.start() < end for start, end in ids)
            if not in_id and shape.check(match):
                group = "value" if "value" in shape.pattern.groupindex else 0
                yield _finding(*match.span(group), shape.type, shape.score, places)
    for start, end in _mail_spans(plain) if _SIGN.search(plain) else ():
        yield _finding(start, end, "EMAIL_ADDRESS", 0.9, places)


def _finding(start: int, end: int, kind: str, score: float, places: list[int] | None) -> Finding:
    if places is not None:
        start, end = places[start], places[end - 1] + 1
    return Finding(start=start, end=end, type=kind, score=score, detector=_NAME)


def _mail_spans(text: str) -> Iterator[tuple[int, int]]:
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
        if _VERSION.fullmatch(host):
            continue  # package@1.2.3, prompt@v43
        yield start, end


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
    if comma < 0 or (_LAST_LABEL.fullmatch(text, comma + 1, end) and text[end : end + 1] != "@"):
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
    return char.isalnum() or (step < 0 and char in "_+")


def _digits(match: re.Match[str]) -> str:
    return "".join(c for c in match[0] if c.isdigit())


def _always(_: re.Match[str]) -> bool:
    return True


def _before(match: re.Match[str], width: int = 40) -> str:
    return match.string[max(0, match.start() - width) : match.start()]


def _is_card(match: re.Match[str]) -> bool:
    digits = _digits(match)
    if not 13 <= len(digits) <= 19 or (digits[0] not in "23456" and not digits.startswith("1800")):
        return False
    separated = len(match[0]) > len(digits)
    near = bool(_CARD_WORD.search(_before(match)))
    if has_luhn(digits):
        return near or separated or len(digits) >= 15
    return near or (separated and 15 <= len(digits) <= 16)


def _is_phone(match: re.Match[str]) -> bool:
    digits = _digits(match)
    if not 9 <= len(digits) <= 11 or _DAY.match(match[0].lstrip("(")):
        return False
    if set(match[0]) <= set("0123456789."):  # 123.456.7890, but no version
        return len(digits) == 10
    return True


def _is_international(match: re.Match[str]) -> bool:
    return 8 <= len(_digits(match)) <= 15


def _is_grouped_phone(match: re.Match[str]) -> bool:
    if _DAY.match(match[0].lstrip("(")):
        return False
    return 8 <= len(_digits(match)) <= 11 and bool(
        match[0].startswith(("0", "(")) or _PHONE_WORD.search(_before(match))
    )


def _is_bare_phone(match: re.Match[str]) -> bool:
    return bool(_PHONE_WORD.search(_before(match, 24)))


def _is_near_iban(match: re.Match[str]) -> bool:
    value = match[0].replace(" ", "")
    length = IBAN_LENGTHS.get(value[:2].upper())
    if length is None or abs(len(value) - length) > 2:
        return False
    if _HEX.fullmatch(value) and not is_iban(value):
        return "iban" in _before(match).lower()
    return sum(c.isdigit() for c in value) >= 8


def _is_near_ip(match: re.Match[str]) -> bool:
    value = match[0]
    if "." not in value or value in _LOCAL_ADDRESSES:
        return False
    parts = re.split(r"[.,]+", value)
    return value.count(",") <= 1 and any(len(part) > 1 for part in parts) and parts[0] != "0"


def _is_ip6(match: re.Match[str]) -> bool:
    value = match[0]
    return is_ip(value) and value not in ("::1", "::") and len(value) > 5


def _is_zh_id(match: re.Match[str]) -> bool:
    digits = match[0]
    try:
        born = date(int(digits[6:10]), int(digits[10:12]), int(digits[12:14]))
    except ValueError:
        return False
    return 1900 <= born.year <= 2030


def _is_account(match: re.Match[str]) -> bool:
    return sum(c.isdigit() for c in match[0]) >= 4


def _is_mixed(match: re.Match[str]) -> bool:
    return any(c.isdigit() for c in match[0])


_HOLDER = r"(?:acc|acct|account|cus|cust|customer|usr|user|member|mbr|mem|patient|pat|client|cli|emp|employee)"
_D = "0-9"
_SHAPES: Final = tuple(
    _Shape(kind, re.compile(pattern), check, score)
    for kind, pattern, check, score in (
        (
            "CREDIT_CARD",
            rf"(?<![\w.-])[{_D}](?:[ -]{{0,2}}[{_D}]){{12,18}}(?![\w.]?[{_D}])",
            _is_card,
            0.8,
        ),
        (
            "PHONE_NUMBER",
            rf"(?<![\w.-])(?:\+?[{_D}]{{1,3}}[ .-]{{1,2}})?\(?[{_D}]{{3}}\)?[ ./-]{{1,2}}[{_D}]{{3}}[ ./-]{{1,2}}[{_D}]{{3,4}}x?(?![\w-])(?!\.[{_D}])",
            _is_phone,
            0.6,
        ),
        (
            "PHONE_NUMBER",
            rf"(?<![\w.])\+[{_D}]{{1,3}}(?:[ ().-]{{0,2}}[{_D}]{{1,4}}){{2,5}}(?![\w])",
            _is_international,
            0.75,
        ),
        (
            "PHONE_NUMBER",
            rf"(?<![\w.-])\(?[{_D}]{{2,4}}\)?(?:[ -][{_D}]{{2,4}}){{2,4}}(?![\w.-])",
            _is_grouped_phone,
            0.5,
        ),
        ("PHONE_NUMBER", rf"(?<![\w.-])[{_D}]{{10}}(?![\w-])", _is_bare_phone, 0.5),
        (
            "PHONE_NUMBER",
            rf"(?<![\w.-])(?:\+?86[ -]?)?1[3-9][{_D}](?:[ -]?[{_D}]{{4}}){{2}}(?![{_D}A-Za-z_-])",
            _always,
            0.7,
        ),
        (
            "IP_ADDRESS",
            rf"(?<![\w.,/-])[{_D}]{{1,3}}(?:[.,]{{1,2}}[{_D}]{{1,3}}){{3,4}}(?![\w])(?!\.[{_D}])",
            _is_near_ip,
            0.7,
        ),
        (
            "IP_ADDRESS",
            r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\w:])",
            _is_ip6,
            0.7,
        ),
        (
            "IBAN_CODE",
            rf"(?<!\w)[A-Za-z]{{2}}[{_D}]{{2}}(?:[A-Za-z0-9]{{11,30}}|(?: [A-Za-z0-9]{{4}}){{2,7}}(?: [A-Za-z0-9]{{1,4}})?)(?!\w)",
            _is_near_iban,
            0.85,
        ),
        (
            "US_SSN",
            rf"(?<![\w/-])[{_D}]{{3}}[-/]{{1,2}}[{_D}]{{2}}[-/]{{1,2}}[{_D}]{{3,4}}(?![\w/-])",
            _always,
            0.75,
        ),
        ("ZH_ID", rf"(?<![\w])[{_D}]{{17}}[{_D}Xx](?![A-Za-z0-9_])", _is_zh_id, 0.9),
        (
            "ACCOUNT_ID",
            rf"(?i)(?<![a-z0-9]){_HOLDER}(?:[-_#]{{1,2}}|(?<=acc|cus)[ .]|(?=[{_D}]))(?=[a-z-]{{0,8}}[{_D}])[a-z0-9]{{4,24}}(?:[-_][a-z0-9]{{0,4}})?(?![a-z0-9])",
            _is_account,
            0.7,
        ),
        (
            "ACCOUNT_ID",
            r"(?<![A-Za-z0-9])(?:cus|acct|cust|usr)_[A-Za-z0-9]{8,32}(?![A-Za-z0-9])",
            _is_mixed,
            0.7,
        ),
        (
            "ACCOUNT_ID",
            rf"(?i)\b(?:account|member|customer|policy|patient)(?: (?:number|no\.?|id|nr))?(?: is|:|=)? #?(?P<value>[a-z]{{0,5}}[-_ ]?[{_D}]{{5,17}}(?:-[a-z0-9]{{1,3}})?)(?!\w)",
            _always,
            0.65,
        ),
    )
)

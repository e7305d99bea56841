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
from workbench.redact.mail import mail_spans
from workbench.redact.wording import says_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["find_shapes", "project"]

_NAME = "shapes 1"
_HIDDEN = dict.fromkeys(map(ord, "\xad\u200b\u200c\u200d\u2060\ufeff\u180e\u200e\u200f"))
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−－", "-") | {"\u00a0": " ", "\u3000": " ", "＠": "@"})
_DOTS = re.compile(r"(?<=[0-9A-Za-z])[。｡](?=[0-9A-Za-z])")
_CARD_WORD = re.compile(r"(?i)(?<!dis)card|visa|master|amex|\bpan\b|\bpaid\b|\bpay(?:ing)?\b|卡")
_PHONE_WORD = re.compile(
    r"(?i)(?P<other>(?:ticket|order|tracking|invoice|case|reference|confirmation|serial|part|model|account|booking|flight"
    r"|room|seat|page|line|version|build|issue|request|transaction|receipt|registration|policy|member(?:ship)?|licen[cs]e"
    r"|passport|row|订单|运单|快递|发票|流水|编)[ _]?(?:numbers?|no\.?|号码?))"
    r"|phone|\bcall(?!_)|\btel\b|mobile|\bcell|\bfax|\bsms|whats ?app|text me|\bnumber|\breach|电话|手机|号码|拨打|致电|短信"
)
_IP_WORD = re.compile(
    r"(?i)(?<![a-z])(?:ip|ip_?addr(?:ess)?|addr(?:ess)?|host|client|src|dst|peer|remote|forwarded[-_]for|source|login|from|by|banned|blocked|deny|denied)(?![a-z])"
)
_ID_WORD = re.compile(r"(?i)身份|证件|实名|\bid[ _-]?card|identity")
_LOCAL_ADDRESSES = frozenset({"127.0.0.1", "0.0.0.0", "255.255.255.255"})  # noqa: S104  not bound to
_HINT = re.compile(r"\d|(?:cus|acct|cust|usr)_")
_DAY = re.compile(
    r"(?:19|20)\d\d[- ](?:0?[1-9]|1[0-2])[- ][0-3]?\d\b|[0-3]?\d[- ][0-3]?\d[- ](?:19|20)\d\d\b"
)
_YEAR = re.compile(r"(?:19|20)\d\d\Z")
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
    return _DOTS.sub(".", "".join(chars).translate(_DASHES)), places


def find_shapes(text: str) -> Iterator[Finding]:
    """Find values by their shape."""
    plain, places = project(text)
    ids = [match.span() for match in _UUID.finditer(plain)]
    for shape in _SHAPES if _HINT.search(plain) else ():
        for match in shape.pattern.finditer(plain):
            in_id = any(start < match.end() and match.start() < end for start, end in ids)
            if not in_id and shape.check(match):
                group = "value" if "value" in shape.pattern.groupindex else 0
                yield _finding(*match.span(group), shape.type, shape.score, places)
    for start, end in mail_spans(plain):
        yield _finding(start, end, "EMAIL_ADDRESS", 0.9, places)


def _finding(start: int, end: int, kind: str, score: float, places: list[int] | None) -> Finding:
    if places is not None:
        start, end = places[start], places[end - 1] + 1
    return Finding(start=start, end=end, type=kind, score=score, detector=_NAME)


def _digits(match: re.Match[str]) -> str:
    return "".join(c for c in match[0] if c.isdigit())


def _always(_: re.Match[str]) -> bool:
    return True


def _before(match: re.Match[str], width: int = 40) -> str:
    return match.string[max(0, match.start() - width) : match.start()]


def _around(match: re.Match[str]) -> str:
    return f"{_before(match)} {match.string[match.end() : match.end() + 24]}"


def _is_card(match: re.Match[str]) -> bool:
    digits = _digits(match)
    if not 13 <= len(digits) <= 19:
        return False
    near = bool(_CARD_WORD.search(_around(match)))
    if near:
        return True
    if digits[0] not in "23456" and not digits.startswith("1800"):
        return False
    separated = len(match[0]) > len(digits)
    if has_luhn(digits):
        return separated or len(digits) in (15, 16, 19)
    return separated and 15 <= len(digits) <= 16


def _near_phone(match: re.Match[str], width: int = 40) -> bool:
    """Whether the last word before that may speak of a number speaks of a phone's."""
    words = [word["other"] for word in _PHONE_WORD.finditer(_before(match, width))]
    return bool(words) and words[-1] is None


def _is_phone(match: re.Match[str]) -> bool:
    digits = _digits(match)
    most = 12 if match[0].startswith("+") else 11
    if not 9 <= len(digits) <= most or _DAY.match(match[0].lstrip("(")):
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
        match[0].startswith(("0", "(")) or _near_phone(match)
    )


def _is_bare_phone(match: re.Match[str]) -> bool:
    return _near_phone(match, 24)


def _is_near_iban(match: re.Match[str]) -> bool:
    value = re.sub(r"[ -]", "", match[0])
    length = IBAN_LENGTHS.get(value[:2].upper())
    if length is None or abs(len(value) - length) > 2:
        return False
    if _HEX.fullmatch(value) and not (is_iban(value) or value[2:].isdigit()):
        return "iban" in _before(match).lower()
    return sum(c.isdigit() for c in value) >= 8


def _is_near_ip(match: re.Match[str]) -> bool:
    value = match[0]
    if value in _LOCAL_ADDRESSES:
        return False
    parts = re.split(r"[.,]+", value)
    before = _before(match, 24)
    if says_version(before) or all(len(part) == 1 for part in parts) or parts[0] == "0":
        return False
    odd = value.count(",") > 1 or any(len(part) > 3 for part in parts)
    return not odd or (bool(_IP_WORD.search(before)) and not _YEAR.match(parts[0]))


def _is_ip6(match: re.Match[str]) -> bool:
    value = match[0]
    return is_ip(value) and value not in ("::1", "::") and len(value) > 5


def _is_zh_id(match: re.Match[str]) -> bool:
    digits = _digits(match)
    try:
        born = date(int(digits[6:10]), int(digits[10:12]), int(digits[12:14]))
    except ValueError:
        return _is_named_id(match)
    return 1900 <= born.year <= 2030 or _is_named_id(match)


def _is_named_id(match: re.Match[str]) -> bool:
    return bool(_ID_WORD.search(_before(match, 24)))


def _is_account(match: re.Match[str]) -> bool:
    return sum(c.isdigit() for c in match[0]) >= 4


def _is_mixed(match: re.Match[str]) -> bool:
    drawn = match[0].partition("_")[2]
    return any(c.isdigit() for c in drawn) or (
        len(drawn) >= 12 and any(c.islower() for c in drawn) and any(c.isupper() for c in drawn[1:])
    )


def _is_mixed_hex(match: re.Match[str]) -> bool:
    """Six pairs of digits only may be a time or a date."""
    return any(c.isalpha() for c in match[0])


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
            rf"(?<![\w.-])(?:\+{{0,2}}[{_D}]{{1,3}}[ .-]{{1,2}})?\(?[{_D}]{{3}}\)?[ ./_-]{{1,2}}[{_D}]{{3}}[ ./_-]{{1,2}}[{_D}]{{3,4}}[{_D}OolIx]?(?![\w-])(?!\.[{_D}])",
            _is_phone,
            0.6,
        ),
        (
            "PHONE_NUMBER",
            rf"(?<![\w.])\+{{1,2}}[{_D}]{{1,3}}(?:[ ().-]{{0,2}}[{_D}]{{1,4}}){{2,5}}(?![\w])",
            _is_international,
            0.75,
        ),
        (
            "PHONE_NUMBER",
            rf"(?<![\w.-])\(?[{_D}]{{2,4}}\)?(?:[ -][{_D}]{{2,4}}){{2,4}}(?![\w.-])",
            _is_grouped_phone,
            0.5,
        ),
        ("PHONE_NUMBER", rf"(?<![\w.-])[{_D}]{{9,12}}(?![\w-])", _is_bare_phone, 0.5),
        (
            "PHONE_NUMBER",
            rf"(?<![\w.-])\(?0[{_D}]{{2,3}}\)?[ -]{{1,2}}[2-9][{_D}]{{6,7}}(?:-[{_D}]{{1,4}})?(?![\w-])",
            _always,
            0.6,
        ),
        (
            "PHONE_NUMBER",
            rf"(?<![\w.-])(?:(?:\+{{0,2}}|00)86[ -]{{0,2}})?1[3-9][{_D}](?:[ .-]{{0,2}}[{_D}]{{4}}){{2}}(?![{_D}A-Za-z_-])",
            _always,
            0.7,
        ),
        (
            "IP_ADDRESS",
            rf"(?<![\w.,/-])[{_D}]{{1,4}}(?:[.,]{{1,2}}[{_D}]{{1,4}}){{3,4}}(?![\w])(?![.,][{_D}])",
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
            rf"(?<!\w)[A-Za-z]{{2}}[{_D}]{{2}}(?:[A-Za-z0-9]{{11,30}}|(?:[ -]{{1,2}}[A-Za-z0-9]{{4}}){{2,7}}(?:[ -]{{1,2}}(?=[A-Za-z]{{0,3}}[{_D}])[A-Za-z0-9]{{1,4}})?)(?!\w)",
            _is_near_iban,
            0.85,
        ),
        (
            "US_SSN",
            rf"(?<![\w/-])[{_D}]{{3}}[-/]{{1,2}}[{_D}]{{2}}[-/]{{1,2}}[{_D}]{{3,4}}(?![\w/-])",
            _always,
            0.75,
        ),
        (
            "ZH_ID",
            rf"(?<![\w])[{_D}]{{6}}[ -]{{0,2}}[{_D}]{{8}}[ -]{{0,2}}[{_D}]{{3}}[{_D}Xx](?![A-Za-z0-9_])",
            _is_zh_id,
            0.9,
        ),
        ("ZH_ID", rf"(?<![\w])[{_D}]{{14,19}}[Xx]?(?![A-Za-z0-9_])", _is_named_id, 0.85),
        (
            "MAC_ADDRESS",
            r"(?i)(?<![\w:-])[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}(?![\w:-])",
            _is_mixed_hex,
            0.7,
        ),
        (
            "ACCOUNT_ID",
            rf"(?i)(?<![a-z0-9]){_HOLDER}(?:[-_#]{{1,2}}|(?<=acc|cus)(?P<gap>[ .])|(?=[{_D}]))(?=[a-z-]{{0,8}}[{_D}])[a-z0-9]{{4,24}}(?:[-_]{{1,2}}[a-z0-9]{{0,4}}|(?P=gap)[a-z0-9])?(?![a-z0-9])",
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

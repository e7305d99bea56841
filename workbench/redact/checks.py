"""Whether a text is a valid value of its type: pure predicates, no network, no look-ups."""

from __future__ import annotations

import ipaddress
import json
import re
import uuid
from datetime import date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "IBAN_LENGTHS",
    "VALIDITY",
    "digits_of",
    "has_luhn",
    "iban_remainder",
    "is_date",
    "is_email",
    "is_iban",
    "is_ip",
    "is_phone",
    "is_zh_id",
    "luhn_digit",
    "zh_check",
]

_LENGTHS = (
    "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20EG29ES24FI18FO18"
    "FR27GB22GE22GI23GL18GR27GT28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21"
    "LY25MC27MD24ME22MK19MR27MT31MU30NL18NO15PK24PL28PS29PT25QA29RO24RS22SA24SC31SE24SI19SK24SM27"
    "ST25SV28TL23TN24TR26UA29VA22VG24XK20"
)
IBAN_LENGTHS: Final = {
    _LENGTHS[i : i + 2]: int(_LENGTHS[i + 2 : i + 4]) for i in range(0, len(_LENGTHS), 4)
}
"""Length of an IBAN by country.

Source:
    ISO 13616, the registry's published lengths.
"""
_ISO_TIME = re.compile(
    r"[0-9]{4}(-?)(?:[0-9]{2}\1[0-9]{2}|W[0-9]{2}\1[1-7])(?:[T ][0-9:.,]+(?:Z|[+-][0-9:]+)?)?"
)
_SSN = re.compile(r"(?!000|666|9\d\d)\d{3}-?(?!00)\d{2}-?(?!0000)\d{4}", re.ASCII)
_URL = re.compile(r"https?://[^\s/?#]+\.[^\s/?#]+(?:[/?#]\S*)?", re.IGNORECASE)
_ZH_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def digits_of(text: str) -> str:
    """Return the ASCII digits of a text."""
    return "".join(c for c in text if "0" <= c <= "9")


def luhn_digit(digits: str) -> str:
    """Return the check digit that makes `digits` plus it pass.

    Source:
        ISO/IEC 7812-1, annex B.

    >>> luhn_digit("411111111111111")
    '1'
    """
    total = 0
    for at, char in enumerate(reversed(digits)):
        number = int(char) * (2 if at % 2 == 0 else 1)
        total += number - 9 if number > 9 else number
    return str(-total % 10)


def has_luhn(digits: str) -> bool:
    """Whether the last digit of a number is its check digit."""
    return (
        len(digits) > 1
        and digits.isascii()
        and digits.isdigit()
        and luhn_digit(digits[:-1]) == digits[-1]
    )


def iban_remainder(value: str) -> int:
    """Return an IBAN's number modulo 97; 1 when its check digits are right.

    Source:
        ISO 13616, ISO 7064 MOD 97-10.
    """
    moved = value[4:] + value[:4]
    return int("".join(str(int(c, 36)) for c in moved)) % 97


def is_iban(text: str) -> bool:
    """Whether a text is an IBAN: country, length and check digits; blanks are allowed."""
    value = text.replace(" ", "").upper()
    if not value.isascii() or not value.isalnum() or len(value) > 34:
        return False
    return (
        IBAN_LENGTHS.get(value[:2]) == len(value)
        and value[2:4].isdigit()
        and iban_remainder(value) == 1
    )


def zh_check(digits: str) -> str:
    """Return the check character of 17 digits of a Chinese identity number.

    Source:
        GB 11643-1999, ISO 7064 MOD 11-2.
    """
    total = sum(weight * int(c) for weight, c in zip(_ZH_WEIGHTS, digits, strict=True))
    return "10X98765432"[total % 11]


def is_zh_id(text: str) -> bool:
    """Whether a text is a Chinese identity number: birthday and check character."""
    value = text.strip().upper()
    if len(value) != 18 or not (value[:17].isascii() and value[:17].isdigit()):
        return False
    return _is_day(value[6:10], value[10:12], value[12:14]) and zh_check(value[:17]) == value[17]


def _is_day(year: str, month: str, day: str) -> bool:
    try:
        date(int(year), int(month), int(day))
    except ValueError:
        return False
    return True


@lru_cache(maxsize=65536)
def is_email(text: str) -> bool:
    """Whether mail libraries take a text as an address; the domain is not looked up."""
    if "@" not in text or len(text) > 320:
        return False
    from email_validator import EmailNotValidError, validate_email  # noqa: PLC0415  desk extra

    try:
        validate_email(text, check_deliverability=False)
    except EmailNotValidError:
        return False
    return True


@lru_cache(maxsize=65536)
def is_phone(text: str) -> bool:
    """Whether the numbering plans know a number; without a country code, the American one."""
    if not 7 <= len(text) <= 40 or any(c.isalpha() and c != "x" for c in text):
        return False
    if len(text) > 13 and text.isdigit() and not text.startswith("011"):
        return False  # no number of the default plans, which a parser takes long to say
    import phonenumbers  # noqa: PLC0415  desk extra

    region = "CN" if re.fullmatch(r"1[3-9]\d{9}", text.strip(), re.ASCII) else "US"
    try:
        return bool(phonenumbers.is_valid_number(phonenumbers.parse(text, region)))
    except phonenumbers.NumberParseException:
        return False


def is_ip(text: str) -> bool:
    """Whether a text is an IPv4 or IPv6 address."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def is_date(text: str) -> bool:
    """Whether a text is a day or a time in ISO 8601, all of it: digits that begin so are a number."""
    if _ISO_TIME.fullmatch(text) is None:
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_uuid(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_card(text: str) -> bool:
    return 12 <= len(digits_of(text)) <= 19 and has_luhn(re.sub(r"[ -]", "", text))


def _is_url(text: str) -> bool:
    return _URL.fullmatch(text) is not None


def _is_ssn(text: str) -> bool:
    return _SSN.fullmatch(text) is not None


VALIDITY: Final[dict[str, Callable[[str], bool]]] = {
    "date": is_date,
    "email": is_email,
    "iban": is_iban,
    "ip": is_ip,
    "json": _is_json,
    "luhn": _is_card,
    "phone": is_phone,
    "ssn": _is_ssn,
    "url": _is_url,
    "uuid": _is_uuid,
    "zh_id": is_zh_id,
}
"""Name of the fact -> its predicate on the whole text."""

"""How a sequence of each type is drawn: one function a type, all with one signature.

A builder returns the anchor's *units*: for each character of its core the text that stands for
it. Check digits end as right or wrong as they were; prefixes that are schema stay; ranges are fictional
where the world has them (555-01xx, prefix 999999).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.redact.checks import (
    has_luhn,
    iban_remainder,
    is_date,
    is_iban,
    is_phone,
    is_zh_id,
    luhn_digit,
    zh_check,
)
from workbench.redact.draws import Drawer, alphabet_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Draw", "build_sequence", "schema_length", "spread"]

_PREFIX: Final = re.compile(r"\s*#?([A-Za-z]{1,8})(?=[-_:#.])|\s*([A-Za-z]{1,4})(?=\d)")
_SECRET_PREFIX: Final = re.compile(
    r"(?:(?:sk|pk|rk)[-_](?:live|test|proj|ant|or|svcacct)?[-_]?|gh[pousr]_|github_pat_|glpat-|hf_|npm_|xox[abeprs]-"
    r"|AKIA|ASIA|AIza|ya29\.|SG\.|eyJ[\w-]{1,200}(?=\.)|-----BEGIN [A-Z ]*PRIVATE KEY-----)"
)
_TEXT_OF_AREAS: Final = (
    "201 202 203 205 206 207 208 209 210 212 213 214 215 216 217 218 219 224 225 228 229 "
    "231 234 239 240 248 251 252 253 254 256 260 262 267 269 270 276 281 301 302 303 304 "
    "305 307 308 309 310 312 313 314 315 316 317 318 319 320 321 323 330 334 336 337 339 "
    "347 351 352 360 361 386 401 402 404 405 406 407 408 409 410 412 413 414 415 417 419 "
    "423 424 425 430 432 434 435 440 443 478 479 480 484 501 502 503 504 505 507 508 509 "
    "510 512 513 515 516 517 518 520 530 540 541 551 559 561 562 563 567 570 571 573 574 "
    "580 585 586 601 602 603 605 606 607 608 609 610 612 614 615 616 617 618 619 620 623 "
    "626 630 631 636 641 646 650 651 660 661 662 678 682 701 702 703 704 706 707 708 712 "
    "713 714 715 716 717 718"
)
_FICTIONAL_TRIES: Final = 40
"""Draws within a fictional range; then what tells two variants apart needs digits outside of it."""
_ZEROS_STAY: Final = 5
"""Draws of an id whose zeros behind a prefix stay; then what tells two apart needs them."""
_FIRST_DIGITS: Final = "123456789"
_AREAS: Final = _TEXT_OF_AREAS.split()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """What a builder may look at."""

    drawer: Drawer
    label: str
    counter: int
    key: str
    """The anchor's core."""
    surface: str
    """The anchor as it was found."""
    prefix: str = ""
    """Declared leading part that is schema and stays."""
    unit: Callable[[int, str], str]
    """The default replacement of a character at a place."""


def spread(text: str, places: int) -> list[str]:
    """Distribute a text over `places` units, the first ones longer.

    >>> spread("example", 3)
    ['exa', 'mp', 'le']
    """
    size, longer = divmod(len(text), places)
    units, at = [], 0
    for place in range(places):
        width = size + (place < longer)
        units.append(text[at : at + width])
        at += width
    return units


def build_sequence(kind: str, draw: Draw) -> list[str]:
    """Return the units of an anchor of a sequence type."""
    return _BUILDERS.get(kind, _identifier)(draw)


def _plain(draw: Draw, *, keep: int = 0) -> list[str]:
    """Draw every character; `keep` leading ones stay, and leading zeros of a number."""
    units = list(draw.key[:keep])
    leading = draw.key[keep:].strip("0") != "" and (keep == 0 or draw.counter <= _ZEROS_STAY)
    for at in range(keep, len(draw.key)):
        char = draw.key[at]
        if char == "0" and leading:
            units.append(char)
            continue
        units.append(
            _leading(draw, at, char) if leading and char.isdigit() else draw.unit(at, char)
        )
        leading = False
    return units


def _leading(draw: Draw, at: int, char: str) -> str:
    """Draw a first digit that is no zero, so that a number keeps its width.

    After some tries it may be the same digit again: some magnitudes leave no other.
    """
    label = (draw.label, str(at), str(draw.counter))
    if char not in _FIRST_DIGITS:
        return char
    if draw.counter > 5:
        return draw.drawer.pick(_FIRST_DIGITS, *label)
    return draw.drawer.cycle(_FIRST_DIGITS, *label)[char]


def _prefix_length(draw: Draw, pattern: re.Pattern[str]) -> int:
    match = pattern.match(draw.surface)
    return 0 if match is None else sum(c.isalnum() for c in match[0])


def schema_length(draw: Draw) -> int:
    """Return how many leading characters of an id's core are schema and stay."""
    keep = _prefix_length(draw, _PREFIX)
    if draw.prefix and draw.surface.lower().startswith(draw.prefix.lower()):
        keep = sum(c.isalnum() for c in draw.prefix)
    if keep >= len(draw.key) or not any(c.isdigit() for c in draw.key[keep:]):
        return 0
    return keep


def _identifier(draw: Draw) -> list[str]:
    units = _plain(draw, keep=schema_length(draw))
    if re.fullmatch(
        r"[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
        draw.surface,
        re.IGNORECASE,
    ):
        units[12], units[16] = draw.key[12], draw.key[16]
    if draw.counter and len(draw.key) == 8 and is_date(draw.surface):
        units[4:] = _day(draw)  # hardly one draw of eight digits is a day too
    return units


def _day(draw: Draw) -> str:
    """Return month and day of any year, in four digits."""
    number, tag = draw.drawer.number, str(draw.counter)
    month, day = (
        number(most, draw.label, name, tag) for name, most in (("month", 12), ("day", 28))
    )
    return f"{1 + month:02d}{1 + day:02d}"


def _secret(draw: Draw) -> list[str]:
    keep = _prefix_length(draw, _SECRET_PREFIX)
    return [*draw.key[:keep], *(draw.unit(at, draw.key[at]) for at in range(keep, len(draw.key)))]


def _is_digits(key: str) -> bool:
    return key.isascii() and key.isdigit()


def _card(draw: Draw) -> list[str]:
    units = _plain(draw)
    if not _is_digits(draw.key) or len(draw.key) < 8:
        return units
    small = len(draw.key) >= 16 and draw.key[0] < "9" and draw.counter > 0
    if draw.counter <= _FICTIONAL_TRIES:
        units[:6] = "899999" if small else "999999"  # below 2^53 where the original was
    else:
        units[0] = "8" if small else "9"  # a damaged copy hangs on digits that must differ
    check = luhn_digit("".join(units[:-1]))
    if has_luhn(draw.key):
        units[-1] = check
    elif units[-1] == check:
        units[-1] = str((int(check) + 1) % 10)
    return units


def _iban(draw: Draw) -> list[str]:
    units = [*draw.key[:2], *(draw.unit(at, draw.key[at]) for at in range(2, len(draw.key)))]
    if is_iban(draw.key):
        body = "".join(units[4:])
        check = 98 - iban_remainder((draw.key[:2] + "00" + body).upper())
        units[2:4] = f"{check:02d}"
    return units


def _phone(draw: Draw) -> list[str]:
    units = _number(draw)
    return [*units[: len(draw.key.rstrip("x"))], *draw.key[len(draw.key.rstrip("x")) :]]


def _number(draw: Draw) -> list[str]:
    digits = draw.key.rstrip("x")
    if not _is_digits(digits):
        return _plain(draw)
    if (
        len(digits) == 11
        and digits[0] == "1"
        and digits[1] in "3456789"
        and "+" not in draw.surface
    ):
        units = _plain(draw, keep=1)
        units[1] = draw.drawer.pick("356789", draw.label, "second", str(draw.counter))
        return units
    code = _country_digits(draw.surface, digits)
    national = len(digits) - code
    units = _plain(draw, keep=code)
    fictional = draw.counter <= _FICTIONAL_TRIES
    if national == 10 and code <= 1 and fictional and is_phone(draw.surface):
        area = draw.drawer.pick(_AREAS, draw.label, "area", str(draw.counter))
        line = draw.drawer.number(100, draw.label, "line", str(draw.counter))
        units[code : code + 10] = f"{area}55501{line:02d}"
    return units


def _country_digits(surface: str, digits: str) -> int:
    if "+" not in surface:
        return 1 if len(digits) == 11 and digits[0] == "1" else 0
    head = re.match(r"\D*(\d{1,3})(?!\d)", surface)
    if head is not None:
        return len(head[1])
    return 1 if digits[0] in "17" else 2


def _zh_id(draw: Draw) -> list[str]:
    if len(draw.key) != 18 or not _is_digits(draw.key[:17]):
        return _plain(draw)
    units = _plain(draw)
    if is_zh_id(draw.key):
        year = 1940 + draw.drawer.number(65, draw.label, "year", str(draw.counter))
        units[6:14] = f"{year}{_day(draw)}"
        units[17] = zh_check("".join(units[:17])).lower()
    return units


def _tail(draw: Draw) -> list[str]:
    return [
        draw.unit(at, char) if len(alphabet_of(char)) > 1 else char
        for at, char in enumerate(draw.key)
    ]


_BUILDERS: Final[dict[str, Callable[[Draw], list[str]]]] = {
    "CREDIT_CARD": _card,
    "IBAN_CODE": _iban,
    "MAC_ADDRESS": _tail,
    "PHONE_NUMBER": _phone,
    "SECRET": _secret,
    "ZH_ID": _zh_id,
}

"""Pseudonyms of values whose parts are numbers: internet addresses and days of a calendar.

They are not drawn character by character: an address becomes one of the documentation ranges, a day
moves by whole weeks.
"""

from __future__ import annotations

import difflib
import ipaddress
import re
import unicodedata
from datetime import date, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from rapidfuzz.distance import Levenshtein

from workbench.redact.checks import is_ip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.redact.draws import Drawer

__all__ = ["Dates", "address_for", "anchor_address", "date_for", "first_draw"]

_NETS: Final = ("192.0.2", "198.51.100", "203.0.113")
_BENCH: Final = 200
"""Draws within the documentation ranges; then it is one of those for benchmarks."""
_MANY: Final = 100
"""Addresses of one document beyond which the documentation ranges are too narrow."""
_PRIVATE: Final = ("10.", "192.168.")
_RUNS: Final = re.compile(r"\d+")
_WIDE: Final = {ord(str(n)): 0xFF10 + n for n in range(10)}
_YEAR_FIRST: Final = re.compile(
    r"(?P<y>\d{4})(?P<s>[-/.年]?)(?P<m>\d{1,2})(?:(?P=s)|月)(?P<d>\d{1,2})"
)
_YEAR_LAST: Final = re.compile(r"(?P<a>\d{1,2})(?P<s>[-/. ])(?P<b>\d{1,2})(?P=s)(?P<y>\d{4})")
_YEAR: Final = re.compile(r"(?:18|19|20)\d\d")


class Dates(StrEnum):
    """What happens to a day of a calendar."""

    SHIFT_WEEKS = "shift_weeks"
    """By one keyed number of weeks a case: weekdays and distances stay."""
    SHIFT_28_YEARS = "shift_28_years"
    """Day, month and weekday stay: for failures that hang on a swap of day and month."""
    RETAIN = "retain"


def anchor_address(text: str, valid: Sequence[str]) -> str:
    """Return the valid address that a damaged one comes from, or the text itself."""
    plain = unicodedata.normalize("NFKC", text)
    if is_ip(plain):
        return plain
    near = [(Levenshtein.distance(text, other, score_cutoff=3), other) for other in valid]
    best = min(near, default=(9, text))
    return best[1] if best[0] <= 3 else text


def first_draw(addresses: Sequence[str]) -> int:
    """Return the draw to begin with, so that so many addresses do not meet."""
    return _BENCH if len(addresses) > _MANY else 0


def address_for(text: str, anchor: str, drawer: Drawer, counter: int) -> str:
    """Return the pseudonym of an internet address, damaged as `text` is.

    Args:
        text: the address as found.
        anchor: the valid address that it is a variant of, or itself.
        drawer: draws of the case.
        counter: number of the try.
    """
    if ":" in text:
        return _hextets(text, drawer, counter)
    anchor = unicodedata.normalize("NFKC", anchor)
    octets = [(m.start(), m.end()) for m in _RUNS.finditer(text)]
    source = _RUNS.findall(anchor)
    target = _quad(source, drawer, anchor, counter)
    own = [unicodedata.normalize("NFKC", text[start:end]) for start, end in octets]
    mapped: list[str] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(
        None, source, own, autojunk=False
    ).get_opcodes():
        if tag == "equal":
            mapped += target[i1:i2]
        else:
            mapped += [
                _octet(own[j], drawer, (anchor, str(j), str(counter))) for j in range(j1, j2)
            ]
    parts, at = [], 0
    for (start, end), new in zip(octets, mapped, strict=True):
        parts += [text[at:start], _as_wide(new, text[start:end])]
        at = end
    return "".join([*parts, text[at:]])


def _as_wide(number: str, was: str) -> str:
    """Return digits as wide as those that they replace, the last ones where these are fewer."""
    wide = [not char.isascii() for char in was]
    wide += [wide[-1]] * (len(number) - len(wide))
    done = [c.translate(_WIDE) if w else c for c, w in zip(number, wide, strict=False)]
    if any(wide) and "".join(done).isascii():
        done[-1] = done[-1].translate(_WIDE)
    return "".join(done)


def _quad(source: list[str], drawer: Drawer, anchor: str, counter: int) -> list[str]:
    label = ("address", anchor, str(counter))
    if len(source) == 4 and all(int(octet) <= 255 for octet in source):
        last = str(1 + drawer.number(254, *label, "last"))
        first = f"{source[0]}." if source[0] == "10" else ".".join(source[:2]) + "."
        if first in _PRIVATE:
            kept = first.rstrip(".").split(".")
            rest = [
                _octet(o, drawer, (*label, str(n))) for n, o in enumerate(source[len(kept) : 3])
            ]
            return [*kept, *rest, _octet(source[3], drawer, (*label, "last"))]
        if counter < _BENCH:
            return [*drawer.pick(_NETS, *label).split("."), last]
        return [
            "198",
            str(18 + drawer.number(2, *label)),
            str(drawer.number(256, *label, "third")),
            last,
        ]
    net = drawer.pick(_NETS, *label).split(".")
    fixed = (
        net[n] if n < 3 and int(octet) <= 255 else _octet(octet, drawer, (*label, str(n)))
        for n, octet in enumerate(source)
    )
    return list(fixed)


def _octet(octet: str, drawer: Drawer, label: tuple[str, ...]) -> str:
    """Return a number as wide and as impossible as `octet`."""
    if len(octet) > 1 and octet[0] == "0":  # which validators refuse: it stays
        return "0" + str(drawer.number(10 ** (len(octet) - 1), "octet", *label)).zfill(
            len(octet) - 1
        )
    if len(octet) == 1:
        return str(1 + drawer.number(9, "octet", *label))
    if int(octet) > 255:
        low, high = (
            (256, 999) if len(octet) == 3 else (10 ** (len(octet) - 1), 10 ** len(octet) - 1)
        )
        return str(low + drawer.number(high - low + 1, "octet", *label))
    return str(
        10 + drawer.number(90, "octet", *label)
        if len(octet) == 2
        else 100 + drawer.number(156, "octet", *label)
    )


def _hextets(text: str, drawer: Drawer, counter: int) -> str:
    valid = is_ip(text)
    groups = re.findall(r"[0-9A-Fa-f]+", text)
    fresh = ["2001", "db8"][: len(groups)] + [
        format(1 + drawer.number(0xFFFE, "hextet", text, str(n), str(counter)), "x")
        for n in range(2, len(groups))
    ]
    if valid and ipaddress.ip_address(text).version == 6 and len(groups) < 3:
        fresh = ["2001", f"db8::{drawer.number(0xFFFF, 'hextet', text, str(counter)):x}"][
            : len(groups)
        ]
        return "2001:" + fresh[-1] if "::" in text else text
    numbers = iter(fresh)
    return re.sub(r"[0-9A-Fa-f]+", lambda _: next(numbers), text)


def date_for(text: str, mode: Dates, drawer: Drawer) -> str:
    """Return a day moved by the case's own number of weeks; an impossible day moves by 28 years."""
    if mode is Dates.RETAIN:
        return text
    weeks = 60 + drawer.number(400, "weeks")
    match = _YEAR_FIRST.search(text) or _YEAR_LAST.search(text)
    if match is None:
        return _YEAR.sub(lambda m: str(int(m[0]) - 28), text)
    moved = None if mode is Dates.SHIFT_28_YEARS else _moved(match, weeks)
    if moved is None:
        start, end = match.span("y")
        year = _as_wide(f"{int(match['y']) - 28:04d}", match["y"])
        return f"{text[:start]}{year}{text[end:]}"
    fields = {"y": f"{moved.year:04d}"} | _day_fields(match, moved)
    parts, at = [], 0
    for name in sorted(fields, key=match.start):
        start, end = match.span(name)
        parts += [text[at:start], _as_wide(fields[name].zfill(end - start), text[start:end])]
        at = end
    return "".join([*parts, text[at:]])


def _moved(match: re.Match[str], weeks: int) -> date | None:
    """Return the day, a number of weeks earlier, if there is such a day."""
    fields = match.groupdict()
    if "m" in fields:
        order = [(fields["m"], fields["d"])]
    else:
        order = [(fields["a"], fields["b"]), (fields["b"], fields["a"])]
    for month, day in order:
        try:
            return date(int(fields["y"]), int(month), int(day)) - timedelta(weeks=weeks)
        except (ValueError, OverflowError):
            continue
    return None


def _day_fields(match: re.Match[str], moved: date) -> dict[str, str]:
    if "m" in match.groupdict():
        return {"m": str(moved.month), "d": str(moved.day)}
    month_first = int(match["a"]) <= 12
    names = ("a", "b") if month_first else ("b", "a")
    return {names[0]: str(moved.month), names[1]: str(moved.day)}

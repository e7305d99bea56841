"""One text for equal JSON values, so that values can be digested and looked up.

The layout is RFC 8785 (JSON Canonicalization Scheme), with one difference: an integer is written
with all its digits, also beyond 2^53, because two account numbers that differ must not meet.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from workbench.model.jsonvalue import ABSENT, Absent, Json

__all__ = ["args_digest", "canonical_json"]

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False)
_QUICK: Final = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
)
"""Written in C; right but for fractions and for keys whose order UTF-16 changes."""

_DOUBTFUL: Final = re.compile(r"[\U00010000-\U0010ffff]|(?:^|[\[:,])-?[0-9]+[.eE]")
"""Where the quick text may not be the canonical one; what only looks so costs time and no more."""


def canonical_json(value: Json) -> bytes:
    """Return the one text of a JSON value; `1` and `1.0` have the same.

    Raises:
        ValueError: a number that JSON does not have.

    >>> canonical_json({"b": 1.0, "a": ["x", 1e21, 0.00001]})
    b'{"a":["x",1e+21,0.00001],"b":1}'
    """
    try:
        text = _QUICK.encode(value)
    except (TypeError, ValueError, RecursionError):  # absent, no number of JSON, nested without end
        text = None
    if text is None or _DOUBTFUL.search(text):
        text = "".join(_pieces(value))
    return text.encode("utf-8", "surrogatepass")


def args_digest(args: Json) -> str:
    """Return `sha256:` and the hex digest of the arguments' canonical text."""
    return f"sha256:{hashlib.sha256(canonical_json(args)).hexdigest()}"


def _pieces(value: Json) -> Iterator[str]:
    """Yield the text in pieces, without recursion: nesting has no limit here."""
    pending: list[tuple[str, Json | Absent]] = [("", value)]
    while pending:
        before, item = pending.pop()
        yield before
        if isinstance(item, dict):
            yield "{"
            pending.append(("}", ABSENT))
            keys = sorted(item, key=_utf16, reverse=True)
            pending.extend((f",{_ENCODER.encode(key)}:", item[key]) for key in keys[:-1])
            pending.extend((f"{_ENCODER.encode(key)}:", item[key]) for key in keys[-1:])
        elif isinstance(item, list):
            yield "["
            pending.append(("]", ABSENT))
            pending.extend((",", part) for part in reversed(item[1:]))
            pending.extend(("", part) for part in item[:1])
        elif isinstance(item, float):
            yield _number(item)
        elif item is not ABSENT:
            yield _ENCODER.encode(item)


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be", "surrogatepass")


def _number(value: float) -> str:
    """Write a double as ECMAScript does (RFC 8785, section 3.2.2.3)."""
    if not math.isfinite(value):
        raise ValueError("a number that JSON does not have")
    parts = Decimal(repr(value)).normalize().as_tuple()
    digits = "".join(map(str, parts.digits))
    sign = "-" if parts.sign and digits != "0" else ""
    before_point = len(digits) + int(parts.exponent)
    if len(digits) <= before_point <= 21:
        text = digits + "0" * (before_point - len(digits))
    elif 0 < before_point <= 21:
        text = f"{digits[:before_point]}.{digits[before_point:]}"
    elif -6 < before_point <= 0:
        text = f"0.{'0' * -before_point}{digits}"
    else:
        fraction = f".{digits[1:]}" if digits[1:] else ""
        text = f"{digits[0]}{fraction}e{before_point - 1:+d}"
    return sign + text

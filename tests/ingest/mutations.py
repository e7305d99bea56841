"""Files damaged in the ways in which files are damaged: seeded, so that a failure comes again."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from workbench.errors import InputError
from workbench.ingest.imported import BROKE
from workbench.ingest.reader import read_source
from workbench.store.rows import rows_of

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["SECONDS", "damaged", "survives"]

SECONDS = 20.0
"""CPU time that no damaged file of at most some hundred kB may take."""

_ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 10**400, -(2**63), 2**64, 1e308, -0.0, 1e-320),
    *("", " ", "x" * 5000, "\ud800", "\x00", "{", "[1, 2", "null", "1e999", "2026-13-45T99:99:99Z"),
    *("<script>alert(1)</script>", "1" * 5000, "NaN", "{'a': 1}", "a.b.c", "../../etc/passwd"),
    *([], {}, [[]], [{}], {"": None}, [None] * 50, {"type": "text"}, {"type": []}, {"id": {}}),
)

_HUGE: tuple[Any, ...] = (
    *(2**31, 2**53 + 1, 2**63, 2**64, 10**30, 10**400, -(2**31) - 1, -(2**63) - 1, -(10**400)),
    *(1.7e308, -1.7e308, 5e-324, float("inf"), float("-inf"), float("nan")),
    *("9" * 30, "-" + "9" * 400, "1e400", f"{2**63}", "253402300800000000000"),
)
"""Numbers beyond what times, counts, columns and floats hold; some as exporters write them: texts."""


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return the bytes of a file, damaged once to three times."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        data = rng.choice(_WAYS)(data, rng)
    return data


def survives(data: bytes, path: Path, *, format: str = "auto") -> str:  # noqa: A002
    """Read a damaged file; return what became of it.

    An error on purpose is right, a run is right if the store can write it as it is; anything else
    is raised, and so is a reading that does not end.
    """
    path.write_bytes(data)
    began = time.process_time()
    try:
        runs = list(read_source(path, format=format))
    except InputError:
        return "refused"
    for run in runs:
        rows = rows_of(run, batch_id="batch")
        assert rows.raw_bytes == len(run.raw)
        assert (run.trace is None) == (run.parse_error is not None)
        assert BROKE not in (run.parse_error or "")
    assert time.process_time() - began < SECONDS
    return "read" if any(run.trace is not None for run in runs) else "unusable"


# --- ways --------------------------------------------------------------------


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _cut_front(data: bytes, rng: random.Random) -> bytes:
    return data[rng.randrange(len(data) + 1) :]


def _flip(data: bytes, rng: random.Random) -> bytes:
    if not data:
        return data
    changed = bytearray(data)
    for _ in range(rng.choice((1, 2, 8, 64))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _repeat(data: bytes, rng: random.Random) -> bytes:
    start, end = _range(data, rng)
    return data[:end] + data[start:end] + data[end:]


def _drop(data: bytes, rng: random.Random) -> bytes:
    start, end = _range(data, rng)
    return data[:start] + data[end:]


def _insert(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.randbytes(rng.choice((1, 4, 40))) + data[at:]


def _range(data: bytes, rng: random.Random) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.choice((1, 5, 50, 500)))


def _huge_number(data: bytes, rng: random.Random) -> bytes:
    digits = [at for at, byte in enumerate(data) if 48 <= byte <= 57]
    if not digits:
        return data
    at = rng.choice(digits)
    return data[:at] + b"9" * rng.choice((20, 400, 5000)) + data[at:]


def _lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    rng.shuffle(lines)
    return b"".join(lines[: rng.randrange(len(lines) + 1)])


def _values(data: bytes, rng: random.Random) -> bytes:
    """Swap, drop, double or replace values of the JSON in it, a line or the whole."""
    try:
        return _dumped(_changed(json.loads(data), rng))
    except (ValueError, RecursionError):
        pass
    lines = data.splitlines()
    if not lines:
        return data
    at = rng.randrange(len(lines))
    try:
        lines[at] = _dumped(_changed(json.loads(lines[at]), rng))
    except (ValueError, RecursionError):
        return data
    return b"\n".join(lines)


def _dumped(value: Any) -> bytes:  # noqa: ANN401  any JSON
    return json.dumps(value, ensure_ascii=True).encode()


def _changed(value: Any, rng: random.Random) -> Any:  # noqa: ANN401  any JSON
    holders: list[tuple[Any, str | int]] = []
    waiting: list[Any] = [value]
    while waiting:
        found = waiting.pop()
        pairs = (
            found.items() if isinstance(found, dict)
            else enumerate(found) if isinstance(found, list)
            else ()
        )  # fmt: skip
        for key, item in pairs:
            holders.append((found, key))
            waiting.append(item)
    if not holders:
        return rng.choice(_ODD)
    for _ in range(rng.choice((1, 1, 2, 5))):
        holder, key = rng.choice(holders)
        other, other_key = rng.choice(holders)
        if not (_has(holder, key) and _has(other, other_key)):
            continue
        _change(holder, key, other[other_key], rng)
    return value


def _change(holder: Any, key: str | int, other: Any, rng: random.Random) -> None:  # noqa: ANN401  any JSON
    """Drop one value, or put another in its place."""
    value = holder[key]
    match rng.randrange(7):
        case 0:
            del holder[key]
        case 1:
            holder[key] = json.loads(json.dumps(other))
        case 2:
            holder[key] = [value]
        case 3:
            holder[key] = {"x": value}
        case 4:
            holder[key] = _of_another_type(value, rng)
        case 5:
            holder[key] = rng.choice(_HUGE)
        case _:
            holder[key] = rng.choice(_ODD)


def _of_another_type(value: Any, rng: random.Random) -> Any:  # noqa: ANN401  any JSON
    """Return what a careless exporter writes for this value: the same, of another type."""
    match value:
        case dict():
            return rng.choice(([*value.values()], [[*pair] for pair in value.items()], str(value)))
        case list():
            return rng.choice(({str(at): item for at, item in enumerate(value)}, str(value)))
        case bool() | None:
            return rng.choice((str(value), str(value).lower(), int(bool(value))))
        case int() | float():
            return rng.choice((str(value), [value], value != 0, float(value % 2**31)))
        case _:
            return rng.choice((len(value), [*value[:50]], {value[:50]: True}, value == "", None))


def _has(holder: Any, key: str | int) -> bool:  # noqa: ANN401  any JSON
    if isinstance(holder, list):
        return isinstance(key, int) and key < len(holder)
    return key in holder


_WAYS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(_cut, _cut_front, _flip, _repeat, _drop, _insert, _huge_number, _lines),
    *(_values,) * 6,
)

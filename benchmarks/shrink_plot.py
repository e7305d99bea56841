"""A plot of size over calls, as an SVG of lines and words."""

from __future__ import annotations

from math import log10
from typing import TYPE_CHECKING, Final, TypeAlias
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from benchmarks.shrink_engines import Row

__all__ = ["plot"]

Placed: TypeAlias = "Callable[[float, float], tuple[float, float]]"

_WIDTH, _HEIGHT, _LEFT, _TOP, _EDGE = 720, 400, 70, 50, 50
_COLOURS: Final = {"explained": "#0072b2", "hidden": "#009e73", "picire": "#d55e00"}
_NAMES: Final = {
    "explained": "ours",
    "hidden": "ours, oracle explains nothing",
    "picire": "picire",
}


def plot(rows: Sequence[Row], *, size: int) -> str:
    """Return the courses of all engines over all faults at one size, both axes logarithmic."""
    some = [row for row in rows if row.size == size]
    most_calls = max(row.calls for row in some)
    most_events = max(events for row in some for _, events in row.course)

    def at(calls: float, events: float) -> tuple[float, float]:
        wide, high = _WIDTH - _LEFT - _EDGE, _HEIGHT - _TOP - _EDGE
        x = _LEFT + wide * log10(calls) / log10(most_calls)
        return x, _TOP + high * (1 - log10(events) / log10(most_events))

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}">',
        "<style>text {font: 13px sans-serif}</style>",
        f"<title>Events left over oracle calls, traces of {size:,} events</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        *_axes(at, most_calls, most_events, size),
        *(_course(row, at) for row in some),
        *_legend(sorted({row.engine for row in some}, key=list(_COLOURS).index)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _course(row: Row, at: Placed) -> str:
    """Return one line: it falls when a smaller trace was found, and ends where the search did."""
    places: list[tuple[float, float]] = []
    last = row.course[0][1]
    for calls, events in (*row.course, (row.calls, row.events)):
        places += [at(calls, last), at(calls, events)]
        last = events
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    x, y = places[-1]
    colour = _COLOURS[row.engine]
    return (
        f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-opacity="0.6" '
        f'stroke-width="1.5"/><circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
    )


def _axes(at: Placed, most_calls: int, most_events: int, size: int) -> Iterable[str]:
    bottom = _HEIGHT - _EDGE
    for calls in (10**n for n in range(5) if 10**n <= most_calls):
        x, _ = at(calls, 1)
        yield f'<path d="M{x:.1f} {_TOP}V{bottom}" stroke="#ddd"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{calls:,}</text>'
    for events in (10**n for n in range(6) if 10**n <= most_events):
        _, y = at(1, events)
        yield f'<path d="M{_LEFT} {y:.1f}H{_WIDTH - _EDGE}" stroke="#ddd"/>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{events:,}</text>'
    yield f'<text x="{_LEFT}" y="20" font-weight="bold">{size:,} events, eight kinds of fault</text>'
    yield f'<text x="{_WIDTH - _EDGE}" y="{_HEIGHT - 12}" text-anchor="end">oracle calls</text>'
    yield f'<text x="12" y="{_TOP - 10}">events left</text>'


def _legend(engines: Sequence[str]) -> Iterable[str]:
    for n, engine in enumerate(engines):
        x = _LEFT + 90 + (0, 90, 350)[n]
        yield f'<path d="M{x} 36h20" stroke="{_COLOURS[engine]}" stroke-width="3"/>'
        yield f'<text x="{x + 26}" y="{_TOP - 10}">{escape(_NAMES[engine])}</text>'

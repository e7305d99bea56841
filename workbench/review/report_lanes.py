"""A trace as lanes in a picture: who acted when, what failed, and where the contract broke.

Events stand in the order of the trace; a bar runs from a call to its result. The table below the
picture says the same in words, so nothing is told by colour or place alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.model.event import (
    Claim,
    ModelReply,
    ModelRequest,
    Outcome,
    SystemMessage,
    ToolCall,
    ToolResult,
    UserMessage,
)
from workbench.review.markup import Fragment, joined, shown, tag
from workbench.runner.reports.text import cut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.model.event import Event
    from workbench.model.trace import Trace
    from workbench.model.verdict import Verdict

__all__ = ["MOST_MARKS", "Bar", "bars_of", "is_bad", "lane_of", "lanes_picture"]

MOST_MARKS: Final = 99
"""Violations that are numbered."""
_LABELS: Final = 190
_WIDTH: Final = 1000
_ROW: Final = 26
_TOP: Final = 40
_MOST_TOOLS: Final = 12
_MOST_BARS: Final = 2000
_NAME_LENGTH: Final = 26
_TICKS: Final = 8

PEOPLE: Final = "people"
MODEL: Final = "model"
OTHER_TOOLS: Final = "other tools"
RULES: Final = "permissions, state"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One thing that happened, from its first to its last event."""

    lane: str
    """Its row: people, the model, a tool, or what changed."""
    look: str
    """`people`, `model`, `tool` or `rules`; for the colour."""
    start: int
    end: int
    bad: bool


def is_bad(event: Event) -> bool:
    """Whether an event is a call that did not end well."""
    return isinstance(event, ToolResult) and event.outcome not in (None, Outcome.OK)


def lane_of(event: Event) -> str:
    """Return the kind of lane of an event: `people`, `model`, `tool` or `rules`."""
    match event:
        case SystemMessage() | UserMessage() | Claim():
            return "people"
        case ModelRequest() | ModelReply():
            return "model"
        case ToolCall() | ToolResult():
            return "tool"
        case _:
            return "rules"


def bars_of(trace: Trace) -> tuple[Bar, ...]:
    """Return a bar for each event; a call and its result are one, as long as it lasted."""
    results = {e.call_id: e for e in trace.events if isinstance(e, ToolResult)}
    return tuple(bar for event in trace.events for bar in _bars(event, results))


def _bars(event: Event, results: dict[str, ToolResult]) -> Iterator[Bar]:
    look = lane_of(event)
    if isinstance(event, ToolResult):
        return
    if isinstance(event, ToolCall):
        result = results.get(event.call_id)
        end = event.seq if result is None else result.seq
        bad = result is None or is_bad(result)
        yield Bar(lane=event.tool, look=look, start=event.seq, end=end, bad=bad)
        return
    lane = {"people": PEOPLE, "model": MODEL}.get(look, RULES)
    yield Bar(lane=lane, look=look, start=event.seq, end=event.seq, bad=False)


def lanes_picture(trace: Trace, verdict: Verdict) -> Fragment:
    """Return the picture as inline SVG."""
    bars = bars_of(trace)
    lanes = _lanes(bars, _accused(bars, verdict))
    known = {name: at for at, (name, _) in enumerate(lanes)}
    rest = known.get(OTHER_TOOLS, 0)
    height = _TOP + _ROW * len(lanes) + 26
    marks = _marks(verdict, len(trace.events), height)
    drawn = _drawn(bars, verdict)
    return tag(
        "svg",
        tag("title", "Lanes of the trace"),
        tag("desc", f"{len(drawn)} of {len(bars)} steps in {len(lanes)} lanes; see the table"),
        *(_lane(at, name, look) for at, (name, look) in enumerate(lanes)),
        *_ticks(len(trace.events), height),
        *(_bar(bar, known.get(bar.lane, rest), len(trace.events)) for bar in drawn),
        *marks,
        viewBox=f"0 0 {_WIDTH} {height}",
        role="img",
        class_="lanes",
    )


def _accused(bars: Sequence[Bar], verdict: Verdict) -> Iterator[str]:
    """Yield the tools that violations speak of, then those that failed: they have own lanes."""
    yield from (violation.tool for violation in verdict.violations if violation.tool is not None)
    seen = {seq for violation in verdict.violations for seq in violation.evidence}
    yield from (bar.lane for bar in bars if bar.start in seen or bar.end in seen)
    yield from (bar.lane for bar in bars if bar.bad)


def _lanes(bars: Sequence[Bar], first: Iterator[str]) -> list[tuple[str, str]]:
    """Return the lanes in their order, each with its look: people, model, tools, the rest."""
    tools = list(dict.fromkeys(bar.lane for bar in bars if bar.look == "tool"))
    wanted = [tool for tool in dict.fromkeys((*first, *tools)) if tool in tools][:_MOST_TOOLS]
    looks = {bar.look for bar in bars}
    found: list[tuple[str, str]] = [(name, name) for name in (PEOPLE, MODEL) if name in looks]
    found += [(name, "tool") for name in tools if name in wanted]
    if len(tools) > _MOST_TOOLS:
        found.append((OTHER_TOOLS, "tool"))
    if "rules" in looks:
        found.append((RULES, "rules"))
    return found


def _drawn(bars: Sequence[Bar], verdict: Verdict) -> Sequence[Bar]:
    """Return what is drawn: all, or of a very long trace what failed or is evidence, and a part."""
    if len(bars) <= _MOST_BARS:
        return bars
    wanted = {seq for violation in verdict.violations for seq in violation.evidence}
    first = [bar for bar in bars if bar.bad or bar.start in wanted][:_MOST_BARS]
    step = len(bars) // max(_MOST_BARS - len(first), 1) + 1
    chosen = {id(bar) for bar in (*first, *bars[::step])}
    return [bar for bar in bars if id(bar) in chosen]


def _x(seq: float, total: int) -> float:
    return _LABELS + seq * (_WIDTH - _LABELS - 12) / max(total, 1)


def _lane(at: int, name: str, look: str) -> Fragment:
    y = _TOP + at * _ROW
    return joined(
        tag("rect", x=0, y=y, width=_WIDTH, height=_ROW, class_="odd" if at % 2 else "even"),
        tag(
            "text",
            tag("title", name),
            shown(cut(name, _NAME_LENGTH)),
            x=10,
            y=y + 17,
            class_=f"label {look}",
        ),
    )


def _bar(bar: Bar, lane: int, total: int) -> Fragment:
    x, end = _x(bar.start, total), _x(bar.end + 1, total)
    width = max(end - x - 1, 2.0)
    y = _TOP + lane * _ROW + 6
    look = f"bar {bar.look} bad" if bar.bad else f"bar {bar.look}"
    box = tag("rect", x=x, y=y, width=width, height=_ROW - 12, rx=min(3.0, width / 2), class_=look)
    if not bar.bad:
        return box
    middle = x + width / 2
    return joined(box, tag("text", "\u00d7", x=middle, y=y + 11, class_="cross"))


def _marks(verdict: Verdict, total: int, height: int) -> Iterator[Fragment]:
    """Yield a numbered line for each violation."""
    for nth, violation in enumerate(verdict.violations[:MOST_MARKS], start=1):
        x = _x(min(violation.seq, total) + 0.5, total)
        yield tag("line", x1=x, x2=x, y1=24, y2=height - 22, class_="mark")
        yield tag("circle", cx=x, cy=15, r=10, class_="mark")
        yield tag("text", str(nth), x=x, y=19, class_="marknumber")


def _ticks(total: int, height: int) -> Iterator[Fragment]:
    step = max(total // _TICKS, 1)
    for seq in range(0, total, step):
        x = _x(seq + 0.5, total)
        yield tag("line", x1=x, x2=x, y1=_TOP, y2=height - 22, class_="tick")
        yield tag("text", str(seq), x=x, y=height - 8, class_="ticknumber")

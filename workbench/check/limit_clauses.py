"""Upper bounds of a run: calls, model calls, repetitions, time and tokens.

Every measure is a function `(clause, facts)` in one table.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, TypeAlias

from workbench.check.facts import Facts, failed, inconclusive, passed, times
from workbench.check.selectors import at_stage
from workbench.model.canonical import canonical_json
from workbench.model.contract import Limit
from workbench.model.event import ModelReply, ModelRequest, Usage
from workbench.model.jsonvalue import ABSENT, Json
from workbench.model.verdict import ClauseVerdict

if TYPE_CHECKING:
    from workbench.model.trace import Call

__all__ = ["call_key", "check_limit", "time_of"]

Measure: TypeAlias = Callable[[Limit, Facts], ClauseVerdict]


def check_limit(clause: Limit, facts: Facts) -> ClauseVerdict:
    """Report the first event beyond a bound; a measure that was not recorded is inconclusive."""
    return _MEASURES[clause.measure](clause, facts)


def _counted_calls(facts: Facts) -> list[Call]:
    stage = facts.counted
    return [call for call in facts.own_calls if at_stage(call, stage)]


def _tool_calls(clause: Limit, facts: Facts) -> ClauseVerdict:
    return _count(clause, facts, _counted_calls(facts), "tools were called")


def _count(clause: Limit, facts: Facts, calls: Sequence[Call], what: str) -> ClauseVerdict:
    sentence = f"{what} {times(len(calls))}; at most {clause.bound:g} allowed"
    if len(calls) <= clause.bound:
        return passed(clause.id, sentence)
    counted = calls[: _beyond(clause)]
    return failed(
        clause.id,
        [facts.violation(clause.id, counted[-1].start, sentence, facts.pair(*counted))],
    )


def _beyond(clause: Limit) -> int:
    """Return the smallest whole number above the bound."""
    return max(int(clause.bound // 1) + 1, 1)


def _identical_calls(clause: Limit, facts: Facts) -> ClauseVerdict:
    groups: dict[tuple[str, str], list[Call]] = {}
    for call in _counted_calls(facts):
        groups.setdefault(call_key(call), []).append(call)
    over = [group for group in groups.values() if len(group) > clause.bound]
    if not over:
        return passed(clause.id, f"no call was made more than {clause.bound:g} times")
    first = min(over, key=lambda group: group[_beyond(clause) - 1].start)
    return _count(clause, facts, first, f"{first[0].tool} was called with the same arguments")


def call_key(call: Call) -> tuple[str, str]:
    """Return what two calls of one tool with equal arguments share."""
    if call.args is ABSENT:
        return call.tool, f"raw {call.request.args_raw}"
    return call.tool, _args_text(call.args)


_KEYS: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
_FRACTION: Final = re.compile(r"[0-9][.e]|NaN|Infinity|\\u")


def _args_text(args: Json) -> str:
    """Return one text for equal arguments; only fractions and other scripts go the slow way."""
    try:
        text = _KEYS.encode(args)
    except (RecursionError, ValueError):
        text = ""
    if text and _FRACTION.search(text) is None:
        return text
    try:
        return canonical_json(args).decode("utf-8", "surrogatepass")
    except ValueError:
        return text  # a number that JSON does not have equals itself here


def _model_calls(clause: Limit, facts: Facts) -> ClauseVerdict:
    places: list[int] = []
    asked: set[str | None] = set()
    for event in facts.events:
        if isinstance(event, ModelRequest):
            asked.add(event.agent)
            places.append(event.seq)
        elif isinstance(event, ModelReply):
            if event.agent not in asked:
                places.append(event.seq)
            asked.discard(event.agent)
    sentence = f"the model was asked {times(len(places))}; at most {clause.bound:g} allowed"
    if len(places) <= clause.bound:
        return passed(clause.id, sentence)
    counted = places[: _beyond(clause)]
    return failed(clause.id, [facts.violation(clause.id, counted[-1], sentence, counted)])


def _usage(read: Callable[[Usage], float | None], what: str) -> Measure:
    def measure(clause: Limit, facts: Facts) -> ClauseVerdict:
        total: float = 0
        known, seqs = True, []
        for event in facts.events:
            if not isinstance(event, ModelReply):
                continue
            used = None if event.usage is None else read(event.usage)
            known = known and used is not None
            total += used or 0
            seqs.append(event.seq)
            if total > clause.bound:
                sentence = f"more than {clause.bound:g} {what} were used"
                return failed(clause.id, [facts.violation(clause.id, event.seq, sentence, seqs)])
        if not known or not seqs:
            return inconclusive(clause.id, f"the {what} of some replies are not recorded", seqs)
        return passed(
            clause.id, f"{round(total, 6)} {what} were used; at most {clause.bound:g} allowed"
        )

    return measure


def _wall_time(clause: Limit, facts: Facts) -> ClauseVerdict:
    timed = [(seq, at) for seq, at in ((e.seq, time_of(e.at)) for e in facts.events) if at]
    if not timed:
        return inconclusive(clause.id, "no times are recorded")
    first, start = timed[0]
    for seq, at in timed:
        if (at - start).total_seconds() * 1000 > clause.bound:
            sentence = f"the run took more than {clause.bound:g} ms"
            return failed(clause.id, [facts.violation(clause.id, seq, sentence, (first, seq))])
    if first != 0 or timed[-1][0] != facts.end - 1:
        return inconclusive(clause.id, "the start or the end has no recorded time")
    return passed(clause.id, f"the run took at most {clause.bound:g} ms", (first, timed[-1][0]))


def time_of(text: str | None) -> datetime | None:
    """Read a time; one without zone cannot be compared with others and does not count."""
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return found if found.tzinfo is not None else None


_MEASURES: Final[dict[str, Measure]] = {
    "tool_calls": _tool_calls,
    "model_calls": _model_calls,
    "identical_calls": _identical_calls,
    "wall_time_ms": _wall_time,
    "input_tokens": _usage(lambda usage: usage.input_tokens, "input tokens"),
    "output_tokens": _usage(lambda usage: usage.output_tokens, "output tokens"),
    "cost_usd": _usage(lambda usage: usage.cost_usd, "US dollars"),
}

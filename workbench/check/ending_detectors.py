"""Detectors of runs that do not get there: passed around for ever, or ended on a part of the data.

Every detector takes the facts of a trace and returns what it found, earliest first.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from workbench.check.hints import Hint, texts_in
from workbench.check.outcomes import value_of
from workbench.check.predicates import compile_pattern, found_in, searchable
from workbench.check.proposals import (
    after,
    anywhere_matches,
    compares,
    equals,
    max_calls,
    model_calls,
    selector,
)
from workbench.model.contract import Operator
from workbench.model.event import Change, ContextChange, ModelReply, ModelRequest, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.check.facts import Facts
    from workbench.model.contract import Predicate
    from workbench.model.trace import Call

__all__ = ["hand_off_loop", "truncated_total"]


# --- passed around --------------------------------------------------------------------

_HANDS_OFF: Final = re.compile(
    r"(?i)(?:^|[._-])(?:transfer_?(?:to|back)|hand_?(?:off|over)|escalate_?to|route_?to|switch_?(?:to|agent))"
)
_TOLERATED: Final = 2


def hand_off_loop(facts: Facts) -> Iterator[Hint]:
    """Find the work handed back and forth with nothing done in between."""
    for run in _runs(facts):
        counts: dict[str, int] = {}
        for call in run:
            counts[call.tool] = counts.get(call.tool, 0) + 1
        for tool, count in counts.items():
            if count > _TOLERATED:
                yield Hint(
                    confidence="high",
                    proposal=max_calls(selector(tool), _TOLERATED),
                    evidence=facts.pair(*(call for call in run if call.tool == tool)),
                    sentence=f"{tool} was called {count} times with nothing done in between",
                )
    yield from _switches(facts)


def _runs(facts: Facts) -> Iterator[list[Call]]:
    """Yield the hand-offs between two calls that did something else."""
    run: list[Call] = []
    for call in facts.own_calls:
        if _HANDS_OFF.search(call.tool):
            run.append(call)
        elif call.outcome is Outcome.OK:
            yield run
            run = []
    yield run


def _switches(facts: Facts) -> Iterator[Hint]:
    """Find hand-offs that were recorded as events, one after the other."""
    starts = [call.start for call in facts.own_calls]
    changes = [
        event.seq
        for event in facts.events
        if isinstance(event, ContextChange) and event.change is Change.HAND_OFF
    ]
    longest: list[int] = []
    run = changes[:1]
    for earlier, later in pairwise(changes):
        idle = not any(earlier < start < later for start in starts)
        run = [*run, later] if idle else [later]
        longest = max(longest, run, key=len)
    if len(longest) <= 2 * _TOLERATED:
        return
    asked = sum(
        isinstance(event, ModelRequest | ModelReply) for event in facts.events[: longest[-1]]
    )
    yield Hint(
        confidence="high",
        proposal=model_calls(max(asked // 2, 1)),
        evidence=tuple(longest),
        sentence=f"the work was handed over {len(longest)} times with no call in between",
    )


# --- a part taken for the whole ------------------------------------------------------------

_CUT: Final = (
    r"(?i)\btruncated\b|\boutput (?:was )?(?:cut|limited|clipped)|\b\d+ (?:more|further) (?:rows|lines|items"
    r"|results|records|characters|chars)\b|已截断|内容过长"
)
_MORE: Final = ("has_more", "hasMore", "truncated", "is_truncated", "incomplete", "more")
_NEXT: Final = ("next_cursor", "nextCursor", "next_page", "nextPage", "next_page_token", "cursor")
_COUNTS: Final = ("total", "total_count", "totalCount", "count_total")
_WHOLE: Final = (
    r"(?i)\b(?:in total|total of|altogether|overall|all (?:of )?(?:the|your|our|\d)|every|complete list"
    r"|there (?:are|were)|a total)\b|共|总计|全部|所有"
)


def truncated_total(facts: Facts) -> Iterator[Hint]:
    """Find an answer about the whole after a result that says that it is a part."""
    answer = facts.answer
    if answer is None or not found_in(_WHOLE, answer.text):
        return
    seen: set[str] = set()
    for call in facts.own_calls:
        mark = _mark_of(call)
        later = any(other.start > facts.ended(call) for other in facts.of_tool(call.tool))
        if mark is None or later or call.tool in seen or facts.ended(call) > answer.seq:
            continue
        seen.add(call.tool)
        yield Hint(
            confidence="high" if re.search(r"\d", answer.text) else "medium",
            proposal=after(selector(call.tool, result=(mark,)), selector(call.tool)),
            evidence=(*facts.pair(call), answer.seq),
            sentence=f"the answer speaks of the whole; the result of {call.tool} at {call.start}"
            " is a part and the rest was never asked for",
        )


def _mark_of(call: Call) -> Predicate | None:
    """Return the predicate by which a result says that something is left out."""
    result = value_of(call.result)
    if call.outcome is not Outcome.OK:
        return None
    if isinstance(result, dict):
        for key in _MORE:
            if result.get(key) is True:
                return equals(key, value=True)
        for key in _NEXT:
            if result.get(key) not in (None, "", False):
                return compares(key, Operator.NE, None)
        size = max((len(item) for item in result.values() if isinstance(item, list)), default=None)
        for key in _COUNTS if size is not None else ():
            total = result.get(key)
            if isinstance(total, int) and size is not None and total > size:
                return compares(key, Operator.GT, size)
    cut = compile_pattern(_CUT)
    if any(cut.search(searchable(text[-400:])) for text in texts_in(result)):
        return anywhere_matches(_CUT)
    return None

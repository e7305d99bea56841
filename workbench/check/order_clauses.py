"""Clauses on the order of calls.

A call is an interval from its request to its result, so calls of one turn overlap, and
overlapping calls are never in an order. Every function takes `(clause, facts)`.
"""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter
from typing import TYPE_CHECKING

from workbench.check.facts import Facts, failed, inconclusive, passed, times
from workbench.check.selectors import Stage, selects

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.model.contract import (
        After,
        AtMostAfter,
        Before,
        ImmediatelyAfter,
        NeverBetween,
    )
    from workbench.model.trace import Call
    from workbench.model.verdict import ClauseVerdict, Violation

__all__ = [
    "check_after",
    "check_at_most_after",
    "check_before",
    "check_immediately_after",
    "check_never_between",
]

_start: Callable[[Call], int] = attrgetter("start")


def check_before(clause: Before, facts: Facts) -> ClauseVerdict:
    """Report every attempt of `then` that starts before any completed `first` has ended."""
    attempts = facts.select(clause.then, Stage.ATTEMPTED)
    completed = facts.select(clause.first, Stage.COMPLETED)
    opened = min((facts.ended(call) for call in completed), default=facts.end)
    early = [call for call in attempts if call.start <= opened]
    if not early:
        first = [call for call in completed if facts.ended(call) == opened]
        return passed(
            clause.id,
            f"{clause.first.text} came before {clause.then.text}",
            facts.pair(*first, *attempts),
        )
    about = [call for call in facts.about(clause.first) if call.start < early[-1].start]
    gap = facts.unclear(about)
    sure = early if gap is None else [call for call in early if call.start <= gap.start]
    if gap is not None and not sure:
        return inconclusive(
            clause.id,
            f"{gap.tool} at {gap.start} has no known answer, so the order stays open",
            facts.pair(gap),
        )
    return failed(
        clause.id,
        [
            facts.violation(
                clause.id,
                call.start,
                f"{call.tool} was called before {clause.first.text} had completed",
                facts.pair(call),
            )
            for call in sure
        ],
    )


def check_after(clause: After, facts: Facts) -> ClauseVerdict:
    """Report every executed `first` that no executed `then` follows."""
    duties = facts.select(clause.first, Stage.EXECUTED)
    done = facts.select(clause.then, Stage.EXECUTED)
    latest = done[-1].start if done else -1
    unmet = [call for call in duties if facts.ended(call) >= latest]
    if not unmet:
        return passed(
            clause.id,
            f"{clause.then.text} came after every {clause.first.text}",
            facts.pair(*duties, *done),
        )
    return _unmet(clause, facts, unmet, f"was not followed by {clause.then.text}")


def _unmet(
    clause: After | ImmediatelyAfter, facts: Facts, unmet: list[Call], sentence: str
) -> ClauseVerdict:
    """Answer for duties that nothing met: open where the run says nothing after them."""
    candidates = facts.about(clause.then)
    sure: list[Violation] = []
    gaps: list[Call] = []
    for call in unmet:
        ended = facts.ended(call)
        later = candidates[bisect_right(candidates, ended, key=_start) :]
        found = facts.unclear(later) or facts.gap_after(ended)
        if found is not None:
            gaps.append(found)
        else:
            place = call.start if call.result is None else call.end
            sure.append(
                facts.violation(clause.id, place, f"{call.tool} {sentence}", facts.pair(call))
            )
    if sure:
        return failed(clause.id, sure)
    gap = gaps[0]
    return inconclusive(
        clause.id,
        f"{gap.tool} at {gap.start} has no known answer, so the order stays open",
        facts.pair(gap),
    )


def check_never_between(clause: NeverBetween, facts: Facts) -> ClauseVerdict:
    """Report every `never` after an `opens` ended and before the next `closes` starts.

    A `never` of the reply that asks for the `closes` came too early: nothing was known yet.
    """
    opens = facts.select(clause.opens, Stage.EXECUTED)
    closing = facts.select(clause.closes, Stage.EXECUTED)
    closes = [call.start for call in closing]
    never = facts.select(clause.never, facts.counted)
    broken: dict[int, Violation] = {}
    for opening in opens:
        ended = facts.ended(opening)
        at = bisect_right(closes, ended)
        closed = facts.asked_until(closing[at]) if at < len(closes) else facts.end
        inside = never[
            bisect_right(never, ended, key=_start) : bisect_right(never, closed, key=_start)
        ]
        for call in inside:
            if call.start in broken:
                break  # an earlier window covers the rest as well
            if at < len(closes) and call.start == closes[at]:
                continue  # it closes the window itself
            broken[call.start] = facts.violation(
                clause.id,
                call.start,
                f"{call.tool} was called after {opening.tool} and before {clause.closes.text}",
                facts.pair(opening, call),
            )
    if broken:
        return failed(clause.id, [broken[seq] for seq in sorted(broken)])
    return passed(
        clause.id,
        f"{clause.never.text} stayed outside {clause.opens.text} to {clause.closes.text}",
        facts.pair(*opens),
    )


def check_at_most_after(clause: AtMostAfter, facts: Facts) -> ClauseVerdict:
    """Report the first `then` beyond the limit once a `first` has ended."""
    openings = facts.select(clause.first, Stage.EXECUTED)
    if not openings:
        return passed(clause.id, f"{clause.first.text} was not called")
    opening = min(openings, key=facts.ended)
    then = facts.select(clause.then, facts.counted)
    later = then[bisect_right(then, facts.ended(opening), key=_start) :]
    sentence = (
        f"{clause.then.text} was called {times(len(later))} after {clause.first.text};"
        f" at most {clause.limit} allowed"
    )
    counted = later[: clause.limit + 1]
    if len(later) <= clause.limit:
        return passed(clause.id, sentence, facts.pair(opening, *counted))
    return failed(
        clause.id,
        [facts.violation(clause.id, counted[-1].start, sentence, facts.pair(opening, *counted))],
    )


def check_immediately_after(clause: ImmediatelyAfter, facts: Facts) -> ClauseVerdict:
    """Report every executed `first` whose agent's next reply asks for anything but a `then`."""
    by_agent: dict[str | None, list[Call]] = {}
    for call in facts.calls:
        if clause.then.by in (call.request.requestor, "any"):
            by_agent.setdefault(call.request.agent, []).append(call)
    duties = facts.select(clause.first, Stage.EXECUTED)
    wrong: list[Violation] = []
    unmet: list[Call] = []
    for call in duties:
        own = by_agent.get(call.request.agent, [])
        at = bisect_right(own, facts.ended(call), key=_start)
        if at == len(own):
            unmet.append(call)
            continue
        at_once = own[at : bisect_right(own, facts.asked_until(own[at]), key=_start)]
        other = next((c for c in at_once if not selects(clause.then, c, Stage.REQUESTED)), None)
        if other is not None:
            wrong.append(
                facts.violation(
                    clause.id,
                    other.start,
                    f"{other.tool} came right after {call.tool}; {clause.then.text} expected",
                    facts.pair(call, other),
                )
            )
    if not wrong and not unmet:
        return passed(
            clause.id,
            f"{clause.then.text} came right after every {clause.first.text}",
            facts.pair(*duties),
        )
    missing = _unmet(clause, facts, unmet, "was the last call") if unmet else None
    if missing is None or not missing.violations:
        return failed(clause.id, wrong) if wrong or missing is None else missing
    return failed(clause.id, sorted([*wrong, *missing.violations], key=lambda found: found.seq))

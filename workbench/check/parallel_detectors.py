"""Detectors of results that went astray: lost, swapped between calls, or out of date.

Every detector takes the facts of a trace and returns what it found, earliest first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.check.hints import Hint
from workbench.check.outcomes import value_of
from workbench.check.proposals import (
    at_most_after,
    compares,
    equals,
    finishes,
    forbidden_call,
    min_calls,
    selector,
)
from workbench.model.contract import Operator
from workbench.model.event import Claim, ClaimOutcome, ModelReply, ModelRequest, Outcome
from workbench.model.jsonvalue import ABSENT, Json, same_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.check.facts import Facts
    from workbench.model.trace import Call

__all__ = ["crossed_or_lost_results"]


def crossed_or_lost_results(facts: Facts) -> Iterator[Hint]:
    """Find calls whose answer never came, came from another call, or came from before."""
    together = _together(facts)
    yield from _lost(facts, together)
    yield from _given_up(facts, together)
    yield from _out_of_order_end(facts, together)
    yield from _crossed(facts)
    yield from _out_of_date(facts)


def _together(facts: Facts) -> dict[int, list[Call]]:
    """Return the calls of each reply."""
    found: dict[int, list[Call]] = {}
    for call in facts.own_calls:
        if call.request.turn:
            found.setdefault(call.request.turn, []).append(call)
    return found


def _lost(facts: Facts, together: dict[int, list[Call]]) -> Iterator[Hint]:
    """Find a call without an answer though its siblings have one or the run went on."""
    went_on = max((e.seq for e in facts.events if isinstance(e, ModelReply | Claim)), default=-1)
    if _keeps_no_results(facts, went_on):
        return
    for call in facts.own_calls:
        if call.outcome is not Outcome.MISSING:
            continue
        siblings = [c for c in together.get(call.request.turn, []) if c.outcome != "missing"]
        sure = bool(siblings) or went_on > call.start
        broken = call.args is ABSENT and bool(call.request.args_raw)
        yield Hint(
            confidence="high" if sure else "medium" if broken else "low",
            proposal=finishes(),
            evidence=facts.pair(call, *siblings),
            sentence=f"{call.tool} at {call.start} was never answered",
        )


def _keeps_no_results(facts: Facts, went_on: int) -> bool:
    """Whether the record has no results at all: the run went on behind calls, and none has an answer.

    Models refuse to go on without one, so it is the recorder that left them out (evaluation cases of
    Google ADK hold calls and replies only): that is a loss of the import, nothing that the agent did.
    """
    calls = facts.calls
    return all(call.result is None for call in calls) and any(
        call.start < went_on for call in calls
    )


def _given_up(facts: Facts, together: dict[int, list[Call]]) -> Iterator[Hint]:
    """Find success claimed though of several equal calls at once only some were answered."""
    claimed = max((c.seq for c in facts.claims if c.outcome is ClaimOutcome.SUCCESS), default=-1)
    for turn, calls in together.items():
        by_tool: dict[str, list[Call]] = {}
        for call in calls:
            by_tool.setdefault(call.tool, []).append(call)
        for tool, group in by_tool.items():
            bad = [call for call in group if call.outcome in (Outcome.UNKNOWN, Outcome.MISSING)]
            later = [c for c in facts.of_tool(tool) if c.request.turn > turn]
            if not bad or len(bad) == len(group) or later or claimed < facts.ended(bad[-1]):
                continue
            done = [call for call in facts.of_tool(tool) if call.outcome is Outcome.OK]
            yield Hint(
                confidence="high",
                proposal=min_calls(selector(tool, classes=("ok",)), len(done) + len(bad)),
                evidence=(*facts.pair(*group), claimed),
                sentence=f"success was claimed though {len(bad)} of {len(group)} calls of {tool}"
                " at once brought no result",
            )


def _out_of_order_end(facts: Facts, together: dict[int, list[Call]]) -> Iterator[Hint]:
    """Find a run that stops right after parallel results came in another order than asked for."""
    last = max((e.seq for e in facts.events if isinstance(e, ModelReply | Claim)), default=-1)
    asked = max((e.seq for e in facts.events if isinstance(e, ModelRequest)), default=-1)
    calls = together[max(together)] if together else []
    ends = [call.end for call in calls if call.result is not None]
    if len(ends) == len(calls) > 1 and ends != sorted(ends) and last < ends[0]:
        yield Hint(
            confidence="high" if asked > max(ends) else "medium",
            proposal=finishes(),
            evidence=facts.pair(*calls),
            sentence=f"{len(calls)} parallel results came in another order than they were asked"
            " for, and the run ended there",
        )


# --- an answer that belongs to another call ---------------------------------------------

_NAMES_ONE: Final = re.compile(
    r"(?i)(?:^|_|-)(?:id|account|session|thread|conversation|order|customer|user|tenant|number)$|Id$"
)


def _crossed(facts: Facts) -> Iterator[Hint]:
    """Find a result that names another one than the call asked for, under the same key."""
    asked: dict[tuple[str, str], set[str]] = {}
    for call in facts.own_calls:
        for key, value in _named(call.args):
            asked.setdefault((call.tool, key), set()).add(value)
    for call in facts.own_calls:
        answers = dict(_named(value_of(call.result)))
        for key, value in _named(call.args):
            answer = answers.get(key, value)
            if call.outcome is not Outcome.OK or answer == value:
                continue
            swapped = answer in asked[call.tool, key]
            wrong = selector(
                call.tool,
                where=(equals(key, value),),
                result=(compares(key, Operator.NE, value),),
            )
            yield Hint(
                confidence="high" if swapped else "medium",
                proposal=forbidden_call(wrong),
                evidence=facts.pair(call),
                sentence=f"the result of {call.tool} at {call.start} is about another one than"
                " was asked for",
            )


def _named(value: Json | object) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            if _NAMES_ONE.search(key) and isinstance(item, str) and item:
                yield key, item


# --- an answer from before -----------------------------------------------------------------

_COUNTS_UP: Final = ("version", "revision", "generation", "sequence", "etag_version")


def _out_of_date(facts: Facts) -> Iterator[Hint]:
    """Find a read that answers with an older version than one already answered for the thing."""
    newest: dict[tuple[str, str], tuple[int, Call]] = {}
    for call in sorted(facts.own_calls, key=lambda one: one.end):
        for key, version in _versions(call):
            for name, value in _subjects(call):
                known = newest.get((key, value))
                if known is None or known[0] <= version:
                    newest[key, value] = (version, call)
                elif known[1].end < call.start:
                    yield _stale(facts, known[1], call, (key, known[0]), (name, value))


def _versions(call: Call) -> Iterator[tuple[str, int]]:
    result = value_of(call.result)
    if call.outcome is Outcome.OK and isinstance(result, dict):
        for key in _COUNTS_UP:
            version = result.get(key)
            if isinstance(version, int) and not isinstance(version, bool):
                yield key, version


def _subjects(call: Call) -> Iterator[tuple[str, str]]:
    if isinstance(call.args, dict):
        for name, value in call.args.items():
            if isinstance(value, str) and value:
                yield name, value


def _stale(
    facts: Facts, newer: Call, call: Call, latest: tuple[str, int], subject: tuple[str, str]
) -> Hint:
    (key, version), (name, value) = latest, subject
    first_where = tuple(
        equals(other, item) for other, item in _subjects(newer) if same_json(item, value)
    )
    proposal = at_most_after(
        selector(newer.tool, where=first_where, result=(equals(key, version),)),
        selector(
            call.tool,
            where=(equals(name, value),),
            result=(compares(key, Operator.LT, version),),
        ),
        0,
    )
    return Hint(
        confidence="high",
        proposal=proposal,
        evidence=facts.pair(newer, call),
        sentence=f"the result of {call.tool} at {call.start} is older than what {newer.tool}"
        f" answered at {newer.start}",
    )

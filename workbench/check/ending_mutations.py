"""How a passing trace is changed so that one clause on claims, limits or the end breaks.

Every function takes `(clause, facts)` and yields candidates, the smallest change first. None of
them promises to break the clause: `mutate` judges each.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from workbench.check.call_mutations import unlisted_call
from workbench.check.edits import (
    changed,
    fresh_ids,
    with_calls,
    with_claim,
    with_events,
    without_calls,
)
from workbench.check.evidence_clauses import named_evidence
from workbench.check.limit_clauses import call_key, time_of
from workbench.check.pattern_text import example_text
from workbench.check.selectors import at_stage
from workbench.model.contract import (
    AnswerRule,
    Evidence,
    FinalState,
    Finishes,
    Limit,
    StatePredicate,
    SuccessRequires,
)
from workbench.model.event import (
    Claim,
    ClaimOutcome,
    Event,
    ModelReply,
    StateChange,
    Usage,
)
from workbench.model.jsonvalue import ABSENT, Json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from workbench.check.facts import Facts
    from workbench.model.trace import Call, Trace

__all__ = [
    "break_answer",
    "break_final_state",
    "break_finishes",
    "break_limit",
    "break_success_requires",
]

_MOST_INSERTED: Final = 20_000
_NO_SUCH_STATE: Final = "workbench.no-such-state"


def break_success_requires(clause: SuccessRequires, facts: Facts) -> Iterator[Trace]:
    """Claim success, without the evidence."""
    evidence = named_evidence(clause.evidence, facts.tool_names)
    bare = without_calls(facts.trace, facts.of_tool(evidence.tool or ""))
    bare = replace(bare, tools=facts.trace.tools)
    yield with_claim(facts.trace, ClaimOutcome.SUCCESS)
    yield bare
    yield with_claim(bare, ClaimOutcome.SUCCESS)


def break_final_state(clause: FinalState, facts: Facts) -> Iterator[Trace]:
    """Take away what the state rests on: evidence, claim, state."""
    rules = [rule for name in clause.names for rule in facts.contract.states.get(name, ())]
    tools = [
        named_evidence(rule, facts.tool_names).tool for rule in rules if isinstance(rule, Evidence)
    ]
    calls = [call for tool in tools for call in facts.of_tool(tool or "")]
    bare = without_calls(facts.trace, calls)
    for base in (facts.trace, bare):
        for outcome in (ClaimOutcome.FAILURE, ClaimOutcome.UNRESOLVED, ClaimOutcome.SUCCESS):
            yield with_claim(base, outcome)
    changes = [
        StateChange(name=_state_name(rule), after=_NO_SUCH_STATE)
        for rule in rules
        if isinstance(rule, StatePredicate)
    ]
    for outcome in (ClaimOutcome.FAILURE, ClaimOutcome.SUCCESS):
        yield with_claim(with_events(bare, len(bare.events), changes), outcome)
    emptied = [replace(change, after=ABSENT) for change in changes]
    yield with_events(bare, len(bare.events), emptied)


def _state_name(rule: StatePredicate) -> str:
    steps = [str(step) for step in rule.predicate.path]
    plain = [step for step in steps if step not in ("*", "**")]
    return ".".join(step.removeprefix("\\") for step in plain) or "state"


def break_finishes(_: Finishes, facts: Facts) -> Iterator[Trace]:
    """Let the run end in a call that nobody answers."""
    call = replace(unlisted_call(facts), result=None)
    yield with_calls(facts.trace, facts.end, [call])


# --- the final answer -------------------------------------------------------------


def break_answer(clause: AnswerRule, facts: Facts) -> Iterator[Trace]:
    """Say what must not be said, or leave out what must."""
    text = "" if facts.answer is None else facts.answer.text
    for other in _WORDINGS[clause.rule](clause.value, text):
        yield _with_answer(facts, other)


def _with_answer(facts: Facts, text: str) -> Trace:
    answer = facts.answer
    if answer is None:
        return with_claim(facts.trace, ClaimOutcome.SUCCESS, text=text)

    def reworded(event: Event) -> Event:
        return replace(event, text=text) if event is answer and isinstance(event, Claim) else event

    return changed(facts.trace, reworded)


def _items(value: Json) -> list[str]:
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, str)]


def _empty(_: Json, __: str) -> Iterator[str]:
    yield ""


def _with_text(value: Json, text: str) -> Iterator[str]:
    yield from (f"{text} {item}" for item in _items(value))


def _with_match(value: Json, text: str) -> Iterator[str]:
    for pattern in _items(value):
        found = example_text(pattern)
        if found is not None:
            yield f"{text} {found}"
            yield found


def _no_json(_: Json, __: str) -> Iterator[str]:
    yield "{"


def _with_invention(_: Json, text: str) -> Iterator[str]:
    yield f'{text} "workbench: an error nobody returned" 918273645'


_WORDINGS: Final[dict[str, Callable[[Json, str], Iterator[str]]]] = {
    "contains": _empty,
    "not_contains": _with_text,
    "matches": _empty,
    "not_matches": _with_match,
    "json_schema": _no_json,
    "quotes_results": _with_invention,
}


# --- limits -----------------------------------------------------------------------


def break_limit(clause: Limit, facts: Facts) -> Iterator[Trace]:
    """Go one beyond the bound."""
    yield from _BEYOND[clause.measure](clause, facts)


def _over(clause: Limit) -> int:
    return max(int(clause.bound // 1) + 1, 1)


def _more_calls(clause: Limit, facts: Facts) -> Iterator[Trace]:
    now = sum(at_stage(call, facts.counted) for call in facts.own_calls)
    yield from _repeated(facts, _base_call(facts), _over(clause) - now)


def _more_identical(clause: Limit, facts: Facts) -> Iterator[Trace]:
    base = _base_call(facts)
    now = sum(call_key(call) == call_key(base) for call in facts.own_calls)
    yield from _repeated(facts, base, _over(clause) - now)


def _base_call(facts: Facts) -> Call:
    attempted = (call for call in facts.own_calls if at_stage(call, facts.counted))
    return next(attempted, unlisted_call(facts))


def _repeated(facts: Facts, base: Call, count: int) -> Iterator[Trace]:
    if not 0 < count <= _MOST_INSERTED:
        return
    calls = []
    for call_id in fresh_ids(facts.trace, count):
        result = None if base.result is None else replace(base.result, call_id=call_id)
        calls.append(replace(base, request=replace(base.request, call_id=call_id), result=result))
    yield with_calls(facts.trace, facts.end, calls)


def _more_replies(clause: Limit, facts: Facts) -> Iterator[Trace]:
    count = _over(clause)
    if count <= _MOST_INSERTED:
        yield with_events(facts.trace, facts.end, [ModelReply() for _ in range(count)])


def _slower(clause: Limit, facts: Facts) -> Iterator[Trace]:
    if facts.end < 2:
        return
    known = (at for event in facts.events if (at := time_of(event.at)) is not None)
    start = next(known, datetime(2000, 1, 1, tzinfo=UTC))
    late = start + timedelta(milliseconds=min(clause.bound, 1e12) + 1000)
    first, last = facts.events[0], facts.events[-1]
    events = (
        replace(first, at=start.isoformat()),
        *facts.events[1:-1],
        replace(last, at=late.isoformat()),
    )
    yield replace(facts.trace, events=events)


def _more_tokens(clause: Limit, facts: Facts) -> Iterator[Trace]:
    spent = Usage(input_tokens=_over(clause), output_tokens=_over(clause))
    yield with_events(facts.trace, facts.end, [ModelReply(usage=spent)])


def _dearer(clause: Limit, facts: Facts) -> Iterator[Trace]:
    spent = Usage(cost_usd=clause.bound + 1)
    yield with_events(facts.trace, facts.end, [ModelReply(usage=spent)])


_BEYOND: Final[dict[str, Callable[[Limit, Facts], Iterator[Trace]]]] = {
    "tool_calls": _more_calls,
    "model_calls": _more_replies,
    "identical_calls": _more_identical,
    "wall_time_ms": _slower,
    "input_tokens": _more_tokens,
    "output_tokens": _more_tokens,
    "cost_usd": _dearer,
}

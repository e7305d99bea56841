"""How a passing trace is changed so that one clause on calls or their order breaks.

Every function takes `(clause, facts)` and yields candidates, the smallest change first. None of
them promises to break the clause: `mutate` judges each.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from workbench.check.edits import fresh_ids, with_calls, with_events, without_calls
from workbench.check.examples import UNLISTED_TOOL, example_call
from workbench.check.selectors import Stage
from workbench.model.contract import (
    After,
    ArgsSchema,
    AtMostAfter,
    Before,
    ForbidCall,
    ImmediatelyAfter,
    MaxCalls,
    MinCalls,
    MustCall,
    NeverBetween,
    OnlyCall,
    PermissionRule,
    Selector,
)
from workbench.model.event import Decision, Outcome, Permission, ToolCall, ToolResult, UserMessage
from workbench.model.jsonvalue import ABSENT
from workbench.model.trace import Call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.check.facts import Facts
    from workbench.model.trace import Trace

__all__ = [
    "break_after",
    "break_args",
    "break_at_most_after",
    "break_before",
    "break_forbid_call",
    "break_immediately_after",
    "break_max_calls",
    "break_must_call",
    "break_never_between",
    "break_only_call",
    "break_permissions",
    "unlisted_call",
]

_MOST_INSERTED: Final = 20_000


def break_must_call(clause: MustCall | MinCalls, facts: Facts) -> Iterator[Trace]:
    """Leave the calls out, as many as needed."""
    found = facts.select(clause.selector, Stage.EXECUTED)
    allowed = clause.limit - 1 if isinstance(clause, MinCalls) else 0
    yield without_calls(facts.trace, found[max(allowed, 0) :])
    yield without_calls(facts.trace, facts.about(clause.selector))


def break_forbid_call(clause: ForbidCall, facts: Facts) -> Iterator[Trace]:
    """Make the call."""
    yield from _with_examples(facts, facts.end, [(clause.selector, 1)])


def break_only_call(_: OnlyCall, facts: Facts) -> Iterator[Trace]:
    """Call a tool that nobody lists."""
    yield with_calls(facts.trace, facts.end, [unlisted_call(facts)])


def break_max_calls(clause: MaxCalls, facts: Facts) -> Iterator[Trace]:
    """Call it once more than allowed."""
    more = clause.limit + 1 - len(facts.select(clause.selector, facts.counted))
    yield from _with_examples(facts, facts.end, [(clause.selector, more)])


def break_before(clause: Before, facts: Facts) -> Iterator[Trace]:
    """Leave out what must come first, or call the other one at once."""
    first = facts.select(clause.first, Stage.COMPLETED)
    then = facts.select(clause.then, Stage.ATTEMPTED)
    if then:
        yield without_calls(facts.trace, [c for c in first if c.start < then[0].start])
    yield from _with_examples(facts, _start(facts), [(clause.then, 1)])


def break_after(clause: After, facts: Facts) -> Iterator[Trace]:
    """Leave out what must follow, or do once more what asks for it."""
    if facts.select(clause.first, Stage.EXECUTED):
        yield without_calls(facts.trace, facts.select(clause.then, Stage.EXECUTED))
    yield from _with_examples(facts, facts.end, [(clause.first, 1)])


def break_never_between(clause: NeverBetween, facts: Facts) -> Iterator[Trace]:
    """Make the call right after what opens the window."""
    for opening in facts.select(clause.opens, Stage.EXECUTED)[:1]:
        yield from _with_examples(facts, facts.ended(opening) + 1, [(clause.never, 1)])
    yield from _with_examples(facts, facts.end, [(clause.opens, 1), (clause.never, 1)])


def break_at_most_after(clause: AtMostAfter, facts: Facts) -> Iterator[Trace]:
    """Make one call too many after the first."""
    many = clause.limit + 1
    if facts.select(clause.first, Stage.EXECUTED):
        yield from _with_examples(facts, facts.end, [(clause.then, many)])
    yield from _with_examples(facts, facts.end, [(clause.first, 1), (clause.then, many)])


def break_immediately_after(clause: ImmediatelyAfter, facts: Facts) -> Iterator[Trace]:
    """Do something else in between, or nothing afterwards."""
    duties = facts.select(clause.first, Stage.EXECUTED)
    for call in duties[:1]:
        other = unlisted_call(facts, agent=call.request.agent)
        yield with_calls(facts.trace, facts.ended(call) + 1, [other])
    if duties:
        end = facts.ended(duties[-1])
        yield without_calls(facts.trace, [call for call in facts.calls if call.start > end])
    yield from _with_examples(facts, facts.end, [(clause.first, 1)])


def break_args(clause: ArgsSchema, facts: Facts) -> Iterator[Trace]:
    """Leave an argument out, give none, or give text that is no JSON."""
    calls = facts.select(clause.selector, facts.counted)
    for call in calls[:1]:
        if isinstance(call.args, dict):
            for key in call.args:
                fewer = {name: item for name, item in call.args.items() if name != key}
                yield _with_request(facts, replace(call.request, args=fewer, args_raw=None))
        yield _with_request(facts, replace(call.request, args=ABSENT, args_raw="{"))
    for call in _example(facts, clause.selector, 1):
        made = _named(call, fresh_ids(facts.trace, 1)[0])
        broken = replace(made.request, args=ABSENT, args_raw="{")
        yield with_calls(facts.trace, facts.end, [replace(made, request=broken)])


def break_permissions(clause: PermissionRule, facts: Facts) -> Iterator[Trace]:
    """Take back every grant, and make the call where nobody did."""
    denied = tuple(
        replace(event, decision=Decision.DENIED) if isinstance(event, Permission) else event
        for event in facts.events
    )
    without = replace(facts.trace, events=denied)
    yield without
    refusal = Permission(decision=Decision.DENIED)
    for call in _example(facts, clause.grant, 1):
        made = _named(call, fresh_ids(facts.trace, 1)[0])
        yield with_calls(with_events(without, facts.end, [refusal]), facts.end + 1, [made])


# --- parts ---------------------------------------------------------------------


def unlisted_call(facts: Facts, *, agent: str | None = None) -> Call:
    """Return a completed call of a tool that no contract names."""
    call_id = fresh_ids(facts.trace, 1)[0]
    return Call(
        request=ToolCall(call_id=call_id, tool=UNLISTED_TOOL, args={}, agent=agent),
        result=ToolResult(call_id=call_id, outcome=Outcome.OK, result={}, agent=agent),
        end=0,
    )


def _example(facts: Facts, selector: Selector, count: int) -> list[Call]:
    """Return calls that a selector chooses; empty when none can be made."""
    call = example_call(selector, facts.trace, Stage.REQUESTED, call_id="")
    if call is None or not 0 < count <= _MOST_INSERTED:
        return []
    return [call] * count


def _with_examples(facts: Facts, at: int, wanted: list[tuple[Selector, int]]) -> Iterator[Trace]:
    calls: list[Call] = []
    for selector, count in wanted:
        found = _example(facts, selector, count)
        if not found:
            return
        calls += found
    ids = fresh_ids(facts.trace, len(calls))
    yield with_calls(
        facts.trace, at, [_named(call, call_id) for call, call_id in zip(calls, ids, strict=True)]
    )


def _named(call: Call, call_id: str) -> Call:
    result = None if call.result is None else replace(call.result, call_id=call_id)
    return replace(call, request=replace(call.request, call_id=call_id), result=result)


def _with_request(facts: Facts, request: ToolCall) -> Trace:
    events = list(facts.events)
    events[request.seq] = request
    return replace(facts.trace, events=tuple(events))


def _start(facts: Facts) -> int:
    """Return the place after the first thing a person said."""
    return next((e.seq + 1 for e in facts.events if isinstance(e, UserMessage)), 0)

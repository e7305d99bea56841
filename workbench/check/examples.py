"""Values and calls that satisfy predicates and selectors, for breaking clauses on purpose.

Best effort, and checked: a caller gets only what does satisfy. Values of the trace come first,
made-up ones are plainly made up.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from workbench.check.pattern_text import example_text
from workbench.check.predicates import holds
from workbench.check.selectors import Stage, selects
from workbench.model.contract import Operator, Predicate, Selector
from workbench.model.event import Outcome, Requestor, ToolCall, ToolResult
from workbench.model.jsonvalue import ABSENT, Absent, Json, same_json
from workbench.model.trace import Call, Trace, calls_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["UNLISTED_TOOL", "example_call", "satisfying"]

UNLISTED_TOOL: Final = "workbench.unlisted"
"""A tool that no contract names."""


def example_call(selector: Selector, trace: Trace, stage: Stage, *, call_id: str) -> Call | None:
    """Return a call, and its result, that a selector chooses; None: none was found.

    Args:
        selector: what must choose it.
        trace: where names, arguments and results are taken from first.
        stage: how far it must have come.
        call_id: its id, not yet in the trace.
    """
    for base in _bases(selector, trace):
        for outcome, detail in _endings(selector):
            call = _shaped(base, selector, call_id=call_id, outcome=outcome, detail=detail)
            if call is not None and selects(selector, call, stage):
                return call
    return None


def _bases(selector: Selector, trace: Trace) -> Iterator[Call]:
    """Yield calls of the trace that come close, then one that is made up."""
    calls = calls_of(trace)
    any_end = replace(selector, classes=("any",), result=())
    yield from (call for call in calls if selects(any_end, call, Stage.REQUESTED))
    names = dict.fromkeys([*(call.tool for call in calls), *(tool.name for tool in trace.tools)])
    same_tool = replace(any_end, where=(), agent=None, by="any")
    made_up = (
        Call(request=ToolCall(call_id="", tool=name, args={}), end=0)
        for name in [*names, selector.tool.replace("*", "x")]
    )
    yield next(call for call in made_up if selects(same_tool, call, Stage.REQUESTED))


def _endings(selector: Selector) -> Iterator[tuple[Outcome, str | None]]:
    for word in selector.classes or ("executed",):
        if word in ("any", "executed"):
            yield Outcome.OK, None
        elif word in {str(outcome) for outcome in Outcome}:
            yield Outcome(word), None
        else:
            yield Outcome.UNKNOWN, word


def _shaped(
    base: Call, selector: Selector, *, call_id: str, outcome: Outcome, detail: str | None
) -> Call | None:
    args = satisfying(selector.where, base.args if base.args is not ABSENT else {})
    known = ABSENT if base.result is None else base.result.result
    result = satisfying(selector.result, known if known is not ABSENT else {})
    if args is ABSENT or result is ABSENT:
        return None
    by = Requestor.AGENT if selector.by in ("agent", "any") else Requestor(selector.by)
    agent = base.request.agent if selector.agent is None else selector.agent.replace("*", "x")
    request = ToolCall(
        call_id=call_id, tool=base.tool, args=args, requestor=by, agent=agent, turn=0
    )
    if outcome is Outcome.MISSING:
        return Call(request=request, end=0)
    answer = ToolResult(call_id=call_id, outcome=outcome, detail=detail, result=result, agent=agent)
    return Call(request=request, result=answer, end=0)


# --- values ------------------------------------------------------------------


def satisfying(predicates: tuple[Predicate, ...], base: Json) -> Json | Absent:
    """Return `base`, changed as little as needed to satisfy all predicates; else `ABSENT`."""
    if all(holds(predicate, base) for predicate in predicates):
        return base
    value: Json = copy.deepcopy(base)
    for predicate in predicates:
        if not holds(predicate, value):
            value = _put(value, list(predicate.path), predicate)
    return value if all(holds(predicate, value) for predicate in predicates) else ABSENT


def _put(value: Json, path: list[str | int], predicate: Predicate) -> Json:
    """Return the value with what a predicate asks for at a path; `value` belongs to us."""
    if not path:
        return _wanted(predicate, value)
    step, rest = path[0], path[1:]
    if step == "**":
        return _put(value, rest, predicate)
    if isinstance(step, int) or step == "*":
        items = value if isinstance(value, list) else []
        place = step if isinstance(step, int) and step >= 0 else 0
        items += [None] * (place + 1 - len(items))
        items[place] = _put(items[place], rest, predicate)
        return items
    mapping = value if isinstance(value, dict) else {}
    key = step.removeprefix("\\")
    if predicate.operator is Operator.ABSENT and not rest:
        mapping.pop(key, None)
    else:
        mapping[key] = _put(mapping.get(key), rest, predicate)
    return mapping


def _wanted(predicate: Predicate, current: Json) -> Json:
    literal: Json = None if predicate.literal is ABSENT else predicate.literal
    match predicate.operator:
        case Operator.EQ | Operator.LE | Operator.GE:
            return literal
        case Operator.IN:
            return literal[0] if isinstance(literal, list) and literal else None
        case Operator.NE | Operator.NOT_IN:
            return _other_than(literal)
        case Operator.LT | Operator.GT:
            return _beside(literal, up=predicate.operator is Operator.GT)
        case Operator.CONTAINS:
            return literal if isinstance(literal, str) else [literal]
        case Operator.MATCHES:
            return example_text(literal) if isinstance(literal, str) else None
        case _:
            return "x" if current is None else current


def _other_than(literal: Json) -> Json:
    taken = literal if isinstance(literal, list) else [literal]
    choices: list[Json] = ["other", "another", 0, 1, None, *(f"other-{n}" for n in range(20))]
    return next(
        (choice for choice in choices if not any(same_json(choice, item) for item in taken)), {}
    )


def _beside(literal: Json, *, up: bool) -> Json:
    if isinstance(literal, str):
        return literal + "x" if up else ""
    if isinstance(literal, bool) or not isinstance(literal, int | float):
        return None
    return literal + 1 if up else literal - 1

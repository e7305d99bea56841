"""Clauses on single calls: must, must not, only these, how many, with which arguments.

Every function takes `(clause, facts)` and answers for one clause. Bad behaviour is data here:
none of them raises on it. What must not happen counts requested calls, or attempted ones when
the fix is in code; what must happen counts executed ones.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

import jsonschema_rs

from workbench.check.facts import Facts, failed, inconclusive, passed, times
from workbench.check.selectors import Stage, args_of, selects
from workbench.errors import ContractError
from workbench.model.event import Requestor
from workbench.model.jsonvalue import ABSENT, Json

if TYPE_CHECKING:
    from workbench.model.contract import (
        ArgsSchema,
        ForbidCall,
        MaxCalls,
        MinCalls,
        MustCall,
        OnlyCall,
        Selector,
    )
    from workbench.model.verdict import ClauseVerdict

__all__ = [
    "accepts",
    "check_args",
    "check_forbid_call",
    "check_max_calls",
    "check_min_calls",
    "check_must_call",
    "check_only_call",
]


def check_must_call(clause: MustCall, facts: Facts) -> ClauseVerdict:
    """Ask for one executed call."""
    return _at_least(clause.id, clause.selector, facts, limit=1)


def check_min_calls(clause: MinCalls, facts: Facts) -> ClauseVerdict:
    """Ask for a number of executed calls."""
    return _at_least(clause.id, clause.selector, facts, limit=clause.limit)


def _at_least(clause: str, selector: Selector, facts: Facts, *, limit: int) -> ClauseVerdict:
    found = facts.select(selector, Stage.EXECUTED)
    if len(found) >= limit:
        sentence = f"{selector.text} was called"
        return passed(clause, sentence, facts.pair(*found[:limit]))
    gap = facts.unclear(facts.about(selector)) or facts.gap_after(-1)
    if gap is not None:
        sentence = f"{gap.tool} at {gap.start} has no known answer, so {selector.text} stays open"
        return inconclusive(clause, sentence, facts.pair(gap))
    sentence = (
        f"{selector.text} was never called"
        if limit == 1
        else f"{selector.text} was called {times(len(found))}; at least {limit} expected"
    )
    return failed(clause, [facts.violation(clause, facts.end, sentence, facts.duty)])


def check_forbid_call(clause: ForbidCall, facts: Facts) -> ClauseVerdict:
    """Report every call that is forbidden."""
    found = facts.select(clause.selector, facts.counted)
    if not found:
        return passed(clause.id, f"{clause.selector.text} was not called")
    return failed(
        clause.id,
        [
            facts.violation(
                clause.id, call.start, f"{call.tool} was called; it is forbidden", facts.pair(call)
            )
            for call in found
        ],
    )


def check_only_call(clause: OnlyCall, facts: Facts) -> ClauseVerdict:
    """Report every call that none of the selectors chooses."""
    who = {selector.by for selector in clause.selectors} | {Requestor.AGENT.value}
    others = [
        call
        for call in facts.calls
        if ("any" in who or call.request.requestor.value in who)
        and (facts.counted is Stage.REQUESTED or call.outcome != "denied")
        and not any(selects(selector, call, Stage.REQUESTED) for selector in clause.selectors)
    ]
    if not others:
        return passed(clause.id, "only permitted tools were called")
    return failed(
        clause.id,
        [
            facts.violation(
                clause.id,
                call.start,
                f"{call.tool} was called; it is not in the list",
                facts.pair(call),
            )
            for call in others
        ],
    )


def check_max_calls(clause: MaxCalls, facts: Facts) -> ClauseVerdict:
    """Report the first call beyond the limit; a retried write is a second write."""
    found = facts.select(clause.selector, facts.counted)
    if len(found) <= clause.limit:
        return passed(
            clause.id,
            f"{clause.selector.text} was called {times(len(found))}; at most {clause.limit} allowed",
            facts.pair(*found),
        )
    sentence = (
        f"{clause.selector.text} was called {times(len(found))}; at most {clause.limit} allowed"
    )
    counted = found[: clause.limit + 1]
    return failed(
        clause.id,
        [facts.violation(clause.id, counted[-1].start, sentence, facts.pair(*counted))],
    )


def check_args(clause: ArgsSchema, facts: Facts) -> ClauseVerdict:
    """Report every call whose arguments the schema refuses; text that is no JSON is refused.

    Raises:
        ContractError: the schema is none.
    """
    broken = [
        call
        for call in facts.select(clause.selector, facts.counted)
        if call.args is ABSENT or not accepts(clause.schema, call.args)
    ]
    if not broken:
        return passed(clause.id, f"all arguments of {clause.selector.text} fit their schema")
    return failed(
        clause.id,
        [
            facts.violation(
                clause.id,
                call.start,
                f"the arguments of {call.tool} "
                f"{'are not JSON' if isinstance(args_of(call), str) else 'do not fit the schema'}",
                facts.pair(call),
            )
            for call in broken
        ],
    )


def accepts(schema: Json, value: Json) -> bool:
    """Whether a JSON Schema accepts a value; nothing is ever fetched.

    Raises:
        ContractError: the schema is none.
    """
    return bool(_validator(json.dumps(schema)).is_valid(value))


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:  # noqa: ANN401  the library's validators share no type
    try:
        return jsonschema_rs.validator_for(
            json.loads(schema), retriever=_refuse, pattern_options=jsonschema_rs.RegexOptions()
        )
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError):
        raise ContractError("a schema of the contract is no JSON Schema") from None


def _refuse(_: str) -> NoReturn:
    raise ValueError

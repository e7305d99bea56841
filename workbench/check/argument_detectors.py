"""Detectors of calls with arguments that were never meant: cut off, hidden, missing, altered.

Every detector takes the facts of a trace and returns what it found, earliest first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.check.hints import Hint, is_idempotency, is_write, is_write_declared, where_of
from workbench.check.proposals import (
    args_fit,
    at_most_after,
    compares,
    equals,
    forbidden_call,
    selector,
)
from workbench.check.selectors import Stage, at_stage
from workbench.model.contract import Operator
from workbench.model.event import Outcome
from workbench.model.jsonvalue import ABSENT, Absent, Json, JsonMap, same_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.check.facts import Facts
    from workbench.check.proposals import Proposal
    from workbench.model.trace import Call

__all__ = ["malformed_or_changed_argument"]

_ENDED_BADLY: Final = (Outcome.PERMANENT, Outcome.UNKNOWN, Outcome.MISSING)


def malformed_or_changed_argument(facts: Facts) -> Iterator[Hint]:
    """Find arguments that are cut off, missing or masked, and retries with another value."""
    required = {tool.name: _required(tool.schema) for tool in facts.trace.tools}
    for call in facts.own_calls:
        names = required.get(call.tool, [])
        if call.args is ABSENT and (call.request.args_raw or "").strip():
            yield _unfit(facts, call, names, "are not JSON")
        elif isinstance(call.args, dict) and any(name not in call.args for name in names):
            yield _unfit(facts, call, names, "lack what the tool requires")
        yield from _masked(facts, call)
    yield from _changed(facts)


def _required(schema: JsonMap | None) -> list[str]:
    names = (schema or {}).get("required")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _unfit(facts: Facts, call: Call, names: list[str], what: str) -> Hint:
    schema: JsonMap = {"type": "object"}
    if names:
        schema["required"] = [*names]
    mended = any(
        later.start > call.start and later.outcome is Outcome.OK
        for later in facts.of_tool(call.tool)
    )
    return Hint(
        confidence="high" if call.outcome in _ENDED_BADLY and not mended else "medium",
        proposal=args_fit(call.tool, schema),
        evidence=facts.pair(call),
        sentence=f"the arguments of {call.tool} at {call.start} {what}",
    )


# --- a mask used as a value -----------------------------------------------------------

_MASK: Final = (
    r"^(?:\*{3,}|[xX]{6,}|•{3,}|\W?(?i:redacted|masked|hidden|removed|filtered)\W?"
    r"|[\[<](?i:redacted|masked)[^\]>]*[\]>])$"
)
_MASKED: Final = re.compile(_MASK.replace("(?i:", "(?:"), re.IGNORECASE)


def _masked(facts: Facts, call: Call) -> Iterator[Hint]:
    """Find a mask that somebody put over a value, sent as if it were the value."""
    if not isinstance(call.args, dict):
        return
    for key, value in call.args.items():
        if isinstance(value, str) and _MASKED.match(value):
            where = compares(key, Operator.MATCHES, _MASK)
            yield Hint(
                confidence="medium" if call.outcome is Outcome.OK else "high",
                proposal=forbidden_call(selector(call.tool, where=(where,))),
                evidence=facts.pair(call),
                sentence=f"{call.tool} at {call.start} was given a mask in place of a value",
            )


# --- another value on the second try -----------------------------------------------------


def _changed(facts: Facts) -> Iterator[Hint]:
    """Find a write made again with one value changed, after its first end was bad or unknown."""
    last: dict[str, Call] = {}
    for call in facts.own_calls:
        if not is_write(facts, call):
            if at_stage(call, Stage.COMPLETED):
                last.clear()  # somebody looked before trying again
            continue
        first = last.pop(call.tool, None)
        if first is not None and facts.ended(first) < call.start:
            yield from _retry(facts, first, call)
        if call.outcome in (Outcome.UNKNOWN, Outcome.PERMANENT, Outcome.DENIED):
            last[call.tool] = call


def _retry(facts: Facts, first: Call, again: Call) -> Iterator[Hint]:
    changed = _changed_value(first.args, again.args)
    if changed is None or again.outcome is not Outcome.OK:
        return
    lost = first.outcome is Outcome.UNKNOWN
    yield Hint(
        confidence="medium" if lost and is_write_declared(facts, first) else "low",
        proposal=_not_again(first, again, *changed),
        evidence=facts.pair(first, again),
        sentence=f"{again.tool} at {again.start} repeats the call at {first.start}, which ended"
        f" {first.outcome}, with one argument changed",
    )


def _changed_value(first: Json | Absent, again: Json | Absent) -> tuple[str, Json] | None:
    """Return the one key under which two mappings differ, and its new value; else None."""
    if not isinstance(first, dict) or not isinstance(again, dict) or first.keys() != again.keys():
        return None
    changed = [key for key in first if not same_json(first[key], again[key])]
    if len(changed) != 1 or len(first) == 1 or is_idempotency(changed[0]):
        return None
    return changed[0], again[changed[0]]


def _not_again(first: Call, again: Call, key: str, value: Json) -> Proposal:
    changed = () if isinstance(value, dict | list) else (equals(key, value),)
    return at_most_after(
        selector(first.tool, where=where_of(first), classes=(first.outcome.value,)),
        selector(again.tool, where=changed),
        0,
    )

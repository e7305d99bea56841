"""Recorded calls to fixtures: one a call, in completion order.

A fixture answers the next call of its tool with equal arguments, and the calls of one reply
complete in the order of their fixtures. So the order here is what keeps a replay equal to the
recording; where no order can, the trace is refused.

Source:
    design page 04, "From a trace to a case" (d), "Matching of fixtures" 3 and 5.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from workbench.casefile.storable import is_storable
from workbench.errors import TraceFormatError
from workbench.model.canonical import canonical_json
from workbench.model.case import ANY_TIMES, Fixture
from workbench.model.event import Outcome, ToolCall, ToolResult
from workbench.model.jsonvalue import ABSENT, Absent, Json, TextForm, parse_text, same_json
from workbench.model.trace import Effect

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from workbench.model.trace import Call

__all__ = ["build_fixtures", "key_args"]

_REFUSALS: Final = (Outcome.BLOCKED, Outcome.MISSING_FIXTURE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Slot:
    """A call, the group of calls that one key finds, and its place among the fixtures."""

    call: Call
    key: tuple[str, bytes]
    order: tuple[int, int]


def key_args(call: ToolCall) -> Json | Absent:
    """Return the arguments as a fixture's key has them: the text when they are not JSON."""
    if call.args is ABSENT and call.args_raw is not None:
        return call.args_raw
    return call.args


def build_fixtures(
    blocks: Sequence[Sequence[Call]], effects: Mapping[str, Effect]
) -> tuple[tuple[Fixture, ...], dict[str, str]]:
    """Return the fixtures of a trace, and which fixture answers each call.

    Args:
        blocks: the calls of each turn, in order of request; turns in order.
        effects: declared effects; a tool without one may write.

    Returns:
        Fixtures in completion order, and call id -> fixture id.

    Raises:
        TraceFormatError: a result is not derived yet, is a refusal of a replay, or belongs to
            one of two equal calls that ended in crossed order.
    """
    slots = [_slots(block) for block in blocks]
    shared = _shared_keys(slots, effects)
    fixtures: list[Fixture] = []
    fixture_of_call: dict[str, str] = {}
    shared_ids: dict[tuple[str, bytes], str] = {}
    for slot in sorted((s for block in slots for s in block), key=lambda s: s.order):
        name = shared_ids.get(slot.key)
        if name is None:
            name = f"f{len(fixtures) + 1}"
            times = ANY_TIMES if slot.key in shared else 1
            fixtures.append(_fixture(slot.call, name=name, times=times))
            if slot.key in shared:
                shared_ids[slot.key] = name
        fixture_of_call[slot.call.request.call_id] = name
    return tuple(fixtures), fixture_of_call


def _slots(block: Sequence[Call]) -> list[_Slot]:
    """Order the calls of one turn; equal calls must end as they were requested."""
    slots: list[_Slot] = []
    last: dict[tuple[str, bytes], _Slot] = {}
    for call in block:
        args = key_args(call.request)
        key = (call.tool, b"" if isinstance(args, Absent) else canonical_json(args))
        before = last.get(key)
        order = (call.end, 0)
        if call.result is None:
            # it is never seen to end, so any place after its equal predecessor is right
            order = (call.start, 0) if before is None else (before.order[0], before.order[1] + 1)
        elif before is not None and order < before.order and not _same(before.call, call):
            raise TraceFormatError(
                f"(#{call.start}) equals call #{before.call.start} of the same turn, ended before "
                "it and differently; a case cannot tell which result belongs to which",
                fix="drop one of the two calls",
            )
        slot = _Slot(call=call, key=key, order=order)
        slots.append(slot)
        last[key] = slot
    return slots


def _shared_keys(
    blocks: Sequence[Sequence[_Slot]], effects: Mapping[str, Effect]
) -> set[tuple[str, bytes]]:
    """Return the keys of reads that always answered the same: one fixture serves all.

    A key is left out when its one fixture would change the order in which a turn's calls end.
    """
    groups: dict[tuple[str, bytes], list[_Slot]] = {}
    for block in blocks:
        for slot in block:
            groups.setdefault(slot.key, []).append(slot)
    shared = {
        key
        for key, group in groups.items()
        if effects.get(key[0], Effect.WRITE) is not Effect.WRITE
        and group[0].call.result is not None
        and group[0].call.outcome is Outcome.OK
        and all(_same(group[0].call, slot.call) for slot in group[1:])
    }
    while True:
        first = {key: min(slot.order for slot in groups[key]) for key in shared}
        broken = {slot.key for block in blocks for slot in _out_of_order(block, first)}
        if not broken:
            return shared
        shared -= broken


def _out_of_order(
    block: Sequence[_Slot], first: Mapping[tuple[str, bytes], tuple[int, int]]
) -> list[_Slot]:
    """Return the slots whose early, shared place would reorder the turn."""
    recorded = sorted(block, key=lambda slot: slot.order)
    replayed = sorted(block, key=lambda slot: first.get(slot.key, slot.order))
    ends = [slot.call.start for slot in recorded if slot.call.result is not None]
    if ends == [slot.call.start for slot in replayed if slot.call.result is not None]:
        return []
    return [slot for slot in block if first.get(slot.key, slot.order) != slot.order]


def _same(left: Call, right: Call) -> bool:
    """Whether two calls were answered alike; two without an answer were."""
    if left.result is None or right.result is None:
        return left.result is right.result
    one, other = (_answer(call) for call in (left, right))
    return replace(one, result=ABSENT) == replace(other, result=ABSENT) and same_json(
        one.result, other.result
    )


def _answer(call: Call) -> Fixture:
    return _fixture(call, name="", times=1)


def _fixture(call: Call, *, name: str, times: int) -> Fixture:
    args = key_args(call.request)
    result = call.result
    if result is None or result.outcome is Outcome.MISSING:
        return Fixture(id=name, tool=call.tool, args=args, outcome=Outcome.MISSING)
    return Fixture(
        id=name,
        tool=call.tool,
        args=args,
        outcome=_outcome(result),
        detail=result.detail,
        result=_carried_result(result),
        error=result.error,
        operation_id=result.operation_id,
        times=times,
        delay_ms=result.latency_ms,
    )


def _outcome(result: ToolResult) -> Outcome:
    if result.outcome in _REFUSALS:
        raise TraceFormatError(
            f"(#{result.seq}) is {result.outcome}, a refusal of a replay and no recorded result",
            fix="build the case from the recorded trace",
        )
    if result.outcome is None and result.error is not None:
        raise TraceFormatError(
            f"(#{result.seq}) has an error and no outcome derived from it",
            fix="pass the trace through resolve_outcomes first",
        )
    return Outcome.OK if result.outcome is None else result.outcome


def _carried_result(result: ToolResult) -> Json | Absent:
    """Return a result as a fixture holds it: JSON, or the text that reads as it.

    A string in a fixture is the exact text that came back and is read by `parse_text` again.
    """
    value, raw = result.result, result.result_raw
    if isinstance(value, Absent):
        return ABSENT if raw is None else raw
    parsed = None if raw is None else parse_text(raw)
    if raw is not None and parsed is not None and same_json(parsed.value, value):
        plain = parsed.form is TextForm.JSON and not isinstance(value, str)
        return value if plain and is_storable(value) else raw
    if isinstance(value, str):
        return value if parse_text(value).value == value else json.dumps(value)
    return value if is_storable(value) else json.dumps(value)

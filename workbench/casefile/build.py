"""A trace and its contract to a case: pure, and it judges nothing.

What a case cannot carry is refused by name. What it does not carry on purpose: times (delays of
tools are kept), references into the raw record, actors of messages, settings of single requests,
texts that nobody was shown.

Source:
    design page 04, "From a trace to a case".
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from workbench.casefile.codec import encode_fields
from workbench.casefile.fixtures import build_fixtures
from workbench.casefile.turns import script_of
from workbench.model.case import Case, CaseInput, CaseTool, Expectation, Path
from workbench.model.contract import Limit
from workbench.model.event import ModelRequest
from workbench.model.trace import Effect, calls_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from workbench.casefile.turns import Scripted
    from workbench.model.case import Header
    from workbench.model.contract import Contract
    from workbench.model.jsonvalue import JsonMap
    from workbench.model.trace import Call, Tool, Trace

__all__ = ["build_case", "case_places", "wire_name"]

RECORDED: Final = "recorded"
_WIRE_LENGTH: Final = 64


def build_case(trace: Trace, contract: Contract, *, header: Header) -> Case:
    """Return the case of a failing trace.

    Args:
        trace: the failure; outcomes are derived already where there are errors.
        contract: what it broke; its `fix` and `unproven` become those of the header.
        header: what a trace does not say.

    Raises:
        TraceFormatError: the trace has no task, or an event that no case can carry.
    """
    script = script_of(trace, requests=_counts_requests(contract))
    tools = _tools(trace)
    effects = {tool.name: tool.effect for tool in tools}
    fixtures, _ = build_fixtures(script.blocks, effects)
    unproven = header.unproven or contract.unproven
    return Case(
        id=header.id,
        title=header.title,
        why=header.why,
        state=header.state,
        owner=header.owner,
        severity=header.severity,
        review_date=header.review_date,
        tags=header.tags,
        fix=header.fix,
        source=header.source,
        redaction=header.redaction,
        shrink=header.shrink,
        environment=_environment(trace),
        trigger=header.trigger,
        input=CaseInput(messages=script.messages),
        tools=tools,
        paths=(Path(name=RECORDED, expect=Expectation.FAIL, turns=script.turns),),
        fixtures=fixtures,
        contract=replace(contract, fix=header.fix, unproven=unproven),
        signature=header.signature,
        unproven=unproven,
    )


def _counts_requests(contract: Contract) -> bool:
    return any(isinstance(c, Limit) and c.measure == "model_calls" for c in contract.clauses)


def case_places(trace: Trace) -> dict[str, tuple[str, ...]]:
    """Say where `build_case` puts each field of a trace's events.

    Returns:
        `#17.args` (the event's position in the raw trace, and its field) -> places in the case,
        e.g. `paths.recorded.turns.1.tool_calls.0.args` and `f2.args`. A field that is not there
        is not carried.

    Raises:
        TraceFormatError: as `build_case`.
    """
    script = script_of(trace)
    effects = {tool.name: tool.effect for tool in _tools(trace)}
    _, fixture_of_call = build_fixtures(script.blocks, effects)
    places = {place: list(found) for place, found in script.places.items()}
    for call in _calls(script):
        name = fixture_of_call[call.request.call_id]
        for event, field, target in _fixture_fields(call, name):
            places.setdefault(f"#{event}.{field}", []).append(target)
    return {place: tuple(found) for place, found in places.items()}


def _calls(script: Scripted) -> Iterable[Call]:
    return (call for block in script.blocks for call in block)


def _fixture_fields(call: Call, name: str) -> list[tuple[int, str, str]]:
    """Return event, field and place of what a fixture takes from a call."""
    request, result = call.request, call.result
    seq = request.seq if request.origin_seq is None else request.origin_seq
    found = [(seq, "args", f"{name}.args"), (seq, "args_raw", f"{name}.args")]
    if result is not None:
        seq = result.seq if result.origin_seq is None else result.origin_seq
        found += [(seq, field, f"{name}.{field}") for field in ("result", "error", "operation_id")]
        found.append((seq, "result_raw", f"{name}.result"))
    return found


def wire_name(name: str, taken: Container[str]) -> str:
    """Return a tool's name as model APIs take it: letters, digits, `_` and `-`, at most 64.

    >>> wire_name("billing.pause", {"billing_pause"})
    'billing_pause_2'
    """
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:_WIRE_LENGTH] or "tool"
    candidate, nth = plain, 1
    while candidate in taken:
        nth += 1
        tail = f"_{nth}"
        candidate = plain[: _WIRE_LENGTH - len(tail)] + tail
    return candidate


def _tools(trace: Trace) -> tuple[CaseTool, ...]:
    """Return the trace's tools; when it lists none, those that it called, as assumed writes."""
    tools: Sequence[Tool | str] = trace.tools or tuple(
        dict.fromkeys(call.tool for call in calls_of(trace))
    )
    names = {tool if isinstance(tool, str) else tool.name for tool in tools}
    taken = {name for name in names if wire_name(name, ()) == name}
    return tuple(_tool(tool, taken) for tool in tools)


def _tool(tool: Tool | str, taken: set[str]) -> CaseTool:
    if isinstance(tool, str):
        wire = _new_wire(tool, taken)
        return CaseTool(name=tool, wire=wire, effect=Effect.WRITE)
    return CaseTool(
        name=tool.name,
        wire=_new_wire(tool.name, taken),
        description=tool.description,
        effect=tool.effect or Effect.WRITE,
        schema=tool.schema,
    )


def _new_wire(name: str, taken: set[str]) -> str | None:
    if name in taken:
        return None
    wire = wire_name(name, taken)
    taken.add(wire)
    return wire


def _environment(trace: Trace) -> JsonMap | None:
    """Return the versions that made the run what it was, and the model's settings."""
    found = encode_fields(trace.versions)
    request = next((e for e in trace.events if isinstance(e, ModelRequest) and e.settings), None)
    if request is not None:
        found["settings"] = request.settings
        if request.model is not None:
            found.setdefault("model", request.model)
    return found or None

"""Small builders so that a test states only what matters to it.

`a_trace` puts parts in order and adds what a real recorder would have written: a model reply
before each call that the agent asked for, the result after it, a reply before each claim, ids,
turns and numbers. An event of the model (`UserMessage(...)`) may be given as it is.

    a_trace(
        a_user("pause my plan"),                                  # 0
        a_call("billing.pause", outcome=Outcome.UNKNOWN),         # 1 reply, 2 call, 3 result
        a_turn(a_call("a"), a_call("b")),                         # 4 reply, 5 6 calls, 7 8 results
        a_claim("Your plan is paused."),                          # 9 reply, 10 claim
    )
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from workbench.model.contract import (
    ClaimRules,
    Clause,
    Contract,
    FixPlace,
    Operator,
    Predicate,
    Selector,
    StateRule,
    Step,
)
from workbench.model.event import (
    CallError,
    Claim,
    ClaimBasis,
    ClaimOutcome,
    Event,
    ModelReply,
    Outcome,
    Requestor,
    SystemMessage,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from workbench.model.jsonvalue import ABSENT, Absent, Json, JsonMap
from workbench.model.trace import Effect, Tool, Trace, renumbered

__all__ = [
    "CallPart",
    "ClaimPart",
    "Part",
    "TurnPart",
    "a_call",
    "a_claim",
    "a_contract",
    "a_predicate",
    "a_result",
    "a_selector",
    "a_system",
    "a_trace",
    "a_turn",
    "a_user",
    "timed_trace",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPart:
    """A call and its result; None: it was never answered."""

    request: ToolCall
    result: ToolResult | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPart:
    """One model reply with its text and calls."""

    calls: tuple[CallPart, ...]
    text: str = ""
    outcome: ClaimOutcome = ClaimOutcome.UNKNOWN
    completes: tuple[int, ...] = ()
    """Places in `calls` in the order of their results; empty: as they were requested."""
    usage: Usage | None = None
    agent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimPart:
    """A text shown to a person, with its model reply."""

    claim: Claim
    usage: Usage | None = None


Part: TypeAlias = Event | CallPart | TurnPart | ClaimPart


def a_call(
    tool: str,
    *,
    outcome: Outcome | None = Outcome.OK,
    result: Json | Absent = ABSENT,
    args: Json | Absent | None = None,
    args_raw: str | None = None,
    call_id: str = "",
    detail: str | None = None,
    error: CallError | None = None,
    operation_id: str | None = None,
    agent: str | None = None,
    by: Requestor = Requestor.AGENT,
) -> CallPart:
    """Return a call of `tool` and its result.

    Args:
        tool: its name.
        outcome: `MISSING`: no result; None: a result whose outcome is not derived yet.
        result: `ABSENT` with outcome ok: `{}`.
        args: None: `{}`, or `ABSENT` when `args_raw` is given.
        args_raw: the exact text; by default that of `args`.
        call_id: empty: numbered by `a_trace`.
        detail: of the result.
        error: of the result.
        operation_id: of the result.
        agent: of both events.
        by: who asked; a reply is added for the agent only.
    """
    if args is None:
        args = {} if args_raw is None else ABSENT
    if args_raw is None and args is not ABSENT:
        args_raw = json.dumps(args)
    request = ToolCall(
        call_id=call_id, tool=tool, args=args, args_raw=args_raw, agent=agent, requestor=by
    )
    if outcome is Outcome.MISSING:
        return CallPart(request=request, result=None)
    answer = a_result(
        call_id,
        outcome=outcome,
        result=result,
        detail=detail,
        error=error,
        operation_id=operation_id,
    )
    return CallPart(request=request, result=replace(answer, agent=agent))


def a_result(
    call_id: str,
    *,
    outcome: Outcome | None = Outcome.OK,
    result: Json | Absent = ABSENT,
    detail: str | None = None,
    error: CallError | None = None,
    operation_id: str | None = None,
) -> ToolResult:
    """Return a result on its own, e.g. a late one of a call with `outcome=MISSING`."""
    if result is ABSENT and outcome is Outcome.OK and error is None:
        result = {}
    raw = None
    if result is not ABSENT:
        raw = result if isinstance(result, str) else json.dumps(result)
    return ToolResult(
        call_id=call_id,
        outcome=outcome,
        detail=detail,
        result=result,
        result_raw=raw,
        error=error,
        operation_id=operation_id,
    )


def a_turn(
    *calls: CallPart,
    text: str = "",
    outcome: ClaimOutcome = ClaimOutcome.UNKNOWN,
    completes: tuple[int, ...] = (),
    usage: Usage | None = None,
    agent: str | None = None,
) -> TurnPart:
    """Return one model reply with several, so concurrent, calls; `text` becomes a claim."""
    return TurnPart(
        calls=calls, text=text, outcome=outcome, completes=completes, usage=usage, agent=agent
    )


def a_claim(
    text: str = "Your plan is paused.",
    outcome: ClaimOutcome = ClaimOutcome.UNKNOWN,
    *,
    usage: Usage | None = None,
    agent: str | None = None,
) -> ClaimPart:
    """Return a text shown to a person; an `outcome` makes it a structured claim."""
    known = outcome is not ClaimOutcome.UNKNOWN
    basis = ClaimBasis.STRUCTURED if known else ClaimBasis.UNKNOWN
    return ClaimPart(claim=Claim(text=text, outcome=outcome, basis=basis, agent=agent), usage=usage)


def a_user(text: str = "Pause my plan, please.") -> UserMessage:
    """Return a person's message."""
    return UserMessage(text=text)


def a_system(text: str = "You are a support agent.") -> SystemMessage:
    """Return the instruction of the model."""
    return SystemMessage(text=text)


def a_trace(
    *parts: Part,
    run_id: str = "run-1",
    tools: Mapping[str, Effect | None] | tuple[Tool, ...] = (),
) -> Trace:
    """Return a valid trace of `parts`.

    Args:
        parts: in their order.
        run_id: of the trace.
        tools: names and effects of the tools that the run could use.
    """
    if isinstance(tools, Mapping):
        tools = tuple(Tool(name=name, effect=effect) for name, effect in tools.items())
    assembly = _Assembly()
    events = [event for part in parts for event in assembly.expand(part)]
    return Trace(run_id=run_id, tools=tools, events=renumbered(_finalised(events)))


@dataclass(slots=True)
class _Assembly:
    """Counts calls and turns while a trace is put together."""

    calls: int = 0
    turns: int = 0
    taken: set[str] = field(default_factory=set)

    def expand(self, part: Part) -> Iterator[Event]:
        """Yield the events of one part."""
        match part:
            case CallPart() if part.request.requestor is not Requestor.AGENT:
                call = self.identified(part)
                yield call.request
                if call.result is not None:
                    yield call.result
            case CallPart():
                yield from self.turn(TurnPart(calls=(part,), agent=part.request.agent))
            case TurnPart():
                yield from self.turn(part)
            case ClaimPart():
                self.turns += 1
                yield ModelReply(text=part.claim.text, usage=part.usage, agent=part.claim.agent)
                yield part.claim
            case _:
                if isinstance(part, ModelReply):
                    self.turns += 1
                yield part

    def turn(self, part: TurnPart) -> Iterator[Event]:
        """Yield a reply, its claim, its calls, then their results."""
        self.turns += 1
        calls = [self.identified(call) for call in part.calls]
        yield ModelReply(
            text=part.text,
            call_ids=tuple(call.request.call_id for call in calls),
            usage=part.usage,
            agent=part.agent,
        )
        if part.text:
            yield replace(a_claim(part.text, part.outcome).claim, agent=part.agent)
        for call in calls:
            yield replace(call.request, turn=self.turns)
        for place in part.completes or range(len(calls)):
            result = calls[place].result
            if result is not None:
                yield result

    def identified(self, part: CallPart) -> CallPart:
        """Give a call without id the next free one."""
        call_id = part.request.call_id
        while not call_id or call_id in self.taken:
            self.calls += 1
            call_id = f"c{self.calls}"
        self.taken.add(call_id)
        result = None if part.result is None else replace(part.result, call_id=call_id)
        return CallPart(request=replace(part.request, call_id=call_id), result=result)


def _finalised(events: list[Event]) -> list[Event]:
    """Mark the last claim, and only it, as final."""
    last = max((i for i, e in enumerate(events) if isinstance(e, Claim)), default=-1)
    return [
        replace(event, final=place == last) if isinstance(event, Claim) else event
        for place, event in enumerate(events)
    ]


def timed_trace(trace: Trace, *, step_ms: int = 1000) -> Trace:
    """Return the trace with a time on every event, `step_ms` apart."""
    start = datetime(2026, 11, 30, 10, tzinfo=UTC)
    return replace(
        trace,
        events=tuple(
            replace(event, at=(start + timedelta(milliseconds=step_ms * event.seq)).isoformat())
            for event in trace.events
        ),
    )


def a_contract(
    *clauses: Clause,
    claims: ClaimRules | None = None,
    states: dict[str, tuple[StateRule, ...]] | None = None,
    fix: FixPlace = FixPlace.MODEL,
    document: JsonMap | None = None,
) -> Contract:
    """Return a contract of `clauses`; give a `document` where it is written back."""
    return Contract(
        clauses=clauses,
        claims=claims or ClaimRules(),
        states=states or {},
        fix=fix,
        document=document or {},
    )


def a_selector(
    text: str,
    *,
    where: tuple[Predicate, ...] = (),
    result: tuple[Predicate, ...] = (),
    agent: str | None = None,
    by: str = "agent",
) -> Selector:
    """Return the selector that `tool-glob#word|word` writes."""
    tool, _, words = text.partition("#")
    classes = tuple(words.split("|")) if words else ()
    return Selector(
        text=text, tool=tool, classes=classes, where=where, result=result, agent=agent, by=by
    )


def a_predicate(path: str, operator: str = "==", literal: Json | Absent = ABSENT) -> Predicate:
    """Return a predicate on a path of plain words and places, e.g. `items.0.id`; `$`: all."""
    steps: tuple[Step, ...] = ()
    if path != "$":
        steps = tuple(int(step) if step.lstrip("-").isdigit() else step for step in path.split("."))
    shown = "" if literal is ABSENT else f" {json.dumps(literal)}"
    return Predicate(
        text=f"{path} {operator}{shown}", path=steps, operator=Operator(operator), literal=literal
    )

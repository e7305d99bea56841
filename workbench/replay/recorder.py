"""Writes the events of one replay, in order, on a virtual clock."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from workbench.model.event import (
    Basis,
    CallError,
    Claim,
    Event,
    Outcome,
    StateChange,
    ToolResult,
)
from workbench.model.jsonvalue import ABSENT, Absent, Json, JsonMap
from workbench.model.trace import Tool, Trace, Versions
from workbench.replay.matching import Answered, Miss, result_value

if TYPE_CHECKING:
    from workbench.model.case import Case, Fixture

__all__ = ["Recorder", "has_delays", "trace_tools", "trace_versions"]

_EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)


def has_delays(case: Case) -> bool:
    """Whether the case says how long a tool took; without, its wall time is not known."""
    return any(fixture.delay_ms is not None for fixture in case.fixtures)


def trace_tools(case: Case) -> tuple[Tool, ...]:
    """Return the case's tools as a trace lists them."""
    return tuple(
        Tool(name=tool.name, description=tool.description, effect=tool.effect, schema=tool.schema)
        for tool in case.tools
    )


def trace_versions(case: Case) -> Versions:
    """Return what the case's `environment` says of versions."""
    names = ("prompt", "model", "tool_schemas", "corpus", "policy", "agent")
    known = case.environment or {}
    found = {name: known.get(name) for name in names}
    return Versions(**{name: text for name, text in found.items() if isinstance(text, str)})


@dataclass(slots=True, kw_only=True)
class Recorder:
    """The growing trace of one replay; mutable, and never shared between trials."""

    timed: bool
    """Stamp events with the virtual clock."""
    state: JsonMap = field(default_factory=dict)
    agent: str | None = None
    clock_ms: float = 0
    events: list[Event] = field(default_factory=list)
    call_ids: set[str] = field(default_factory=set)

    def add(self, event: Event) -> Event:
        """Append an event: gives it its place, and the time and the agent it does not have."""
        at, agent = event.at or self._now(), event.agent or self.agent
        if (event.seq, event.at, event.agent) != (self.seq, at, agent):
            event = replace(event, seq=self.seq, at=at, agent=agent)
        self.events.append(event)
        return event

    @property
    def seq(self) -> int:
        """The place of the next event; one that is made with it is not made again."""
        return len(self.events)

    def fresh_call_id(self, wanted: str) -> str:
        """Return `wanted`, or with a number behind it when the trace has it already."""
        name, nth = wanted, 1
        while name in self.call_ids:
            nth += 1
            name = f"{wanted}~{nth}"
        self.call_ids.add(name)
        return name

    def start_state(self, state: JsonMap) -> None:
        """Record what the world is at the start."""
        for name, value in state.items():
            self.set_state(name, value)

    def set_state(self, name: str, value: Json) -> None:
        """Record that `name` is now `value`."""
        before: Json | Absent = self.state.get(name, ABSENT)
        self.state[name] = value
        self.add(StateChange(name=name, before=before, after=value, basis=Basis.DECLARED))

    def answer(self, call_id: str, answered: Answered | Miss, *, latency_ms: float | None) -> None:
        """Record how a call ended; one that the incident left unanswered stays so."""
        if isinstance(answered, Miss):
            self.add(_refusal(call_id, answered))
            return
        fixture = answered.fixture
        if fixture.outcome is not Outcome.MISSING:
            self.add(_result(call_id, fixture, latency_ms=latency_ms, seq=self.seq))
        for name, value in fixture.sets.items():
            self.set_state(name, value)

    def trace(self, case: Case, *, run_id: str) -> Trace:
        """Return what was recorded, with the last claim marked as final."""
        claims = [event.seq for event in self.events if isinstance(event, Claim)]
        events = tuple(
            replace(event, final=event.seq == claims[-1]) if isinstance(event, Claim) else event
            for event in self.events
        )
        return Trace(
            run_id=run_id,
            versions=trace_versions(case),
            tags=case.tags,
            tools=trace_tools(case),
            events=events,
        )

    def _now(self) -> str | None:
        if not self.timed:
            return None
        time = _EPOCH + timedelta(milliseconds=self.clock_ms)
        return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _refusal(call_id: str, miss: Miss) -> ToolResult:
    return ToolResult(
        call_id=call_id,
        outcome=miss.outcome,
        detail=miss.outcome.value,
        error=CallError(type=miss.outcome.value, message=miss.explanation),
    )


def _result(call_id: str, fixture: Fixture, *, latency_ms: float | None, seq: int) -> ToolResult:
    return ToolResult(
        seq=seq,
        call_id=call_id,
        outcome=fixture.outcome,
        detail=fixture.detail,
        result_raw=fixture.result if isinstance(fixture.result, str) else None,
        result=result_value(fixture),
        error=fixture.error,
        operation_id=fixture.operation_id,
        latency_ms=latency_ms,
    )

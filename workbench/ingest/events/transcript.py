"""Builds the events of one run from messages in their order.

It keeps the conventions that every importer shares: calls of one reply stand together before
their results, each non-empty reply text is a claim right after its reply, turns count replies
from 1, and a call by anybody but the agent has turn 0.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from workbench.ingest.events.pairing import CallBook, NamedCall
from workbench.ingest.records.jsontext import DEPTH_LIMIT, depth_within
from workbench.model.event import (
    CallError,
    Claim,
    ContextChange,
    Event,
    ModelReply,
    ModelRequest,
    Outcome,
    Permission,
    Requestor,
    StateChange,
    SystemMessage,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from workbench.model.jsonvalue import ABSENT, Absent, Json, TextForm, parse_text

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Answered", "Asked", "Said", "Transcript", "compact"]

_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message: its text and where it stands."""

    ref: str
    """`source_ref`: dotted path into the record."""
    text: str | None = None
    at: str | None = None
    actor: str | None = None
    agent: str | None = None
    finish_reason: str | None = None
    usage: Usage | None = None
    dropped: int = 0
    """Parts that are no text."""
    claimed: str | None = None
    """What of a reply a person sees, where that is not all of it; empty: the format marks it as
    internal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A call as the source writes it."""

    ref: str
    id: str | None
    tool: str
    text: str | None = None
    """Exact text of the arguments, when the source has one."""
    value: Json | Absent = ABSENT
    """The arguments, when the source has them as a structure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A result as the source writes it."""

    ref: str
    id: str | None
    tool: str | None = None
    args: Json | Absent = ABSENT
    text: str | None = None
    value: Json = None
    """The recorder's own structure, when there is no text."""
    error: CallError | None = None
    at: str | None = None
    agent: str | None = None
    outcome: Outcome | None = None
    """As the source states it; None: it is derived later."""
    detail: str | None = None
    operation_id: str | None = None
    latency_ms: float | None = None
    dropped: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """A call that is entered in the book, before it is an event."""

    named: NamedCall
    raw: str | None
    args: Json | Absent
    ref: str


def compact(value: Json) -> str:
    """Write JSON without spaces, in the order of its keys."""
    return _COMPACT.encode(value)


@dataclass(slots=True)
class Transcript:
    """The events so far and what was lost on the way."""

    book: CallBook = field(default_factory=CallBook)
    counts: Counter[str] = field(default_factory=Counter)
    """Kind of loss -> how often."""
    _events: list[Event] = field(default_factory=list)
    _turn: int = 0
    _last_claim: int | None = None

    def events(self) -> tuple[Event, ...]:
        """Return the events; the last claim is marked as final."""
        found = list(self._events)
        if self._last_claim is not None:
            last = found[self._last_claim]
            assert isinstance(last, Claim)  # noqa: S101  we put it there
            found[self._last_claim] = replace(last, final=True)
        return tuple(found)

    def system(self, said: Said) -> None:
        """Add a text that instructs the model."""
        self.counts["parts_dropped"] += said.dropped
        if said.text:
            self._add(
                SystemMessage(
                    seq=self._next,
                    text=said.text,
                    at=said.at,
                    agent=said.agent,
                    source_ref=said.ref,
                )
            )

    def user(self, said: Said, asked: Sequence[Asked] = ()) -> None:
        """Add a user's text and the calls that the user made."""
        self.counts["parts_dropped"] += said.dropped
        if said.text:
            self._add(
                UserMessage(
                    seq=self._next,
                    text=said.text,
                    actor=said.actor,
                    at=said.at,
                    agent=said.agent,
                    source_ref=said.ref,
                )
            )
        self._add_calls(self._asked(asked), said, requestor=Requestor.USER, turn=0)

    def apart(self, said: Said, asked: Sequence[Asked], requestor: Requestor) -> None:
        """Add calls that no reply of the model asked for."""
        self._add_calls(self._asked(asked), said, requestor=requestor, turn=0)

    def request(self, request: ModelRequest) -> None:
        """Add a recorded request to the model."""
        self._add(replace(request, seq=self._next))

    def mark(self, event: Permission | StateChange | ContextChange) -> None:
        """Add what happened beside the messages."""
        self._add(replace(event, seq=self._next))

    def reply(self, said: Said, asked: Sequence[Asked] = ()) -> None:
        """Add a reply of the model: its text, also as a claim, and the calls it asked for."""
        self._turn += 1
        self.counts["parts_dropped"] += said.dropped
        self.counts["reply_cut"] += said.finish_reason in ("length", "max_tokens")
        calls = self._asked(asked)
        self._add(
            ModelReply(
                seq=self._next,
                text=said.text or "",
                finish_reason=said.finish_reason,
                usage=said.usage,
                call_ids=tuple(call.named.call_id for call in calls),
                at=said.at,
                agent=said.agent,
                source_ref=said.ref,
            )
        )
        self.claim(said if said.claimed is None else replace(said, text=said.claimed))
        self._add_calls(calls, said, requestor=Requestor.AGENT, turn=self._turn)

    def claim(self, said: Said) -> None:
        """Add a text shown to a person that is no reply, or only a part of one."""
        if said.text and said.text.strip():
            self._last_claim = self._next
            self._add(
                Claim(
                    seq=self._next,
                    text=said.text,
                    at=said.at,
                    agent=said.agent,
                    source_ref=said.ref,
                )
            )

    def result(self, answered: Answered) -> None:
        """Add what a tool answered, to the call that it belongs to."""
        self.counts["parts_dropped"] += answered.dropped
        call_id = self.book.answer(answered.id, answered.tool, answered.args)
        if call_id is None:
            return
        self._add(
            ToolResult(
                seq=self._next,
                call_id=call_id,
                result_raw=answered.text,
                result=self._result_value(answered),
                outcome=answered.outcome,
                detail=answered.detail,
                error=answered.error,
                operation_id=answered.operation_id,
                latency_ms=answered.latency_ms,
                at=answered.at,
                agent=answered.agent,
                source_ref=answered.ref,
            )
        )

    @property
    def _next(self) -> int:
        return len(self._events)

    def _add(self, event: Event) -> None:
        self._events.append(event)

    def _asked(self, asked: Sequence[Asked]) -> list[_Call]:
        """Enter calls that are asked for together."""
        if asked:
            self.book.new_turn()
        calls = []
        for one in asked:
            raw, args = self._arguments(one)
            named = self.book.ask(one.id, one.tool, args)
            calls.append(_Call(named=named, raw=raw, args=args, ref=one.ref))
        return calls

    def _add_calls(
        self, calls: Sequence[_Call], said: Said, *, requestor: Requestor, turn: int
    ) -> None:
        for call in calls:
            self._add(
                ToolCall(
                    seq=self._next,
                    call_id=call.named.call_id,
                    call_id_source=call.named.source,
                    tool=call.named.tool,
                    args_raw=call.raw,
                    args=call.args,
                    requestor=requestor,
                    turn=turn,
                    at=said.at,
                    agent=said.agent,
                    source_ref=call.ref,
                )
            )

    def _arguments(self, asked: Asked) -> tuple[str | None, Json | Absent]:
        if asked.text is None:
            if asked.value is ABSENT:
                self.counts["args_missing"] += 1
                return None, ABSENT
            self.counts["args_not_exact"] += 1
            return compact(asked.value), asked.value
        parsed = parse_text(asked.text)
        if parsed.form is TextForm.TEXT or not depth_within(parsed.value, DEPTH_LIMIT):
            self.counts["args_not_json"] += 1
            return asked.text, ABSENT
        self.counts["args_as_literal"] += parsed.form is TextForm.LITERAL
        return asked.text, parsed.value

    def _result_value(self, answered: Answered) -> Json | Absent:
        if answered.text is None:
            return ABSENT if answered.value is None else answered.value
        parsed = parse_text(answered.text)
        if not depth_within(parsed.value, DEPTH_LIMIT):
            self.counts["results_too_deep"] += 1
            return ABSENT
        self.counts["results_as_literal"] += parsed.form is TextForm.LITERAL
        return parsed.value

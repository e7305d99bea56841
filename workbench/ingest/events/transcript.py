"""Builds the events of one run from messages in their order.

It keeps the conventions that every importer shares: calls of one reply stand together before
their results, each non-empty reply text is a claim right after its reply, turns count replies
from 1, and a call by anybody but the agent has turn 0.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from workbench.ingest.events.pairing import CallBook, NamedCall
from workbench.ingest.records.jsontext import DEPTH_LIMIT, depth_within
from workbench.ingest.records.parts import read_text
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
from workbench.model.jsonvalue import ABSENT, Absent, Json, TextForm
from workbench.model.quick_init import maker_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Answered", "Asked", "Said", "Transcript", "compact"]

_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))
_TEXTS: Final = msgspec.json.Encoder()


class Said(Struct, frozen=True, kw_only=True):
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


class Asked(Struct, frozen=True, kw_only=True):
    """A call as the source writes it."""

    ref: str
    id: str | None
    tool: str
    text: str | None = None
    """Exact text of the arguments, when the source has one."""
    value: Json | Absent = ABSENT
    """The arguments, when the source has them as a structure."""


class Answered(Struct, frozen=True, kw_only=True):
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


class _Call(Struct, frozen=True, kw_only=True):
    """A call that is entered in the book, before it is an event."""

    named: NamedCall
    raw: str | None
    args: Json | Absent
    ref: str


_claim: Final = maker_of(Claim)
_model_reply: Final = maker_of(ModelReply)
_system_message: Final = maker_of(SystemMessage)
_tool_call: Final = maker_of(ToolCall)
_tool_result: Final = maker_of(ToolResult)
_user_message: Final = maker_of(UserMessage)


def compact(value: Json) -> str:
    """Write JSON without spaces, in the order of its keys.

    >>> compact({"path": "a/b", "lines": [1, 2.5]})
    '{"path":"a/b","lines":[1,2.5]}'
    """
    if isinstance(value, dict) and all(isinstance(item, str) for item in value.values()):
        return _TEXTS.encode(value).decode()  # five times as quick, but other numbers
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
            found[self._last_claim] = dataclasses.replace(last, final=True)
        return tuple(found)

    def system(self, said: Said) -> None:
        """Add a text that instructs the model."""
        if said.dropped:
            self.counts["parts_dropped"] += said.dropped
        if said.text:
            self._events.append(
                _system_message(
                    seq=len(self._events),
                    text=said.text,
                    at=said.at,
                    agent=said.agent,
                    source_ref=said.ref,
                )
            )

    def user(self, said: Said, asked: Sequence[Asked] = ()) -> None:
        """Add a user's text and the calls that the user made."""
        if said.dropped:
            self.counts["parts_dropped"] += said.dropped
        if said.text:
            self._events.append(
                _user_message(
                    seq=len(self._events),
                    text=said.text,
                    actor=said.actor,
                    at=said.at,
                    agent=said.agent,
                    source_ref=said.ref,
                )
            )
        if asked:
            self._add_calls(self._asked(asked), said, requestor=Requestor.USER, turn=0)

    def apart(self, said: Said, asked: Sequence[Asked], requestor: Requestor) -> None:
        """Add calls that no reply of the model asked for."""
        if asked:
            self._add_calls(self._asked(asked), said, requestor=requestor, turn=0)

    def request(self, request: ModelRequest) -> None:
        """Add a recorded request to the model."""
        self._events.append(dataclasses.replace(request, seq=len(self._events)))

    def mark(self, event: Permission | StateChange | ContextChange) -> None:
        """Add what happened beside the messages."""
        self._events.append(dataclasses.replace(event, seq=len(self._events)))

    def reply(self, said: Said, asked: Sequence[Asked] = ()) -> None:
        """Add a reply of the model: its text, also as a claim, and the calls it asked for."""
        self._turn += 1
        if said.dropped:
            self.counts["parts_dropped"] += said.dropped
        if said.finish_reason in ("length", "max_tokens"):
            self.counts["reply_cut"] += 1
        calls = self._asked(asked) if asked else []
        self._events.append(
            _model_reply(
                seq=len(self._events),
                text=said.text or "",
                finish_reason=said.finish_reason,
                usage=said.usage,
                call_ids=tuple(call.named.call_id for call in calls),
                at=said.at,
                agent=said.agent,
                source_ref=said.ref,
            )
        )
        if said.text or said.claimed:
            self.claim(said if said.claimed is None else replace(said, text=said.claimed))
        if calls:
            self._add_calls(calls, said, requestor=Requestor.AGENT, turn=self._turn)

    def claim(self, said: Said) -> None:
        """Add a text shown to a person that is no reply, or only a part of one."""
        if said.text and not said.text.isspace():
            self._last_claim = len(self._events)
            self._events.append(
                _claim(
                    seq=len(self._events),
                    text=said.text,
                    at=said.at,
                    agent=said.agent,
                    source_ref=said.ref,
                )
            )

    def result(self, answered: Answered) -> None:
        """Add what a tool answered, to the call that it belongs to."""
        if answered.dropped:
            self.counts["parts_dropped"] += answered.dropped
        call_id = self.book.answer(answered.id, answered.tool, answered.args)
        if call_id is None:
            return
        self._events.append(
            _tool_result(
                seq=len(self._events),
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

    def _asked(self, asked: Sequence[Asked]) -> list[_Call]:
        """Enter calls, at least one, that are asked for together."""
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
            self._events.append(
                _tool_call(
                    seq=len(self._events),
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
        parsed = read_text(asked.text)
        if parsed.form is TextForm.TEXT or not depth_within(parsed.value, DEPTH_LIMIT):
            self.counts["args_not_json"] += 1
            return asked.text, ABSENT
        if parsed.form is TextForm.LITERAL:
            self.counts["args_as_literal"] += 1
        return asked.text, parsed.value

    def _result_value(self, answered: Answered) -> Json | Absent:
        if answered.text is None:
            return ABSENT if answered.value is None else answered.value
        parsed = read_text(answered.text)
        if not depth_within(parsed.value, DEPTH_LIMIT):
            self.counts["results_too_deep"] += 1
            return ABSENT
        if parsed.form is TextForm.LITERAL:
            self.counts["results_as_literal"] += 1
        return parsed.value

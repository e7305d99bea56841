"""A trace to the turns of one path: what the agent was given, and what it did.

Events are read once, in order. A turn is a model reply with its calls and their results; the
other events are turns of their own at their place. What happens while calls are running comes
right after them: a message, a change of state or context bears only on later calls. A decision
on a call that is still to run comes right before them.

Source:
    design page 04, "From a trace to a case" (a) to (f).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from workbench.casefile.entries import entry_of, has_decision
from workbench.casefile.opening import input_end
from workbench.errors import TraceFormatError
from workbench.model.case import ScriptedCall, Turn
from workbench.model.decisions import is_about
from workbench.model.event import (
    CallError,
    Claim,
    ClaimBasis,
    ClaimOutcome,
    ContextChange,
    Event,
    ModelReply,
    ModelRequest,
    Permission,
    Requestor,
    StateChange,
    SystemMessage,
    ToolCall,
    ToolResult,
    UserMessage,
)
from workbench.model.jsonvalue import Absent
from workbench.model.trace import Call, Trace, calls_of

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap

__all__ = ["Scripted", "script_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripted:
    """One path, read off a trace."""

    messages: tuple[JsonMap, ...]
    """`{role, content}`: what was said before the agent acted."""
    turns: tuple[Turn, ...]
    blocks: tuple[tuple[Call, ...], ...]
    """The calls of each turn that has some, in order of request."""
    places: dict[str, tuple[str, ...]]
    """`#seq.field` of the trace -> places in the case, without those in fixtures."""


def script_of(trace: Trace, *, requests: bool = False) -> Scripted:
    """Return messages and turns of a trace.

    Args:
        trace: as recorded, redacted or shrunk.
        requests: keep each recorded model request as an event of its own, which costs the list
            of offered tools in its turn; else only where that list was not all tools.

    Raises:
        TraceFormatError: nothing is said before the agent acts, or an event cannot be carried.
    """
    writer = _Writer(trace, requests=requests)
    start = writer.read_messages()
    for event in trace.events[start:]:
        writer.read(event)
    return writer.finished()


Entry: TypeAlias = UserMessage | ModelRequest | Permission | StateChange | ContextChange
"""An event that is a turn of its own, or says something of the next one."""


@dataclass(slots=True)
class _Open:
    """A turn that is being read: a reply, or calls that no reply asked for."""

    turn: Turn
    agent: str | None
    reply: int | None = None
    """Position of its reply; None: no reply asked."""
    calls: list[Call] = field(default_factory=list)
    places: list[tuple[Event, str, str]] = field(default_factory=list)
    """Event, its field, and the field of the turn that holds it."""
    before: list[Permission] = field(default_factory=list)
    """Decisions on its calls, which come right before it."""
    after: list[Entry] = field(default_factory=list)
    """What comes right after it."""


class _Writer:
    """Collects the turns of one trace."""

    def __init__(self, trace: Trace, *, requests: bool) -> None:
        self._trace = trace
        self._requests = requests
        self._calls = {call.request.call_id: call for call in calls_of(trace)}
        self._names = {call_id: f"c{n}" for n, call_id in enumerate(self._calls, start=1)}
        self._tools = tuple(tool.name for tool in trace.tools)
        self._asked_by = {
            call_id: event.seq
            for event in trace.events
            if isinstance(event, ModelReply)
            for call_id in event.call_ids
        }
        self._messages: list[JsonMap] = []
        self._turns: list[Turn] = []
        self._blocks: list[tuple[Call, ...]] = []
        self._places: dict[str, list[str]] = {}
        self._agent: str | None = None
        self._open: _Open | None = None
        self._waiting: set[str] = set()
        """Ids of calls of the open turn whose result is still to come."""
        self._answered = False
        """Whether a call of the open turn has ended."""
        self._request: ModelRequest | None = None
        self._folded: _Open | None = None

    # --- what was said before --------------------------------------------------

    def read_messages(self) -> int:
        """Read the input; return the position of the first event that is no part of it.

        Changes and calls among the messages are read right after them.
        """
        events = self._trace.events
        end = input_end(self._trace)
        later: list[Event] = []
        for event in events[:end]:
            match event:
                case SystemMessage():
                    self._message("system", event)
                case UserMessage():
                    self._message("user", event)
                case ModelReply():
                    self._message("assistant", event)
                    later = [other for other in later if not isinstance(other, ModelRequest)]
                case Claim():
                    pass
                case _:
                    later.append(event)
        if not self._messages:
            raise TraceFormatError(
                "says nothing before the agent acts, so a case would have no task",
                place=self._trace.run_id,
                key="events",
                fix="record the system and user messages, or add the task to the trace",
            )
        for event in later:
            self.read(event)
        return end

    def _message(self, role: str, event: SystemMessage | UserMessage | ModelReply) -> None:
        self._put(event, "text", f"input.{len(self._messages)}.content")
        self._messages.append({"role": role, "content": event.text})

    # --- events ------------------------------------------------------------------

    def read(self, event: Event) -> None:
        """Read one event after the input."""
        match event:
            case ModelReply():
                self._start_reply(event)
            case Claim():
                self._read_claim(event)
            case ToolCall():
                self._read_call(event)
            case ToolResult():
                self._read_result(event)
            case SystemMessage():
                raise self._cannot(event, "instructs the model after it began", "drop it")
            case Permission() if self._open is not None and self._is_awaited(event):
                self._open.before.append(event)
            case _ if self._open is not None and self._waiting:
                self._open.after.append(event)
            case _:
                self._close(event)
                self._read_entry(event)

    def _is_awaited(self, decision: Permission) -> bool:
        waiting = (self._calls[call_id].request for call_id in self._waiting)
        return any(is_about(decision, call) for call in waiting)

    def _start_reply(self, event: ModelReply) -> None:
        self._close(event)
        request = self._request
        self._request = None
        calls = [self._calls[c] for c in event.call_ids if c in self._calls]
        agents = {call.request.agent for call in calls} or {event.agent}
        if len(agents) > 1:
            raise self._cannot(event, "asks for calls of several agents", "split the reply")
        turn = Turn(
            finish_reason=event.finish_reason,
            usage=event.usage,
            offered=None if request is None else self._offered(request),
        )
        self._open = _Open(turn=turn, agent=agents.pop(), reply=event.seq)

    def _offered(self, request: ModelRequest) -> tuple[str, ...] | None:
        names = request.offered_tools
        if names is None or set(names) == set(self._tools):
            return self._tools if self._requests else None
        return names

    def _read_claim(self, event: Claim) -> None:
        block = self._open
        if (
            block is None
            or block.reply != event.seq - 1
            or block.turn.text is not None
            or not event.text
        ):
            raise self._cannot(
                event, "is not the text of the reply before it", "put it right after its reply"
            )
        unknown = event.outcome is ClaimOutcome.UNKNOWN and event.basis in (
            ClaimBasis.UNKNOWN,
            ClaimBasis.PATTERN,
        )
        block.turn = replace(
            block.turn,
            text=event.text,
            outcome=None if unknown else event.outcome,
            structured=event.basis in (ClaimBasis.STRUCTURED, ClaimBasis.LABELLED),
        )
        block.places.append((event, "text", "text"))
        block.places.append((self._trace.events[event.seq - 1], "text", "text"))

    def _read_call(self, event: ToolCall) -> None:
        reply = self._asked_by.get(event.call_id)
        block = self._others_block(event) if reply is None else self._open
        late = block is not None and (self._answered or has_decision(block.after))
        if block is None or block.reply != reply or (reply is not None and late):
            raise self._cannot(
                event,
                "starts after its reply, or a call of it, ended; a case requests the calls of a "
                "reply together",
                "list the calls of a reply right after it, before their results",
            )
        self._add_call(block, event)

    def _others_block(self, event: ToolCall) -> _Open:
        block = self._open
        joins = (
            block is not None
            and block.turn.by is event.requestor
            and self._waiting
            and not self._answered
            and not block.after
            and block.agent == event.agent
        )
        if block is None or not joins:
            self._close(event)
            block = self._open = _Open(turn=Turn(by=event.requestor), agent=event.agent)
        return block

    def _add_call(self, block: _Open, event: ToolCall) -> None:
        call = self._calls[event.call_id]
        raw = event.args_raw if isinstance(event.args, Absent) else None
        name = self._names[event.call_id]
        scripted = ScriptedCall(id=name, name=event.tool, args=event.args, args_raw=raw)
        at = f"tool_calls.{len(block.calls)}"
        block.places.append((event, "tool", f"{at}.name"))
        args = "args" if raw is None else "args_raw"
        block.places.append((event, args, f"{at}.{args}"))
        block.turn = replace(block.turn, tool_calls=(*block.turn.tool_calls, scripted))
        block.calls.append(call)
        if call.result is not None:
            self._waiting.add(event.call_id)

    def _read_result(self, event: ToolResult) -> None:
        self._waiting.remove(event.call_id)  # no turn is closed while one of its calls runs
        self._answered = True

    def _read_entry(self, event: Entry) -> None:
        match event:
            case UserMessage():
                self._add_user(event)
            case ModelRequest():
                self._fail_request()
                self._request = event
            case Permission():
                self._add(Turn(permission=entry_of(event)), event.agent)
            case StateChange():
                self._add(Turn(state_change=entry_of(event)), event.agent)
            case _:
                self._add(Turn(context_change=entry_of(event)), event.agent)

    def _add_user(self, event: UserMessage) -> None:
        folded = self._folded
        self._folded = None
        turn = Turn(user=event.text)
        if folded is None:
            self._turns.append(turn)
        else:
            calls = folded.turn.tool_calls
            self._add(replace(turn, by=folded.turn.by, tool_calls=calls), folded.agent)
            self._finish_calls(folded)
        self._put(event, "text", f"{self._at()}.user")

    # --- turns ---------------------------------------------------------------------

    def _close(self, event: Event | None) -> None:
        """End the open turn, because `event` begins something else; None: the trace ends."""
        block = self._open
        self._open = None
        if self._waiting and event is not None:
            raise self._cannot(
                event,
                "begins while calls of the turn before are running; a case ends them first",
                "shrink until one of them is gone, or put their results before it in your own trace",
            )
        self._answered = False
        if block is not None:
            self._settle(block)
        if not isinstance(event, UserMessage):
            self._unfold()

    def _settle(self, block: _Open) -> None:
        for decision in block.before:
            self._unfold()
            self._read_entry(decision)
        if block.turn.by is Requestor.USER:
            self._unfold()
            self._folded = block
        else:
            self._add(block.turn, block.agent)
            self._finish_calls(block)
        for later in block.after:
            if not isinstance(later, UserMessage):
                self._unfold()
            self._read_entry(later)

    def _unfold(self) -> None:
        """Write the calls of a user that no message of theirs follows."""
        block = self._folded
        self._folded = None
        if block is not None:
            self._add(block.turn, block.agent)
            self._finish_calls(block)

    def _finish_calls(self, block: _Open) -> None:
        at = self._at()
        for event, name, place in block.places:
            self._put(event, name, f"{at}.{place}")
        if block.calls:
            self._blocks.append(tuple(block.calls))

    def _fail_request(self) -> None:
        """Write the last model request as one that got no reply."""
        request = self._request
        self._request = None
        if request is not None:
            turn = Turn(error=CallError(), offered=self._offered(request))
            self._add(turn, request.agent)

    def _add(self, turn: Turn, agent: str | None) -> None:
        """Append a turn of an agent; a change of agent is said with it."""
        if agent != self._agent:
            self._agent = agent
            if turn == Turn():  # with an agent in it, it would be no reply
                self._turns.append(Turn(agent=agent or ""))
            else:
                turn = replace(turn, agent=agent or "")
        self._turns.append(turn)

    def _at(self) -> str:
        return f"paths.recorded.turns.{len(self._turns) - 1}"

    def _put(self, event: Event, name: str, place: str) -> None:
        seq = event.seq if event.origin_seq is None else event.origin_seq
        self._places.setdefault(f"#{seq}.{name}", []).append(place)

    def _cannot(self, event: Event, message: str, fix: str) -> TraceFormatError:
        return TraceFormatError(
            f"({event.kind}) {message}",
            place=self._trace.run_id,
            key=f"#{event.seq}",
            fix=fix,
        )

    def finished(self) -> Scripted:
        """End the last turn and return everything."""
        self._close(None)
        self._fail_request()
        return Scripted(
            messages=tuple(self._messages),
            turns=tuple(self._turns),
            blocks=tuple(self._blocks),
            places={place: tuple(found) for place, found in self._places.items()},
        )

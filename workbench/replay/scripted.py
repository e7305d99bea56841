"""The reference loop: replays one path of a case without any agent.

Events come out as the recorder of the incident would have written them: the calls of one reply
are requested together, so they overlap, and complete in recorded order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.casefile.codec import decode
from workbench.casefile.place import Place
from workbench.model.event import (
    CallIdSource,
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
    UserMessage,
)
from workbench.model.jsonvalue import Absent, Json, JsonMap
from workbench.replay.matching import Answered, FixtureTable, Miss
from workbench.replay.recorder import Recorder, has_delays

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.model.case import Case, Path, ScriptedCall, Turn
    from workbench.model.trace import Trace

__all__ = [
    "add_message",
    "call_args",
    "entry_event",
    "is_reply",
    "play_calls",
    "replay_path",
    "turn_claim",
]


def replay_path(case: Case, path: Path) -> Trace:
    """Return the trace of a path whose calls are answered by the case's fixtures.

    Raises:
        CaseFormatError: a matcher, or an entry of a turn, cannot be read.
    """
    loop = _Loop(case, path)
    return loop.run()


def call_args(call: ScriptedCall) -> Json | Absent:
    """Return the arguments as a fixture's key has them: the text when they are not JSON."""
    return (
        call.args if call.args_raw is None or not isinstance(call.args, Absent) else call.args_raw
    )


def entry_event(turn: Turn, *, place: Place, key: str) -> Event | None:
    """Return the permission, state or context change that a turn is, if it is one."""
    kinds: tuple[tuple[type[Event], str, JsonMap | None], ...] = (
        (Permission, "permission", turn.permission),
        (StateChange, "state_change", turn.state_change),
        (ContextChange, "context_change", turn.context_change),
    )
    for kind, name, document in kinds:
        if document is not None:
            return decode(kind, document, place=place, key=f"{key}.{name}")
    return None


def is_reply(turn: Turn) -> bool:
    """Whether a turn is what a model answered to a request; an empty turn is an empty reply."""
    if turn.by is not None:
        return False
    spoken = (turn.text, turn.error, turn.usage, turn.finish_reason, turn.offered)
    if turn.tool_calls or any(part is not None for part in spoken):
        return True
    others = (turn.user, turn.permission, turn.state_change, turn.context_change, turn.agent)
    return all(part is None for part in others)


def add_message(recorder: Recorder, message: JsonMap) -> None:
    """Record one message of the case's input."""
    content = message.get("content")
    text = content if isinstance(content, str) else ""
    match message.get("role"):
        case "system":
            recorder.add(SystemMessage(text=text))
        case "assistant":
            recorder.add(ModelReply(text=text))
            recorder.add(Claim(text=text))
        case _:
            recorder.add(UserMessage(text=text))


def turn_claim(turn: Turn, text: str) -> Claim:
    """Return the claim of a turn's text."""
    if turn.outcome is None:
        return Claim(text=text)
    basis = ClaimBasis.STRUCTURED if turn.structured else ClaimBasis.SCRIPTED
    return Claim(text=text, outcome=ClaimOutcome(turn.outcome), basis=basis)


def reply_event(turn: Turn, call_ids: Sequence[str], *, seq: int) -> ModelReply:
    """Return a turn as a model's reply."""
    return ModelReply(
        seq=seq,
        text=turn.text or "",
        call_ids=tuple(call_ids),
        finish_reason=turn.finish_reason,
        usage=turn.usage,
    )


class _Loop:
    """One run of the reference loop."""

    def __init__(self, case: Case, path: Path) -> None:
        self._case = case
        self._path = path
        self._place = Place(name=case.id)
        self._table = FixtureTable(case, path.name)
        self._recorder = Recorder(timed=has_delays(case))
        self._replies = 0

    def run(self) -> Trace:
        for message in self._case.input.messages:
            add_message(self._recorder, message)
            self._replies += message.get("role") == "assistant"
        self._recorder.start_state(self._case.input.state)
        for at, turn in enumerate(self._path.turns):
            self._turn(turn, key=f"paths.{self._path.name}.turns.{at}")
        return self._recorder.trace(self._case, run_id=f"{self._case.id}.{self._path.name}")

    def _turn(self, turn: Turn, *, key: str) -> None:
        recorder = self._recorder
        if turn.agent is not None:
            recorder.agent = turn.agent or None  # "": back to the one that has no name
        event = entry_event(turn, place=self._place, key=key)
        if event is not None:
            recorder.add(event)
        if turn.by is not None:  # of a user turn: what the person did before the message
            play_calls(recorder, self._table, turn)
        elif is_reply(turn):
            self._reply(turn)
        if turn.user is not None:
            recorder.add(UserMessage(text=turn.user))

    def _reply(self, turn: Turn) -> None:
        if turn.error is not None or turn.offered is not None:
            self._recorder.add(ModelRequest(offered_tools=turn.offered))
        if turn.error is not None:
            return
        self._replies += 1
        play_calls(self._recorder, self._table, turn, number=self._replies)


def play_calls(recorder: Recorder, table: FixtureTable, turn: Turn, *, number: int = 0) -> None:
    """Record what a turn says and the calls it makes; let them complete in recorded order.

    Args:
        recorder: of this replay.
        table: what answers.
        turn: a reply, or calls of the framework or a user.
        number: of the reply; 0: the turn is none.
    """
    call_ids = tuple(recorder.fresh_call_id(call.id) for call in turn.tool_calls)
    if number:
        recorder.add(reply_event(turn, call_ids, seq=recorder.seq))
        if turn.text:
            recorder.add(turn_claim(turn, turn.text))
    by = turn.by or Requestor.AGENT
    for call, call_id in zip(turn.tool_calls, call_ids, strict=True):
        recorder.add(_tool_call(call, call_id, by=by, turn=number, seq=recorder.seq))
    answers = [
        (table.answer(call.name, call_args(call)), call_id)
        for call, call_id in zip(turn.tool_calls, call_ids, strict=True)
    ]
    started = recorder.clock_ms
    for answer, call_id in sorted(answers, key=_completion):
        delay = answer.fixture.delay_ms if isinstance(answer, Answered) else None
        recorder.clock_ms = max(recorder.clock_ms, started + (delay or 0))
        recorder.answer(call_id, answer, latency_ms=delay)


def _completion(answer: tuple[Answered | Miss, str]) -> int:
    """Order by recorded completion; a refusal is immediate."""
    return answer[0].position if isinstance(answer[0], Answered) else -1


def _tool_call(call: ScriptedCall, call_id: str, *, by: Requestor, turn: int, seq: int) -> ToolCall:
    return ToolCall(
        seq=seq,
        call_id=call_id,
        call_id_source=CallIdSource.GIVEN if call_id == call.id else CallIdSource.SYNTHESISED,
        tool=call.name,
        args_raw=call.args_raw,
        args=call.args,
        requestor=by,
        turn=turn,
    )

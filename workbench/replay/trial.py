"""One trial: an agent's requests in, a trace and the trial's issues out.

The trial is sans-IO and thread-safe: a dialect of the gateway turns bytes into these calls. Tools
answer from fixtures only. The model is scripted (`model`: the n-th request gets the n-th reply) or
live (`ask`, then `replied` or `provider_failed` by whoever talks to the provider).
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from workbench.model.event import (
    CallIdSource,
    Claim,
    ClaimBasis,
    ClaimOutcome,
    ModelRequest,
    Outcome,
    Permission,
    Requestor,
    StateChange,
    ToolCall,
    UserMessage,
)
from workbench.model.jsonvalue import ABSENT, Absent, Json, JsonMap
from workbench.replay.asked import Asked, AskedCalls
from workbench.replay.exchange import ProviderLog, ScriptedReply, scripted_call, seen_event
from workbench.replay.issues import Issue, IssueKind
from workbench.replay.matching import Answered, FixtureTable, Miss, canonical_tool
from workbench.replay.recorder import Recorder, has_delays
from workbench.replay.reported import reported_event
from workbench.replay.script import Script
from workbench.replay.scripted import add_message, play_calls, reply_event, turn_claim

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from workbench.model.case import Case, Path, ScriptedCall, Turn
    from workbench.model.trace import Trace
    from workbench.replay.exchange import ModelAsk, SeenReply
    from workbench.replay.live import Upstream

__all__ = ["Limits", "Trial", "TrialRecord"]

_GRACE_S: Final = 0.03
_UNNAMED: Final = "call"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one trial; beyond them the agent is stopped."""

    model_calls: int = 200
    tool_calls: int = 1_000
    seconds: float = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRecord:
    """What a trial left behind."""

    trace: Trace
    issues: tuple[Issue, ...]
    replies_left: int
    """Replies of the script that were not asked for."""
    unused: tuple[str, ...]
    """Ids of fixtures that no call used."""
    answered: int
    """Calls that a fixture answered."""
    missing: tuple[Miss, ...]
    """Calls that none answered."""
    ms: float
    reply_ids: tuple[str, ...] = ()
    """The provider's ids of the live replies, in order: a cached reply has one seen before."""
    provider_errors: int = 0
    """Requests that a provider failed, also those that the agent repeated with success."""


class Trial:
    """The state of one trial of one path of a case."""

    def __init__(
        self,
        case: Case,
        path: Path,
        *,
        run_id: str,
        limits: Limits = Limits(),
        clock: Callable[[], float] = time.monotonic,
        upstream: Upstream | None = None,
    ) -> None:
        self.run_id = run_id
        self.case = case
        self.upstream = upstream
        """Where model requests go; None: the script answers them."""
        self.script = Script(path)
        self.stopped = threading.Event()
        """Set when the agent has to be stopped."""
        self._limits = limits
        self._clock = clock
        self._started = clock()
        self._lock = threading.Condition()
        self._table = FixtureTable(case, path.name if upstream is None else None)
        self._recorder = Recorder(timed=has_delays(case))
        self._asked = AskedCalls(case)
        self._issues: list[Issue] = []
        self._misses: list[Miss] = []
        self._completing: list[int] = []
        self._record: TrialRecord | None = None
        self._answered = self._replies = self._requests = self._attempts = 0
        self._provider = ProviderLog()
        for message in case.input.messages:
            add_message(self._recorder, message)
            self._replies += message.get("role") == "assistant"
        self._recorder.start_state(case.input.state)

    # --- what the agent's process does --------------------------------------

    def ask(self, asked: ModelAsk) -> bool:
        """Take a model request in; False: a limit is reached and nobody shall answer it."""
        with self._lock:
            return self._ask(asked)

    def model(self, asked: ModelAsk) -> ScriptedReply | None:
        """Answer a request from the script; None: it has no reply left, or a limit is reached."""
        with self._lock:
            if not self._ask(asked):
                return None
            turn = self.script.next_reply()
            if turn is None:
                self._issue(
                    IssueKind.SCRIPT_EXHAUSTED,
                    "the agent asked the model again after the script's last reply",
                )
                return None
            return self._reply(turn, asked.offered)

    def replied(self, seen: SeenReply, *, request: bytes) -> None:
        """Record what a live model answered, before the agent can act on it.

        Args:
            seen: the reply.
            request: digest of the request, by which its repetition is known.
        """
        with self._lock:
            self._provider.answered(request, seen.id)
            self._replies += 1
            calls = tuple(
                scripted_call(
                    call, self._recorder.fresh_call_id(call.id or _UNNAMED), self._tool(call.name)
                )
                for call in seen.calls
            )
            self._recorder.add(seen_event(seen, calls))
            for call, said in zip(calls, seen.calls, strict=True):
                self._ask_for(call, call.id, given_id=said.id)
            for name in seen.hosted:
                self._breach(self._asked.observe_hosted(name))

    def provider_failed(self, sentence: str, *, request: bytes) -> None:
        """Note that a provider did not answer; a repetition that it answers settles that."""
        with self._lock:
            self._provider.failed(request, sentence)

    def tool(
        self, name: str, args: Json | Absent, *, call_id: str | None = None
    ) -> Answered | Miss:
        """Carry out a tool call: a fixture answers it or nothing does."""
        tool = self._tool(name)
        with self._lock:
            self._attempts += 1
            if self._attempts > self._limits.tool_calls:
                self._stop(IssueKind.TOOL_CALL_LIMIT, f"{self._limits.tool_calls} tool calls")
                explanation = "the trial has reached its limit of tool calls"
                return Miss(tool=tool, outcome=Outcome.BLOCKED, explanation=explanation)
            asked = self._asked.claim(tool, args, call_id=call_id)
            event = self._attempt(tool, args, asked)
            started_ms = self._recorder.clock_ms
            answer = self._table.answer(tool, args, behind=self._asked.ahead(asked))
            self._note(answer)
            self._lock.notify_all()
            self._await_company(asked, answer)
            self._complete(event.call_id, answer, started_ms=started_ms)
        self._sleep(answer)
        return answer

    def report(self, documents: Sequence[Json]) -> None:
        """Record what the agent says of itself.

        Raises:
            CaseFormatError: a document is none of the four kinds of `trace/1`; nothing of the
                request is recorded then.
        """
        events = [reported_event(document, at) for at, document in enumerate(documents)]
        with self._lock:
            for event in events:
                if isinstance(event, Permission):
                    event = replace(event, tool=event.tool and self._tool(event.tool))  # noqa: PLW2901
                    self._asked.deny(event)
                if isinstance(event, StateChange) and not isinstance(event.after, Absent):
                    self._recorder.state[event.name] = event.after
                self._recorder.add(self._claimed(event) if isinstance(event, Claim) else event)

    def asked_for(self, given_id: Json) -> Asked | None:
        """Return the call that the agent was given under an id; None: there was none."""
        with self._lock:
            return self._asked.given(given_id)

    # --- what the adapter does ----------------------------------------------

    @property
    def seconds_left(self) -> float:
        """Wall time until the agent is stopped."""
        return self._limits.seconds - (self._clock() - self._started)

    def answer(self, text: str, *, outcome: str | None, state: JsonMap | None) -> None:
        """Record what the agent answered at the end of a user turn.

        Raises:
            ValueError: `outcome` is no word of the closed list.
        """
        claimed = None if outcome is None else ClaimOutcome(outcome)
        with self._lock:
            for name, value in (state or {}).items():
                self._recorder.set_state(name, value)
            if text or claimed is not None:
                basis = ClaimBasis.UNKNOWN if claimed is None else ClaimBasis.STRUCTURED
                claim = Claim(text=text, outcome=claimed or ClaimOutcome.UNKNOWN, basis=basis)
                self._recorder.add(self._claimed(claim))

    def user(self, turn: Turn) -> None:
        """Record a later message of the person, after the calls that the person made."""
        with self._lock:
            play_calls(self._recorder, self._table, replace(turn, by=turn.by or Requestor.USER))
            self._recorder.add(UserMessage(text=turn.user or ""))

    def issue(self, kind: IssueKind, sentence: str) -> None:
        """Note a breach or a doubt once."""
        with self._lock:
            self._issue(kind, sentence)

    def finish(self) -> TrialRecord:
        """Return the trace, with the calls that never reached the gateway at their place."""
        with self._lock:
            if self._record is None:
                self._record = self._finished()
            return self._record

    # --- inside the lock ----------------------------------------------------

    def _ask(self, asked: ModelAsk) -> bool:
        for result in asked.results:
            self._breach(self._asked.observe(result))
        offered = asked.offered
        self._recorder.add(
            ModelRequest(
                model=asked.model,
                settings=asked.settings,
                offered_tools=None if offered is None else tuple(map(self._tool, offered)),
                n_messages=asked.messages,
            )
        )
        self._requests += 1
        if self._requests > self._limits.model_calls:
            self._stop(IssueKind.MODEL_CALL_LIMIT, f"{self._limits.model_calls} model requests")
            return False
        return True

    def _tool(self, name: str) -> str:
        return canonical_tool(self.case, name)

    def _issue(self, kind: IssueKind, sentence: str) -> None:
        if not any(issue.kind is kind and issue.sentence == sentence for issue in self._issues):
            seq = len(self._recorder.events)
            self._issues.append(Issue(kind=kind, sentence=sentence, seq=seq))

    def _stop(self, kind: IssueKind, what: str) -> None:
        self._issue(kind, f"the agent was stopped after {what}")
        self.stopped.set()

    def _reply(self, turn: Turn, names: tuple[str, ...] | None) -> ScriptedReply:
        offered = None if names is None else {self._tool(name) for name in names}
        if turn.error is not None:
            return ScriptedReply(number=self._requests, error=turn.error, turn=turn)
        self._replies += 1
        calls = tuple((self._recorder.fresh_call_id(c.id), c) for c in turn.tool_calls)
        ids = [call_id for call_id, _ in calls]
        self._recorder.add(reply_event(turn, ids, seq=self._recorder.seq))
        for call_id, call in calls:
            self._ask_for(call, call_id, given_id=call_id)
            if offered is not None and call.name not in offered:
                self._issue(
                    IssueKind.TOOL_NOT_OFFERED,
                    f"the script calls {call.name}, which the agent does not offer",
                )
        return ScriptedReply(number=self._requests, calls=calls, turn=turn)

    def _ask_for(self, call: ScriptedCall, call_id: str, *, given_id: str) -> None:
        after, turn = len(self._recorder.events), self._replies
        self._asked.add(
            Asked(call=call, call_id=call_id, given_id=given_id, turn=turn, after=after)
        )

    def _breach(self, sentence: str | None) -> None:
        if sentence is not None:
            self._issue(IssueKind.UNOBSERVED_TOOL, sentence)

    def _attempt(self, tool: str, args: Json | Absent, asked: Asked | None) -> ToolCall:
        by = self.script.requestor(tool, args) if asked is None else Requestor.AGENT
        event = ToolCall(
            seq=self._recorder.seq,
            call_id=self._recorder.fresh_call_id("own") if asked is None else asked.call_id,
            call_id_source=CallIdSource.SYNTHESISED if asked is None else CallIdSource.GIVEN,
            tool=tool,
            args_raw=args if isinstance(args, str) else None,
            args=ABSENT if isinstance(args, str) else args,
            requestor=by,
            turn=0 if asked is None else asked.turn,
        )
        self._recorder.add(event)
        return event

    def _note(self, answer: Answered | Miss) -> None:
        if isinstance(answer, Answered):
            self._answered += 1
            return
        self._misses.append(answer)
        blocked = answer.outcome is Outcome.BLOCKED
        kind = IssueKind.BLOCKED_WRITE if blocked else IssueKind.MISSING_FIXTURE
        self._issue(kind, answer.explanation)

    def _await_company(self, asked: Asked | None, answer: Answered | Miss) -> None:
        """Give the other calls of a turn a moment to arrive before this one completes.

        Calls that an agent makes at the same time would otherwise look like one after the other,
        and code that races would pass a clause on order.
        """
        alone = asked is None or not self._asked.waiting(asked.turn)
        if alone and not self._completing:
            return
        position = answer.position if isinstance(answer, Answered) else -1
        self._completing.append(position)
        if asked is not None:
            self._lock.wait_for(lambda: not self._asked.waiting(asked.turn), timeout=_GRACE_S)
        self._lock.wait_for(lambda: min(self._completing) == position, timeout=_GRACE_S)
        self._completing.remove(position)
        self._lock.notify_all()

    def _complete(self, call_id: str, answer: Answered | Miss, *, started_ms: float) -> None:
        delay = answer.fixture.delay_ms if isinstance(answer, Answered) else None
        self._recorder.clock_ms = max(self._recorder.clock_ms, started_ms + (delay or 0))
        self._recorder.answer(call_id, answer, latency_ms=delay)

    def _claimed(self, claim: Claim) -> Claim:
        """Give a text the outcome that the script says it claims, unless the agent states one."""
        if claim.basis is ClaimBasis.STRUCTURED:
            return claim
        turn = self.script.spoken(claim.text) if self.upstream is None else None
        if turn is None or turn.structured:
            return claim
        return turn_claim(turn, claim.text)

    def _finished(self) -> TrialRecord:
        self._settle()
        for sentence in self._provider.unsettled:
            self._issue(IssueKind.PROVIDER_ERROR, sentence)
        unused = self._table.unused()
        for fixture in unused:
            if fixture.must_use:
                self._issue(IssueKind.UNUSED_FIXTURE, f"fixture {fixture.id} was not used")
        return TrialRecord(
            trace=self._recorder.trace(self.case, run_id=self.run_id),
            issues=tuple(self._issues),
            replies_left=self.script.left if self.upstream is None else 0,
            unused=tuple(fixture.id for fixture in unused),
            answered=self._answered,
            missing=tuple(self._misses),
            ms=(self._clock() - self._started) * 1_000,
            reply_ids=tuple(self._provider.reply_ids),
            provider_errors=self._provider.errors,
        )

    def _settle(self) -> None:
        """Insert the calls that were asked for and never attempted, after their reply."""
        for asked in reversed(self._asked.unattempted()):
            self._recorder.events[asked.after : asked.after] = [asked.event(), asked.settled()]
            self._issues = [
                replace(issue, seq=issue.seq + 2 * (asked.after <= issue.seq))
                for issue in self._issues
            ]

    # --- outside the lock ---------------------------------------------------

    def _sleep(self, answer: Answered | Miss) -> None:
        if isinstance(answer, Answered) and answer.fixture.real_time:
            delay_s = (answer.fixture.delay_ms or 0) / 1_000
            self.stopped.wait(max(0.0, min(delay_s, self.seconds_left)))

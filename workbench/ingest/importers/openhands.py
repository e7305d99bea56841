"""OpenHands event streams: actions and the observations that they caused.

A stream stands in a result (`{"history": [...], "instance_id", ...}`) or is a list of its own.
An observation names its action by `cause`; where the model's reply was kept with an action, the
reply's own calls, ids and exact arguments are used. Streams without ids (of 2024) are paired by
position. An observation of kind `error` is an error mark, and so is an exit code other than 0.
What the framework injects by itself (a recalled context) is no act of anybody and stays in raw.

Source:
    OpenHands 0.9-0.35, `events/`; formats page 1 and 2.3, row "OpenHands".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from workbench.casefile.place import step_key
from workbench.ingest.events.finish import RunFacts, finished, labels_of
from workbench.ingest.events.times import time_of
from workbench.ingest.events.toollist import listed_tools
from workbench.ingest.events.transcript import Answered, Asked, Said, Transcript
from workbench.ingest.events.usage import cost_in, usage_of
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import integer_in, map_in, map_items, text_in
from workbench.model.event import (
    CallError,
    Change,
    ContextChange,
    Decision,
    Outcome,
    Permission,
    Usage,
)
from workbench.model.trace import Grade, Loss, RunStatus

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["EVENTS", "FORMAT", "read_openhands"]

_INTERNAL: Final = frozenset({"null", "recall", "change_agent_state", "loop_recovery"})
"""Actions of the framework that call nothing."""
_SILENT: Final = frozenset({"null", "recall", "agent_state_changed", "condense"})
"""Observations that answer no call."""
_NO_ARGS: Final = frozenset(
    {
        "id", "timestamp", "source", "message", "action", "thought", "cause", "timeout", "llm_metrics",
        "tool_call_metadata", "is_confirmed", "confirmation_state", "action_risk", "security_risk",
        "keep_prompt", "kernel_init_code", "blocking", "hidden", "is_static",
    }
)  # fmt: skip
"""Keys of an old action beside its arguments."""


@dataclass(slots=True)
class _Reader:
    """One stream on its way into a transcript."""

    script: Transcript = field(default_factory=Transcript)
    listed: tuple[Tool, ...] = ()
    injected: int = 0
    unrecorded: int = 0
    """Errors that answer no recorded act."""
    model: str | None = None
    version: str | None = None
    failed: bool = False
    _response: str | None = None
    """Id of the reply whose calls stand in the transcript."""
    _spent: float = 0.0
    """US dollars that the run had cost before."""
    _id_of: dict[int, str | None] = field(default_factory=dict)
    """Action -> id of its call."""

    def add(self, ref: str, event: JsonMap) -> None:
        """Add one event."""
        at = time_of(event.get("timestamp"), self.script.counts)
        observation = event.get("observation")
        if isinstance(observation, str):
            self._add_observation(ref, event, observation, at)
            return
        match text_in(event, "action"):
            case "system":
                self._add_system(ref, event, at)
            case "message":
                self._add_message(ref, event, at)
            case "finish" | "reject":
                self._add_finish(ref, event, at)
            case "condensation":
                self.script.mark(ContextChange(change=Change.COMPACTION, at=at, source_ref=ref))
            case action if action is None or action in _INTERNAL:
                pass
            case action:
                self._add_call(ref, event, action, at)

    def _add_system(self, ref: str, event: JsonMap, at: str | None) -> None:
        args = _args(event)
        self.listed = listed_tools(args.get("tools"))
        self.version = text_in(args, "openhands_version")
        self.script.system(Said(ref=ref, text=text_in(args, "content"), at=at))

    def _add_message(self, ref: str, event: JsonMap, at: str | None) -> None:
        args = _args(event)
        images = args.get("image_urls") or args.get("images_urls")
        said = Said(
            ref=ref,
            text=text_in(args, "content"),
            at=at,
            dropped=len(images) if isinstance(images, list) else 0,
            usage=self._usage(event, _response(event)),
        )
        if event.get("source", "user") == "user":
            self.script.user(said)
        else:
            self.script.reply(said)

    def _add_finish(self, ref: str, event: JsonMap, at: str | None) -> None:
        """Add the answer with which the agent ends; it calls nothing that would answer."""
        args = _args(event)
        texts = (text_in(args, key) for key in ("final_thought", "thought"))
        text = next(filter(None, texts), None) or text_in(event, "message")
        usage = self._usage(event, _response(event))
        self.script.reply(Said(ref=ref, text=text, at=at, usage=usage))

    def _add_call(self, ref: str, event: JsonMap, action: str, at: str | None) -> None:
        metadata = map_in(event, "tool_call_metadata")
        number = integer_in(event, "id")
        given = text_in(metadata, "tool_call_id") or (None if number is None else str(number))
        if number is not None:
            self._id_of[number] = given
        args = _args(event)
        tool = text_in(metadata, "function_name") or action
        response = map_in(metadata, "model_response")
        id_of_response = text_in(response, "id")
        if id_of_response is None or id_of_response != self._response:
            self._response = id_of_response
            usage = self._usage(event, response)
            said = Said(ref=ref, text=text_in(args, "thought"), at=at, usage=usage)
            calls = _told_calls(ref, response)
            if not any(call.id == given for call in calls):
                own: JsonMap = {key: item for key, item in args.items() if key not in _NO_ARGS}
                calls = [Asked(ref=ref, id=given, tool=tool, value=own)]
            self.script.reply(said, calls)
        self._add_refusal(ref, args, tool, at)

    def _usage(self, event: JsonMap, response: JsonMap) -> Usage | None:
        """Return tokens of a reply and what the run cost more than before it."""
        spent = cost_in(event.get("llm_metrics"), "accumulated_cost") or 0.0
        cost = round(spent - self._spent, 10)
        self._spent = max(spent, self._spent)
        return usage_of(response.get("usage"), cost_usd=cost if cost > 0 else None)

    def _add_refusal(self, ref: str, args: JsonMap, tool: str, at: str | None) -> None:
        state = args.get("confirmation_state") or args.get("is_confirmed")
        if state in ("rejected", "awaiting_confirmation"):
            decision = Decision.DENIED if state == "rejected" else Decision.ASKED
            self.script.mark(Permission(decision=decision, tool=tool, at=at, source_ref=ref))

    def _add_observation(self, ref: str, event: JsonMap, kind: str, at: str | None) -> None:
        if kind in _SILENT:
            self.injected += kind == "recall"
            self.failed |= text_in(map_in(event, "extras"), "agent_state") == "error"
            return
        cause = integer_in(event, "cause")
        given = text_in(map_in(event, "tool_call_metadata"), "tool_call_id")
        known = None if cause is None else self._id_of.get(cause)
        text = text_in(event, "content")
        if kind == "error" and given is None and known is None and self._is_alone(event):
            self.unrecorded += 1
            self.script.user(Said(ref=ref, text=text, at=at, actor="framework"))
            return
        self.script.result(
            Answered(
                ref=ref,
                id=given or known,
                text=text,
                value=None if text is not None else event.get("content"),
                error=_error(kind, event),
                outcome=Outcome.DENIED if kind == "user_rejected" else None,
                at=at,
            )
        )

    def _is_alone(self, event: JsonMap) -> bool:
        """Whether an error answers no act; streams without numbers are paired by position."""
        return "id" in event or not self.script.book.unanswered


def read_openhands(record: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read one result with its history, or the list of a stream's events.

    Raises:
        TraceFormatError: an event has another form than OpenHands'.
    """
    run = record if isinstance(record, dict) else {}
    key = "history" if run else ""
    reader = _Reader()
    for ref, event in _events(run.get("history") if run else record, key=key, origin=place):
        reader.add(ref, event)
    success = run.get("success")
    facts = RunFacts(
        own_id=run.get("instance_id"),
        model=text_in(map_in(run, "metadata", "llm_config"), "model") or _model(record),
        agent=text_in(map_in(run, "metadata"), "git_commit") or reader.version,
        labels=labels_of(
            success=success,
            error=bool(run.get("error")) or None,
            resolved=map_in(run, "report").get("resolved"),
        ),
        status=_status(run, failed=reader.failed),
        listed=reader.listed,
        losses=tuple(_losses(reader)),
    )
    return finished(reader.script, facts, origin=place, tools=tools)


def _events(history: Json, *, key: str, origin: Origin) -> Iterator[tuple[str, JsonMap]]:
    """Yield the events; the oldest results keep them in pairs."""
    if not isinstance(history, list) or not all(isinstance(item, list) for item in history):
        yield from map_items(history, key=key, origin=origin)
        return
    for n, pair in enumerate(history):
        yield from map_items(pair, key=step_key(key, n), origin=origin)


def _losses(reader: _Reader) -> Iterator[Loss]:
    if reader.injected:
        yield Loss(
            kind="injected_context_left_out",
            count=reader.injected,
            note="contexts that the framework put before the model; they are in raw only",
        )
    if reader.unrecorded:
        yield Loss(
            kind="rejected_calls_not_recorded",
            count=reader.unrecorded,
            note="the framework refused a call and kept only its answer",
            fix="save the model's completions (`log_completions`) to see the call",
            caps=Grade.NEEDS_FIXTURES,
        )


def _status(run: JsonMap, *, failed: bool) -> RunStatus:
    if failed or run.get("error") or run.get("success") is False:
        return RunStatus.FAILED
    return RunStatus.OK if run.get("success") is True else RunStatus.UNKNOWN


def _args(event: JsonMap) -> JsonMap:
    """Return an action's arguments; old ones stand beside its name."""
    return map_in(event, "args") if "args" in event else event


def _response(event: JsonMap) -> JsonMap:
    return map_in(event, "tool_call_metadata", "model_response")


def _told_calls(ref: str, response: JsonMap) -> list[Asked]:
    """Return the calls of the reply that an action comes from, as the model wrote them."""
    choices = response.get("choices")
    message = map_in(choices[0], "message") if isinstance(choices, list) and choices else {}
    calls = message.get("tool_calls")
    place = f"{ref}.tool_call_metadata.model_response.choices.0.message.tool_calls"
    found = []
    for n, call in enumerate(calls if isinstance(calls, list) else ()):
        function = map_in(call, "function")
        name, text = text_in(function, "name"), text_in(function, "arguments")
        if name and text is not None:
            found.append(Asked(ref=f"{place}.{n}", id=text_in(call, "id"), tool=name, text=text))
    return found


def _error(kind: str, event: JsonMap) -> CallError | None:
    extras = map_in(event, "extras")
    if kind == "error":
        return CallError(
            type=text_in(extras, "error_id") or None, message=text_in(event, "content")
        )
    codes = (map_in(extras, "metadata"), extras, event)
    code = next((n for where in codes if (n := integer_in(where, "exit_code")) is not None), 0)
    return CallError(type="exit_code", status=code) if code else None


def _model(record: Json) -> str | None:
    events = record if isinstance(record, list) else []
    found = (
        text_in(map_in(event, "tool_call_metadata", "model_response"), "model") for event in events
    )
    return next(filter(None, found), None)


def _is_event(record: Json) -> bool:
    """Whether it is an event of a stream of its own: there, each has a number and a source."""
    event = map_in(record)
    named = text_in(event, "action") is not None or text_in(event, "observation") is not None
    return named and integer_in(event, "id") is not None and "source" in event


def _holds_events(record: Json) -> bool:
    history = map_in(record).get("history")
    if not isinstance(history, list) or not history or "trajectory" in map_in(record):
        return False
    first = history[0][0] if isinstance(history[0], list) and history[0] else history[0]
    return "role" not in map_in(first) and (
        text_in(first, "action") is not None or text_in(first, "observation") is not None
    )


FORMAT: Final = Format(
    name="openhands",
    recognises=_holds_events,
    owns=_holds_events,
    keys=frozenset({"history"}),
    own_id=lambda record: text_in(record, "instance_id"),
    read=read_openhands,
)
"""A result with its history."""

EVENTS: Final = Format(
    name="openhands_events",
    recognises=_is_event,
    owns=_is_event,
    keys=frozenset({"action", "observation"}),
    run_of=lambda _: "",
    read=read_openhands,
)
"""A stream of its own."""

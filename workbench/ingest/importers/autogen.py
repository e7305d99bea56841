"""AutoGen: what `run_stream` yields, a `TaskResult`, and the saved state of a team or an agent.

Messages and events have one shape everywhere: `{"type", "source", "content", ...}`. A stream ends
with a result that repeats them, so each is taken once, by its id. Whether a source is a person is
known of `user` and of every source that was asked for input. Thoughts are internal and stay in
raw. A code executor is no tool that the model named; its runs are calls of `code_executor`.

Source:
    autogen-agentchat 0.7.5, `messages.py`; formats page 2.3, row "AutoGen run_stream".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from workbench.casefile.place import describe, step_key
from workbench.ingest.events.finish import RunFacts, finished, labels_of
from workbench.ingest.events.times import time_of
from workbench.ingest.events.transcript import Answered, Asked, Said, Transcript, compact
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import as_map, integer_in, map_in, map_items, text_in
from workbench.model.event import CallError, Change, ContextChange, Usage
from workbench.model.trace import Loss

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["STATE", "STREAM", "AutogenReader", "is_autogen_message"]

_CHAT: Final = frozenset(
    {"TextMessage", "StopMessage", "HandoffMessage", "MultiModalMessage", "ToolCallSummaryMessage"}
)
_EVENTS: Final = frozenset(
    {
        "ToolCallRequestEvent",
        "ToolCallExecutionEvent",
        "CodeGenerationEvent",
        "CodeExecutionEvent",
        "UserInputRequestedEvent",
        "MemoryQueryEvent",
        "ModelClientStreamingChunkEvent",
        "ThoughtEvent",
        "SelectSpeakerEvent",
        "SelectorEvent",
    }
)
_CONTEXT: Final = frozenset(
    {"SystemMessage", "UserMessage", "AssistantMessage", "FunctionExecutionResultMessage"}
)
_CODE_TOOL: Final = "code_executor"
_LEFT_OUT: Final = "contexts of other agents, whose order among each other the state does not say"


def is_autogen_message(record: Json) -> bool:
    """Whether a value is a message or an event of an agent chat."""
    kind = text_in(record, "type") or ""
    named = kind in _CHAT or kind in _EVENTS or kind.startswith("StructuredMessage")
    return named and text_in(record, "source") is not None


@dataclass(slots=True)
class AutogenReader:
    """One run on its way into a transcript."""

    origin: Origin
    people: frozenset[str] = frozenset({"user"})
    """Sources that are persons."""
    script: Transcript = field(default_factory=Transcript)
    _seen: set[str] = field(default_factory=set)
    _bare: int = 0
    """Messages without an id so far."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was added so far."""
        return not self._seen and not self._bare

    def add(self, ref: str, message: JsonMap) -> None:
        """Add one message or event, unless one with its id is there."""
        given = text_in(message, "id")
        if given is not None and given in self._seen:
            return
        if given is None:
            self._bare += 1
        else:
            self._seen.add(given)
        at = time_of(message.get("created_at"), self.script.counts)
        source = text_in(message, "source")
        match text_in(message, "type"):
            case "ToolCallRequestEvent":
                self._add_calls(ref, message, source, at)
            case "ToolCallExecutionEvent" | "FunctionExecutionResultMessage":
                self._add_results(ref, message, source, at)
            case "AssistantMessage" if isinstance(message.get("content"), list):
                self._add_calls(ref, message, source, at)
            case "CodeGenerationEvent":
                self._add_code(ref, message, source, at)
            case "CodeExecutionEvent":
                self._add_code_result(ref, message, source, at)
            case "SystemMessage":
                self.script.system(Said(ref=ref, text=text_in(message, "content"), at=at))
            case kind if kind in _EVENTS:
                pass  # thoughts, chunks and choices of the next speaker stay in raw
            case _:
                self._add_text(ref, message, source, at)

    def _add_text(self, ref: str, message: JsonMap, source: str | None, at: str | None) -> None:
        text, dropped = _content(message.get("content"))
        kind = message.get("type")
        said = Said(ref=ref, text=text, at=at, agent=source, dropped=dropped, usage=_usage(message))
        if kind == "HandoffMessage":
            self._add_hand_off(said, source, text_in(message, "target"))
        elif kind == "ToolCallSummaryMessage":
            self.script.claim(said)
        elif kind == "UserMessage" or source in self.people:
            self.script.user(Said(ref=ref, text=text, at=at, dropped=dropped))
        else:
            self.script.reply(said)

    def _add_hand_off(self, said: Said, source: str | None, target: str | None) -> None:
        self.script.mark(
            ContextChange(
                change=Change.HAND_OFF,
                before=source,
                after=target,
                at=said.at,
                agent=source,
                source_ref=said.ref,
            )
        )
        self.script.claim(said)

    def _add_calls(self, ref: str, message: JsonMap, source: str | None, at: str | None) -> None:
        key = step_key(ref, "content")
        calls = [
            self._asked(place, call)
            for place, call in map_items(message.get("content"), key=key, origin=self.origin)
        ]
        thought = text_in(message, "thought")
        said = Said(ref=ref, text=thought, at=at, agent=source, usage=_usage(message), claimed="")
        self.script.reply(said, calls)

    def _asked(self, ref: str, call: JsonMap) -> Asked:
        name = call.get("name")
        if not isinstance(name, str) or not name:
            raise self.origin.error(
                step_key(ref, "name"), f"is {describe(name)}; expected a tool's name"
            )
        return Asked(ref=ref, id=text_in(call, "id"), tool=name, text=text_in(call, "arguments"))

    def _add_results(self, ref: str, message: JsonMap, source: str | None, at: str | None) -> None:
        key = step_key(ref, "content")
        for place, result in map_items(message.get("content"), key=key, origin=self.origin):
            text = text_in(result, "content")
            failed = result.get("is_error") is True
            self.script.result(
                Answered(
                    ref=place,
                    id=text_in(result, "call_id"),
                    tool=text_in(result, "name"),
                    text=text,
                    value=None if text is not None else result.get("content"),
                    error=CallError(message=text) if failed else None,
                    at=at,
                    agent=source,
                )
            )

    def _add_code(self, ref: str, message: JsonMap, source: str | None, at: str | None) -> None:
        blocks = message.get("code_blocks")
        self.script.counts["calls_written_as_text"] += 1
        asked = Asked(ref=ref, id=None, tool=_CODE_TOOL, value={"code_blocks": blocks})
        said = Said(ref=ref, text=text_in(message, "content"), at=at, agent=source)
        self.script.reply(said, [asked])

    def _add_code_result(
        self, ref: str, message: JsonMap, source: str | None, at: str | None
    ) -> None:
        result = map_in(message, "result")
        code = integer_in(result, "exit_code")
        self.script.result(
            Answered(
                ref=ref,
                id=None,
                tool=_CODE_TOOL,
                text=text_in(result, "output"),
                error=CallError(type="exit_code", status=code) if code else None,
                at=at,
                agent=source,
            )
        )


def _content(content: Json) -> tuple[str | None, int]:
    """Return the texts of a message, and how many of its parts are none."""
    if content is None or isinstance(content, str):
        return content, 0
    if isinstance(content, list):
        texts = [item for item in content if isinstance(item, str)]
        return "\n".join(texts) or None, len(content) - len(texts)
    return compact(content), 0


def _usage(message: JsonMap) -> Usage | None:
    usage = map_in(message, "models_usage")
    if not usage:
        return None
    return Usage(
        input_tokens=integer_in(usage, "prompt_tokens"),
        output_tokens=integer_in(usage, "completion_tokens"),
    )


# --- streams and results -----------------------------------------------------


def _is_result(record: Json) -> bool:
    messages = map_in(record).get("messages")
    if not isinstance(messages, list) or "stop_reason" not in map_in(record):
        return False
    return bool(messages) and all(is_autogen_message(item) for item in messages)


def _is_stream(record: Json) -> bool:
    return is_autogen_message(record) or _is_result(record)


def _read_stream(record: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read the messages and events of one stream, given as a list.

    Raises:
        TraceFormatError: a message has another form than the library's.
    """
    items = list(map_items(record, key="", origin=place))
    asked = (
        text_in(item, "source")
        for _, item in items
        if item.get("type") == "UserInputRequestedEvent"
    )
    reader = AutogenReader(origin=place, people=frozenset({"user", *filter(None, asked)}))
    reason = None
    for ref, item in items:
        if not _is_result(item):
            reader.add(ref, item)
            continue
        reason = text_in(item, "stop_reason")
        known = not reader.is_empty
        for inner, message in map_items(item["messages"], key=f"{ref}.messages", origin=place):
            if text_in(message, "id") is not None or not known:
                reader.add(inner, message)
    facts = RunFacts(labels=labels_of(stop_reason=reason))
    return finished(reader.script, facts, origin=place, tools=tools)


STREAM: Final = Format(
    name="autogen_stream",
    recognises=_is_stream,
    owns=_is_stream,
    keys=frozenset({"source", "stop_reason"}),
    run_of=lambda _: "",
    read=_read_stream,
)

# --- saved state -------------------------------------------------------------


def _is_state(record: Json) -> bool:
    kind = text_in(record, "type") or ""
    if kind == "TeamState":
        return isinstance(map_in(record).get("agent_states"), dict)
    return kind == "AssistantAgentState" and bool(map_in(record, "llm_context"))


def _threads(state: JsonMap) -> list[tuple[str, list[Json]]]:
    """Return the lists of messages in a state: those of its team, else those of its agents."""
    agents = map_in(state, "agent_states")
    inside = ((step_key("agent_states", name), agent) for name, agent in agents.items())
    places = [("", state), *inside]
    threads = [(key, ("message_thread",), value) for key, value in places]
    contexts = [
        (key, ("llm_context", "messages"), value)
        for key, value in (
            *places,
            *((f"{key}.agent_state", map_in(value, "agent_state")) for key, value in places[1:]),
        )
    ]
    return list(_lists(threads)) or list(_lists(contexts))


def _lists(places: Sequence[tuple[str, tuple[str, ...], Json]]) -> Iterator[tuple[str, list[Json]]]:
    for key, steps, value in places:
        found = map_in(value, *steps[:-1]).get(steps[-1])
        if isinstance(found, list) and found:
            yield ".".join(filter(None, (key, *steps))), found


def _read_state(record: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read the saved state of a team or of one agent.

    Raises:
        TraceFormatError: a message has another form than the library's.
    """
    state = as_map(record, key="", origin=place)
    reader = AutogenReader(origin=place)
    threads = _threads(state)
    if not threads:
        raise place.error("agent_states", "hold no messages; expected those of a run")
    key, messages = max(threads, key=lambda thread: len(thread[1]))
    for ref, message in map_items(messages, key=key, origin=place):
        reader.add(ref, message)
    left = len(threads) - 1
    loss = Loss(
        kind="contexts_left_out",
        count=left,
        note=_LEFT_OUT,
        fix="save the stream (`run_stream`) instead",
    )
    facts = RunFacts(losses=(loss,) if left else ())
    return finished(reader.script, facts, origin=place, tools=tools)


STATE: Final = Format(
    name="autogen_state",
    recognises=_is_state,
    owns=_is_state,
    keys=frozenset({"agent_states", "llm_context"}),
    read=_read_state,
)

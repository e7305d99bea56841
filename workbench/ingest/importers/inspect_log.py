"""Samples of Inspect logs; each sample and epoch is a run.

Events are the record: requests to the model with what they were given, calls of tools with their
times and errors, decisions of approvers. What a scorer asks a model is no act of the agent. Large
texts stand once in the sample and are `attachment://` references elsewhere. Old logs keep their
events in `transcript`, with `tc://` references; a log without events has its messages only. New
ones keep messages once and name them by position.

Source:
    inspect_ai 0.3, `log/_log.py` and `event/`; formats page 2.3, row "Inspect".
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from workbench.casefile.place import describe, step_key
from workbench.ingest.events.content import read_content, read_result
from workbench.ingest.events.finish import RunFacts, finished, labels_of
from workbench.ingest.events.times import elapsed_ms, time_of
from workbench.ingest.events.toollist import listed_tools
from workbench.ingest.events.transcript import Answered, Asked, Said, Transcript
from workbench.ingest.events.usage import usage_of
from workbench.ingest.importers.inspect_pool import Pool
from workbench.ingest.importers.inspect_spans import Spans
from workbench.ingest.importers.inspect_texts import Texts
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import as_map, map_in, map_items, text_in
from workbench.model.event import (
    CallError,
    Change,
    ContextChange,
    Decision,
    ModelRequest,
    Outcome,
    Permission,
)
from workbench.model.jsonvalue import ABSENT
from workbench.model.trace import Grade, Loss, RunStatus

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["FORMAT", "read_inspect"]

_SETTINGS: Final = ("temperature", "top_p", "top_k", "seed", "max_tokens", "stop_seqs")
_ACTS: Final = frozenset({"model", "tool", "approval", "compaction"})
_DECISIONS: Final = {
    "approve": Decision.GRANTED,
    "modify": Decision.GRANTED,
    "reject": Decision.DENIED,
    "terminate": Decision.DENIED,
    "escalate": Decision.ASKED,
}
_RIGHT: Final = ("C", 1, True)
_WRONG: Final = ("I", "N", 0, False)


@dataclass(slots=True)
class _Reader:
    """One sample on its way into a transcript."""

    origin: Origin
    texts: Texts
    pool: Pool
    script: Transcript = field(default_factory=Transcript)
    spans: Spans = field(default_factory=Spans)
    listed: dict[str, Tool] = field(default_factory=dict)
    model: str | None = None
    _seen: set[str] = field(default_factory=set)
    """Messages that stand in the transcript."""
    _answered: set[str] = field(default_factory=set)
    """Ids of calls whose result stands there."""
    _listing: Json = None
    """Of the last request: what it offered, and below, what tools that are."""
    _offered: tuple[Tool, ...] = ()

    def add(self, ref: str, event: JsonMap) -> None:
        """Add one event."""
        self.spans.pass_by(event)
        kind = text_in(event, "event")
        if kind not in _ACTS or self.spans.in_scorer(event):
            return  # states, stores, sandboxes and scores stay in raw
        match kind:
            case "model":
                self._add_model(ref, event)
            case "tool":
                self._add_tool(ref, event)
            case "approval":
                self._add_approval(ref, event)
            case "compaction":
                at = time_of(event.get("timestamp"), self.script.counts)
                self.script.mark(ContextChange(change=Change.COMPACTION, at=at, source_ref=ref))
            case _:
                pass  # `_ACTS` has no other

    def _add_model(self, ref: str, event: JsonMap) -> None:
        at = time_of(event.get("timestamp"), self.script.counts)
        agent = self.spans.agent(event)
        given = list(map_items(event.get("input"), key=f"{ref}.input", origin=self.origin))
        for place, message in (*given, *self.pool.fresh(event, self.origin)):
            if text_in(message, "id") not in self._seen:
                self.add_message(place, message, agent=agent, at=at)
        offered = self._tools_of(event)
        self.listed.update((tool.name, tool) for tool in offered if tool.name not in self.listed)
        config = map_in(event, "config")
        self.script.request(
            ModelRequest(
                model=text_in(event, "model"),
                settings={name: config[name] for name in _SETTINGS if config.get(name) is not None},
                offered_tools=tuple(tool.name for tool in offered) or None,
                n_messages=len(given) + self.pool.count(event),
                at=at,
                agent=agent,
                source_ref=ref,
            )
        )
        self._add_output(ref, event, agent)

    def _tools_of(self, event: JsonMap) -> tuple[Tool, ...]:
        """Return the tools that a request offers: most often those of the request before."""
        listing = event.get("tools")
        if listing != self._listing:
            self._listing, self._offered = listing, listed_tools(self.texts.whole(listing))
        return self._offered

    def _add_output(self, ref: str, event: JsonMap, agent: str | None) -> None:
        output = map_in(event, "output")
        choices = output.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = map_in(choice, "message")
        if not message:
            return  # the request failed
        self.model = self.model or text_in(output, "model")
        self._seen.add(self._key(message))
        said = Said(
            ref=f"{ref}.output.choices.0.message",
            at=time_of(event.get("completed") or event.get("timestamp"), self.script.counts),
            agent=agent,
            finish_reason=text_in(choice, "stop_reason"),
            usage=usage_of(output.get("usage")),
        )
        self._add_reply(said, message)

    def add_message(
        self, ref: str, message: JsonMap, *, agent: str | None = None, at: str | None = None
    ) -> None:
        """Add a message that a model was given, unless it stands in the transcript."""
        key = self._key(message)
        if key in self._seen:
            return
        self._seen.add(key)
        match message.get("role"):
            case "system":
                self.script.system(self._said(ref, message, agent=agent, at=at))
            case "user":
                self.script.user(self._said(ref, message, agent=None, at=at))
            case "assistant":
                self._add_reply(Said(ref=ref, agent=agent, at=at), message)
            case "tool":
                self._add_answer(ref, message, at)
            case role:
                raise self.origin.error(
                    step_key(ref, "role"),
                    f"is {describe(role)}; expected system, user, assistant or tool",
                )

    def _said(self, ref: str, message: JsonMap, *, agent: str | None, at: str | None) -> Said:
        whole = self.texts.whole(message.get("content"))
        content = read_content(whole, key=step_key(ref, "content"), origin=self.origin)
        return Said(ref=ref, text=content.text, dropped=content.dropped, agent=agent, at=at)

    def _add_reply(self, said: Said, message: JsonMap) -> None:
        content = self._said(said.ref, message, agent=said.agent, at=said.at)
        calls = [
            self._asked(place, call)
            for place, call in map_items(
                message.get("tool_calls"), key=f"{said.ref}.tool_calls", origin=self.origin
            )
        ]
        self.script.reply(
            Said(
                ref=said.ref,
                text=content.text,
                dropped=content.dropped,
                at=said.at,
                agent=said.agent,
                finish_reason=said.finish_reason,
                usage=said.usage,
            ),
            calls,
        )

    def _asked(self, ref: str, call: JsonMap) -> Asked:
        name = call.get("function")
        if not isinstance(name, str) or not name:
            key = step_key(ref, "function")
            raise self.origin.error(key, f"is {describe(name)}; expected a tool's name")
        raw = call.get("arguments")
        value = self.texts.whole(raw)
        return Asked(
            ref=ref if value == raw else f"{ref}.function",  # a reference is not the exact text
            id=text_in(call, "id"),
            tool=name,
            value=ABSENT if value is None else value,
        )

    def _add_tool(self, ref: str, event: JsonMap) -> None:
        given = text_in(event, "id")
        self._answered.add(given or "")
        content = read_result(
            self.texts.whole(event.get("result")), key=f"{ref}.result", origin=self.origin
        )
        done = event.get("completed") or event.get("timestamp")
        self.script.result(
            Answered(
                ref=ref,
                id=given,
                tool=text_in(event, "function"),
                text=content.text,
                value=content.value,
                dropped=content.dropped,
                error=self._error(event),
                outcome=_refused(event),
                at=time_of(done, self.script.counts),
                agent=self.spans.agent(event),
                latency_ms=elapsed_ms(event.get("timestamp"), event.get("completed")),
            )
        )

    def _add_answer(self, ref: str, message: JsonMap, at: str | None) -> None:
        """Add a result that no event of a tool has."""
        given = text_in(message, "tool_call_id")
        if given is not None and given in self._answered:
            return
        said = self._said(ref, message, agent=None, at=at)
        self.script.result(
            Answered(
                ref=ref,
                id=given,
                tool=text_in(message, "function"),
                text=said.text,
                dropped=said.dropped,
                error=self._error(message),
                outcome=_refused(message),
                at=at,
            )
        )

    def _error(self, holder: JsonMap) -> CallError | None:
        error = map_in(holder, "error")
        if not error:
            return CallError() if holder.get("failed") is True else None
        message = self.texts.whole(error.get("message"))
        return CallError(
            type=text_in(error, "type"), message=message if isinstance(message, str) else None
        )

    def _add_approval(self, ref: str, event: JsonMap) -> None:
        decision = _DECISIONS.get(text_in(event, "decision") or "")
        if decision is not None:
            self.script.mark(
                Permission(
                    decision=decision,
                    tool=text_in(map_in(event, "call"), "function"),
                    actor=text_in(event, "approver"),
                    at=time_of(event.get("timestamp"), self.script.counts),
                    source_ref=ref,
                )
            )

    def _key(self, message: JsonMap) -> str:
        """Return what tells a message from others: its id, else what it says."""
        given = text_in(message, "id")
        if given is not None:
            return given
        calls = message.get("tool_calls")
        ids = [text_in(call, "id") for call in calls] if isinstance(calls, list) else []
        said = [message.get("role"), self.texts.whole(message.get("content")), ids]
        return json.dumps([*said, message.get("tool_call_id")], sort_keys=True)


def read_inspect(record: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read one sample; what its log says of all samples may be among the keys.

    Raises:
        TraceFormatError: an event or a message has another form than Inspect's.
    """
    sample = as_map(record, key="", origin=place)
    old = map_in(sample, "transcript")
    key = "transcript.events" if old else "events"
    events = list(map_items((old or sample).get("events"), key=key, origin=place))
    reader = _Reader(
        origin=place,
        texts=Texts.of(sample),
        pool=Pool.of(sample),
    )
    if any(event.get("event") == "model" for _, event in events):
        for ref, event in events:
            reader.add(ref, event)
    else:
        for ref, message in map_items(sample.get("messages"), key="messages", origin=place):
            reader.add_message(ref, message)
    log = map_in(sample, "eval")
    facts = RunFacts(
        own_id=_own_id(sample),
        session=text_in(log, "run_id"),
        model=text_in(log, "model") or reader.model,
        agent=text_in(map_in(log, "revision"), "commit"),
        labels=labels_of(
            task=log.get("task"),
            sample=sample.get("id"),
            epoch=sample.get("epoch"),
            limit=map_in(sample, "limit").get("type"),
            **{f"score.{name}": value for name, value in _scores(sample).items()},
        ),
        status=_status(sample),
        listed=tuple(reader.listed.values()),
        losses=tuple(_losses(texts=reader.texts.missing, messages=reader.pool.missing)),
    )
    return finished(reader.script, facts, origin=place, tools=tools)


def _losses(*, texts: int, messages: int) -> Iterator[Loss]:
    fix, caps = "`inspect log convert` resolves them", Grade.NEEDS_FIXTURES
    if texts:
        note = "references to texts that the log does not have"
        yield Loss(kind="attachments_missing", count=texts, note=note, fix=fix, caps=caps)
    if messages:
        note = "references to messages that the log does not have"
        yield Loss(kind="messages_missing", count=messages, note=note, fix=fix, caps=caps)


def _refused(holder: JsonMap) -> Outcome | None:
    return Outcome.DENIED if map_in(holder, "error").get("type") == "approval" else None


def _scores(sample: JsonMap) -> JsonMap:
    return {name: map_in(score).get("value") for name, score in map_in(sample, "scores").items()}


def _status(sample: JsonMap) -> RunStatus:
    """Return failed if a scorer says wrong, or the sample ended in an error; ok if all say right."""
    values = list(_scores(sample).values())
    if sample.get("error") or any(value in _WRONG for value in values if _plain(value)):
        return RunStatus.FAILED
    right = bool(values) and all(_plain(value) and value in _RIGHT for value in values)
    return RunStatus.OK if right else RunStatus.UNKNOWN


def _plain(value: Json) -> bool:
    return isinstance(value, str | int | float)


def _own_id(record: Json) -> Json:
    return text_in(record, "uuid")


def _is_sample(record: Json) -> bool:
    sample = map_in(record)
    return (
        "epoch" in sample
        and "input" in sample
        and isinstance(sample.get("messages"), list)
        and ("target" in sample or "scores" in sample)
    )


FORMAT: Final = Format(
    name="inspect",
    recognises=_is_sample,
    owns=_is_sample,
    keys=frozenset({"epoch"}),
    own_id=_own_id,
    read=read_inspect,
)

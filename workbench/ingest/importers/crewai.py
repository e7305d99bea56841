"""CrewAI's event bus, one event a line or in a list.

Order is `emission_sequence`: times mix those with a zone and those without. With native tool
calls the model's reply lists the calls, and each is started and then finished or failed. In the
text path the model writes its call as text, no event lists it, and a tool that fails is tried
again without any event: the log shows one call where the tool ran twice. What betrays it is the
tool's usage counter, which counts every try and, in this path, every success once more.

Serialised requests and replies go through `repr` at depth, so texts in them may be quoted twice.

Source:
    crewai 1.x, `events/types` and `tools/tool_usage.py`; formats page 2.3, row "CrewAI", and
    pitfalls 1 and 3.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from workbench.ingest.events.finish import RunFacts, finished, labels_of
from workbench.ingest.events.times import elapsed_ms, time_of
from workbench.ingest.events.toollist import listed_tools
from workbench.ingest.events.transcript import Answered, Asked, Said, Transcript
from workbench.ingest.importers.crewai_texts import (
    args_of,
    error_of,
    message_of,
    reply_calls,
    tools_of,
)
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import integer_in, map_in, map_items, text_in
from workbench.model.event import Change, ContextChange, ModelRequest, Usage
from workbench.model.jsonvalue import ABSENT
from workbench.model.trace import Grade, Loss, RunStatus

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["FORMAT"]

_SEQUENCE: Final = "emission_sequence"
_FAILED: Final = frozenset({"crew_kickoff_failed", "task_failed"})
_TYPES: Final = re.compile(r"(?:crew|task|agent|lite_agent|tool|llm|flow|method)_[a-z_]+")
_HIDDEN: Final = "a tool that fails in the text-tool path is tried again without an event"


@dataclass(slots=True)
class _Tries:
    """What the log and the tools' own counters say of calls in the text path."""

    started: Counter[str] = field(default_factory=Counter)
    finished: Counter[str] = field(default_factory=Counter)
    used: dict[str, int] = field(default_factory=dict)
    """Tool -> the last value of its usage counter."""

    def count(self, event: JsonMap) -> None:
        """Read the counters of the tools that an event repeats."""
        for owner in ("agent", "task"):
            tools = map_in(event, owner).get("tools")
            for tool in tools if isinstance(tools, list) else ():
                name, used = text_in(tool, "name"), integer_in(tool, "current_usage_count")
                if name and used is not None:
                    self.used[name] = max(used, self.used.get(name, 0))

    def losses(self) -> Iterator[Loss]:
        """Yield that a retry may be hidden; the counters may show how many are."""
        if not self.started:
            return
        hidden = sum(
            max(0, self.used.get(tool, 0) - self.finished[tool] - count)
            for tool, count in self.started.items()
        )
        yield Loss(
            kind="hidden_retry_possible",
            count=hidden or self.started.total(),
            note=f"usage counters show {hidden} more; {_HIDDEN}" if hidden else _HIDDEN,
            fix="count executions at the tool, or use a model with native tool calls",
            caps=Grade.NEEDS_FIXTURES,
        )


@dataclass(slots=True)
class _Run:
    """One crew's events on their way into a transcript."""

    prompts: Mapping[str, list[Json]]
    """Id of the event that starts an agent's loop -> the messages that the loop began with."""
    requested: bool
    """Whether the log has requests to a model: they show the prompts better than the tasks."""
    script: Transcript = field(default_factory=Transcript)
    tries: _Tries = field(default_factory=_Tries)
    models: dict[str, None] = field(default_factory=dict)
    listed: tuple[Tool, ...] = ()
    failed: bool = False
    cached: int = 0
    _asked: list[str] = field(default_factory=list)
    """Tools that the last reply lists, and that were not started yet."""
    _task: Said | None = None
    """A task whose prompt was not seen yet."""
    _reply: Said | None = None
    """A reply in text of which it is not known yet whether it asks for a call."""
    _seen: set[str] = field(default_factory=set)
    _answer: str = ""

    def add(self, ref: str, event: JsonMap) -> None:
        """Add one event."""
        at = time_of(event.get("timestamp"), self.script.counts)
        said = Said(ref=ref, at=at, agent=text_in(event, "agent_role"))
        kind = text_in(event, "type") or ""
        self.failed |= kind in _FAILED
        self.tries.count(event)
        match kind:
            case "agent_execution_started" | "lite_agent_execution_started":
                self._add_task(said, event)
            case "flow_started":
                self._add_loop(said, event)
            case "llm_call_started":
                self._add_request(said, event)
            case "llm_call_completed":
                self._add_reply(said, event)
            case "tool_usage_started":
                self._add_start(said, event)
            case "tool_usage_finished" | "tool_usage_error":
                self._add_result(said, event)
            case "agent_logs_execution":
                self._add_step(said, event)
            case "context_window_summarization_completed":
                self.script.mark(ContextChange(change=Change.COMPACTION, at=at, source_ref=ref))
            case "crew_kickoff_completed":
                self._add_output(said, event)
            case _:
                pass  # events of the framework itself stay in raw

    def _add_task(self, said: Said, event: JsonMap) -> None:
        self.listed = self.listed or listed_tools(event.get("tools"))
        prompt = text_in(event, "task_prompt") or text_in(map_in(event, "task"), "description")
        if not self.requested:
            self._task = replace(said, text=prompt, agent=None)

    def _add_loop(self, said: Said, event: JsonMap) -> None:
        """Add the prompts with which an agent's loop began, as its end repeats them."""
        for item in self.prompts.get(text_in(event, "event_id") or "", ()):
            self._task = None
            self._add_prompt(said, item)

    def _add_request(self, said: Said, event: JsonMap) -> None:
        self.flush()
        messages = event.get("messages")
        items = messages if isinstance(messages, list) else [messages]
        for n, item in enumerate(items):
            self._add_prompt(replace(said, ref=f"{said.ref}.messages.{n}"), item)
        model = text_in(event, "model")
        if model:
            self.models.setdefault(model)
        offered = listed_tools(tools_of(event.get("tools")))
        self.listed = self.listed or offered
        self.script.request(
            ModelRequest(
                model=model,
                offered_tools=tuple(tool.name for tool in offered) or None,
                n_messages=len(items),
                at=said.at,
                agent=said.agent,
                source_ref=said.ref,
            )
        )

    def _add_prompt(self, said: Said, item: Json) -> None:
        """Add a system or user text, unless an earlier request has it."""
        role, text = message_of(item)
        if role not in ("system", "user") or not text or text in self._seen:
            return
        self._seen.add(text)
        if role == "system":
            self.script.system(replace(said, text=text))
        else:
            self.script.user(replace(said, text=text, agent=None))

    def _add_reply(self, said: Said, event: JsonMap) -> None:
        response = event.get("response")
        said = replace(
            said,
            text=response if isinstance(response, str) else None,
            finish_reason=text_in(event, "finish_reason"),
            usage=_usage(event),
        )
        calls = reply_calls(f"{said.ref}.response", response)
        if calls:
            self._asked = [call.tool for call in calls]
            self.script.reply(said, calls)
        else:
            self._reply = said

    def _add_start(self, said: Said, event: JsonMap) -> None:
        """Add a call that no reply lists; one that a reply lists stands there already."""
        tool = text_in(event, "tool_name") or "unnamed"
        if tool in self._asked:
            self._asked.remove(tool)
            return
        reply, self._reply = self._reply, None
        self.flush()
        self.script.counts["calls_written_as_text"] += 1
        self.tries.started[tool] += 1
        args = event.get("tool_args")
        asked = Asked(
            ref=said.ref,
            id=None,
            tool=tool,
            text=args if isinstance(args, str) else None,
            value=ABSENT if args is None or isinstance(args, str) else args,
        )
        self.script.reply(replace(reply or said, claimed=""), [asked])

    def _add_result(self, said: Said, event: JsonMap) -> None:
        tool = text_in(event, "tool_name") or "unnamed"
        error, output = event.get("error"), event.get("output")
        if tool in self.tries.started and error is None:
            self.tries.finished[tool] += 1
        self.cached += event.get("from_cache") is True
        self.script.result(
            Answered(
                ref=said.ref,
                id=None,
                tool=tool,
                args=args_of(event.get("tool_args")),
                text=output if isinstance(output, str) else None,
                value=None if isinstance(output, str) else output,
                error=None if error is None else error_of(error),
                at=said.at,
                agent=said.agent,
                latency_ms=elapsed_ms(event.get("started_at"), event.get("finished_at")),
            )
        )

    def _add_step(self, said: Said, event: JsonMap) -> None:
        """Add the agent's answer: in the text path it is only a part of the reply."""
        output = text_in(map_in(event, "formatted_answer"), "output")
        if output is None:
            return
        reply, self._reply = self._reply, None
        self.flush()
        self._answer = output
        self.script.reply(replace(reply or replace(said, text=output), claimed=output))

    def _add_output(self, said: Said, event: JsonMap) -> None:
        """Add the crew's output, unless it is the last answer."""
        self.flush()
        raw = text_in(map_in(event, "output"), "raw")
        if raw is not None and raw.strip() != self._answer.strip():
            self.script.claim(replace(said, text=raw))

    def flush(self) -> None:
        """Add what waited for its meaning: a task without a prompt, a reply without a call."""
        if self._task is not None:
            self.script.user(self._task)
        if self._reply is not None:
            self._answer = self._reply.text or ""
            self.script.reply(self._reply)
        self._task = self._reply = None

    def losses(self) -> Iterator[Loss]:
        """Yield what this producer alone loses."""
        yield from self.tries.losses()
        if self.cached:
            yield Loss(
                kind="results_from_cache",
                count=self.cached,
                note="the framework answered from its cache; the tool did not run",
            )


def _usage(event: JsonMap) -> Usage | None:
    usage = map_in(event, "usage")
    if not usage:
        return None
    return Usage(
        input_tokens=integer_in(usage, "prompt_tokens"),
        output_tokens=integer_in(usage, "completion_tokens"),
        cached_tokens=integer_in(usage, "cached_prompt_tokens"),
    )


def _read(record: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read one crew's log, given as the list of its events.

    Raises:
        TraceFormatError: an entry is no event.
    """
    items = list(map_items(record, key="", origin=place))
    if all(integer_in(event, _SEQUENCE) is not None for _, event in items):
        items.sort(key=lambda item: integer_in(item[1], _SEQUENCE) or 0)
    run = _Run(
        prompts=dict(_loop_prompts(items)),
        requested=any(event.get("type") == "llm_call_started" for _, event in items),
    )
    for ref, event in items:
        run.add(ref, event)
    run.flush()
    facts = RunFacts(
        own_id=_own_id(record),
        model=", ".join(run.models),
        labels=labels_of(crew=next((n for _, e in items if (n := text_in(e, "crew_name"))), None)),
        status=RunStatus.FAILED if run.failed else RunStatus.UNKNOWN,
        listed=run.listed,
        losses=tuple(run.losses()),
    )
    return finished(run.script, facts, origin=place, tools=tools)


def _loop_prompts(items: Sequence[tuple[str, JsonMap]]) -> Iterator[tuple[str, list[Json]]]:
    """Yield the messages before the first reply, as the end of an agent's loop repeats them."""
    for _, event in items:
        messages = map_in(event, "state").get("messages")
        start = text_in(event, "started_event_id")
        if event.get("type") == "flow_finished" and start and isinstance(messages, list):
            yield start, list(takewhile(lambda item: message_of(item)[0] != "assistant", messages))


def _own_id(record: Json) -> Json:
    first = next(
        (item for item in (record if isinstance(record, list) else ()) if _starts(item)), None
    )
    return text_in(first, "event_id")


def _starts(event: Json) -> bool:
    return text_in(event, "type") == "crew_kickoff_started" and not text_in(
        event, "parent_event_id"
    )


def _is_event(record: Json) -> bool:
    event = map_in(record)
    return (
        _TYPES.fullmatch(text_in(event, "type") or "") is not None
        and "timestamp" in event
        and (_SEQUENCE in event or "source_fingerprint" in event)
    )


FORMAT: Final = Format(
    name="crewai",
    recognises=_is_event,
    owns=_is_event,
    keys=frozenset({_SEQUENCE, "source_fingerprint"}),
    own_id=_own_id,
    run_of=lambda event: text_in(event, "event_id") if _starts(event) else None,
    read=_read,
)

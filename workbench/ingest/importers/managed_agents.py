"""Anthropic managed agents: the event stream of a session, one event a line.

Lines are events as the API streams them, or `[operation, payload]` as SDK recorders write them.
What a recorder sent comes back in the stream, so it is told only where the stream lacks it. This
is one of two formats that keep permissions: what policy evaluated for a call, and what a person
answered; `deny_message` reaches the agent as the text of the call's result.

Source:
    formats page 2.3, row "Anthropic managed-agent events"; API of 2026-04.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from workbench.casefile.place import step_key
from workbench.ingest.events.content import read_content, read_result
from workbench.ingest.events.error_text import error_from
from workbench.ingest.events.finish import RunFacts, finished, labels_of
from workbench.ingest.events.messages import read_call
from workbench.ingest.events.times import Moment, moment_of, passed_ms
from workbench.ingest.events.toollist import listed_tools
from workbench.ingest.events.transcript import Answered, Asked, Said, Transcript
from workbench.ingest.events.usage import usage_of
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import as_map, map_in, text_in
from workbench.model.canonical import args_digest
from workbench.model.event import (
    Change,
    ContextChange,
    Decision,
    ModelRequest,
    Outcome,
    Permission,
)
from workbench.model.jsonvalue import ABSENT
from workbench.model.trace import RunStatus

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.event import Usage
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["FORMAT", "read_managed_agents"]

_TYPE: Final = re.compile(r"(?:user|agent|session|span)\.[a-z_]+")
_OPERATION: Final = re.compile(r"client\.(?:beta\.)?sessions\.[a-z_.]+")
_EVALUATED: Final = {
    "allow": Decision.GRANTED,
    "ask": Decision.ASKED,
    "deny": Decision.DENIED,
}
_CONFIRMED: Final = {"allow": Decision.GRANTED, "deny": Decision.DENIED}
_ANSWERED: Final = ("tool_use_id", "mcp_tool_use_id", "custom_tool_use_id")


@dataclass(slots=True)
class _Session:
    """One session, told event by event."""

    script: Transcript
    origin: Origin
    model: str | None = None
    agent: str | None = None
    offered: tuple[str, ...] | None = None
    said: list[Said] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    permissions: list[Permission] = field(default_factory=list)
    """Evaluated for calls that were not told yet."""
    calls: dict[str, tuple[Asked, Moment | None]] = field(default_factory=dict)
    denied: set[str] = field(default_factory=set)
    failed: bool = False

    def tell(self, ref: str, event: JsonMap) -> None:
        """Tell one event of the stream."""
        at = moment_of(event.get("processed_at") or event.get("created_at"))
        kind = text_in(event, "type") or ""
        if kind.startswith("agent.") and kind.endswith("tool_use"):
            self._tool_use(ref, event, at)
        elif kind.endswith("tool_result"):
            self._tool_result(ref, event, at)
        else:
            self._other(kind, ref, event, at)

    def _other(self, kind: str, ref: str, event: JsonMap, at: Moment | None) -> None:
        match kind:
            case "user.message":
                self.flush()
                self.script.user(self._text(ref, event, at))
            case "agent.message":
                self.said.append(self._text(ref, event, at))
            case "span.model_request_start":
                self.flush()
                self._request(ref, at)
            case "span.model_request_end":
                self.flush(usage=usage_of(event.get("model_usage")))
            case "user.tool_confirmation":
                self.flush()
                self._confirmation(ref, event, at)
            case "agent.thread_context_compacted":
                self.flush()
                change = ContextChange(change=Change.COMPACTION, at=_time(at), source_ref=ref)
                self.script.mark(change)
            case "session.error" | "session.status_terminated":
                self.failed = True
            case _:
                return

    def flush(self, *, usage: Usage | None = None) -> None:
        """Tell the reply that the events so far make up; the end of its request gives its usage."""
        if not self.said and not self.asked:
            return
        first = self.said[0] if self.said else Said(ref=self.asked[0].ref, agent=self.agent)
        texts = [said.text for said in self.said if said.text]
        at = first.at
        if not self.said:
            call = self.calls.get(self.asked[0].id or "")
            at = None if call is None else _time(call[1])
        reply = replace(
            first,
            text="\n".join(texts) or None,
            at=at,
            dropped=sum(said.dropped for said in self.said),
            usage=usage,
        )
        self.script.reply(reply, self.asked)
        for permission in self.permissions:
            self.script.mark(permission)
        self.said, self.asked, self.permissions = [], [], []

    def _text(self, ref: str, event: JsonMap, at: Moment | None) -> Said:
        key = step_key(ref, "content")
        content = read_content(event.get("content"), key=key, origin=self.origin)
        agent = self.agent if text_in(event, "type") == "agent.message" else None
        return Said(ref=ref, text=content.text, dropped=content.dropped, at=_time(at), agent=agent)

    def _request(self, ref: str, at: Moment | None) -> None:
        self.script.request(
            ModelRequest(
                model=self.model,
                offered_tools=self.offered,
                at=_time(at),
                agent=self.agent,
                source_ref=ref,
            )
        )

    def _tool_use(self, ref: str, event: JsonMap, at: Moment | None) -> None:
        asked = read_call(event, ref, self.origin)
        self.asked.append(asked)
        if asked.id:
            self.calls[asked.id] = asked, at
        decision = _EVALUATED.get(text_in(event, "evaluated_permission") or "")
        if decision is not None:
            permission = _permission(decision, asked, ref=ref, actor="policy")
            self.permissions.append(dataclasses.replace(permission, at=_time(at)))
            if decision is Decision.DENIED and asked.id:
                self.denied.add(asked.id)

    def _confirmation(self, ref: str, event: JsonMap, at: Moment | None) -> None:
        decision = _CONFIRMED.get(text_in(event, "result") or "")
        given = text_in(event, "tool_use_id") or ""
        if decision is None:
            return
        asked, _ = self.calls.get(given, (Asked(ref=ref, id=given, tool=""), None))
        if decision is Decision.DENIED:
            self.denied.add(given)
        else:
            self.calls[given] = asked, at  # it runs from now on
        permission = _permission(decision, asked, ref=ref, actor="user")
        self.script.mark(dataclasses.replace(permission, at=_time(at)))

    def _tool_result(self, ref: str, event: JsonMap, at: Moment | None) -> None:
        self.flush()
        given = next(filter(None, (text_in(event, name) for name in _ANSWERED)), None)
        key = step_key(ref, "content")
        content = read_result(event.get("content"), key=key, origin=self.origin)
        refused = given in self.denied
        _, since = self.calls.get(given or "", (None, None))
        self.script.result(
            Answered(
                ref=ref,
                id=given,
                text=content.text,
                value=content.value,
                dropped=content.dropped,
                error=error_from(content.text) if event.get("is_error") is True else None,
                outcome=Outcome.DENIED if refused else None,
                detail="refused" if refused else None,
                at=_time(at),
                latency_ms=None if refused else passed_ms(since, at),
            )
        )


def read_managed_agents(
    record: Json, *, place: Origin, tools: Sequence[Tool]
) -> tuple[Trace, Losses]:
    """Read the events of one session.

    Raises:
        TraceFormatError: an event has another form than the API's.
    """
    lines = list(enumerate(record if isinstance(record, list) else [record]))
    events = [event for at, line in lines for event in _events(str(at), line, place)]
    streamed = {_content_of(event) for _, event, sent in events if not sent}
    about = next((body for _, line in lines if (body := _created(line))), {})
    agent = map_in(about, "agent")
    named = [entry for entry in _listing(agent) if text_in(entry, "name")]
    session = _Session(
        script=Transcript(),
        origin=place,
        model=text_in(map_in(agent, "model"), "id") or text_in(agent, "model"),
        agent=text_in(agent, "name"),
    )
    at = next((str(at) for at, line in lines if _created(line)), "0")
    session.script.system(Said(ref=f"{at}.1.agent.system", text=text_in(agent, "system")))
    for ref, event, sent in events:
        if not sent or _content_of(event) not in streamed:
            session.tell(ref, event)
    session.flush()
    version = agent.get("version")
    facts = RunFacts(
        own_id=_own_id(record),
        session=_session_of(record),
        model=session.model,
        agent=None if version is None else f"{text_in(agent, 'id') or 'agent'}@{version}",
        labels=labels_of(title=about.get("title")),
        status=RunStatus.FAILED if session.failed else RunStatus.UNKNOWN,
        listed=listed_tools(named),
    )
    return finished(session.script, facts, origin=place, tools=tools)


def _permission(decision: Decision, asked: Asked, *, ref: str, actor: str) -> Permission:
    return Permission(
        decision=decision,
        tool=asked.tool or None,
        args_digest=None if asked.value is ABSENT else args_digest(asked.value),
        scope=asked.id or None,
        actor=actor,
        source_ref=ref,
    )


def _time(moment: Moment | None) -> str | None:
    return None if moment is None else moment.text


def _listing(agent: JsonMap) -> list[Json]:
    tools = agent.get("tools")
    return tools if isinstance(tools, list) else []


# --- lines -------------------------------------------------------------------


def _operation(line: Json) -> tuple[str, Json] | None:
    """Return the parts of a recorder's line; None: it is an event itself."""
    if isinstance(line, list) and len(line) == 2 and isinstance(line[0], str):
        return (line[0], line[1]) if _OPERATION.fullmatch(line[0]) else None
    return None


def _events(ref: str, line: Json, origin: Origin) -> Iterator[tuple[str, JsonMap, bool]]:
    """Yield the events of a line with their place, and whether the recorder sent them."""
    found = _operation(line)
    if found is None:
        yield ref, as_map(line, key=ref, origin=origin), False
        return
    operation, payload = found
    place = step_key(ref, 1)
    if operation.endswith(".send") and isinstance(payload, list):
        sent = map_in(payload[-1] if payload else None).get("events")
        for at, event in enumerate(sent if isinstance(sent, list) else ()):
            key = f"{place}.{len(payload) - 1}.events.{at}"
            yield key, as_map(event, key=key, origin=origin), True
    elif not operation.endswith(".create"):
        yield place, as_map(payload, key=place, origin=origin), False


def _content_of(event: JsonMap) -> str:
    """Return what an event says, without what the server adds to it."""
    kept = ("type", "content", *_ANSWERED, "result", "deny_message")
    said: JsonMap = {key: event[key] for key in kept if event.get(key) is not None}
    return args_digest(said)


def _created(line: Json) -> JsonMap:
    """Return the session that a line creates; an empty mapping: it creates none."""
    found = _operation(line)
    body = map_in(line if found is None else found[1])
    return body if body.get("type") == "session" and "agent" in body else {}


def _session_of(record: Json) -> str | None:
    lines = record if isinstance(record, list) and _operation(record) is None else [record]
    return next(filter(None, map(_run_of, lines)), None)


def _own_id(record: Json) -> Json:
    return _session_of(record)


def _run_of(record: Json) -> str | None:
    """Return the session of a line; the events of a stream do not name it."""
    created = text_in(_created(record), "id")
    found = _operation(record)
    if created or found is None:
        return created or text_in(record, "session_id")
    payload = found[1]
    first = payload[0] if isinstance(payload, list) and payload else None
    return first if isinstance(first, str) else None


def _is_line(record: Json) -> bool:
    if _operation(record) is not None or _created(record):
        return True
    body = map_in(record)
    known = _TYPE.fullmatch(text_in(body, "type") or "") is not None
    return known and "id" in body and "processed_at" in body


FORMAT: Final = Format(
    name="managed_agents",
    recognises=_is_line,
    owns=_is_line,
    keys=frozenset({"agent", "processed_at"}),
    own_id=_own_id,
    run_of=_run_of,
    read=read_managed_agents,
)

"""Google ADK: sessions with their events, and the cases of an evaluation set.

Keys are in snake case, or in camel case where a session came over HTTP. A call without an id is
paired by its tool; one that needs a person (credentials, a confirmation) is asked for by a call
of ADK's own, which is a permission and no tool. A case of an evaluation set keeps what the user
said, the calls and the last answer of each turn, and mostly not what the tools answered.

Source:
    google-adk 0.x-1.x, `sessions/session.py`, `events/event.py`, `evaluation/eval_case.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from workbench.casefile.place import describe, step_key
from workbench.ingest.events.finish import RunFacts, finished, labels_of
from workbench.ingest.events.times import time_of
from workbench.ingest.events.toollist import listed_tools
from workbench.ingest.events.transcript import Answered, Asked, Said, Transcript
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import as_map, integer_in, map_in, map_items, text_in
from workbench.model.event import (
    CallError,
    Change,
    ContextChange,
    Decision,
    Permission,
    StateChange,
    Usage,
)
from workbench.model.jsonvalue import ABSENT
from workbench.model.trace import Loss, RunStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["CASE", "SESSION"]

_ASKS: Final = frozenset({"adk_request_credential", "adk_request_confirmation"})
"""Calls by which ADK asks a person."""
_SESSION: Final = "export the session: its events have each reply"
_AGENT: Final = "agent"
"""Who acts in a case, which names nobody."""
_ERROR_KEYS: Final = ("error", "error_message")


def _get(value: Json, name: str) -> Json:
    """Return what stands under a name in either spelling."""
    found = map_in(value)
    if name in found:
        return found[name]
    first, *rest = name.split("_")
    return found.get(first + "".join(word.capitalize() for word in rest))


def _text(value: Json, name: str) -> str | None:
    found = _get(value, name)
    return found if isinstance(found, str) else None


@dataclass(slots=True)
class _Reader:
    """One session on its way into a transcript."""

    origin: Origin
    script: Transcript = field(default_factory=Transcript)
    models: dict[str, None] = field(default_factory=dict)
    failed: bool = False
    _asked: dict[str, str] = field(default_factory=dict)
    """Id of a call that asks a person -> the tool that it is about."""

    def add(self, ref: str, event: JsonMap) -> None:
        """Add one event; parts of a streamed one are repeated by its end."""
        if event.get("partial") is True:
            return
        at = time_of(event.get("timestamp"), self.script.counts)
        author = text_in(event, "author")
        model = _text(event, "model_version")
        if model:
            self.models.setdefault(model)
        self.failed |= bool(_get(event, "error_code"))
        said = Said(
            ref=ref,
            at=at,
            agent=None if author == "user" else author,
            finish_reason=_text(event, "finish_reason"),
            usage=_usage(event),
        )
        self.add_content(said, map_in(event, "content"), key=f"{ref}.content")
        self._add_actions(ref, event, said)

    def add_content(self, said: Said, content: JsonMap, *, key: str) -> None:
        """Add what one event says: results first, then a text with its calls."""
        texts, calls, dropped = [], [], 0
        parts = list(map_items(content.get("parts"), key=f"{key}.parts", origin=self.origin))
        for ref, part in parts:
            call, answer = map_in(_get(part, "function_call")), _get(part, "function_response")
            if call:
                calls.append(self._call(f"{ref}.{_spelled(part, 'function_call')}", call, said))
            elif isinstance(answer, dict):
                self.add_result(ref, answer, said)
            elif isinstance(part.get("text"), str):
                texts.append("" if part.get("thought") is True else part["text"])
            else:
                dropped += any(value not in (None, False) for value in part.values())
        self._add_said(said, "".join(map(str, texts)), [c for c in calls if c], dropped)

    def add_calls(self, said: Said, uses: Json, *, key: str) -> None:
        """Add a reply of which only the calls are known."""
        calls = [
            self._call(ref, use, said) for ref, use in map_items(uses, key=key, origin=self.origin)
        ]
        if calls:
            self.script.reply(said, [call for call in calls if call is not None])

    def _add_said(self, said: Said, text: str, calls: Sequence[Asked], dropped: int) -> None:
        from_user = said.agent is None
        if from_user:
            if text or dropped:
                self.script.user(_with(said, text, dropped))
        elif text or calls or dropped:
            self.script.reply(_with(said, text, dropped), calls)

    def _call(self, ref: str, call: JsonMap, said: Said) -> Asked | None:
        name = call.get("name")
        if not isinstance(name, str) or not name:
            raise self.origin.error(
                step_key(ref, "name"), f"is {describe(name)}; expected a tool's name"
            )
        args, given = call.get("args"), text_in(call, "id")
        if name in _ASKS:
            about = map_in(_get(args, "original_function_call"))
            tool = text_in(about, "name") or name
            self._asked[given or ""] = tool
            self._mark(Decision.ASKED, tool, ref, said)
            return None
        return Asked(ref=ref, id=given, tool=name, value=ABSENT if args is None else args)

    def add_result(self, ref: str, answer: JsonMap, said: Said) -> None:
        """Add what a tool answered, or a person who was asked."""
        given, name = text_in(answer, "id"), text_in(answer, "name")
        response = answer.get("response")
        if name in _ASKS:
            confirmed = map_in(response).get("confirmed")
            decision = Decision.DENIED if confirmed is False else Decision.GRANTED
            self._mark(decision, self._asked.get(given or "", name or ""), ref, said)
            return
        failure = next(
            (text for key in _ERROR_KEYS if (text := text_in(response, key)) is not None), None
        )
        self.script.result(
            Answered(
                ref=ref,
                id=given,
                tool=name,
                value=response,
                error=None if failure is None else CallError(message=failure),
                at=said.at,
                agent=said.agent,
            )
        )

    def _mark(self, decision: Decision, tool: str, ref: str, said: Said) -> None:
        self.script.mark(Permission(decision=decision, tool=tool, at=said.at, source_ref=ref))

    def _add_actions(self, ref: str, event: JsonMap, said: Said) -> None:
        actions = map_in(event, "actions")
        for name, value in map_in(_get(actions, "state_delta")).items():
            where = step_key(f"{ref}.actions", name)
            self.script.mark(StateChange(name=name, after=value, at=said.at, source_ref=where))
        target = _text(actions, "transfer_to_agent")
        if target:
            self.script.mark(
                ContextChange(
                    change=Change.HAND_OFF,
                    before=said.agent or ABSENT,
                    after=target,
                    at=said.at,
                    agent=said.agent,
                    source_ref=f"{ref}.actions",
                )
            )


def _with(said: Said, text: str, dropped: int) -> Said:
    return Said(
        ref=said.ref,
        text=text or None,
        at=said.at,
        agent=said.agent,
        finish_reason=said.finish_reason,
        usage=said.usage,
        dropped=dropped,
    )


def _spelled(part: JsonMap, name: str) -> str:
    first, _, rest = name.partition("_")
    return name if name in part else f"{first}{rest.capitalize()}"


def _usage(event: JsonMap) -> Usage | None:
    usage = map_in(_get(event, "usage_metadata"))
    if not usage:
        return None
    return Usage(
        input_tokens=_count(usage, "prompt_token_count"),
        output_tokens=_count(usage, "candidates_token_count"),
        cached_tokens=_count(usage, "cached_content_token_count"),
    )


def _count(usage: JsonMap, name: str) -> int | None:
    return integer_in({"n": _get(usage, name)}, "n")


# --- sessions ----------------------------------------------------------------


def _read_session(record: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read one session.

    Raises:
        TraceFormatError: an event has another form than ADK's, or there is none.
    """
    session = as_map(record, key="", origin=place)
    if not session.get("events"):
        raise place.error("events", "is empty; expected at least one event of a run")
    reader = _Reader(origin=place)
    config, model = _logged_request(session)
    system = text_in(config, "system_instruction")
    reader.script.system(Said(ref="event_logs.0.model_request.config", text=system))
    for ref, event in map_items(session["events"], key="events", origin=place):
        reader.add(ref, event)
    facts = RunFacts(
        own_id=session.get("id"),
        model=", ".join(reader.models) or model,
        labels=labels_of(app=_text(session, "app_name")),
        status=RunStatus.FAILED if reader.failed else RunStatus.UNKNOWN,
        listed=_declared(config),
    )
    return finished(reader.script, facts, origin=place, tools=tools)


def _logged_request(session: JsonMap) -> tuple[JsonMap, str | None]:
    """Return settings and model of the first request; only old sessions log them."""
    logs = session.get("event_logs")
    request = map_in(logs[0], "model_request") if isinstance(logs, list) and logs else {}
    return map_in(request, "config"), text_in(request, "model")


def _declared(config: JsonMap) -> tuple[Tool, ...]:
    tools = config.get("tools")
    groups = (
        (map_in(tool).get("function_declarations") for tool in tools)
        if isinstance(tools, list)
        else ()
    )
    return listed_tools([item for group in groups if isinstance(group, list) for item in group])


def _is_session(record: Json) -> bool:
    session = map_in(record)
    events = session.get("events")
    if not isinstance(events, list) or not isinstance(session.get("id"), str):
        return False
    if not events:
        return isinstance(session.get("state"), dict) and _get(session, "app_name") is not None
    return all("author" in map_in(event) and _get(event, "invocation_id") for event in events)


SESSION: Final = Format(
    name="google_adk",
    recognises=_is_session,
    owns=_is_session,
    keys=frozenset({"events"}),
    own_id=lambda record: text_in(record, "id"),
    read=_read_session,
)

# --- evaluation cases --------------------------------------------------------


def _read_case(record: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read one case of an evaluation set.

    Raises:
        TraceFormatError: a turn has another form than ADK's.
    """
    case = as_map(record, key="", origin=place)
    reader, merged = _Reader(origin=place), 0
    for ref, turn in map_items(case.get("conversation"), key="conversation", origin=place):
        merged += _add_turn(reader, ref, turn) > 1
    note = "turns whose calls were made by several replies, perhaps; the case keeps one list"
    facts = RunFacts(
        own_id=_text(case, "eval_id"),
        labels={"recorded_as": "evaluation case"},
        losses=(Loss(kind="replies_merged", count=merged, note=note, fix=_SESSION),)
        if merged
        else (),
    )
    return finished(reader.script, facts, origin=place, tools=tools)


def _add_turn(reader: _Reader, ref: str, turn: JsonMap) -> int:
    """Add one turn; return how many calls it has."""
    at = time_of(_get(turn, "creation_timestamp"), reader.script.counts)
    key = f"{ref}.{_spelled(turn, 'user_content')}"
    reader.add_content(Said(ref=key, at=at), map_in(_get(turn, "user_content")), key=key)
    data = map_in(_get(turn, "intermediate_data"))
    key = f"{ref}.{_spelled(turn, 'intermediate_data')}"
    said = Said(ref=key, at=at, agent=_AGENT)
    reader.add_calls(said, _get(data, "tool_uses"), key=f"{key}.{_spelled(data, 'tool_uses')}")
    answers = map_items(
        _get(data, "tool_responses"), key=f"{key}.tool_responses", origin=reader.origin
    )
    for place, answer in answers:
        reader.add_result(place, answer, said)
    final = f"{ref}.{_spelled(turn, 'final_response')}"
    content = map_in(_get(turn, "final_response"))
    reader.add_content(Said(ref=final, at=at, agent=_AGENT), content, key=final)
    uses = _get(data, "tool_uses")
    return len(uses) if isinstance(uses, list) else 0


def _is_case(record: Json) -> bool:
    turns = map_in(record).get("conversation")
    if not isinstance(turns, list) or _get(record, "eval_id") is None:
        return False
    return all(_get(turn, "user_content") is not None for turn in turns)


CASE: Final = Format(
    name="google_adk_case",
    recognises=_is_case,
    owns=_is_case,
    keys=frozenset({"conversation"}),
    own_id=lambda record: _text(record, "eval_id"),
    read=_read_case,
)

"""OpenAI Agents SDK: the state of a run, as `RunState.to_json` writes it at an interruption.

The items of the run are in their order; which response an item came from is known only where
there are as many replies as responses. Approvals are the one thing that this format keeps and
others do not: a call that waits asked for permission, a decision stands behind it.

Source:
    formats page 2.3, row "Agents RunState"; openai-agents schema 1.0 to 1.21.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from workbench.casefile.place import step_key
from workbench.ingest.events.conversation import tell
from workbench.ingest.events.finish import RunFacts, finished
from workbench.ingest.events.messages import Message, Role, one_reply_each, read_message
from workbench.ingest.events.toollist import listed_tools
from workbench.ingest.events.transcript import Transcript
from workbench.ingest.events.usage import usage_of
from workbench.ingest.importers.openai_responses import items_in, permission_from, tell_items
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import as_map, map_in, map_items, text_in
from workbench.model.event import Decision, Outcome, Permission

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.event import Usage
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["FORMAT", "read_agents_run_state"]

_VERSION: Final = "$schemaVersion"
_APPROVALS: Final = "approvals"
_ASKING: Final = ("tool_approval_item", "mcp_approval_request_item")


@dataclass(slots=True)
class _Approvals:
    """Decisions that were not told yet."""

    open: list[tuple[str | None, Permission]] = field(default_factory=list)
    """Call id, or None where a decision covers every call of the tool; and the decision."""

    def of_call(self, call_id: str | None, tool: str | None) -> Iterator[Permission]:
        """Take the decisions of one call; one for all calls stays."""
        for entry in list(self.open):
            if entry[0] is not None and entry[0] == call_id:
                self.open.remove(entry)
                yield dataclasses.replace(entry[1], tool=tool or entry[1].tool)


def read_agents_run_state(
    record: Json, *, place: Origin, tools: Sequence[Tool]
) -> tuple[Trace, Losses]:
    """Read one state.

    Raises:
        TraceFormatError: a part has another form than the SDK's.
    """
    state = as_map(record, key="", origin=place)
    as_map(state.get("current_agent"), key="current_agent", origin=place)
    script = Transcript()
    sent = items_in(state.get("original_input"), key="original_input", origin=place)
    tell_items(script, sent, origin=place)
    approvals = _Approvals(
        open=list(_decisions(as_map(state.get("context"), key="context", origin=place)))
    )
    _tell_run(script, state, approvals, place)
    for _, permission in approvals.open:
        script.mark(permission)
    trace = map_in(state, "trace")
    facts = RunFacts(
        session=text_in(state, "conversation_id") or text_in(trace, "group_id"),
        prompt=text_in(map_in(trace, "metadata"), "prompt_version"),
        listed=_listed(state),
    )
    return finished(script, facts, origin=place, tools=tools)


# --- items -------------------------------------------------------------------


def _items(state: JsonMap, origin: Origin) -> list[tuple[str, JsonMap]]:
    """Return the run's items: those of the session, where a hand-over filtered the others."""
    lists = [
        list(map_items(state.get(name), key=name, origin=origin))
        for name in ("generated_items", "session_items")
    ]
    return max(lists, key=len)


def _tell_run(script: Transcript, state: JsonMap, approvals: _Approvals, origin: Origin) -> None:
    items = _items(state, origin)
    responses = list(map_items(state.get("model_responses"), key="model_responses", origin=origin))
    if not items:
        for ref, response in responses:
            output = items_in(response.get("output"), key=step_key(ref, "output"), origin=origin)
            tell_items(script, output, origin=origin, usage=usage_of(_usage(response)))
        return
    usages = [usage_of(_usage(response)) for _, response in responses]
    refused = {call_id for call_id, one in approvals.open if one.decision is Decision.DENIED}
    replies = one_reply_each([m for ref, item in items for m in _messages(ref, item, origin)])
    count = sum(message.role is Role.ASSISTANT for message in replies)
    known = iter(usages if len(usages) == count else ())
    waiting: list[Message] = []
    for ref, item in items:
        if text_in(item, "type") in _ASKING:
            _tell_messages(script, waiting, known, refused)
            waiting = []
            _ask(script, ref, item, approvals)
            continue
        messages = _messages(ref, item, origin)
        if any(message.role is Role.TOOL for message in messages):
            _tell_messages(script, waiting, known, refused)
            waiting = []
            for message in messages:
                _decide(script, message, approvals)
        waiting.extend(messages)
    _tell_messages(script, waiting, known, refused)


def _messages(ref: str, item: JsonMap, origin: Origin) -> list[Message]:
    """Read one item; what only the SDK shows (a search for tools) is no event."""
    if text_in(item, "type") in _ASKING:
        return []
    raw = as_map(item.get("raw_item"), key=step_key(ref, "raw_item"), origin=origin)
    agent = text_in(map_in(item, "agent"), "name")
    found = read_message(raw, step_key(ref, "raw_item"), origin)
    return [
        replace(message, said=replace(message.said, agent=agent, dropped=0))
        for message in found
        if message.role is not Role.ASSISTANT or message.said.text or message.asked
    ]


def _tell_messages(
    script: Transcript,
    messages: Sequence[Message],
    usages: Iterator[Usage | None],
    refused: set[str | None],
) -> None:
    for message in one_reply_each(list(messages)):
        if message.role is Role.ASSISTANT:
            said = replace(message.said, usage=next(usages, None))
            tell(script, [replace(message, said=said)])
        elif message.answered is not None and message.answered.id in refused:
            answered = replace(message.answered, outcome=Outcome.DENIED, detail="refused")
            tell(script, [replace(message, answered=answered)])
        else:
            tell(script, [message])


def _usage(response: JsonMap) -> Json:
    """Return a response's usage; the SDK writes its details as a list of one."""
    usage = map_in(response, "usage")
    if not usage.get("requests", 1):
        return None
    details = usage.get("input_tokens_details")
    one = details[0] if isinstance(details, list) and details else details
    return {**usage, "input_tokens_details": one}


# --- approvals ---------------------------------------------------------------


def _ask(script: Transcript, ref: str, item: JsonMap, approvals: _Approvals) -> None:
    """Tell that a call waits for a permission, and the decision, if there is one."""
    raw = map_in(item, "raw_item")
    asked = permission_from(
        {key: value for key, value in raw.items() if key != "approve"}, raw, ref=ref
    )
    asked = dataclasses.replace(asked, tool=text_in(item, "tool_name") or asked.tool)
    script.mark(asked)
    call_id = text_in(raw, "call_id") or text_in(raw, "id")
    for permission in approvals.of_call(call_id, asked.tool):
        script.mark(dataclasses.replace(permission, args_digest=asked.args_digest))


def _decide(script: Transcript, message: Message, approvals: _Approvals) -> None:
    """Tell a decision before the result that it led to, where no request for it is kept."""
    if message.answered is not None:
        for permission in approvals.of_call(message.answered.id, message.answered.tool):
            script.mark(permission)


def _decisions(context: JsonMap) -> Iterator[tuple[str | None, Permission]]:
    """Yield all decisions: of tools by name, and lists of those that belong to an agent or server.

    Each new owner of decisions got a key of its own, `approvals` with a word before it.
    """
    for key, value in context.items():
        place = step_key("context", key)
        if not key.endswith(_APPROVALS):
            continue
        for tool, entry in map_in(value).items():
            yield from _decided(map_in(entry), tool, None, ref=step_key(place, tool))
        for at, entry in enumerate(value if isinstance(value, list) else ()):
            who = map_in(entry, "identity")
            scope = text_in(who, "server_label") or text_in(who, "request_id")
            name = text_in(who, "tool_name") or text_in(entry, "tool_key")
            yield from _decided(map_in(entry, "decision"), name, scope, ref=step_key(place, at))


def _decided(
    entry: JsonMap, tool: str | None, scope: str | None, *, ref: str
) -> Iterable[tuple[str | None, Permission]]:
    """Yield the decisions on one tool: for every call (true), or for calls by id."""
    for name, decision in (("approved", Decision.GRANTED), ("rejected", Decision.DENIED)):
        value = entry.get(name)
        permission = Permission(decision=decision, tool=tool, actor="user", source_ref=ref)
        if value is True:
            yield None, dataclasses.replace(permission, scope=scope or "every call")
        for call_id in value if isinstance(value, list) else ():
            if isinstance(call_id, str):
                yield call_id, dataclasses.replace(permission, scope=scope or call_id)


def _listed(state: JsonMap) -> tuple[Tool, ...]:
    """Return the tools that the last response used, with the schemas that the SDK kept."""
    functions = map_in(state, "last_processed_response").get("functions")
    entries: list[Json] = []
    for one in functions if isinstance(functions, list) else ():
        tool = map_in(one, "tool")
        entries.append({**tool, "parameters": tool.get("paramsJsonSchema")})
    return listed_tools(entries)


def _is_state(record: Json) -> bool:
    return text_in(record, _VERSION) is not None and "current_agent" in map_in(record)


FORMAT: Final = Format(
    name="agents_run_state",
    recognises=_is_state,
    owns=_is_state,
    keys=frozenset({_VERSION}),
    read=read_agents_run_state,
)

"""AutoGen's event log: the records of `autogen_core.events`, one a line or in a list.

A tool that fails is not logged as a `ToolCall`. What agents sent each other is logged with its
payload, though, and in an agent chat these payloads are the messages of a stream: they are read
as such, and show the failed calls too. Where there are no payloads, the requests to the model
are read (the last of an agent repeats all before it), else the calls alone.

Source:
    autogen-core 0.7.5, `logging.py`; formats page 2.3, row "AutoGen event log".
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from workbench.ingest.events.finish import RunFacts, finished
from workbench.ingest.events.transcript import Answered, Asked, Said, Transcript
from workbench.ingest.importers.autogen import AutogenReader, is_autogen_message
from workbench.ingest.importers.openai_chat import add_messages
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import map_in, map_items, text_in
from workbench.model.event import Requestor, ToolCall
from workbench.model.jsonvalue import ABSENT
from workbench.model.trace import Grade, Loss

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["FORMAT"]

_MESSAGE_TYPES: Final = frozenset({"Message", "MessageDropped", "MessageHandlerException"})
_LLM_TYPES: Final = frozenset({"LLMCall", "LLMStreamStart", "LLMStreamEnd"})
_FAILED: Final = "failed_calls_not_logged"


def _read(record: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read one log, given as the list of its records.

    Raises:
        TraceFormatError: a message in it has another form than the library's.
    """
    items = list(map_items(record, key="", origin=place))
    if not any(_is_event(item) for _, item in items):
        raise place.error("", "holds no event of an agent; expected the events of a run")
    reader = AutogenReader(origin=place)
    for ref, message in _sent(items):
        reader.add(ref, message)
    script = reader.script
    if reader.is_empty:
        script = Transcript()
        if not _add_requests(script, items, place):
            _add_calls(script, items)
    logged = sum(item.get("type") == "ToolCall" for _, item in items)
    facts = RunFacts(losses=tuple(_losses(script, logged, items, whole=not reader.is_empty)))
    return finished(script, facts, origin=place, tools=tools)


def _sent(items: Sequence[tuple[str, JsonMap]]) -> Iterator[tuple[str, JsonMap]]:
    """Yield the messages in the payloads; each is sent and delivered, so most come twice."""
    for ref, item in items:
        if item.get("type") == "Message":
            for message in _messages_in(_payload(item)):
                yield f"{ref}.payload", message


def _payload(item: JsonMap) -> Json:
    text = text_in(item, "payload")
    if text is None:
        return item.get("payload")
    try:
        found: Json = json.loads(text)
    except (ValueError, RecursionError):
        return None  # "Message could not be serialized"
    return found


def _messages_in(payload: Json) -> Iterator[JsonMap]:
    whole = map_in(payload)
    response = map_in(whole, "response")
    inner = response.get("inner_messages")
    several = whole.get("messages")
    for found in (
        *(several if isinstance(several, list) else ()),
        whole.get("message"),
        *(inner if isinstance(inner, list) else ()),
        response.get("chat_message"),
    ):
        if isinstance(found, dict) and is_autogen_message(found):
            yield found


def _add_requests(script: Transcript, items: Sequence[tuple[str, JsonMap]], place: Origin) -> bool:
    """Add each agent's last request to the model, which repeats all before it, and its reply."""
    last: dict[str, tuple[str, JsonMap]] = {}
    for ref, item in items:
        if text_in(item, "type") in _LLM_TYPES and isinstance(item.get("messages"), list):
            last[text_in(item, "agent_id") or ""] = ref, item
    for ref, item in last.values():
        key = f"{ref}.messages"
        add_messages(script, map_items(item["messages"], key=key, origin=place), origin=place)
        choices = map_in(item, "response").get("choices")
        message = map_in(choices[0], "message") if isinstance(choices, list) and choices else {}
        if message:
            where = f"{ref}.response.choices.0.message"
            add_messages(script, iter([(where, message)]), origin=place)
    return bool(last)


def _add_calls(script: Transcript, items: Sequence[tuple[str, JsonMap]]) -> None:
    for ref, item in items:
        name = text_in(item, "tool_name")
        if item.get("type") != "ToolCall" or not name:
            continue
        args = item.get("arguments")
        agent = text_in(item, "agent_id")
        asked = Asked(ref=ref, id=None, tool=name, value=ABSENT if args is None else args)
        script.apart(Said(ref=ref, agent=agent), [asked], Requestor.FRAMEWORK)
        script.result(
            Answered(ref=ref, id=None, tool=name, text=text_in(item, "result"), agent=agent)
        )


def _losses(
    script: Transcript, logged: int, items: Sequence[tuple[str, JsonMap]], *, whole: bool
) -> Iterator[Loss]:
    asked = sum(isinstance(event, ToolCall) for event in script.events())
    if whole and asked > logged:
        yield Loss(
            kind=_FAILED,
            count=asked - logged,
            note="the log has no record of these calls; they are read from the messages' payloads",
            fix="save the stream (`run_stream`) instead",
        )
    elif not whole:
        yield Loss(
            kind=_FAILED,
            note="the log leaves failed calls out, and messages have no payload here",
            fix="save the stream (`run_stream`) instead",
            caps=Grade.NEEDS_FIXTURES,
        )
    lost = sum(
        item.get("type") == "Message" and "payload" in item and _payload(item) is None
        for _, item in items
    )
    if lost:
        yield Loss(
            kind="messages_not_serialized",
            count=lost,
            note="the log says only that a message could not be written; control messages mostly",
            fix="save the stream (`run_stream`): it has every message",
        )


def _is_event(record: Json) -> bool:
    match text_in(record, "type"):
        case "ToolCall":
            return text_in(record, "tool_name") is not None and "agent_id" in map_in(record)
        case kind if kind in _MESSAGE_TYPES:
            return "payload" in map_in(record) and "kind" in map_in(record)
        case kind if kind in _LLM_TYPES:
            return "agent_id" in map_in(record)
        case _:
            return False


def _recognises(record: Json) -> bool:
    """Whether a record may stand in a log; texts that no record describes are `{"raw": text}`."""
    return _is_event(record) or (isinstance(record, dict) and record.keys() == {"raw"})


FORMAT: Final = Format(
    name="autogen_log",
    recognises=_recognises,
    owns=_is_event,
    keys=frozenset({"agent_id", "payload", "raw"}),
    run_of=lambda _: "",
    read=_read,
)

"""Anthropic messages: `{system, messages}`, a list of messages, or a request with its response.

Results stand in user messages, and the provider's own tools answer inside the assistant message;
a text behind such an answer is a reply of its own, so that order is kept.

Source:
    formats page 2.3, row "Anthropic messages".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.casefile.place import describe, step_key
from workbench.ingest.events.content import REASONING, read_content, read_result
from workbench.ingest.events.finish import RunFacts, finished
from workbench.ingest.events.toollist import listed_tools
from workbench.ingest.events.transcript import Answered, Asked, Said, Transcript
from workbench.ingest.events.usage import usage_of
from workbench.ingest.events.wrapped import REQUEST_KEYS, unwrap
from workbench.ingest.importers.chat_shape import chat_id, is_anthropic, is_surely_anthropic
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import as_map, map_in, map_items, text_in
from workbench.model.event import CallError, ModelRequest
from workbench.model.jsonvalue import ABSENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["FORMAT", "read_anthropic_messages"]


def read_anthropic_messages(
    record: Json, *, place: Origin, tools: Sequence[Tool]
) -> tuple[Trace, Losses]:
    """Read one conversation.

    Raises:
        TraceFormatError: a message has another form than the API's.
    """
    chat = unwrap(record)
    listed = listed_tools(chat.request.get("tools"))
    script = Transcript()
    system = read_content(chat.request.get("system"), key="system", origin=place)
    script.system(Said(ref="system", text=system.text, dropped=system.dropped))
    for ref, message in map_items(chat.messages, key=chat.path, origin=place):
        _add_message(script, ref, message, place)
    if chat.response:
        script.request(
            ModelRequest(
                model=text_in(chat.request, "model"),
                settings=chat.settings,
                offered_tools=tuple(tool.name for tool in listed) or None,
                n_messages=len(chat.messages) if isinstance(chat.messages, list) else None,
                source_ref=chat.response_path or None,
            )
        )
        _add_reply(script, chat.response_path, chat.response, place)
    facts = RunFacts(
        own_id=chat.own_id,
        session=chat.session or text_in(map_in(chat.request, "metadata"), "session_id"),
        model=text_in(chat.response, "model") or text_in(chat.request, "model"),
        listed=listed,
    )
    return finished(script, facts, origin=place, tools=tools)


def _add_message(script: Transcript, ref: str, message: JsonMap, origin: Origin) -> None:
    match message.get("role"):
        case "user":
            _add_user(script, ref, message, origin)
        case "assistant":
            _add_reply(script, ref, message, origin)
        case "system":
            content = read_content(message.get("content"), key=ref, origin=origin)
            script.system(Said(ref=ref, text=content.text, dropped=content.dropped))
        case role:
            raise origin.error(
                step_key(ref, "role"), f"is {describe(role)}; expected user or assistant"
            )


def _blocks(ref: str, message: JsonMap, origin: Origin) -> Iterator[tuple[str, JsonMap]]:
    content = message.get("content")
    if isinstance(content, str):
        yield ref, {"type": "text", "text": content}
        return
    yield from map_items(content, key=step_key(ref, "content"), origin=origin)


def _is_result(block: JsonMap) -> bool:
    return str(block.get("type")).endswith("tool_result")


def _is_call(block: JsonMap) -> bool:
    return str(block.get("type")).endswith("tool_use")


def _add_user(script: Transcript, ref: str, message: JsonMap, origin: Origin) -> None:
    """Add results and texts in their order; texts that stand together are one message."""
    texts: list[Json] = []
    for place, block in _blocks(ref, message, origin):
        if not _is_result(block):
            texts.append(block)
            continue
        _flush_user(script, ref, texts, origin)
        texts = []
        _add_result(script, place, block, origin)
    _flush_user(script, ref, texts, origin)


def _flush_user(script: Transcript, ref: str, texts: list[Json], origin: Origin) -> None:
    if texts:
        content = read_content(texts, key=ref, origin=origin)
        script.user(Said(ref=ref, text=content.text, dropped=content.dropped))


def _add_reply(script: Transcript, ref: str, message: JsonMap, origin: Origin) -> None:
    segment: list[tuple[str, JsonMap]] = []
    for place, block in _blocks(ref, message, origin):
        if not _is_result(block):
            segment.append((place, block))
            continue
        if segment:
            _flush_reply(script, ref, {}, segment, origin=origin)
            segment = []
        _add_result(script, place, block, origin)
    _flush_reply(script, ref, message, segment, origin=origin)


def _flush_reply(
    script: Transcript,
    ref: str,
    message: JsonMap,
    segment: list[tuple[str, JsonMap]],
    *,
    origin: Origin,
) -> None:
    calls = [_asked(place, block, origin) for place, block in segment if _is_call(block)]
    rest: list[Json] = [block for _, block in segment if not _is_call(block)]
    shown = [block for block in rest if text_in(block, "type") not in REASONING]
    content = read_content(shown, key=step_key(ref, "content"), origin=origin)
    said = Said(
        ref=ref,
        text=content.text,
        dropped=content.dropped,
        finish_reason=text_in(message, "stop_reason"),
        usage=usage_of(message.get("usage")),
    )
    script.reply(said, calls)


def _asked(ref: str, block: JsonMap, origin: Origin) -> Asked:
    name = block.get("name")
    if not isinstance(name, str) or not name:
        raise origin.error(step_key(ref, "name"), f"is {describe(name)}; expected a tool's name")
    value = block.get("input")
    return Asked(
        ref=ref,
        id=text_in(block, "id"),
        tool=name,
        text=value if isinstance(value, str) else None,
        value=ABSENT if value is None or isinstance(value, str) else value,
    )


def _add_result(script: Transcript, ref: str, block: JsonMap, origin: Origin) -> None:
    as_map(block, key=ref, origin=origin)
    content = read_result(block.get("content"), key=step_key(ref, "content"), origin=origin)
    failed = block.get("is_error") is True
    script.result(
        Answered(
            ref=ref,
            id=text_in(block, "tool_use_id"),
            text=content.text,
            value=content.value,
            dropped=content.dropped,
            error=CallError(message=content.text) if failed else None,
        )
    )


FORMAT: Final = Format(
    name="anthropic_messages",
    recognises=is_anthropic,
    owns=is_surely_anthropic,
    keys=REQUEST_KEYS,
    own_id=chat_id,
    read=read_anthropic_messages,
    general=True,
)

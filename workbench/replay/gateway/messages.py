"""Anthropic messages.

Optional fields are left out and none is null inside a block: one real client breaks on it.

Source:
    https://docs.anthropic.com/en/api/messages and .../messages-streaming (2026).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from workbench.replay.asked import reported_result
from workbench.replay.exchange import ModelAsk, SeenCall, SeenReply
from workbench.replay.gateway.dialect import (
    Finish,
    items_of,
    list_of,
    map_of,
    pieces,
    settings_of,
    sse,
    text_of,
    usage_of,
)
from workbench.replay.live import Family

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.model.event import Usage
    from workbench.model.jsonvalue import JsonMap
    from workbench.replay.asked import ReportedResult
    from workbench.replay.gateway.dialect import Speech

__all__ = [
    "FAMILY",
    "PATH",
    "acts",
    "document",
    "error",
    "is_surplus",
    "joined",
    "outgoing",
    "read",
    "seen",
    "stream",
]

FAMILY: Final = Family.ANTHROPIC
PATH: Final = "messages"

_SETTINGS: Final = ("temperature", "top_p", "top_k", "max_tokens", "service_tier")
_WORDS: Final = {
    Finish.STOP: "end_turn",
    Finish.CALLS: "tool_use",
    Finish.LENGTH: "max_tokens",
    Finish.REFUSAL: "refusal",
}
_HOSTED: Final = ("server_tool_use", "mcp_tool_use")
_QUIET: Final = ("text", "thinking", "redacted_thinking")
_ENDS: Final = ("message_delta", "message_stop", "error")


def read(body: JsonMap) -> ModelAsk:
    """Read a request."""
    messages = items_of(body, "messages")
    offered = None if body.get("tools") is None else items_of(body, "tools")
    return ModelAsk(
        messages=len(messages),
        results=tuple(_results(messages)),
        offered=None
        if offered is None
        else tuple(name for tool in offered if (name := text_of(tool.get("name"))) is not None),
        model=text_of(body.get("model")),
        settings=settings_of(body, _SETTINGS),
    )


def _results(messages: Sequence[JsonMap]) -> Iterator[ReportedResult]:
    for message in messages:
        for block in list_of(message.get("content")):
            if block.get("type") == "tool_result":
                yield reported_result(
                    block.get("content"),
                    call_id=block.get("tool_use_id"),
                    failed=block.get("is_error") is True,
                )


def document(speech: Speech) -> JsonMap:
    """Return a reply as one document."""
    return {
        **_head(speech),
        "content": [block for block, _ in _blocks(speech)],
        "stop_reason": _WORDS[speech.finish],
        "usage": _usage(speech.usage),
    }


def _head(speech: Speech) -> JsonMap:
    name = f"msg_{speech.number:06}"
    return {"id": name, "type": "message", "role": "assistant", "model": speech.model}


def _blocks(speech: Speech) -> Iterator[tuple[JsonMap, str]]:
    """Give each block, and the text that a stream sends piece by piece."""
    if speech.text:
        yield {"type": "text", "text": speech.text}, speech.text
    for call in speech.calls:
        use: JsonMap = {"type": "tool_use", "id": call.id, "name": call.name, "input": call.args}
        yield use, call.args_text


def _usage(usage: Usage) -> JsonMap:
    found: JsonMap = {
        "input_tokens": usage.input_tokens or 0,
        "output_tokens": usage.output_tokens or 0,
    }
    if usage.cached_tokens is not None:
        found["cache_read_input_tokens"] = usage.cached_tokens
    return found


def stream(speech: Speech, body: JsonMap) -> bytes:  # noqa: ARG001  one shape for all dialects
    """Return a reply as server-sent events."""
    return sse((str(event["type"]), event) for event in _events(speech))


def _events(speech: Speech) -> Iterator[JsonMap]:
    usage = _usage(speech.usage)
    start: JsonMap = {**_head(speech), "content": [], "usage": {**usage, "output_tokens": 0}}
    start["stop_reason"] = None  # clients read it before it is known
    yield {"type": "message_start", "message": start}
    for index, (block, text) in enumerate(_blocks(speech)):
        words = block["type"] == "text"
        empty: JsonMap = {"text": ""} if words else {"input": {}}
        yield {
            "type": "content_block_start",
            "index": index,
            "content_block": {**block, **empty},
        }
        for piece in pieces(text):
            delta: JsonMap = (
                {"type": "text_delta", "text": piece}
                if words
                else {"type": "input_json_delta", "partial_json": piece}
            )
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": _WORDS[speech.finish]},
        "usage": {"output_tokens": usage["output_tokens"]},
    }
    yield {"type": "message_stop"}


def error(kind: str, message: str) -> JsonMap:
    """Return the body of an error."""
    return {"type": "error", "error": {"type": kind, "message": message}}


def seen(document: JsonMap) -> SeenReply | None:
    """Read a provider's reply."""
    if document.get("type") != "message" or not isinstance(document.get("content"), list):
        return None
    blocks = list_of(document["content"])
    usage = map_of(document.get("usage"))
    return SeenReply(
        text="".join(text_of(b.get("text")) or "" for b in blocks if b.get("type") == "text"),
        calls=tuple(_seen_call(block) for block in blocks if block.get("type") == "tool_use"),
        finish_reason=text_of(document.get("stop_reason")),
        usage=usage_of(
            usage,
            given="input_tokens",
            made="output_tokens",
            cached=usage.get("cache_read_input_tokens"),
        ),
        hosted=tuple(str(block.get("name")) for block in blocks if block.get("type") in _HOSTED),
        id=text_of(document.get("id")),
    )


def _seen_call(block: JsonMap) -> SeenCall:
    given = block.get("input", {})
    return SeenCall(
        id=text_of(block.get("id")) or "",
        name=text_of(block.get("name")) or "",
        args_text=given if isinstance(given, str) else json.dumps(given, ensure_ascii=False),
    )


def joined(events: Sequence[JsonMap]) -> SeenReply | None:
    """Read a provider's streamed reply: its blocks put together."""
    message: JsonMap = {}
    usage: JsonMap = {}
    blocks: dict[str, JsonMap] = {}
    ended = False
    for event in events:
        at = str(event.get("index"))
        match event.get("type"):
            case "message_start":
                message = map_of(event.get("message"))
                usage = map_of(message.get("usage"))
            case "content_block_start":
                blocks[at] = dict(map_of(event.get("content_block")))
            case "content_block_delta":
                _grow(blocks.setdefault(at, {}), map_of(event.get("delta")))
            case "message_delta":
                message = {**message, **map_of(event.get("delta"))}
                usage = {**usage, **map_of(event.get("usage"))}
            case "message_stop":
                ended = True
            case "error":
                return None
            case _:  # content_block_stop, ping
                pass
    return seen({**message, "content": list(blocks.values()), "usage": usage}) if ended else None


def _grow(block: JsonMap, delta: JsonMap) -> None:
    """Add a piece to a block; the pieces of arguments are kept as the text that they are."""
    text, part = text_of(delta.get("text")), text_of(delta.get("partial_json"))
    if text is not None:
        block["text"] = (text_of(block.get("text")) or "") + text
    if part is not None:
        block["input"] = (text_of(block.get("input")) or "") + part


def outgoing(body: JsonMap) -> JsonMap:
    """Return the body as a provider shall get it; it tells its usage unasked."""
    return body


def is_surplus(event: JsonMap, body: JsonMap) -> bool:  # noqa: ARG001  one shape for all dialects
    """Whether an event was not asked for; none is."""
    return False


def acts(event: JsonMap) -> bool:
    """Whether an agent may act on an event."""
    kind = event.get("type")
    block = map_of(event.get("content_block")).get("type")
    return kind in _ENDS or (kind == "content_block_start" and block not in _QUIET)

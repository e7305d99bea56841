"""Server-sent events, and the replies that a model's stream of them makes up.

A stream is put together as its own client would: texts and arguments piece by piece, in the order
of their index. A stream that breaks off keeps what came.

Source:
    WHATWG HTML, server-sent events; the streaming references of OpenAI and Anthropic, 2025.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from workbench.errors import TraceFormatError
from workbench.ingest.records.parts import read_value
from workbench.ingest.records.piece import Piece
from workbench.ingest.records.shapes import integer_in, map_in, text_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["assembled", "is_stream", "is_stream_file", "pieces_of_stream", "stream_events"]

_FIELDS: Final = ("event:", "data:", "id:", "retry:", ":")
_BLOCKS: Final = re.compile(rb"(?:[^\r\n]+(?:\r?\n|\Z))+(?:\r?\n)*|(?:\r?\n)+")
_LINE_ENDS: Final = re.compile(r"\r\n|\n|\r")
_DONE: Final = "[DONE]"
_DELTAS: Final = {"text_delta": "text", "input_json_delta": "partial_json"}


def is_stream(text: str) -> bool:
    """Whether a text begins as a stream of events does."""
    return text.lstrip("\ufeff \r\n").startswith(_FIELDS)


def stream_events(text: str) -> Iterator[JsonMap]:
    """Yield the JSON data of each event; data that are no JSON mapping are left out."""
    data: list[str] = []
    for line in [*_LINE_ENDS.split(text), ""]:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line.strip() and data:
            event = _json("\n".join(data))
            data = []
            if event is not None:
                yield event


def is_stream_file(head: bytes) -> bool:
    """Whether data that begin so are a recorded stream of events in JSON."""
    return head.removeprefix(b"\xef\xbb\xbf").startswith((b"event:", b"data:", b"id:"))


def pieces_of_stream(data: bytes) -> Iterator[Piece]:
    """Yield each event of a recorded stream that has JSON data, with the bytes up to the next.

    Raises:
        TraceFormatError: it is no UTF-8 text, or no event has JSON data; it says no place.
    """
    try:
        data.decode()
    except UnicodeDecodeError as error:
        raise TraceFormatError(f"is not UTF-8 text: byte {error.start} is unreadable") from None
    chunks: list[bytes] = []
    event: JsonMap | None = None
    count = 0
    for block in _BLOCKS.findall(data):
        following = next(stream_events(block.decode()), None)
        if following is not None and event is not None:
            count += 1
            yield _piece(chunks, event, count)
            chunks = []
        event = event if following is None else following
        chunks.append(block)
    if event is None:
        raise TraceFormatError("is a stream of events, none of them with a JSON mapping as data")
    yield _piece(chunks, event, count + 1)


def _piece(chunks: Sequence[bytes], event: JsonMap, number: int) -> Piece:
    """Return an event with its bytes and those of what has no data behind it (`ping`)."""
    text = json.dumps(event, ensure_ascii=False)
    return Piece(raw=b"".join(chunks), place=f"record {number}", value=event, text=text)


def _json(text: str) -> JsonMap | None:
    if text.strip() == _DONE:
        return None
    try:
        value = read_value(text)
    except TraceFormatError:
        return None
    return value if isinstance(value, dict) else None


def assembled(events: Sequence[JsonMap]) -> tuple[JsonMap, bool]:
    """Return the response that a stream makes up, and whether the stream came to its end."""
    if any(text_in(event, "object") == "chat.completion.chunk" for event in events):
        return _from_chunks(events)
    if any((text_in(event, "type") or "").startswith("response.") for event in events):
        return _from_responses(events)
    if any(text_in(event, "type") == "message_start" for event in events):
        return _from_messages(events)
    return {}, False


# --- OpenAI chat -------------------------------------------------------------


def _from_chunks(events: Iterable[JsonMap]) -> tuple[JsonMap, bool]:
    response: JsonMap = {}
    texts: dict[str, str] = {}
    calls: dict[int, JsonMap] = {}
    function: JsonMap = {}
    reason: str | None = None
    for event in events:
        response.update({k: v for k, v in event.items() if k != "choices" and v is not None})
        choice = _first_choice(event)
        delta = map_in(choice, "delta")
        reason = text_in(choice, "finish_reason") or reason
        for name in ("content", "refusal"):
            piece = text_in(delta, name)
            if piece is not None:
                texts[name] = texts.get(name, "") + piece
        listed = delta.get("tool_calls")
        for n, call in enumerate(listed if isinstance(listed, list) else ()):
            at = integer_in(call, "index")
            _grow(calls.setdefault(n if at is None else at, {}), map_in(call))
        _grow_function(function, map_in(delta, "function_call"))
    message: JsonMap = {"role": "assistant", "content": texts.get("content")}
    if "refusal" in texts:
        message["refusal"] = texts["refusal"]
    if calls:
        message["tool_calls"] = [calls[at] for at in sorted(calls)]
    if function:
        message["function_call"] = function
    response["choices"] = [{"index": 0, "message": message, "finish_reason": reason}]
    return response, reason is not None


def _first_choice(event: JsonMap) -> JsonMap:
    choices = event.get("choices")
    items = choices if isinstance(choices, list) else []
    return next((map_in(one) for one in items if map_in(one).get("index", 0) == 0), {})


def _grow(call: JsonMap, delta: JsonMap) -> None:
    call.update({k: v for k, v in delta.items() if k in ("id", "type") and v})
    function = call.setdefault("function", {})
    if isinstance(function, dict):
        _grow_function(function, map_in(delta, "function"))


def _grow_function(function: JsonMap, delta: JsonMap) -> None:
    name, arguments = text_in(delta, "name"), text_in(delta, "arguments")
    if name:
        function["name"] = name
    if arguments is not None:
        function["arguments"] = (text_in(function, "arguments") or "") + arguments


# --- OpenAI Responses --------------------------------------------------------


def _from_responses(events: Sequence[JsonMap]) -> tuple[JsonMap, bool]:
    for event in reversed(events):
        if text_in(event, "type") in ("response.completed", "response.incomplete"):
            return map_in(event, "response"), True
    begun = next((map_in(event, "response") for event in events if "response" in event), {})
    done: list[Json] = [
        event["item"]
        for event in events
        if text_in(event, "type") == "response.output_item.done" and "item" in event
    ]
    return {**begun, "output": done}, False


# --- Anthropic ---------------------------------------------------------------


def _from_messages(events: Iterable[JsonMap]) -> tuple[JsonMap, bool]:
    message: JsonMap = {}
    blocks: dict[int, JsonMap] = {}
    pieces: dict[int, str] = {}
    ended = False
    for event in events:
        at = integer_in(event, "index") or 0
        match text_in(event, "type"):
            case "message_start":
                message = dict(map_in(event, "message"))
            case "content_block_start":
                blocks[at] = dict(map_in(event, "content_block"))
                pieces[at] = text_in(blocks[at], "text") or ""
            case "content_block_delta":
                delta = map_in(event, "delta")
                name = _DELTAS.get(text_in(delta, "type") or "")
                pieces[at] = pieces.get(at, "") + (text_in(delta, name or "") or "")
            case "message_delta":
                message.update(map_in(event, "delta"))
                message["usage"] = {**map_in(message, "usage"), **map_in(event, "usage")}
            case "message_stop":
                ended = True
            case _:
                continue
    message["content"] = [_block(blocks[at], pieces.get(at, "")) for at in sorted(blocks)]
    return message, ended


def _block(block: JsonMap, text: str) -> JsonMap:
    if text_in(block, "type") == "text":
        return {**block, "text": text}
    if "input" in block and text:
        return {**block, "input": text}
    return block

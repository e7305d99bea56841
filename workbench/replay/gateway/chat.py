"""OpenAI chat completions.

Source:
    https://platform.openai.com/docs/api-reference/chat (2026); what real clients need of it is
    held by `tests/clients`.
"""

from __future__ import annotations

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
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.replay.asked import ReportedResult
    from workbench.replay.gateway.dialect import Speech, SpokenCall

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

FAMILY: Final = Family.OPENAI
PATH: Final = "chat/completions"

_SETTINGS: Final = (
    *("temperature", "top_p", "seed", "max_tokens", "max_completion_tokens"),
    *("frequency_penalty", "presence_penalty", "reasoning_effort", "parallel_tool_calls"),
)
_WORDS: Final = {
    Finish.STOP: "stop",
    Finish.CALLS: "tool_calls",
    Finish.LENGTH: "length",
    Finish.REFUSAL: "content_filter",
}
_USAGE: Final = "include_usage"
_DONE: Final = b"data: [DONE]\n\n"


def read(body: JsonMap) -> ModelAsk:
    """Read a request."""
    messages = items_of(body, "messages")
    return ModelAsk(
        messages=len(messages),
        results=tuple(_results(messages)),
        offered=_offered(body),
        model=text_of(body.get("model")),
        settings=settings_of(body, _SETTINGS),
    )


def _results(messages: Sequence[JsonMap]) -> Iterator[ReportedResult]:
    for message in messages:
        if message.get("role") in ("tool", "function"):
            yield reported_result(
                message.get("content"),
                call_id=message.get("tool_call_id"),
                name=message.get("name"),
            )


def _offered(body: JsonMap) -> tuple[str, ...] | None:
    if body.get("tools") is None:
        return None
    tools = (map_of(tool.get(str(tool.get("type")))) for tool in items_of(body, "tools"))
    return tuple(name for tool in tools if (name := text_of(tool.get("name"))) is not None)


def document(speech: Speech) -> JsonMap:
    """Return a reply as one document."""
    message: JsonMap = {"role": "assistant", "content": speech.text or None}
    if speech.calls:
        message["tool_calls"] = [_call(call, call.args_text) for call in speech.calls]
    choice: JsonMap = {"index": 0, "message": message, "finish_reason": _WORDS[speech.finish]}
    usage = _usage(speech.usage)
    return {**_head(speech, "chat.completion"), "choices": [choice], "usage": usage}


def _head(speech: Speech, kind: str) -> JsonMap:
    name = f"chatcmpl-{speech.number:06}"
    return {"id": name, "object": kind, "created": 0, "model": speech.model}


def _call(call: SpokenCall, args_text: str) -> JsonMap:
    function: JsonMap = {"name": call.name, "arguments": args_text}
    return {"id": call.id, "type": "function", "function": function}


def _usage(usage: Usage) -> JsonMap:
    given, made = usage.input_tokens or 0, usage.output_tokens or 0
    return {
        "prompt_tokens": given,
        "completion_tokens": made,
        "total_tokens": given + made,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens or 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }


def stream(speech: Speech, body: JsonMap) -> bytes:
    """Return a reply as server-sent events."""
    head = _head(speech, "chat.completion.chunk")
    chunks: list[JsonMap] = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in _deltas(speech)
    ]
    last: JsonMap = {"index": 0, "delta": {}, "finish_reason": _WORDS[speech.finish]}
    chunks.append({**head, "choices": [last]})
    if _wants_usage(body):
        chunks.append({**head, "choices": [], "usage": _usage(speech.usage)})
    return sse((None, chunk) for chunk in chunks) + _DONE


def _deltas(speech: Speech) -> Iterator[JsonMap]:
    yield {"role": "assistant", "content": "" if speech.text or not speech.calls else None}
    for piece in pieces(speech.text):
        yield {"content": piece}
    for index, call in enumerate(speech.calls):
        yield {"tool_calls": [{"index": index, **_call(call, "")}]}
        for piece in pieces(call.args_text):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def error(kind: str, message: str) -> JsonMap:
    """Return the body of an error."""
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def seen(document: JsonMap) -> SeenReply | None:
    """Read a provider's reply."""
    choices = list_of(document.get("choices"))
    if not choices or not isinstance(choices[0].get("message"), dict):
        return None
    message = map_of(choices[0]["message"])
    return SeenReply(
        text=text_of(message.get("content")) or text_of(message.get("refusal")) or "",
        calls=tuple(_seen_call(call) for call in list_of(message.get("tool_calls"))),
        finish_reason=text_of(choices[0].get("finish_reason")),
        usage=_seen_usage(document),
        id=text_of(document.get("id")),
    )


def _seen_call(call: JsonMap) -> SeenCall:
    function = map_of(call.get("function")) or map_of(call.get("custom"))
    return SeenCall(
        id=text_of(call.get("id")) or "",
        name=text_of(function.get("name")) or "",
        args_text=text_of(function.get("arguments")) or text_of(function.get("input")) or "",
    )


def _seen_usage(document: JsonMap) -> Usage | None:
    usage = map_of(document.get("usage"))
    cached = map_of(usage.get("prompt_tokens_details")).get("cached_tokens")
    return usage_of(usage, given="prompt_tokens", made="completion_tokens", cached=cached)


def joined(events: Sequence[JsonMap]) -> SeenReply | None:
    """Read a provider's streamed reply: the pieces of its first choice, put together."""
    choices = [(event, _first_choice(event)) for event in events]
    finish = [text_of(choice.get("finish_reason")) for _, choice in choices]
    if not any(finish) or any("error" in event for event in events):
        return None
    deltas = [map_of(choice.get("delta")) for _, choice in choices]
    calls: dict[Json, list[JsonMap]] = {}
    for part in (part for delta in deltas for part in list_of(delta.get("tool_calls"))):
        calls.setdefault(str(part.get("index")), []).append(part)
    return SeenReply(
        text="".join(text_of(d.get("content")) or text_of(d.get("refusal")) or "" for d in deltas),
        calls=tuple(_joined_call(parts) for parts in calls.values()),
        finish_reason=next(word for word in reversed(finish) if word),
        usage=next(filter(None, map(_seen_usage, reversed(events))), None),
        id=next(filter(None, (text_of(event.get("id")) for event in events)), None),
    )


def _first_choice(event: JsonMap) -> JsonMap:
    found = [c for c in list_of(event.get("choices")) if c.get("index", 0) == 0]
    return found[0] if found else {}


def _joined_call(parts: Sequence[JsonMap]) -> SeenCall:
    found = [_seen_call(part) for part in parts]
    return SeenCall(
        id=next((call.id for call in found if call.id), ""),
        name=next((call.name for call in found if call.name), ""),
        args_text="".join(call.args_text for call in found),
    )


def outgoing(body: JsonMap) -> JsonMap:
    """Return the body as a provider shall get it: a stream tells its usage only when asked to."""
    if body.get("stream") is not True or _wants_usage(body):
        return body
    return {**body, "stream_options": {**map_of(body.get("stream_options")), _USAGE: True}}


def is_surplus(event: JsonMap, body: JsonMap) -> bool:
    """Whether an event is the usage that the agent did not ask for; it may fall over it."""
    return event.get("choices") == [] and "usage" in event and not _wants_usage(body)


def _wants_usage(body: JsonMap) -> bool:
    return map_of(body.get("stream_options")).get(_USAGE) is True


def acts(event: JsonMap) -> bool:
    """Whether an agent may act on an event."""
    choice = _first_choice(event)
    delta = map_of(choice.get("delta"))
    return bool(delta.get("tool_calls") or choice.get("finish_reason") or "error" in event)

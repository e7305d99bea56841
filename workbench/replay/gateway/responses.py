"""OpenAI responses.

Source:
    https://platform.openai.com/docs/api-reference/responses and .../responses-streaming (2026).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.casefile.place import describe
from workbench.errors import InputError
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

FAMILY: Final = Family.OPENAI
PATH: Final = "responses"

_SETTINGS: Final = (
    *("temperature", "top_p", "max_output_tokens", "parallel_tool_calls", "truncation"),
    "service_tier",
)
_OUTPUTS: Final = ("function_call_output", "custom_tool_call_output")
_CALLS: Final = ("function_call", "custom_tool_call")
_OURS: Final = ("message", "reasoning", *_CALLS)
_CLIENTS: Final = (
    *("computer_call", "local_shell_call", "shell_call", "apply_patch_call"),
    *("mcp_list_tools", "mcp_approval_request", "compaction", "tool_search_call"),
)
"""Items that run nothing on the provider's side."""
_ENDS: Final = ("response.completed", "response.incomplete", "response.failed", "error")
_CUT: Final = {Finish.LENGTH: "max_output_tokens", Finish.REFUSAL: "content_filter"}


def read(body: JsonMap) -> ModelAsk:
    """Read a request; its input is a text or a list of items."""
    given = body.get("input", "")
    if not isinstance(given, str | list):
        raise InputError(f"`input` is {describe(given)}; expected a text or a list")
    items = list_of(given)
    return ModelAsk(
        messages=len(items) if isinstance(given, list) else 1,
        results=tuple(_results(items)),
        offered=_offered(body),
        model=text_of(body.get("model")),
        settings=settings_of(body, _SETTINGS),
    )


def _results(items: Sequence[JsonMap]) -> Iterator[ReportedResult]:
    for item in items:
        if item.get("type") in _OUTPUTS:
            yield reported_result(item.get("output"), call_id=item.get("call_id"))


def _offered(body: JsonMap) -> tuple[str, ...] | None:
    if body.get("tools") is None:
        return None
    tools = items_of(body, "tools")
    return tuple(name for tool in tools if (name := text_of(tool.get("name"))) is not None)


def document(speech: Speech) -> JsonMap:
    """Return a reply as one document."""
    return _response(speech, _items(speech), ended=_ending(speech.finish))


def _ending(finish: Finish) -> JsonMap:
    """Return the fields that say how a response ended."""
    if finish in _CUT:
        return {"status": "incomplete", "incomplete_details": {"reason": _CUT[finish]}}
    return {"status": "completed"}


def _response(speech: Speech, items: list[JsonMap], *, ended: JsonMap | None) -> JsonMap:
    """Return the response object; without `ended` as it is while it is being made."""
    found: JsonMap = {
        "id": f"resp_{speech.number:06}",
        "object": "response",
        "created_at": 0,
        "status": "in_progress",
        "model": speech.model,
        "output": list(items),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    return found if ended is None else {**found, **ended, "usage": _usage(speech.usage)}


def _items(speech: Speech) -> list[JsonMap]:
    items: list[JsonMap] = []
    if speech.text or not speech.calls:
        part: JsonMap = {"type": "output_text", "text": speech.text, "annotations": []}
        items.append(
            {
                "id": f"msg_{speech.number:06}",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [part],
            }
        )
    items += [
        {
            "id": f"fc_{speech.number:06}_{nth}",
            "type": "function_call",
            "status": "completed",
            "call_id": call.id,
            "name": call.name,
            "arguments": call.args_text,
        }
        for nth, call in enumerate(speech.calls)
    ]
    return items


def _usage(usage: Usage) -> JsonMap:
    given, made = usage.input_tokens or 0, usage.output_tokens or 0
    return {
        "input_tokens": given,
        "output_tokens": made,
        "total_tokens": given + made,
        "input_tokens_details": {"cached_tokens": usage.cached_tokens or 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }


def stream(speech: Speech, body: JsonMap) -> bytes:  # noqa: ARG001  one shape for all dialects
    """Return a reply as server-sent events."""
    return sse(
        (kind, {"type": kind, "sequence_number": number, **fields})
        for number, (kind, fields) in enumerate(_events(speech))
    )


def _events(speech: Speech) -> Iterator[tuple[str, JsonMap]]:
    begun = _response(speech, [], ended=None)
    yield "response.created", {"response": begun}
    yield "response.in_progress", {"response": begun}
    items = _items(speech)
    for index, item in enumerate(items):
        yield from _message(item, index) if item["type"] == "message" else _function(item, index)
        yield "response.output_item.done", {"output_index": index, "item": item}
    ended = _ending(speech.finish)
    yield f"response.{ended['status']}", {"response": _response(speech, items, ended=ended)}


def _message(item: JsonMap, index: int) -> Iterator[tuple[str, JsonMap]]:
    (part,) = list_of(item["content"])
    text = str(part["text"])
    place: JsonMap = {"item_id": item["id"], "output_index": index, "content_index": 0}
    empty: JsonMap = {**item, "status": "in_progress", "content": []}
    yield "response.output_item.added", {"output_index": index, "item": empty}
    yield "response.content_part.added", {**place, "part": {**part, "text": ""}}
    for piece in pieces(text):
        yield "response.output_text.delta", {**place, "delta": piece, "logprobs": []}
    yield "response.output_text.done", {**place, "text": text, "logprobs": []}
    yield "response.content_part.done", {**place, "part": part}


def _function(item: JsonMap, index: int) -> Iterator[tuple[str, JsonMap]]:
    text = str(item["arguments"])
    place: JsonMap = {"item_id": item["id"], "output_index": index}
    empty: JsonMap = {**item, "status": "in_progress", "arguments": ""}
    yield "response.output_item.added", {"output_index": index, "item": empty}
    for piece in pieces(text):
        yield "response.function_call_arguments.delta", {**place, "delta": piece}
    done: JsonMap = {**place, "arguments": text, "name": item["name"]}
    yield "response.function_call_arguments.done", done


def error(kind: str, message: str) -> JsonMap:
    """Return the body of an error."""
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def seen(document: JsonMap) -> SeenReply | None:
    """Read a provider's reply; one that failed is none."""
    if not isinstance(document.get("output"), list) or document.get("status") == "failed":
        return None
    items = list_of(document["output"])
    usage = map_of(document.get("usage"))
    cut = text_of(map_of(document.get("incomplete_details")).get("reason"))
    return SeenReply(
        text="".join(_said(item) for item in items),
        calls=tuple(_seen_call(item) for item in items if item.get("type") in _CALLS),
        finish_reason=cut or text_of(document.get("status")),
        usage=usage_of(
            usage,
            given="input_tokens",
            made="output_tokens",
            cached=map_of(usage.get("input_tokens_details")).get("cached_tokens"),
        ),
        hosted=tuple(_hosted(items)),
        id=text_of(document.get("id")),
    )


def _said(item: JsonMap) -> str:
    if item.get("type") != "message":
        return ""
    parts = list_of(item.get("content"))
    return "".join(text_of(p.get("text")) or text_of(p.get("refusal")) or "" for p in parts)


def _seen_call(item: JsonMap) -> SeenCall:
    given: Json = item.get("arguments", item.get("input"))
    return SeenCall(
        id=text_of(item.get("call_id")) or "",
        name=text_of(item.get("name")) or "",
        args_text=text_of(given) or "",
    )


def _hosted(items: Sequence[JsonMap]) -> Iterator[str]:
    """Name what the provider ran itself: an MCP tool by its name, others by their kind."""
    for item in items:
        kind = str(item.get("type"))
        if kind.endswith("_call") and kind not in (*_OURS, *_CLIENTS):
            yield text_of(item.get("name")) or kind.removesuffix("_call")


def joined(events: Sequence[JsonMap]) -> SeenReply | None:
    """Read a provider's streamed reply: the response that its last event carries whole."""
    last = next((event for event in reversed(events) if event.get("type") in _ENDS), None)
    return None if last is None else seen(map_of(last.get("response")))


def outgoing(body: JsonMap) -> JsonMap:
    """Return the body as a provider shall get it; it tells its usage unasked."""
    return body


def is_surplus(event: JsonMap, body: JsonMap) -> bool:  # noqa: ARG001  one shape for all dialects
    """Whether an event was not asked for; none is."""
    return False


def acts(event: JsonMap) -> bool:
    """Whether an agent may act on an event."""
    kind = event.get("type")
    item = map_of(event.get("item")).get("type")
    quiet = item in ("message", "reasoning")
    return kind in _ENDS or (kind == "response.output_item.added" and not quiet)

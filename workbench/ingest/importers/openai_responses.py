"""OpenAI Responses: a list of items, a request with its response, or a response alone.

Items of one response stand one by one: a text and the calls beside it are one reply. Approvals
of hosted MCP tools are items too: the request is a permission that was asked for, the response
grants or denies it.

Source:
    formats page 2.3, row "OpenAI Responses items"; OpenAI API reference, 2025-09.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from workbench.casefile.place import step_key
from workbench.ingest.events.conversation import tell
from workbench.ingest.events.exchange import read_system, request_facts
from workbench.ingest.events.finish import RunFacts, finished
from workbench.ingest.events.messages import Message, Role, is_item, one_reply_each, read_message
from workbench.ingest.events.transcript import Said, Transcript
from workbench.ingest.events.usage import usage_of
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import as_map, map_in, maps_at, text_in
from workbench.model.canonical import args_digest
from workbench.model.event import Decision, ModelRequest, Permission
from workbench.model.jsonvalue import parse_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.event import Usage
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["FORMAT", "items_in", "permission_from", "read_openai_responses", "tell_items"]

_REQUESTS: Final = (("request", "body"), ("request",), ("body",), ())
_RESPONSES: Final = (("response", "body"), ("response",), ())
_REASONS: Final = {"completed": "stop", "max_output_tokens": "length"}


def read_openai_responses(
    record: Json, *, place: Origin, tools: Sequence[Tool]
) -> tuple[Trace, Losses]:
    """Read one conversation.

    Raises:
        TraceFormatError: an item has no known form.
    """
    script = Transcript()
    if isinstance(record, list):
        tell_items(script, items_in(record, key="", origin=place), origin=place)
        return finished(script, RunFacts(), origin=place, tools=tools)
    request, request_path = _request(record)
    response, response_path = _response(record)
    system = request.get("instructions") or response.get("instructions")
    tell(script, read_system(system, ref=_key(request_path, "instructions"), origin=place))
    sent = request.get("input")
    tell_items(script, items_in(sent, key=_key(request_path, "input"), origin=place), origin=place)
    facts = request_facts({**response, **request})
    if response:
        script.request(
            ModelRequest(
                model=text_in(request, "model"),
                settings=facts.settings,
                offered_tools=facts.offered,
                n_messages=len(sent) if isinstance(sent, list) else None,
                source_ref=_key(request_path, "input"),
            )
        )
        items = items_in(response.get("output"), key=_key(response_path, "output"), origin=place)
        tell_items(
            script,
            items,
            origin=place,
            usage=usage_of(response.get("usage")),
            finish_reason=_finish_reason(response),
        )
    run = RunFacts(
        own_id=_own_id(record),
        session=_session(request),
        model=text_in(response, "model") or text_in(request, "model"),
        prompt=text_in(map_in(request, "prompt"), "version"),
        listed=facts.tools,
    )
    return finished(script, run, origin=place, tools=tools)


def items_in(value: Json, *, key: str, origin: Origin) -> list[tuple[str, JsonMap]]:
    """Return place and value of each item; a text is the one message of a user.

    Raises:
        TraceFormatError: it is no list, or an item is no mapping.
    """
    if isinstance(value, str):
        return [(key, {"role": "user", "content": value})]
    items = [] if value is None else value
    if not isinstance(items, list):
        raise origin.error(key, "is no list of items")
    places = ((step_key(key, at), item) for at, item in enumerate(items))
    return [(ref, as_map(item, key=ref, origin=origin)) for ref, item in places]


def tell_items(
    script: Transcript,
    items: Iterable[tuple[str, JsonMap]],
    *,
    origin: Origin,
    usage: Usage | None = None,
    finish_reason: str | None = None,
) -> None:
    """Add the events of items.

    Args:
        script: receives them.
        items: in their order.
        origin: for errors.
        usage: of the response that the items are, told with its first reply.
        finish_reason: likewise.
    """
    waiting: list[Message] = []
    facts = [(usage, finish_reason)]
    asked: dict[str, JsonMap] = {}
    for ref, item in items:
        kind = text_in(item, "type") or ""
        if not kind.startswith("mcp_approval_"):
            waiting.extend(read_message(item, ref, origin))
            continue
        tell(script, _with_facts(one_reply_each(waiting), facts))
        waiting = []
        asked.update({text_in(item, "id") or "": item} if kind.endswith("request") else {})
        request = asked.get(text_in(item, "approval_request_id") or "", item)
        script.mark(permission_from(item, request, ref=ref))
    tell(script, _with_facts(one_reply_each(waiting), facts))


def permission_from(item: JsonMap, request: JsonMap, *, ref: str) -> Permission:
    """Return what an approval item says.

    Args:
        item: a request for an approval, or the response to one.
        request: the request; the item itself, where it is one or nobody kept it.
        ref: place of the item.
    """
    decision = Decision.ASKED
    if "approve" in item:
        decision = Decision.GRANTED if item["approve"] is True else Decision.DENIED
    arguments = request.get("arguments")
    args = parse_text(arguments).value if isinstance(arguments, str) else arguments
    return Permission(
        decision=decision,
        tool=text_in(request, "name"),
        args_digest=None if args is None else args_digest(args),
        scope=text_in(request, "server_label"),
        actor=None if decision is Decision.ASKED else "user",
        source_ref=ref,
    )


def _with_facts(
    messages: Iterable[Message], facts: list[tuple[Usage | None, str | None]]
) -> Iterator[Message]:
    """Give usage and reason to the first reply; what follows belongs to the same response."""
    for message in messages:
        if message.role is Role.ASSISTANT and facts:
            usage, reason = facts.pop()
            said: Said = replace(
                message.said,
                usage=message.said.usage or usage,
                finish_reason=message.said.finish_reason or reason,
            )
            yield replace(message, said=said)
        else:
            yield message


def _finish_reason(response: JsonMap) -> str | None:
    reason = text_in(map_in(response, "incomplete_details"), "reason") or text_in(
        response, "status"
    )
    return _REASONS.get(reason or "", reason)


def _request(record: Json) -> tuple[JsonMap, tuple[str, ...]]:
    for found, path in maps_at(record, _REQUESTS):
        if isinstance(found.get("input"), str | list):
            return found, path
    return {}, ()


def _response(record: Json) -> tuple[JsonMap, tuple[str, ...]]:
    for found, path in maps_at(record, _RESPONSES):
        if isinstance(found.get("output"), list):
            return found, path
    return {}, ()


def _key(path: tuple[str, ...], name: str) -> str:
    return ".".join((*path, name))


def _session(request: JsonMap) -> str | None:
    conversation = request.get("conversation")
    return conversation if isinstance(conversation, str) else text_in(conversation, "id")


def _own_id(record: Json) -> Json:
    given = text_in(record, "run_id") or text_in(record, "trace_id")
    return given or text_in(_response(record)[0], "id")


def _owns_list(items: Json) -> bool:
    """Whether a list can only be of items: one of them is no message, or all are typed ones."""
    if not isinstance(items, list) or not items:
        return False
    said = [item for item in items if not is_item(item)]
    known = all("role" in map_in(item) and "contents" not in map_in(item) for item in said)
    return known and (len(said) < len(items) or all(map(_is_output_message, said)))


def _is_output_message(item: Json) -> bool:
    return text_in(item, "type") == "message" and "role" in map_in(item)


def _is_responses(record: Json) -> bool:
    if isinstance(record, list):
        return _owns_list(record)
    request, _ = _request(record)
    response, _ = _response(record)
    if not request and not response:
        return False
    if "span_data" in map_in(record) or "$schemaVersion" in map_in(record):
        return False
    items = response.get("output")
    replied = _owns_list(items) or (response.get("object") == "response" and items == [])
    return replied or (not response and _owns_list(request.get("input")))


FORMAT: Final = Format(
    name="openai_responses",
    recognises=_is_responses,
    owns=_is_responses,
    keys=frozenset({"input", "output"}.union(*_REQUESTS, *_RESPONSES)),
    own_id=_own_id,
    read=read_openai_responses,
)

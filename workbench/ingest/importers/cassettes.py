"""HTTP cassettes: requests to model providers with their responses, as VCR records them.

The requests of a cassette are one run: each shows the conversation so far, and with it the results
of the tools. Read are OpenAI chat and Responses, Anthropic messages, Gemini and Bedrock (converse),
plain or streamed; other endpoints are counted and left out.

Source:
    corpus manifest, provider-cassettes; vcrpy 6 and pydantic-ai's own `parsed_body`.
"""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

from workbench.casefile.place import describe, step_key
from workbench.errors import TraceFormatError
from workbench.ingest.events.exchange import read_reply, read_request, read_system, request_facts
from workbench.ingest.events.finish import RunFacts, finished
from workbench.ingest.events.spans import ModelSpan
from workbench.ingest.events.times import Moment
from workbench.ingest.events.transcript import Transcript
from workbench.ingest.events.weave import weave
from workbench.ingest.files.sse import assembled, is_stream, stream_events
from workbench.ingest.records.format import Format
from workbench.ingest.records.parts import read_value
from workbench.ingest.records.shapes import as_map, integer_in, map_in, map_items, text_in
from workbench.model.event import ModelRequest
from workbench.model.trace import Grade, Loss

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["FORMAT", "read_cassette"]

_PATHS: Final = ("/chat/completions", "/responses", "/messages", ":generateContent", "/converse")
_OK: Final = range(200, 300)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Exchange:
    """One request to a model with its response."""

    at: int
    ref: str
    request: JsonMap
    response: JsonMap
    status: int | None
    time: str | None
    whole: bool
    """Whether the response came to its end."""


def read_cassette(record: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read one cassette.

    Raises:
        TraceFormatError: no request in it goes to a known endpoint, or a message has no known
            form.
    """
    body = as_map(record, key="", origin=place)
    items = list(map_items(body.get("interactions"), key="interactions", origin=place))
    calls = [(at, ref, item) for at, (ref, item) in enumerate(items) if _is_model_call(item)]
    if not calls:
        raise place.error(
            "interactions",
            f"holds {len(items)} requests, none of them to a chat endpoint of OpenAI, "
            "Anthropic, Gemini or Bedrock",
        )
    exchanges = [_exchange(at, ref, item, place) for at, ref, item in calls]
    script = Transcript()
    weave(script, [_span(one, place) for one in exchanges])
    failed = sum(one.status is not None and one.status not in _OK for one in exchanges)
    script.counts["replies_missing"] -= min(failed, script.counts["replies_missing"])
    known = [one for one in exchanges if one.response or one.request]
    models = [text_in(one.response, "model") or text_in(one.request, "model") for one in known]
    listed = {tool.name: tool for one in known for tool in request_facts(one.request).tools}
    facts = RunFacts(
        model=next(filter(None, models), None),
        listed=tuple(listed.values()),
        losses=tuple(_losses(exchanges, skipped=len(items) - len(calls), failed=failed)),
    )
    return finished(script, facts, origin=place, tools=tools)


def _losses(exchanges: Sequence[_Exchange], *, skipped: int, failed: int) -> Iterator[Loss]:
    if skipped:
        note = "requests to other endpoints than chats; they are in raw only"
        yield Loss(kind="requests_skipped", count=skipped, note=note)
    if failed:
        note = "requests that the provider refused; no event tells of them"
        yield Loss(kind="requests_failed", count=failed, note=note)
    cut = sum(not one.whole for one in exchanges)
    if cut:
        note = "streams that broke off, or bodies that cannot be read"
        yield Loss(
            kind="replies_cut_off",
            count=cut,
            note=note,
            fix="record these requests again",
            caps=Grade.NEEDS_FIXTURES,
        )


def _uri_path(item: JsonMap) -> str:
    uri = text_in(map_in(item, "request"), "uri") or ""
    return uri.partition("?")[0].rstrip("/")


def _is_model_call(item: JsonMap) -> bool:
    method = (text_in(map_in(item, "request"), "method") or "").upper()
    path = _uri_path(item)
    known = path.endswith(_PATHS) and "/threads/" not in path
    return method == "POST" and known


# --- bodies ------------------------------------------------------------------


def _exchange(at: int, ref: str, item: JsonMap, origin: Origin) -> _Exchange:
    request, response = map_in(item, "request"), map_in(item, "response")
    sent = _body(request)
    if not isinstance(sent, dict):
        key = step_key(step_key(ref, "request"), "body")
        raise origin.error(key, f"is {describe(sent)}; expected a request in JSON")
    given = _body(response)
    status = integer_in(map_in(response, "status"), "code")
    whole = isinstance(given, dict)
    if isinstance(given, str) and is_stream(given):
        given, whole = assembled(list(stream_events(given)))
    good = status is None or status in _OK
    return _Exchange(
        at=at,
        ref=ref,
        request=sent,
        response=given if isinstance(given, dict) and good else {},
        status=status,
        time=_time(map_in(response, "headers")),
        whole=whole or not good,
    )


def _body(side: JsonMap) -> Json:
    """Return a body as JSON, or its text where it is none."""
    if "parsed_body" in side:
        return side["parsed_body"]
    body = side.get("body")
    text = body if isinstance(body, str) else text_in(body, "string")
    if text is None:
        return body if isinstance(body, dict) and "string" not in body else None
    try:
        return read_value(text)
    except TraceFormatError:
        return text


def _time(headers: JsonMap) -> str | None:
    """Return when the response was sent; its header has seconds only."""
    value = next((value for name, value in headers.items() if name.lower() == "date"), None)
    text = value[0] if isinstance(value, list) and value else value
    try:
        return parsedate_to_datetime(text).isoformat() if isinstance(text, str) else None
    except (ValueError, OverflowError):  # also a year of twenty digits
        return None


# --- spans -------------------------------------------------------------------


def _span(one: _Exchange, origin: Origin) -> ModelSpan:
    sent, given = step_key(one.ref, "request"), step_key(one.ref, "response")
    facts = request_facts(
        {
            **map_in(one.request, "generationConfig"),
            **map_in(one.request, "inferenceConfig"),
            **one.request,
        }
    )
    system = one.request.get("systemInstruction")
    return ModelSpan(
        start=Moment(micros=2 * one.at),
        end=Moment(micros=2 * one.at + 1, text=one.time),
        request=ModelRequest(
            model=text_in(one.request, "model"),
            settings=facts.settings,
            offered_tools=facts.offered,
            source_ref=sent,
        ),
        history=[
            *read_system(system, ref=step_key(sent, "systemInstruction"), origin=origin),
            *read_request(one.request, ref=sent, origin=origin),
        ],
        reply=read_reply(one.response, ref=given, origin=origin),
    )


def _is_cassette(record: Json) -> bool:
    items = map_in(record).get("interactions")
    return (
        isinstance(items, list)
        and bool(items)
        and all("uri" in map_in(item, "request") and "response" in map_in(item) for item in items)
    )


FORMAT: Final = Format(
    name="http_cassette",
    recognises=_is_cassette,
    owns=_is_cassette,
    keys=frozenset({"interactions"}),
    read=read_cassette,
)

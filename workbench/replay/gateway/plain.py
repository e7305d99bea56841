"""The plain JSON dialect: `POST /model`, `/tools/<name>` and `/events`, for any language."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from workbench.casefile.codec import encode
from workbench.casefile.place import describe
from workbench.errors import InputError
from workbench.model.event import Outcome
from workbench.model.jsonvalue import ABSENT, Absent, Json, JsonMap
from workbench.replay.asked import reported_results
from workbench.replay.exchange import ModelAsk, arguments_of
from workbench.replay.gateway.composed import ANTHROPIC_VERSION, compose
from workbench.replay.gateway.live_model import Exchange, ask_live
from workbench.replay.gateway.names import plain_name
from workbench.replay.gateway.scripted_model import call_arguments, no_reply
from workbench.replay.gateway.wire import Request, Response, json_response
from workbench.replay.matching import Miss, canonical_tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.model.case import Fixture
    from workbench.model.event import CallError, Usage
    from workbench.replay.gateway.provider import Connections
    from workbench.replay.live import Upstream
    from workbench.replay.matching import Answered
    from workbench.replay.trial import Trial

__all__ = ["answer_events", "answer_model", "answer_tool", "tool_document"]


def answer_model(trial: Trial, body: Json, connections: Connections) -> Response:
    """Give the next reply of the script or of the live model."""
    messages = body.get("messages") if isinstance(body, dict) else None
    if not isinstance(body, dict) or not isinstance(messages, list):
        raise InputError("the body has no list `messages`", fix='send {"messages": [...]}')
    asked = ModelAsk(
        messages=len(messages),
        results=reported_results(messages),
        offered=_offered(body.get("tools")),
        model=None if trial.upstream is None else trial.upstream.model,
    )
    if trial.upstream is not None:
        return _live(trial, trial.upstream, body, asked, connections)
    reply = trial.model(asked)
    if reply is None:
        return no_reply(trial)
    if reply.error is not None:
        return _failed(reply.error)
    calls = [(call_id, call.name, call_arguments(call)) for call_id, call in reply.calls]
    turn = reply.turn
    return _reply(trial, asked, reply.text, calls, finish=turn.finish_reason, usage=turn.usage)


def _live(
    trial: Trial, upstream: Upstream, body: JsonMap, asked: ModelAsk, connections: Connections
) -> Response:
    """Ask the live model in its provider's dialect."""
    dialect, composed = compose(trial, upstream, body)
    exchange = Exchange(
        trial=trial,
        upstream=upstream,
        dialect=dialect,
        connections=connections,
        request=Request(
            method="POST",
            path="model",
            headers={"content-type": "application/json", "anthropic-version": ANTHROPIC_VERSION},
            raw=json.dumps(composed).encode(),
        ),
        body=composed,
    )
    response, seen = ask_live(exchange, asked)
    if seen is None:
        return response
    calls = [
        (call.id, canonical_tool(trial.case, call.name), arguments_of(call.args_text))
        for call in seen.calls
    ]
    return _reply(trial, asked, seen.text, calls, finish=seen.finish_reason, usage=seen.usage)


def _offered(tools: Json) -> tuple[str, ...] | None:
    if tools is None:
        return None
    if not isinstance(tools, list):
        raise InputError(f"`tools` is {describe(tools)}; expected a list")
    return tuple(name for tool in tools if (name := _name(tool)) is not None)


def _name(tool: Json) -> str | None:
    """Read a tool's name: a text, `{name}`, or `{function: {name}}`."""
    if isinstance(tool, dict):
        return _name(tool["function"] if "function" in tool else tool.get("name"))
    return tool if isinstance(tool, str) else None


def _failed(error: CallError) -> Response:
    body: Json = {"error": {"message": error.message or "", "type": error.type or "recorded"}}
    if not isinstance(error.body, Absent):
        body = error.body
    status = error.status if error.status is not None and error.status >= 400 else 500
    return json_response(body, status=status, headers=error.headers)


def _reply(
    trial: Trial,
    asked: ModelAsk,
    text: str,
    calls: Sequence[tuple[str, str, Json]],
    *,
    finish: str | None,
    usage: Usage | None,
) -> Response:
    """Write a reply; its calls are given as id, canonical tool and arguments."""
    requests: list[Json] = [
        {"id": call_id, "name": plain_name(trial.case, tool, asked.offered or ()), "args": args}
        for call_id, tool, args in calls
    ]
    plain = "tool_calls" if requests else "stop"
    found: JsonMap = {"text": text, "tool_calls": requests, "finish_reason": finish or plain}
    if usage is not None:
        found["usage"] = encode(usage)
    return json_response(found)


def answer_tool(trial: Trial, name: str, body: Json, *, call_id: str | None) -> Response:
    """Answer a tool call from a fixture, or refuse it."""
    answer = trial.tool(name, body, call_id=call_id)
    document = tool_document(answer)
    if isinstance(answer, Miss):
        return json_response(document, status=424, headers={"x-should-retry": "false"})
    return json_response(document)


def tool_document(answer: Answered | Miss) -> JsonMap:
    """Return how a call ended: `{outcome, result | error, ...}`."""
    return _refused(answer) if isinstance(answer, Miss) else _ended(answer.fixture)


def _refused(miss: Miss) -> JsonMap:
    error: JsonMap = {"type": miss.outcome.value, "message": miss.explanation}
    if miss.nearest is not None:
        error["nearest"] = miss.nearest
        error["differs_at"] = list(miss.differs_at)
    return {"outcome": miss.outcome.value, "error": error}


def _ended(fixture: Fixture) -> JsonMap:
    found: JsonMap = {"outcome": fixture.outcome.value}
    if fixture.detail is not None:
        found["detail"] = fixture.detail
    if fixture.operation_id is not None:
        found["operation_id"] = fixture.operation_id
    if not isinstance(fixture.result, Absent):
        found["result"] = fixture.result
    if fixture.error is not None:
        found["error"] = encode(fixture.error)
    elif fixture.outcome is not Outcome.OK:
        found["error"] = {"type": fixture.detail or fixture.outcome.value}
    return found


def answer_events(trial: Trial, body: Json) -> Response:
    """Record what the agent reports of itself."""
    events = body.get("events", ABSENT) if isinstance(body, dict) else ABSENT
    if not isinstance(events, list):
        raise InputError("the body has no list `events`", fix='send {"events": [...]}')
    trial.report(events)
    return json_response({"recorded": len(events)})

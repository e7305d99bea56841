"""The plain JSON dialect: `POST /model`, `/tools/<name>` and `/events`, for any language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.casefile.codec import encode
from workbench.casefile.place import describe
from workbench.errors import InputError
from workbench.model.event import Outcome
from workbench.model.jsonvalue import ABSENT, Absent, Json, JsonMap
from workbench.replay.asked import reported_results
from workbench.replay.exchange import ModelAsk
from workbench.replay.gateway.names import plain_name
from workbench.replay.gateway.scripted_model import call_arguments, no_reply
from workbench.replay.gateway.wire import Response, json_response
from workbench.replay.matching import Miss

if TYPE_CHECKING:
    from workbench.model.case import Fixture
    from workbench.model.event import CallError
    from workbench.replay.exchange import ScriptedReply
    from workbench.replay.matching import Answered
    from workbench.replay.trial import Trial

__all__ = ["answer_events", "answer_model", "answer_tool", "tool_document"]


def answer_model(trial: Trial, body: Json) -> Response:
    """Give the scripted model's next reply."""
    messages = body.get("messages") if isinstance(body, dict) else None
    if not isinstance(body, dict) or not isinstance(messages, list):
        raise InputError("the body has no list `messages`", fix='send {"messages": [...]}')
    offered = _offered(body.get("tools"))
    asked = ModelAsk(messages=len(messages), results=reported_results(messages), offered=offered)
    reply = trial.model(asked)
    if reply is None:
        return no_reply(trial)
    if reply.error is not None:
        return _failed(reply.error)
    return json_response(_reply(trial, reply, offered or ()))


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


def _reply(trial: Trial, reply: ScriptedReply, offered: tuple[str, ...]) -> JsonMap:
    calls: list[Json] = [
        {
            "id": call_id,
            "name": plain_name(trial.case, call.name, offered),
            "args": call_arguments(call),
        }
        for call_id, call in reply.calls
    ]
    finish = reply.turn.finish_reason or ("tool_calls" if calls else "stop")
    found: JsonMap = {"text": reply.text, "tool_calls": calls, "finish_reason": finish}
    if reply.turn.usage is not None:
        found["usage"] = encode(reply.turn.usage)
    return found


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

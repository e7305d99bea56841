"""The scripted model in the words of any dialect: the n-th request gets the n-th reply."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from workbench.model.event import Usage
from workbench.model.jsonvalue import Absent
from workbench.replay.gateway.dialect import Speech, SpokenCall, finish_of
from workbench.replay.gateway.names import api_name
from workbench.replay.gateway.wire import Response, json_response, refusal

if TYPE_CHECKING:
    from workbench.model.case import ScriptedCall
    from workbench.model.event import CallError
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.replay.exchange import ModelAsk, ScriptedReply
    from workbench.replay.gateway.dialect import Dialect
    from workbench.replay.gateway.wire import Request
    from workbench.replay.trial import Trial

__all__ = ["answer_scripted", "call_arguments", "count_tokens", "list_models", "no_reply"]

_SSE: Final = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
_AT_ONCE: Final = "retry-after-ms"
_MODEL: Final = "replay"


def answer_scripted(trial: Trial, dialect: Dialect, body: JsonMap) -> Response:
    """Give the next reply of the script.

    Raises:
        InputError: the body is no request of the dialect.
    """
    asked = dialect.read(body)
    reply = trial.model(asked)
    if reply is None:
        return no_reply(trial)
    if reply.error is not None:
        return _failed(dialect, reply.error)
    speech = _speech(trial, asked, reply)
    if body.get("stream") is True:
        return Response(status=200, body=dialect.stream(speech, body), headers=dict(_SSE))
    return json_response(dialect.document(speech))


def no_reply(trial: Trial) -> Response:
    """Refuse a request that the trial has no reply for."""
    kind = "stopped" if trial.stopped.is_set() else "script_exhausted"
    return refusal(kind, "no reply is left for this request")


def _failed(dialect: Dialect, error: CallError) -> Response:
    """Fail a request as it failed in the incident.

    Clients of the big providers wait before they try again. They are told that a millisecond will
    do: the time that passed in the incident is no part of a replay. What was recorded is sent too.
    """
    body: Json = dialect.error(error.type or "recorded", error.message or "")
    if not isinstance(error.body, Absent):
        body = error.body
    status = error.status if error.status is not None and 400 <= error.status < 600 else 500
    return json_response(body, status=status, headers={_AT_ONCE: "1", **error.headers})


def count_tokens(request: Request) -> Response:
    """Say how long a prompt is; nobody recorded it, so by the rule of thumb of four bytes each."""
    return json_response({"input_tokens": len(request.raw) // 4})


def list_models(trial: Trial) -> Response:
    """List the one model that there is, in the fields that clients of either family read."""
    found = (trial.case.environment or {}).get("model")
    model = found if isinstance(found, str) else _MODEL
    entry: JsonMap = {
        "id": model,
        "object": "model",
        "created": 0,
        "owned_by": _MODEL,
        "type": "model",
        "display_name": model,
        "created_at": "2000-01-01T00:00:00Z",
    }
    return json_response({"object": "list", "data": [entry], "has_more": False})


def _speech(trial: Trial, asked: ModelAsk, reply: ScriptedReply) -> Speech:
    calls = tuple(
        _spoken(call, call_id, api_name(trial.case, call.name, asked.offered or ()))
        for call_id, call in reply.calls
    )
    return Speech(
        number=reply.number,
        model=asked.model or _MODEL,
        text=reply.text,
        calls=calls,
        finish=finish_of(reply.turn.finish_reason, calls=calls),
        usage=reply.turn.usage or Usage(),
    )


def _spoken(call: ScriptedCall, call_id: str, name: str) -> SpokenCall:
    args = call_arguments(call)
    text = call.args_raw
    if text is None:
        text = json.dumps(args, separators=(",", ":"))
    return SpokenCall(id=call_id, name=name, args=args, args_text=text)


def call_arguments(call: ScriptedCall) -> Json:
    """Return a call's arguments; the text of those that are not JSON."""
    if call.args_raw is not None:
        return call.args_raw
    return {} if isinstance(call.args, Absent) else call.args

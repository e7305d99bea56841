"""The gateway as the API of a model provider: replies, and what clients ask beside them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.replay.gateway import chat, messages, responses
from workbench.replay.gateway.live_model import Exchange, answer_live, forward
from workbench.replay.gateway.scripted_model import answer_scripted, count_tokens, list_models
from workbench.replay.gateway.wire import Response, read_object, refusal

if TYPE_CHECKING:
    from workbench.replay.gateway.dialect import Dialect
    from workbench.replay.gateway.provider import Connections
    from workbench.replay.gateway.wire import Request
    from workbench.replay.trial import Trial

__all__ = ["DIALECTS", "answer_api", "is_listing"]

DIALECTS: Final[dict[str, Dialect]] = {
    chat.PATH: chat,
    responses.PATH: responses,
    messages.PATH: messages,
}
"""By the end of the path. What comes before it differs between clients of one API."""

_MODELS: Final = "models"
_COUNT_TOKENS: Final = "messages/count_tokens"
_BEFORE: Final = re.compile(r"(?:(?:v1|openai|anthropic|deployments/[^/]+)/)*")
_EXPECTED: Final = f"model, events, mcp, tools/<name>, v1/{', v1/'.join(DIALECTS)}"


def is_listing(path: str) -> bool:
    """Whether a path is the list of models, which is asked for by GET."""
    return _place(path) == _MODELS


def answer_api(trial: Trial, request: Request, connections: Connections) -> Response:
    """Answer one request as a provider does, or as the run's provider itself does.

    Raises:
        InputError: the body is no request of its dialect.
    """
    place = _place(request.path)
    if place in (_MODELS, _COUNT_TOKENS):
        return _answer_beside(trial, request, connections)
    if place not in DIALECTS:
        return refusal("unknown_endpoint", f"expected {_EXPECTED} below the run", status=501)
    dialect, body = DIALECTS[place], read_object(request.raw)
    if trial.upstream is None:
        return answer_scripted(trial, dialect, body)
    exchange = Exchange(
        trial=trial,
        upstream=trial.upstream,
        dialect=dialect,
        connections=connections,
        request=request,
        body=body,
    )
    return answer_live(exchange, dialect.read(body))


def _answer_beside(trial: Trial, request: Request, connections: Connections) -> Response:
    """Answer what clients ask beside replies: which models there are, how long a prompt is."""
    place = _place(request.path)
    if trial.upstream is None:
        return list_models(trial) if place == _MODELS else count_tokens(request)
    exchange = Exchange(
        trial=trial,
        upstream=trial.upstream,
        dialect=messages if "anthropic/" in request.path or place == _COUNT_TOKENS else chat,
        connections=connections,
        request=request,
        body={},
    )
    return forward(exchange, place)


def _place(path: str) -> str:
    """Return a path below a run without what clients put before it."""
    before = _BEFORE.match(path)
    return path if before is None else path[before.end() :]

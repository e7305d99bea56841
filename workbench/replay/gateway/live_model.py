"""A live model behind any dialect: the request goes to the provider, the reply is recorded.

The agent gets what the provider sent. A reply is recorded before the agent can act on it: events
of a stream that an agent may act on are held back until the provider has ended it.
"""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from workbench.replay.gateway.dialect import map_of
from workbench.replay.gateway.provider import ProviderDown
from workbench.replay.gateway.wire import BrokenStream, Response, json_response, refusal

if TYPE_CHECKING:
    from collections.abc import Generator

    from workbench.model.jsonvalue import JsonMap
    from workbench.replay.exchange import ModelAsk, SeenReply
    from workbench.replay.gateway.dialect import Dialect
    from workbench.replay.gateway.provider import Connections, ProviderAnswer
    from workbench.replay.gateway.wire import Request
    from workbench.replay.live import Upstream
    from workbench.replay.trial import Trial

__all__ = ["Exchange", "answer_live", "ask_live", "forward"]

_BAD_GATEWAY: Final = 502
_FAILED: Final = 300
_LEAST_S: Final = 0.1
_NO_REPLY: Final = "the provider answered with what is no reply of its own protocol"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One model request of a live trial."""

    trial: Trial
    upstream: Upstream
    dialect: Dialect
    connections: Connections
    request: Request
    """As the agent sent it, or as it would have in this dialect."""
    body: JsonMap
    """Of the request, as read."""

    @property
    def digest(self) -> bytes:
        """What a repetition of the request has too."""
        return hashlib.sha256(self.request.raw).digest()

    @property
    def until(self) -> float:
        """When the trial's time is up, of `time.monotonic`."""
        return time.monotonic() + self.trial.seconds_left

    def send(self, path: str, request: Request) -> ProviderAnswer:
        """Send a request to the provider that speaks the dialect.

        Raises:
            ProviderDown: there is none, or it does not answer.
        """
        provider = self.upstream.provider(self.dialect.FAMILY)
        if provider is None:
            raise ProviderDown(f"this run has no {self.dialect.FAMILY} provider")
        seconds = max(_LEAST_S, min(self.upstream.timeout_s, self.trial.seconds_left))
        return self.connections.send(provider, path, request, timeout_s=seconds)

    def down(self, error: ProviderDown) -> Response:
        """Tell the agent that the provider is down."""
        body = self.dialect.error("provider_error", str(error))
        return json_response(body, status=_BAD_GATEWAY)

    def fail(self, sentence: str) -> None:
        """Note that no reply came."""
        self.trial.provider_failed(sentence, request=self.digest)

    def record(self, seen: SeenReply | None) -> None:
        """Record a reply, or that what came is none."""
        if seen is None:
            self.fail(_NO_REPLY)
        else:
            self.trial.replied(seen, request=self.digest)


def answer_live(exchange: Exchange, asked: ModelAsk) -> Response:
    """Pass a request on and its answer back, in one document or event by event."""
    answer = _asked(exchange, asked)
    if isinstance(answer, Response):
        return answer
    if answer.is_stream and answer.status < _FAILED:
        pieces = _streamed(exchange, answer)
        return Response(status=answer.status, headers=answer.headers, stream=pieces)
    return _whole(exchange, answer)[0]


def ask_live(exchange: Exchange, asked: ModelAsk) -> tuple[Response, SeenReply | None]:
    """Pass a request on that wants one document; return the answer, and the reply if it is one."""
    answer = _asked(exchange, asked)
    return (answer, None) if isinstance(answer, Response) else _whole(exchange, answer)


def _asked(exchange: Exchange, asked: ModelAsk) -> ProviderAnswer | Response:
    """Send a model request; a response: it cannot be sent."""
    if not exchange.trial.ask(asked):
        return refusal("stopped", "this run has ended")
    body = exchange.dialect.outgoing(exchange.body)
    request = exchange.request
    if body is not exchange.body:
        request = replace(request, raw=json.dumps(body).encode())
    try:
        return exchange.send(exchange.dialect.PATH, request)
    except ProviderDown as error:
        exchange.fail(str(error))
        return exchange.down(error)


def _whole(exchange: Exchange, answer: ProviderAnswer) -> tuple[Response, SeenReply | None]:
    try:
        with closing(answer):
            raw = answer.whole(until=exchange.until)
    except ProviderDown as error:
        exchange.fail(str(error))
        return exchange.down(error), None
    response = Response(status=answer.status, headers=answer.headers, body=raw)
    if answer.status >= _FAILED:
        exchange.fail(f"the provider answered with status {answer.status}")
        return response, None
    seen = exchange.dialect.seen(_document(raw))
    exchange.record(seen)
    return response, seen


def _streamed(exchange: Exchange, answer: ProviderAnswer) -> Generator[bytes]:
    """Pass events on as they come; hold back those that may be acted on until all is recorded."""
    dialect = exchange.dialect
    seen: list[JsonMap] = []
    held: list[bytes] = []
    with closing(answer):
        try:
            for came in answer.events(until=exchange.until):
                free: list[bytes] = []
                for raw in came:
                    event = _document(_data(raw))
                    seen.append(event)
                    if not dialect.is_surplus(event, exchange.body):
                        (held if held or dialect.acts(event) else free).append(raw)
                yield b"".join(free)
        except ProviderDown as error:
            exchange.fail(str(error))
            yield b"".join(held)
            raise BrokenStream from error
        except GeneratorExit:
            exchange.fail("the agent hung up before the reply had ended")
            raise
        exchange.record(dialect.joined(seen))
    yield b"".join(held)


def _data(event: bytes) -> bytes:
    """Return the data of a server-sent event."""
    lines = [line[5:].strip() for line in event.splitlines() if line.startswith(b"data:")]
    return b"\n".join(lines)


def _document(raw: bytes) -> JsonMap:
    """Read an object; an empty one of anything else, such as `[DONE]`."""
    try:
        return map_of(json.loads(raw))
    except (ValueError, RecursionError):
        return {}


def forward(exchange: Exchange, path: str) -> Response:
    """Pass a request on that asks no model; nothing of it is recorded."""
    try:
        answer = exchange.send(path, exchange.request)
        with closing(answer):
            raw = answer.whole(until=exchange.until)
    except ProviderDown as error:
        return exchange.down(error)
    return Response(status=answer.status, headers=answer.headers, body=raw)

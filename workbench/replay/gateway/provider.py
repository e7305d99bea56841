"""The way out of a live trial: HTTP to a model provider, and to nothing else.

The key is put on at the last moment and taken out of everything that comes back: a provider that
repeats it in an error must not hand it to an agent, whose process never has it.
"""

from __future__ import annotations

import select
import threading
import time
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from workbench.errors import InputError
from workbench.replay.live import Family

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from workbench.replay.gateway.wire import Request
    from workbench.replay.live import Provider

__all__ = ["Connections", "ProviderAnswer", "ProviderDown"]

_PASSED_ON: Final = frozenset(
    {
        *("accept", "content-type", "anthropic-version", "anthropic-beta"),
        *("openai-beta", "openai-organization", "openai-project", "idempotency-key"),
    }
)
"""Headers of an agent's request that a provider gets."""
_KEPT_BACK: Final = frozenset(
    {
        *("connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding"),
        *("set-cookie", "trailer", "upgrade", "proxy-authenticate", "date", "server"),
    }
)
"""Headers of a provider's answer that an agent does not get."""
_ROOTS: Final = {Family.OPENAI: "", Family.ANTHROPIC: "v1/"}
"""What clients of a family put between its base URL and a path."""
_OWN_HOSTS: Final = ("localhost", "127.0.0.1", "::1")
_READ_BYTES: Final = 65_536
_LIMIT_BYTES: Final = 64 * 1024 * 1024
_IDLE: Final = 8
_HIDDEN: Final = b"***"


class ProviderDown(Exception):  # noqa: N818  counted as an infrastructure error, never raised on
    """A provider cannot be reached or broke off; the sentence says how, without any address."""


class Connections:
    """Open connections to providers, shared by all trials of a server; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: dict[tuple[str, str], list[HTTPConnection]] = {}

    def send(
        self, provider: Provider, path: str, request: Request, *, timeout_s: float
    ) -> ProviderAnswer:
        """Send a request and wait for the head of the answer.

        Args:
            provider: where to.
            path: below the version of its API.
            request: its method, query, headers and body go out, with the provider's key.
            timeout_s: without a byte.

        Raises:
            ProviderDown: no answer came, or there is no key to ask with.
        """
        try:
            key = provider.key()
        except InputError as error:
            raise ProviderDown(str(error)) from None
        parts = urlsplit(provider.base_url)
        query = f"?{request.query}" if request.query else ""
        target = f"{parts.path.rstrip('/')}/{_ROOTS[provider.family]}{path}{query}"
        connection = self._open(parts.scheme, parts.netloc, timeout_s=timeout_s)
        try:
            headers = _headers(provider.family, key, request.headers)
            connection.request(request.method, target, request.raw or None, headers)
            response = connection.getresponse()
        except TimeoutError:
            connection.close()
            raise ProviderDown("the provider did not answer in time") from None
        except (OSError, HTTPException) as error:
            connection.close()
            kind = type(error).__name__
            raise ProviderDown(f"the provider cannot be reached ({kind})") from None
        return ProviderAnswer(
            response, connection, self, place=(parts.scheme, parts.netloc), key=key
        )

    def keep(self, place: tuple[str, str], connection: HTTPConnection) -> None:
        """Take a connection back whose answer was read to its end."""
        with self._lock:
            idle = self._idle.setdefault(place, [])
            if len(idle) < _IDLE:
                idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        """Close every idle connection."""
        with self._lock:
            for idle in self._idle.values():
                for connection in idle:
                    connection.close()
            self._idle.clear()

    def _open(self, scheme: str, netloc: str, *, timeout_s: float) -> HTTPConnection:
        while True:
            with self._lock:
                idle = self._idle.get((scheme, netloc))
                connection = idle.pop() if idle else None
            if connection is None:
                return _connection(scheme, netloc, timeout_s=timeout_s)
            if not _is_closed(connection):
                connection.timeout = timeout_s
                connection.sock.settimeout(timeout_s)
                return connection
            connection.close()


def _is_closed(connection: HTTPConnection) -> bool:
    """Whether the other side has hung up: an idle connection has nothing to say."""
    return connection.sock is None or bool(select.select([connection.sock], [], [], 0)[0])


def _connection(scheme: str, netloc: str, *, timeout_s: float) -> HTTPConnection:
    """Return a new connection, through the proxy that this machine uses for its address."""
    proxy = _proxy(scheme, netloc)
    kind = HTTPSConnection if scheme == "https" else HTTPConnection
    if proxy is None:
        return kind(netloc, timeout=timeout_s)
    connection = kind(urlsplit(proxy).netloc.rpartition("@")[2], timeout=timeout_s)
    connection.set_tunnel(netloc)
    return connection


def _proxy(scheme: str, netloc: str) -> str | None:
    """Return the proxy that our own environment names; none leads to this machine itself."""
    import urllib.request  # noqa: PLC0415  only live trials need it

    host = urlsplit(f"//{netloc}").hostname or ""
    if host in _OWN_HOSTS or urllib.request.proxy_bypass(netloc):
        return None
    return urllib.request.getproxies().get(scheme)


def _headers(family: Family, key: str, given: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in given.items() if name in _PASSED_ON}
    own = {"authorization": f"Bearer {key}"} if family is Family.OPENAI else {"x-api-key": key}
    return {**kept, **own}


class ProviderAnswer:
    """What a provider answers; its body is read once, whole or in pieces."""

    def __init__(
        self,
        response: HTTPResponse,
        connection: HTTPConnection,
        connections: Connections,
        *,
        place: tuple[str, str],
        key: str,
    ) -> None:
        self._response = response
        self._connection = connection
        self._connections = connections
        self._place = place
        self._key = key.encode()
        self._is_whole = False
        self.status = response.status
        self.headers = {
            name.lower(): self._clean(value.encode("latin-1", "replace")).decode("latin-1")
            for name, value in response.getheaders()
            if name.lower() not in _KEPT_BACK
        }

    @property
    def is_stream(self) -> bool:
        """Whether server-sent events come."""
        return self.headers.get("content-type", "").startswith("text/event-stream")

    def pieces(self, *, until: float) -> Iterator[bytes]:
        """Read the body as it comes.

        Args:
            until: of `time.monotonic`; then the trial's time is up.

        Raises:
            ProviderDown: the provider broke off, fell silent, or sends without end.
        """
        size = 0
        try:
            while piece := self._response.read1(_READ_BYTES):
                size += len(piece)
                if size > _LIMIT_BYTES:
                    raise ProviderDown("the provider sends without end")
                yield piece
                if time.monotonic() > until:
                    raise ProviderDown("the provider did not finish in time")
            if self._response.length:  # it promised more
                raise ProviderDown("the provider broke off in the middle of an answer")
            self._is_whole = True
        except TimeoutError:
            raise ProviderDown("the provider fell silent in the middle of an answer") from None
        except (OSError, HTTPException):
            raise ProviderDown("the provider broke off in the middle of an answer") from None

    def whole(self, *, until: float) -> bytes:
        """Read the body to its end, without the key; raises as `pieces`."""
        return self._clean(b"".join(self.pieces(until=until)))

    def events(self, *, until: float) -> Iterator[list[bytes]]:
        """Read server-sent events as they come, each with the empty line behind it.

        Those that came together are given together; raises as `pieces`.
        """
        rest = b""
        for piece in self.pieces(until=until):
            rest = (rest + piece).replace(b"\r\n", b"\n")
            *whole, rest = rest.split(b"\n\n")
            yield [self._clean(event + b"\n\n") for event in whole]
        if rest.strip():
            yield [self._clean(rest)]

    def close(self) -> None:
        """Give the connection back when all was read, else close it."""
        self._response.close()
        if self._is_whole and not self._response.will_close:
            self._connections.keep(self._place, self._connection)
        else:
            self._connection.close()

    def _clean(self, raw: bytes) -> bytes:
        return raw.replace(self._key, _HIDDEN)

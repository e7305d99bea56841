"""The HTTP edge: a standard-library server on loopback around the core."""

from __future__ import annotations

import re
import socket
import threading
from contextlib import ExitStack, closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeVar, cast
from urllib.parse import quote

from workbench.replay.gateway.core import Gateway
from workbench.replay.gateway.wire import LIMIT_BYTES, BrokenStream, Response, refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from contextlib import AbstractContextManager

__all__ = ["GatewayServer", "serve"]

_Kept = TypeVar("_Kept")

_IDLE_S: Final = 120
_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_OURS: Final = ("content-length", "transfer-encoding", "connection")
_POLL_S: Final = 0.02


class _Server(ThreadingHTTPServer):
    """Serves the core; its threads never keep the process alive."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 256
    gateway: Gateway

    def handle_error(self, request: object, client_address: object) -> None:
        """Drop a connection that broke: the client's end is judged by what it did before."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 65_536
    timeout = _IDLE_S
    server: _Server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing: paths and bodies are trace text."""

    def _any(self) -> None:
        raw = self._body()
        if raw is None:
            self._send(refusal("bad_request", "the body cannot be read", status=400))
            self.close_connection = True
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        self._send(self.server.gateway.handle(self.command, self.path, headers, raw))

    def _body(self) -> bytes | None:
        """Read the body by its length or in chunks; None: neither, or too large."""
        if "chunked" in (self.headers.get("transfer-encoding") or "").lower():
            return self._chunks()
        length = self.headers.get("content-length") or "0"
        if not length.isdecimal() or int(length) > LIMIT_BYTES:
            return None
        return self.rfile.read(int(length))

    def _chunks(self) -> bytes | None:
        found = bytearray()
        while True:
            try:
                size = int(self.rfile.readline(64).partition(b";")[0], 16)
            except ValueError:
                return None
            if size < 0 or len(found) + size > LIMIT_BYTES:
                return None
            found += self.rfile.read(size)
            self.rfile.readline(64)
            if size == 0:
                return bytes(found)

    def _send(self, response: Response) -> None:
        self.send_response(response.status)
        for name, value in response.headers.items():
            if _NAME.fullmatch(name) and name.lower() not in _OURS:
                self.send_header(name, _one_line(value))
        if response.stream is not None:
            self._send_stream(response.body, response.stream)
            return
        self.send_header("content-length", str(len(response.body)))
        self.end_headers()
        self.wfile.write(response.body)
        self.wfile.flush()

    def _send_stream(self, first: bytes, pieces: Generator[bytes]) -> None:
        """Send pieces as they come: in chunks, or to a client of HTTP/1.0 until the end."""
        chunked = self.request_version != "HTTP/1.0"
        self.send_header(
            *(("transfer-encoding", "chunked") if chunked else ("connection", "close"))
        )
        self.end_headers()
        with closing(pieces):  # a client that hangs up ends what makes them
            try:
                for piece in filter(None, chain((first,), pieces)):
                    self.wfile.write(_chunk(piece) if chunked else piece)
                    self.wfile.flush()
            except BrokenStream:
                self.close_connection = True
                return
        self.wfile.write(_chunk(b"") if chunked else b"")
        self.wfile.flush()

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _any  # noqa: N815  names of the library


def _chunk(piece: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(piece), piece)


def _one_line(value: str) -> str:
    """Keep a recorded header from ending the header block."""
    plain = value.encode("latin-1", "replace").decode("latin-1")
    return plain.replace("\r", " ").replace("\n", " ")


class GatewayServer:
    """A running server; `adopt` adds the listening socket of another network namespace."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self._server = _started(gateway, socket.create_server(("127.0.0.1", 0), backlog=256))
        self.port: int = self._server.server_address[1]
        self._kept: dict[object, object] = {}
        self._stack = ExitStack()

    def base_url(self, run_id: str) -> str:
        """Return the URL under which an agent finds its run."""
        return f"http://127.0.0.1:{self.port}/r/{quote(run_id, safe='')}"

    @contextmanager
    def adopt(self, listener: socket.socket) -> Iterator[None]:
        """Serve a second listening socket as long as the block runs; closes it."""
        server = _started(self.gateway, listener)
        try:
            yield
        finally:
            _stop(server)

    def keep(self, key: object, start: Callable[[], AbstractContextManager[_Kept]]) -> _Kept:
        """Return what `start` gave the first time; it ends when the server closes.

        For what serves many trials, such as an agent's process that stays.
        """
        if key not in self._kept:
            self._kept[key] = self._stack.enter_context(start())
        return cast("_Kept", self._kept[key])

    def close(self) -> None:
        """End what was kept, stop serving and free the port."""
        try:
            self._stack.close()
        finally:
            _stop(self._server)
            self.gateway.hang_up()


def _started(gateway: Gateway, listener: socket.socket) -> _Server:
    server = _Server(("127.0.0.1", 0), _Handler, bind_and_activate=False)
    server.socket.close()
    server.socket = listener
    server.server_address = listener.getsockname()
    server.gateway = gateway
    threading.Thread(target=server.serve_forever, args=(_POLL_S,), daemon=True).start()
    return server


def _stop(server: _Server) -> None:
    server.shutdown()
    server.server_close()


@contextmanager
def serve() -> Iterator[GatewayServer]:
    """Run one gateway on a free port of loopback as long as the block runs."""
    server = GatewayServer(Gateway())
    try:
        yield server
    finally:
        server.close()

"""A stand-in for a model provider on loopback, which answers as a test says."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from workbench.replay.gateway import chat, messages, responses
from workbench.replay.live import Family, Provider, Upstream

KEY_ENV = "STAND_IN_PROVIDER_KEY"
KEY = "sk-stand-in-7f3a91c2"
DIALECTS = {
    "/v1/chat/completions": chat,
    "/v1/responses": responses,
    "/v1/messages": messages,
}


@dataclass
class Said:
    """One answer: a speech in the dialect asked for, or raw bytes."""

    speech: Any = None
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    pieces: tuple[bytes, ...] | None = None
    """Sent in chunks instead of a body."""
    breaks: bool = False
    """The connection ends without the end of the answer."""
    wait_s: float = 0
    """Before the head."""
    pause_s: float = 0
    """Before each piece."""


@dataclass
class StandIn:
    """What it will say and what it was asked."""

    answers: list[Said]
    asked: list[tuple[str, str, dict[str, str], Any]] = field(default_factory=list)
    """Method, path, headers and body."""
    connections: set[Any] = field(default_factory=set)
    port: int = 0

    def upstream(self, *, model=None, timeout_s=10, families=tuple(Family)):
        """Return the upstream that leads here, for both families."""
        roots = {Family.OPENAI: "/v1", Family.ANTHROPIC: ""}
        return Upstream(
            providers=tuple(
                Provider(
                    family=family,
                    base_url=f"http://127.0.0.1:{self.port}{roots[family]}",
                    key_env=KEY_ENV,
                )
                for family in families
            ),
            model=model,
            timeout_s=timeout_s,
        )


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    stand_in: StandIn

    def handle_error(self, request, client_address):
        """Somebody hung up, as tests do."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 65_536
    server: _Server

    def log_message(self, *args):
        """Log nothing."""

    def _any(self):
        stand_in = self.server.stand_in
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        body = json.loads(raw) if raw else None
        headers = {name.lower(): value for name, value in self.headers.items()}
        stand_in.asked.append((self.command, self.path, headers, body))
        stand_in.connections.add(self.client_address)
        self._answer(stand_in.answers.pop(0), body)

    def _answer(self, said, body):
        time.sleep(said.wait_s)
        headers, raw = dict(said.headers), b""
        if said.speech is not None:
            dialect = DIALECTS[self.path.partition("?")[0]]
            if body.get("stream"):
                headers.setdefault("content-type", "text/event-stream")
                raw = dialect.stream(said.speech, body)
            else:
                raw = json.dumps(dialect.document(said.speech)).encode()
        elif said.body is not None:
            raw = said.body if isinstance(said.body, bytes) else json.dumps(said.body).encode()
        self.send_response(said.status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name, value)
        if said.pieces is None:
            self.send_header("content-length", str(len(raw) + 10 * said.breaks))
            self.end_headers()
            self.wfile.write(raw)
        else:
            self._send_pieces(said)
        self.wfile.flush()
        if said.breaks:
            self.close_connection = True

    def _send_pieces(self, said):
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        self.wfile.flush()
        for piece in said.pieces:
            time.sleep(said.pause_s)
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            self.wfile.flush()
        if not said.breaks:
            self.wfile.write(b"0\r\n\r\n")

    do_GET = do_POST = _any  # noqa: N815  names of the library


@contextmanager
def standing_in(*answers):
    """Serve these answers, one a request."""
    server = _Server(("127.0.0.1", 0), _Handler)
    stand_in = StandIn(list(answers), port=server.server_address[1])
    server.stand_in = stand_in
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield stand_in
    finally:
        server.shutdown()
        server.server_close()

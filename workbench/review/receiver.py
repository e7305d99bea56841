"""The HTTP edge of `workbench collect`: OTLP/HTTP on loopback, and nowhere else.

What is too large is refused before it is read, what is damaged after; a queue that is full
answers 429 and an ending receiver 503, both with `Retry-After`, as OTLP wants it. Web pages can
send to loopback too: a request that says it comes from one, or names another host, is refused.

Source:
    OTLP specification 1.9, "OTLP/HTTP Response" and "OTLP/HTTP Throttling".
"""

from __future__ import annotations

import json
import threading
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from http.server import ThreadingHTTPServer
from typing import TYPE_CHECKING, Final

from workbench.errors import InputError
from workbench.ingest.received import pieces_of_json, pieces_of_protobuf
from workbench.review.collect import Answer
from workbench.review.incoming import TimedHandler
from workbench.review.refusals import LIMIT_BYTES, Refusal, status_of

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator

    from workbench.ingest.records.piece import Piece
    from workbench.review.collect import Collector

__all__ = ["Receiver", "receiving"]

_PATHS: Final = ("/v1/traces", "/v1/logs")
_HOSTS: Final = ("127.0.0.1", "localhost", "[::1]")
_READERS: Final[dict[str, Callable[[bytes], tuple[Piece, ...]]]] = {
    "application/json": pieces_of_json,
    "application/x-protobuf": pieces_of_protobuf,
}
_IDLE_S: Final = 30
_CHUNK_BYTES: Final = 1 << 20
_MOST_CONNECTIONS: Final = 256
_POLL_S: Final = 0.05
_RETRY_S: Final = 1
_LAST_ANSWERS_S: Final = 5.0
_NOT_STORED: Final = {
    Answer.BUSY: (Refusal.BUSY, "too much waits to be stored; send again"),
    Answer.STOPPING: (Refusal.STOPPING, "the receiver ends; send again later"),
    Answer.STORE_FAILED: (Refusal.STORE_FAILED, "the store failed; send again later"),
    Answer.FAILED: (Refusal.FAILED, "the request could not be stored"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reply:
    refusal: Refusal | None = None
    """None: it was stored."""
    message: str = ""

    @property
    def status(self) -> int:
        return 200 if self.refusal is None else status_of(self.refusal)

    @property
    def retry(self) -> bool:
        return self.status in (429, 503)


class _Refused(Exception):  # noqa: N818  it is answered, not raised to anybody
    """Ends the reading of a request."""

    def __init__(self, refusal: Refusal, message: str) -> None:
        super().__init__(message)
        self.reply = _Reply(refusal=refusal, message=message)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    collector: Collector
    slots: threading.BoundedSemaphore
    changed: threading.Condition
    open_requests = 0

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Count a request as open as long as the block runs."""
        with self.changed:
            self.open_requests += 1
        try:
            yield
        finally:
            with self.changed:
                self.open_requests -= 1
                self.changed.notify_all()

    def wait_for_answers(self) -> None:
        """Return when every request has its answer, or takes too long to read it."""
        with self.changed:
            self.changed.wait_for(lambda: self.open_requests == 0, timeout=_LAST_ANSWERS_S)

    def process_request(
        self, request: socket.socket | tuple[bytes, socket.socket], client_address: object
    ) -> None:
        """Serve a connection in a thread of its own, unless there are too many."""
        if self.slots.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(
        self, request: socket.socket | tuple[bytes, socket.socket], client_address: object
    ) -> None:
        """Give the place back when the connection ends."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.slots.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """Drop a connection that broke: what was not acknowledged is sent again."""


class _Handler(TimedHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 65_536
    timeout = _IDLE_S
    server: _Server
    server_version = "workbench"
    sys_version = ""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing: paths and bodies are trace text."""

    def send_error(self, code: int, *_: object, **__: object) -> None:
        """Answer what is no request, and count it; gRPC and TLS arrive here."""
        refusal = Refusal.METHOD if code == HTTPStatus.NOT_IMPLEMENTED else Refusal.NO_HTTP
        self.server.collector.refused(refusal)
        self.close_connection = True
        self.request_version = self.protocol_version  # else the answer has no status
        self._send(_Reply(refusal=refusal, message="expected POST in HTTP/1.1"), "")

    def cut_off(self) -> None:
        """Answer and count a request that is not here in time."""
        self.request_version = self.protocol_version  # it may have ended before
        with self.server.answering():
            self.server.collector.refused(Refusal.SLOW)
            self._send(_Reply(refusal=Refusal.SLOW, message="is not here in time"), "")

    def _any(self) -> None:
        kind = (self.headers.get("content-type") or "").partition(";")[0].strip().lower()
        with self.server.answering():
            try:
                self._check(kind)
                reply = self._take(kind)
            except _Refused as refusal:
                self.close_connection = True  # the body, or some of it, was not read
                reply = refusal.reply
            if reply.refusal is not None:
                self.server.collector.refused(reply.refusal)
            self._send(reply, kind)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_HEAD = _any  # noqa: N815

    def _check(self, kind: str) -> None:
        """Refuse what is no export of traces or logs to us."""
        host = (self.headers.get("host") or "").rpartition(":")
        if (host[0] or host[2]) not in _HOSTS or self.headers.get("origin") is not None:
            raise _Refused(Refusal.FOREIGN, "only clients of this machine, and no web pages")
        if self.path.partition("?")[0].rstrip("/") not in _PATHS:
            raise _Refused(Refusal.PATH, f"expected {' or '.join(_PATHS)}")
        if self.command != "POST":
            raise _Refused(Refusal.METHOD, "expected POST")
        if kind not in _READERS:
            raise _Refused(Refusal.MEDIA_TYPE, f"expected Content-Type {' or '.join(_READERS)}")
        if self._encoding() not in ("", "identity", "gzip"):
            raise _Refused(Refusal.ENCODING, "expected Content-Encoding gzip, or none")

    def _encoding(self) -> str:
        return (self.headers.get("content-encoding") or "").strip().lower()

    def _take(self, kind: str) -> _Reply:
        room = _Room(self.server.collector)
        try:
            body = b"".join(self._unpacked(room))
            answer = self._deliver(kind, body)
            if answer is Answer.STORED:
                return _Reply()
            refusal, message = _NOT_STORED[answer]
            return _Reply(refusal=refusal, message=message)
        except InputError as error:
            return _Reply(refusal=Refusal.NO_OTLP, message=str(error))
        finally:
            room.leave()

    def _deliver(self, kind: str, body: bytes) -> Answer:
        collector = self.server.collector
        try:
            pieces = _READERS[kind](body)
        except InputError:
            raise
        except Exception as error:  # noqa: BLE001  one bad request must not end unanswered
            return collector.failed(error, len(body))
        return collector.deliver(pieces, body) if pieces else Answer.STORED

    def _unpacked(self, room: _Room) -> Iterator[bytes]:
        """Yield the body in pieces, unpacked, each with room reserved for it."""
        unpack = zlib.decompressobj(wbits=31) if self._encoding() == "gzip" else None
        total = 0
        for packed in self._sent():
            if unpack is None:
                room.take(len(packed))
                yield packed
                continue
            left = packed
            while left:
                try:
                    piece = unpack.decompress(left, _CHUNK_BYTES)
                except zlib.error:
                    raise _Refused(Refusal.DAMAGED, "is no gzip data") from None
                left = unpack.unconsumed_tail
                total += len(piece)
                if total > LIMIT_BYTES:
                    raise _Refused(Refusal.TOO_LARGE, f"unpacks to more than {LIMIT_BYTES} bytes")
                room.take(len(piece))
                yield piece
        if unpack is not None and (unpack.unused_data or not unpack.eof):
            raise _Refused(
                Refusal.DAMAGED, "is gzip data that end early, or something follows them"
            )

    def _sent(self) -> Iterator[bytes]:
        """Yield the body as it is sent, by its length or in chunks."""
        if "chunked" in (self.headers.get("transfer-encoding") or "").lower():
            yield from self._chunks()
            return
        length = self.headers.get("content-length") or ""
        if not (length.isascii() and length.isdecimal()):
            raise _Refused(Refusal.NO_LENGTH, "expected a Content-Length")
        if len(length) > 12 or int(length) > LIMIT_BYTES:
            raise _Refused(Refusal.TOO_LARGE, f"is larger than {LIMIT_BYTES} bytes")
        yield from self._exactly(int(length))

    def _chunks(self) -> Iterator[bytes]:
        total = 0
        while True:
            head = self.rfile.readline(64).partition(b";")[0].strip()
            try:
                size = int(head, 16) if head.isalnum() else -1
            except ValueError:
                size = -1
            if size < 0:
                raise _Refused(Refusal.DAMAGED, "is not in chunks")
            total += size
            if total > LIMIT_BYTES:
                raise _Refused(Refusal.TOO_LARGE, f"is larger than {LIMIT_BYTES} bytes")
            yield from self._exactly(size)
            self.rfile.readline(64)
            if size == 0:
                return

    def _exactly(self, size: int) -> Iterator[bytes]:
        while size:
            piece = self.rfile.read(min(size, _CHUNK_BYTES))
            if not piece:
                raise _Refused(Refusal.DAMAGED, "ended early")
            size -= len(piece)
            yield piece

    def _send(self, reply: _Reply, kind: str) -> None:
        body = _body(reply, protobuf=kind == "application/x-protobuf")
        self.send_response(reply.status)
        self.send_header("content-type", kind if kind in _READERS else "application/json")
        self.send_header("content-length", str(len(body)))
        if reply.retry:
            self.send_header("retry-after", str(_RETRY_S))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        self.wfile.flush()


def _body(reply: _Reply, *, protobuf: bool) -> bytes:
    """Write an empty success, or the message as a `google.rpc.Status` in field 2."""
    if protobuf:
        text = reply.message.encode()[:127]
        return b"\x12" + bytes([len(text)]) + text if text else b""
    return json.dumps({"message": reply.message} if reply.message else {}).encode()


class _Room:
    """The room that one request holds."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._held = 0

    def take(self, size_bytes: int) -> None:
        """Reserve more.

        Raises:
            _Refused: there is no more.
        """
        answer = self._collector.reserve(size_bytes, held=self._held)
        if answer is not None:
            raise _Refused(*_NOT_STORED[answer])
        self._held += size_bytes

    def leave(self) -> None:
        """Give all of it back."""
        self._collector.release(self._held)
        self._held = 0


class Receiver:
    """A listening receiver: `start` it, and `end` it."""

    def __init__(self, collector: Collector, *, port: int) -> None:
        """Listen on loopback.

        Args:
            collector: takes what comes.
            port: 0: any free one.

        Raises:
            InputError: the port is taken.
        """
        self._server = _Server(("127.0.0.1", port), _Handler, bind_and_activate=False)
        self._server.collector = collector
        self._server.slots = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        self._server.changed = threading.Condition()
        try:
            self._server.server_bind()
            self._server.server_activate()
        except (OSError, OverflowError):
            self._server.server_close()
            raise InputError(
                f"port {port} of 127.0.0.1 cannot be used",
                key="--port",
                fix="end what listens there, or give another; 0 takes a free one",
            ) from None
        self.port: int = self._server.server_address[1]
        self._writing = threading.Thread(target=collector.work, daemon=True)

    @property
    def is_alive(self) -> bool:
        """Whether what comes is stored."""
        return self._writing.is_alive()

    def start(self) -> None:
        """Serve and write, each in a thread."""
        self._writing.start()
        threading.Thread(target=self._server.serve_forever, args=(_POLL_S,), daemon=True).start()

    def end(self) -> None:
        """Take no more, store what was taken, answer, and free the port."""
        self._server.shutdown()
        self._server.collector.stop()
        self._writing.join()
        self._server.wait_for_answers()
        self._server.server_close()


@contextmanager
def receiving(collector: Collector, *, port: int) -> Iterator[Receiver]:
    """Receive as long as the block runs; at its end all that was taken is stored.

    Raises:
        InputError: the port is taken.
    """
    receiver = Receiver(collector, port=port)
    receiver.start()
    try:
        yield receiver
    finally:
        receiver.end()

"""Reading of requests that have to be here in time.

A time-out of a socket counts from byte to byte: who sends drop by drop never meets it, and holds
a connection, and the room of its body, as long as it likes. Here a request as a whole has a time.
"""

from __future__ import annotations

import time
from http.server import BaseHTTPRequestHandler
from io import BufferedReader, RawIOBase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket

    from typing_extensions import Buffer

__all__ = ["TimedHandler"]


class _Incoming(RawIOBase):
    """What a client sends, until its time is over."""

    def __init__(self, connection: socket.socket) -> None:
        super().__init__()
        self._connection = connection
        self._until = 0.0
        self._began = False
        self.is_late = False
        """Whether time ran out in the middle of a request; a connection at rest is not late."""

    def begin(self, limit_s: float) -> None:
        """Give what comes now its time."""
        self._until = time.monotonic() + limit_s
        self._began = self.is_late = False

    def readable(self) -> bool:
        """Answer what a buffer asks first."""
        return True

    def readinto(self, buffer: Buffer) -> int:
        """Read what is there.

        Raises:
            TimeoutError: the time is over, or nothing came for as long as the socket waits.
        """
        try:
            size = self._receive(buffer)
        except TimeoutError:
            self.is_late = self._began
            raise
        self._began = self._began or size > 0
        return size

    def _receive(self, buffer: Buffer) -> int:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        idle = self._connection.gettimeout()
        self._connection.settimeout(left if idle is None else min(left, idle))
        try:
            return self._connection.recv_into(buffer)
        finally:
            self._connection.settimeout(idle)


class TimedHandler(BaseHTTPRequestHandler):
    """Closes a connection whose request, head and body, is not here in time.

    `timeout` is how long one read may wait, as in the library.
    """

    request_s: float = 120
    """From the answer before it on."""

    def setup(self) -> None:
        """Read through what knows how long a request takes."""
        super().setup()
        self.rfile.close()
        self._incoming = _Incoming(self.connection)
        self.rfile = BufferedReader(self._incoming)

    def handle_one_request(self) -> None:
        """Serve the next request of the connection."""
        self._incoming.begin(self.request_s)
        self.requestline = self.command = ""
        super().handle_one_request()
        if self._incoming.is_late:
            self.cut_off()

    def cut_off(self) -> None:
        """Answer a request that is not here in time; its connection is closed then."""

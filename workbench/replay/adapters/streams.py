"""The pipes of an agent's process: read and written aside, so that neither side ever waits."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Final

__all__ = ["Feed", "Lines", "Output"]

_KEPT_BYTES: Final = 1024 * 1024
_FLOOD_BYTES: Final = 64 * 1024 * 1024
_END_S: Final = 10


class Feed:
    """Writes to an agent's standard input; an agent that never reads does not block us."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._waiting: SimpleQueue[bytes | None] = SimpleQueue()
        threading.Thread(target=self._write, daemon=True).start()

    def put(self, raw: bytes) -> None:
        """Send more, after everything that was sent before."""
        self._waiting.put(raw)

    def close(self) -> None:
        """Close the stream once everything is written; more than once does no harm."""
        self._waiting.put(None)

    def _write(self) -> None:
        with suppress(OSError), self._stream as stream:
            while (raw := self._waiting.get()) is not None:
                stream.write(raw)
                stream.flush()


class Lines:
    """The whole lines of a stream, one after another; None: it has ended."""

    def __init__(self) -> None:
        self._found: SimpleQueue[bytes | None] = SimpleQueue()
        self._open = bytearray()

    def take(self, chunk: bytes) -> None:
        """Take what was read."""
        *whole, rest = chunk.split(b"\n")
        for part in whole:
            self._found.put(bytes(self._open + part))
            self._open.clear()
        self._open += rest

    def end(self) -> None:
        """Note that nothing more will come; a last line needs no line feed."""
        if self._open:
            self._found.put(bytes(self._open))
        self._found.put(None)

    def next(self, timeout_s: float) -> bytes | None:
        """Return the next line; None: the stream has ended.

        Raises:
            queue.Empty: none came in time.
        """
        return self._found.get(timeout=timeout_s)

    def drop(self) -> None:
        """Forget the lines that nobody asked for."""
        while not self._found.empty():
            if self._found.get() is None:
                self._found.put(None)
                return


class Output:
    """Reads a stream to its end and keeps its tail, so that a flood never blocks or fills us.

    Args:
        stream: is closed at its end.
        lines: is given what is read too, until a flood.
    """

    def __init__(self, stream: IO[bytes], *, lines: Lines | None = None) -> None:
        self._stream = stream
        self._lines = lines
        self._tail = bytearray()
        self.total = 0
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    @property
    def flooded(self) -> bool:
        """Whether more came, since `forgive`, than any agent has to say."""
        return self.total > _FLOOD_BYTES

    def forgive(self) -> None:
        """Count anew: a process that stays may say as much in every trial."""
        self.total = 0

    def tail(self) -> bytes:
        """Return the last bytes, once the stream has ended."""
        self._thread.join(_END_S)
        return bytes(self._tail)

    def _read(self) -> None:
        with self._stream as stream:
            while chunk := os.read(stream.fileno(), 65_536):
                self.total += len(chunk)
                self._tail += chunk
                del self._tail[:-_KEPT_BYTES]
                if self._lines is not None and not self.flooded:
                    self._lines.take(chunk)
        if self._lines is not None:
            self._lines.end()

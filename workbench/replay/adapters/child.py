"""One supervised process of an agent, seen from our side."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import workbench
from workbench.replay.adapters.streams import Feed, Lines, Output
from workbench.replay.isolation.levels import Level, Reached
from workbench.replay.isolation.supervisor import ALIVE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Child", "Closed"]

_MESSAGE_BYTES: Final = 16 * 1024 * 1024
_END_S: Final = 10
_ROOT: Final = str(Path(workbench.__file__).resolve().parent.parent)
_BOOT: Final = (
    "import sys; sys.path.append({root!r}); "
    "from workbench.replay.adapters.start import main; sys.exit(main(sys.argv[1]))"
)


class Closed(Exception):  # noqa: N818  the normal end of a command
    """The process has ended and will say nothing more."""


class Child:
    """Starts an agent under the supervisor and talks to it.

    Args:
        spec: fields of `supervisor.Spec` without its handles.
        environment: of the agent.
        stdin: what the agent reads; then its end. None: `feed` gives it more, line by line, and
            its own lines are in `lines`.
    """

    def __init__(
        self, spec: Mapping[str, Any], *, environment: Mapping[str, str], stdin: bytes | None = b""
    ) -> None:
        self._socket, theirs = socket.socketpair()
        life, self._life = os.pipe()
        self._buffer = bytearray()
        self.reached = Reached(level=Level.NONE, note="it did not start")
        self.handles: list[int] = []
        """Open files that came with a message."""
        argument = json.dumps({**spec, "channel": theirs.fileno(), "life": life})
        try:
            self._process = subprocess.Popen(  # noqa: S603  our own supervisor
                _command(argument),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=dict(environment),
                pass_fds=(theirs.fileno(), life),
                start_new_session=True,
            )
        except BaseException:
            self._socket.close()
            os.close(self._life)
            raise
        finally:
            theirs.close()
            os.close(life)
        assert self._process.stdin is not None  # noqa: S101  a pipe, as asked for
        assert self._process.stdout is not None  # noqa: S101
        assert self._process.stderr is not None  # noqa: S101
        self.lines = Lines()
        self.output = Output(self._process.stdout, lines=self.lines if stdin is None else None)
        self._complaints = Output(self._process.stderr)
        self.feed = Feed(self._process.stdin)
        if stdin is not None:
            self.feed.put(stdin)
            self.feed.close()
        self._pid: int | None = None

    @property
    def flooded(self) -> bool:
        """Whether the agent prints without end."""
        return self.output.flooded or self._complaints.flooded

    def forgive(self) -> None:
        """Count what it prints anew."""
        self.output.forgive()
        self._complaints.forgive()

    def greeting(self, document: Mapping[str, Any]) -> Reached:
        """Read the isolation that the agent's process reports before anything else."""
        self._pid = document["pid"]
        self.reached = Reached(level=Level(document["level"]), note=document["note"])
        return self.reached

    def send(self, document: Mapping[str, Any]) -> None:
        """Send one task; an agent that has gone is found out by the next `receive`."""
        with suppress(OSError):
            self._socket.sendall(json.dumps(document).encode() + b"\n")

    def receive(self, timeout_s: float) -> dict[str, Any] | None:
        """Return the next message; None: none came in time.

        Raises:
            Closed: the process has ended.
        """
        deadline = time.monotonic() + timeout_s
        while b"\n" not in self._buffer:
            wait_s = deadline - time.monotonic()
            if wait_s <= 0 or not select.select([self._socket], [], [], wait_s)[0]:
                return None
            self._fill()
        line, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer = bytearray(rest)
        return _message(line)

    def _fill(self) -> None:
        try:
            chunk, handles, _, _ = socket.recv_fds(self._socket, 65_536, 4)
        except ConnectionError:
            chunk, handles = b"", []
        self.handles += handles
        if not chunk or len(self._buffer) > _MESSAGE_BYTES:
            raise Closed
        self._buffer += chunk

    def end(self) -> int:
        """End the agent and everything it started; return its exit code."""
        if self._life >= 0:
            with suppress(OSError):
                os.write(self._life, ALIVE)
            os.close(self._life)
            self._life = -1
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.returncode < 0:
            self._end_session()
        self._close()
        return self._process.returncode

    def wait(self, timeout_s: float) -> int | None:
        """Wait for a process that is about to end by itself; return its exit code."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(timeout_s)
        return None

    def _end_session(self) -> None:
        """Kill the agent's session when its supervisor was killed under it."""
        if self._pid is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._pid, signal.SIGKILL)

    def _close(self) -> None:
        self.feed.close()
        self._socket.close()
        for handle in self.handles:
            os.close(handle)
        self.handles.clear()


def _command(argument: str) -> Sequence[str]:
    return [sys.executable, "-P", "-c", _BOOT.format(root=_ROOT), argument]


def _message(line: bytes) -> dict[str, Any]:
    """Read one message; a process that sends anything else is not ours any more.

    Raises:
        Closed: it is no JSON mapping.
    """
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise Closed from None
    if not isinstance(found, dict):
        raise Closed
    return found

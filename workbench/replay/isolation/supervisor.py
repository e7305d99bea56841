"""The process between us and an agent: sets up the isolation and leaves nothing behind.

It is started with one JSON argument, forks the agent, and ends with the agent's exit code
(128 + n for signal n) after it has killed and reaped every process that the agent left. It ends
the agent as soon as its `life` pipe closes, so also when we are killed; then nobody else is left
to remove the scratch folder, and it does.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from workbench.replay.isolation.kernel import (
    enter_empty_network,
    landlock_abi,
    restrict,
    set_child_subreaper,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Channel", "Runner", "Spec", "children", "end_descendants", "reach", "supervise"]

_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty")
_CANNOT_RUN: Final = 127
ALIVE: Final = b"."
"""Written to the `life` pipe before we close it ourselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """What to run and how."""

    level: str
    """A level, or `auto`."""
    port: int
    """Of the gateway."""
    scratch: str
    """The only folder that may be written."""
    channel: int
    """A socket to report on."""
    life: int
    """A pipe that closes when we want the agent to end."""
    argv: list[str]
    """A command; empty: `target` is run."""
    target: str
    """`module:callable`."""


class Channel:
    """JSON lines over a socket, in both directions."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._lines = connection.makefile("rb")

    def send(self, document: dict[str, Any]) -> None:
        """Send one document."""
        self._socket.sendall(json.dumps(document).encode() + b"\n")

    def send_with(self, document: dict[str, Any], handle: int | None) -> None:
        """Send one document and, when there is one, an open file with it."""
        if handle is None:
            self.send(document)
        else:
            socket.send_fds(self._socket, [json.dumps(document).encode() + b"\n"], [handle])

    def receive(self) -> dict[str, Any] | None:
        """Wait for a document; None: the other side has closed."""
        line = self._lines.readline()
        found: dict[str, Any] | None = json.loads(line) if line else None
        return found


Runner: TypeAlias = "Callable[[Spec, Channel, bool], int]"
"""Serves a Python agent: what to run, where to report, and whether the audit hook is wanted."""


def supervise(argument: str, *, python: Runner) -> int:  # pragma: no cover  another process
    """Run an agent and return its exit code.

    Args:
        argument: the JSON of a `Spec`.
        python: serves a Python agent in the agent's own process, and returns its exit code.
    """
    spec = Spec(**json.loads(argument))
    set_child_subreaper()
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    agent = os.fork()
    if agent == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for handle in (woken, wake, spec.life):
            os.close(handle)
        _become(spec, python)
    _let_go()
    code = _watch(agent, spec.life, woken)
    end_descendants()
    if _is_orphaned(spec.life):
        import shutil  # noqa: PLC0415  only after we were killed

        shutil.rmtree(spec.scratch, ignore_errors=True)
    return code


def _let_go() -> None:  # pragma: no cover  another process
    """Give up the agent's own streams, so that they close when the agent closes them."""
    null = os.open(os.devnull, os.O_RDWR)
    for handle in (0, 1, 2):
        os.dup2(null, handle)


def _watch(agent: int, life: int, woken: int) -> int:  # pragma: no cover  another process
    """Wait for the agent to end, or end it when the pipe closes."""
    while True:
        found, status = os.waitpid(agent, os.WNOHANG)
        if found == agent:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
        ready, _, _ = select.select([life, woken], [], [], 1.0)
        if woken in ready:
            os.read(woken, 4096)
        if life in ready:
            return 128 + signal.SIGKILL


def _is_orphaned(life: int) -> bool:  # pragma: no cover  another process
    """Whether the pipe closed without a word: whoever started us was killed."""
    ready, _, _ = select.select([life], [], [], 0)
    return bool(ready) and os.read(life, len(ALIVE)) != ALIVE


def end_descendants() -> None:  # pragma: no cover  another process
    """Kill and reap until no child is left; orphans come to us, their parent's subreaper."""
    while True:
        for child in children():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        try:
            found, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if found == 0:
            select.select([], [], [], 0.002)


def children() -> list[int]:  # pragma: no cover  another process
    """Return the ids of this process's children."""
    try:
        text = Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii")
    except OSError:
        return []
    return [int(word) for word in text.split()]


def reach(spec: Spec, report: Callable[[dict[str, Any], int | None], None]) -> str:
    """Set up the strongest isolation that is allowed and works; report and return the level.

    Args:
        spec: `level` is the strongest one wanted.
        report: is given `{level, note, pid}` and the listening socket of the new network.
    """
    listener = None
    notes: list[str] = []
    if spec.level in ("auto", "netns") and _network_can_be_left():
        enter_empty_network()
        listener = socket.create_server(("127.0.0.1", spec.port), backlog=256)
        notes.append("empty network")
    abi = landlock_abi() if spec.level in ("auto", "netns", "landlock") else 0
    if abi:
        writable = [spec.scratch, *(name for name in _DEVICES if Path(name).exists())]
        try:
            restrict(write_below=writable, connect_to=[spec.port])
        except OSError:
            abi = 0
        else:
            notes.append(f"Landlock ABI {abi}")
    audited = not spec.argv and spec.level != "none"
    if audited:
        notes.append("audit hook")
    level = _level(has_network=listener is not None, abi=abi, audited=audited)
    note = ", ".join(notes) or "nothing holds the agent back"
    report(
        {"level": level, "note": note, "pid": os.getpid()},
        None if listener is None else listener.detach(),
    )
    return level


def _level(*, has_network: bool, abi: int, audited: bool) -> str:
    if has_network:
        return "netns"
    if abi:
        return "landlock"
    return "audit" if audited else "none"


def _network_can_be_left() -> bool:  # pragma: no cover  another process
    """Try it in a throw-away process: a half-way failure cannot be undone."""
    probe = os.fork()
    if probe == 0:
        try:
            enter_empty_network()
        except BaseException:  # noqa: BLE001  the exit code is the answer
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(probe, 0)
    return os.waitstatus_to_exitcode(status) == 0


def _become(spec: Spec, python: Runner) -> None:  # pragma: no cover  another process
    """Turn this process into the agent; never returns."""
    try:
        os.setsid()
        channel = Channel(socket.socket(fileno=spec.channel))
        level = reach(spec, channel.send_with)
        if spec.argv:
            os.set_inheritable(spec.channel, False)  # noqa: FBT003  positional only
            os.execvp(spec.argv[0], spec.argv)  # noqa: S606  the agent, as the user named it
        audited = level != "none"
        os._exit(python(spec, channel, audited))
    except OSError as error:
        sys.stderr.write(f"{type(error).__name__}\n")
    finally:
        os._exit(_CANNOT_RUN)

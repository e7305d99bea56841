"""An audit hook that refuses and names a Python agent's own side effects.

It diagnoses; it is no wall: native code passes it. The exception derives from `BaseException`, so
that an agent's `except Exception` does not swallow it. Once installed it stays.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["AuditRule", "SideEffectBlocked", "install"]

_CONNECTS: Final = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_LOOKUPS: Final = frozenset(
    {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"}
)
_STARTS: Final = frozenset(
    {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn"}
)
_CHANGES: Final = frozenset(
    {
        "os.remove",
        "os.rename",
        "os.rmdir",
        "os.mkdir",
        "os.link",
        "os.symlink",
        "os.truncate",
        "os.chmod",
        "os.chown",
        "shutil.rmtree",
        "shutil.move",
    }
)
_SQLITE: Final = "sqlite3.connect"
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1", b"127.0.0.1", b"localhost", None, "", b"")
_WRITE_FLAGS: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_HARMLESS: Final = (["uname", "-p"],)  # the standard library's platform module asks
_IN_MEMORY: Final = (":memory:", b":memory:", "")


class SideEffectBlocked(BaseException):
    """The agent tried to touch the world."""


class AuditRule:
    """Decides on audit events.

    Args:
        port: of the gateway; the only address that may be reached.
        writable: folders below which files may be written.
        tell: receives the name of each refused event.
        harmless: a command that may be started.
    """

    def __init__(
        self,
        *,
        port: int,
        writable: Sequence[str],
        tell: Callable[[str], None],
        harmless: Sequence[str] = (),
    ) -> None:
        self._port = port
        self._writable = tuple(os.path.realpath(folder) + os.sep for folder in writable)
        self._tell = tell
        self._harmless = (*_HARMLESS, list(harmless))

    def __call__(self, event: str, args: tuple[object, ...]) -> None:
        """Refuse an event that touches the world.

        Raises:
            SideEffectBlocked: it does.
        """
        if self.forbids(event, args):
            self._tell(event)
            raise SideEffectBlocked(event)

    def forbids(self, event: str, args: tuple[object, ...]) -> bool:
        """Whether an event touches the world."""
        if event == "open":
            return self._forbids_open(args)
        if event in _CHANGES or event == _SQLITE:
            return not all(self._may_write(path) for path in args[:2] if _is_path(path))
        if event in _CONNECTS:
            return len(args) > 1 and not self._is_gateway(args[1])
        if event in _LOOKUPS:
            host = args[0] if args else None
            return (host[0] if isinstance(host, tuple) else host) not in _LOOPBACK
        return event in _STARTS and not (len(args) > 1 and _words(args[1]) in self._harmless)

    def _is_gateway(self, address: object) -> bool:
        if address is None:  # a connected socket
            return True
        if not isinstance(address, tuple) or len(address) < 2:
            return False
        return address[0] in _LOOPBACK and address[1] == self._port

    def _forbids_open(self, args: tuple[object, ...]) -> bool:
        path, _, flags = (*args, None, None, None)[:3]
        writes = isinstance(flags, int) and flags & _WRITE_FLAGS
        return bool(writes) and _is_path(path) and not self._may_write(path)

    def _may_write(self, path: str | bytes | os.PathLike[str]) -> bool:
        if path in _IN_MEMORY:
            return True
        name = os.path.realpath(os.fsdecode(path))
        return name == os.devnull or name.startswith(self._writable)


def _words(argv: object) -> object:
    return list(argv) if isinstance(argv, tuple) else argv


def _is_path(value: object) -> TypeGuard[str | bytes | os.PathLike[str]]:
    return isinstance(value, str | bytes | os.PathLike)


def install(rule: AuditRule) -> None:
    """Apply a rule to this interpreter for as long as it lives."""
    sys.addaudithook(rule)

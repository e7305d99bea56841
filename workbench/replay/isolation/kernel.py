"""The kernel as the wall: Landlock and a network namespace, on Linux, without privileges.

Both are irreversible, inherited by whatever the process starts, and must be set up while the
process has one thread.

Source:
    Linux `Documentation/userspace-api/landlock.rst` (ABI 1 to 7) and `user_namespaces(7)`.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["enter_empty_network", "landlock_abi", "restrict", "set_child_subreaper"]

_CREATE_RULESET: Final = 444  # the same number on every architecture
_ADD_RULE: Final = 445
_RESTRICT_SELF: Final = 446
_RULE_PATH: Final = 1
_RULE_PORT: Final = 2
_WRITE_FILE: Final = 1 << 1
_TRUNCATE: Final = 1 << 14
_WRITES: Final = _WRITE_FILE | 0b1111111110000  # and remove, make of every kind
_REFER: Final = 1 << 13
_CONNECT_TCP: Final = 1 << 1
_SCOPE_UNIX_AND_SIGNALS: Final = 0b11
_NEW_USER: Final = 0x10000000
_NEW_NET: Final = 0x40000000
_SET_NO_NEW_PRIVS: Final = 38
_SET_CHILD_SUBREAPER: Final = 36
_GET_FLAGS: Final = 0x8913
_SET_FLAGS: Final = 0x8914


def _libc() -> Any:  # noqa: ANN401  ctypes has no better type
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:  # pragma: no cover  another process
    if result < 0:
        raise OSError(ctypes.get_errno(), what)
    return result


def landlock_abi() -> int:
    """Return the version of Landlock that this kernel offers; 0: none."""
    try:
        found: int = _libc().syscall(_CREATE_RULESET, None, 0, 1)
    except (OSError, AttributeError):  # not Linux
        return 0
    return max(0, found)


def restrict(
    *, write_below: Sequence[str], connect_to: Sequence[int]
) -> int:  # pragma: no cover  another process
    """Forbid file writes and TCP connections but for these; return the ABI used.

    Args:
        write_below: folders, or device files, that stay writable.
        connect_to: TCP ports that stay reachable; needs ABI 4, ignored below.

    Raises:
        OSError: the kernel refuses, or has no Landlock.
    """
    libc = _libc()
    abi = landlock_abi()
    writes = _WRITES | (_REFER if abi >= 2 else 0) | (_TRUNCATE if abi >= 3 else 0)
    attributes = struct.pack(
        "=QQQ", writes, _CONNECT_TCP if abi >= 4 else 0, _SCOPE_UNIX_AND_SIGNALS if abi >= 6 else 0
    )
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    ruleset = _checked(libc.syscall(_CREATE_RULESET, attributes, size, 0), "landlock")
    for name in write_below:
        handle = os.open(name, os.O_PATH)
        rights = writes if Path(name).is_dir() else writes & (_WRITE_FILE | _TRUNCATE)
        rule = struct.pack("=Qi", rights, handle)
        _checked(libc.syscall(_ADD_RULE, ruleset, _RULE_PATH, rule, 0), "landlock path")
        os.close(handle)
    for port in connect_to if abi >= 4 else ():
        rule = struct.pack("=QQ", _CONNECT_TCP, port)
        _checked(libc.syscall(_ADD_RULE, ruleset, _RULE_PORT, rule, 0), "landlock port")
    _checked(libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    _checked(libc.syscall(_RESTRICT_SELF, ruleset, 0), "landlock restrict")
    os.close(ruleset)
    return abi


def enter_empty_network() -> None:  # pragma: no cover  another process
    """Move this process into a network with nothing but loopback.

    A user namespace comes with it, so that no privilege is needed and none is left that could
    lead back.

    Raises:
        OSError: the kernel or the container forbids it. The process may then be half-way and
            has to end.
    """
    user, group = os.getuid(), os.getgid()
    _checked(_libc().unshare(_NEW_USER | _NEW_NET), "unshare")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    _bring_loopback_up()


def _bring_loopback_up() -> None:  # pragma: no cover  another process
    import fcntl  # noqa: PLC0415  not on every platform

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        request = bytearray(struct.pack("16sh", b"lo", 0) + bytes(14))
        fcntl.ioctl(probe, _GET_FLAGS, request)
        (flags,) = struct.unpack_from("h", request, 16)
        struct.pack_into("h", request, 16, flags | 1)
        fcntl.ioctl(probe, _SET_FLAGS, bytes(request))


def set_child_subreaper() -> bool:  # pragma: no cover  another process
    """Adopt the orphans of this process's descendants; False: this platform cannot."""
    try:
        return bool(_libc().prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
    except AttributeError:
        return False

"""One command at a time changes the case files of a folder."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from workbench.casefile.files import shown_path
from workbench.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["only_writer"]


@contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Hold a folder while a case file in it is read again and replaced; others wait.

    The lock is the folder's, since a file that is replaced takes its own lock with it. It ends
    with the process, however that ends. Where the platform or file system has no such locks there
    is none; the comparison before the write is then all that protects.

    Raises:
        InputError: the folder is gone or may not be read.
    """
    try:
        import fcntl  # noqa: PLC0415  not on every platform
    except ImportError:  # pragma: no cover
        yield
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise InputError(
            f"cannot be opened ({type(error).__name__}); expected a folder",
            place=shown_path(folder),
            fix="bring the folder back, or name another one",
        ) from None
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)

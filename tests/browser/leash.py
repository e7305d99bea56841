"""Processes that end when whoever began them does, however that ended.

A test or a benchmark that is killed cannot tidy up. So a server runs behind this file: its standard
input is a pipe that only the starter holds, and the system closes it when the starter is gone.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import IO

__all__ = ["leashed"]


@contextmanager
def leashed(
    command: list[str], *, env: Mapping[str, str], said: IO[str] | int, cwd: Path | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command in a group of its own; it is killed at the end of the block, or of this process.

    Args:
        command: what to run.
        env: all of its environment.
        said: where its output goes.
        cwd: where it runs; None: here.
    """
    with subprocess.Popen(
        [sys.executable, __file__, *command],
        cwd=cwd,
        env=env,
        stdin=subprocess.PIPE,
        stdout=said,
        stderr=said,
        start_new_session=True,
    ) as running:
        try:
            yield running
        finally:
            if running.poll() is None:
                os.killpg(running.pid, signal.SIGKILL)


def _end_with_the_starter() -> None:
    """Wait until nobody holds the other end of standard input, then end the whole group."""
    while os.read(0, 1):  # not by sys.stdin: Python aborts when it ends while a thread reads that
        pass
    os.killpg(0, signal.SIGKILL)


def _main() -> int:
    Thread(target=_end_with_the_starter, daemon=True).start()
    return subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(_main())

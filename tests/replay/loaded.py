"""Agents whose modules do something while they are loaded."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path


def meddle(*lines):
    """Write to every socket that this process has open, so also to the channel of the replay."""
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208  names only
        with suppress(OSError):
            if stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                os.write(int(name), b"".join(lines))


if os.environ.get("LOADED_WITH") == "thread":
    threading.Thread(target=threading.Event().wait, daemon=True).start()
if os.environ.get("LOADED_WITH") == "child" and os.fork() == 0:
    threading.Event().wait()
if os.environ.get("LOADED_WITH") == "side effect":
    with suppress(BaseException):
        Path("written-while-loading.txt").write_text("x", "utf-8")
if os.environ.get("LOADED_WITH") == "noise":
    meddle(b'{"noise": 1}\n')

SEEN: list[str] = []
FIRST = tempfile.gettempdir()
LOADER = os.getpid()


def counts(task, tools, model):
    """Say what earlier trials left in memory and on disk, and which process this is."""
    SEEN.append(task.run_id)
    place = Path(tempfile.gettempdir())
    left = len(list(place.iterdir()))
    (place / "left.txt").write_text("x", "utf-8")
    fresh = str(place) == os.environ["TMPDIR"]
    run_id = os.environ["REPLAY_RUN_ID"] == task.run_id
    forked = os.getpid() != LOADER
    return f"seen {len(SEEN)}, left {left}, fresh {fresh}, run {run_id}, forked {forked}"


def exits(task, tools, model):
    """End without a word."""
    os._exit(7)


def meddles(task, tools, model):
    """Say what nobody asked for before the answer."""
    meddle(b'{"noise": 1}\n', b'{"loaded": "alone"}\n')
    return "Fine."


def forges(task, tools, model):
    """Send an answer of its own, which is none."""
    meddle(b'{"answer": 5}\n')
    return "Fine."


async def _finally(act):
    try:
        await asyncio.sleep(600)
    finally:
        act()


async def _answer_and_leave(act):
    task = asyncio.create_task(_finally(act))
    await asyncio.sleep(0)
    KEPT.append(task)
    return "Fine."


KEPT: list[asyncio.Task[None]] = []


async def writes_when_it_ends(task, tools, model):
    """Leave a task behind that writes where it may not once it is cancelled."""
    return await _answer_and_leave(_write_outside)


async def kills_when_it_ends(task, tools, model):
    """Leave a task behind that kills the process that the next trial would be forked from."""
    return await _answer_and_leave(lambda: os.kill(os.getppid(), signal.SIGKILL))


def _write_outside():
    with suppress(BaseException):
        Path("written-while-ending.txt").write_text("x", "utf-8")


def imports(task, tools, model):
    """Send one request, and say which modules that took."""
    before = set(sys.modules)
    tools.report(state={"asked": True})
    return f"imported {sorted(set(sys.modules) - before)}"

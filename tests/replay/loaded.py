"""Agents whose modules do something while they are loaded."""

from __future__ import annotations

import os
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

if os.environ.get("LOADED_WITH") == "thread":
    threading.Thread(target=threading.Event().wait, daemon=True).start()
if os.environ.get("LOADED_WITH") == "child" and os.fork() == 0:
    threading.Event().wait()
if os.environ.get("LOADED_WITH") == "side effect":
    with suppress(BaseException):
        Path("written-while-loading.txt").write_text("x", "utf-8")

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

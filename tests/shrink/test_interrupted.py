"""Real processes that are stopped in the middle: nothing answered is asked again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.shrink.rules import silent
from tests.shrink.test_shrinking import MUTE, a_long_trace
from workbench.shrink import shrink_trace

PROGRAM = """
import json, os, signal, sys, time
from concurrent.futures import ThreadPoolExecutor
from tests.shrink.rules import bare, silent
from tests.shrink.test_shrinking import MUTE, PAID, a_long_trace
from workbench.shrink import shrink_trace

log, kill_at, workers, pause = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
calls = 0

class Logged:
    def __call__(self, trace):
        global calls
        calls += 1
        if calls == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(pause)
        verdict = MUTE(trace)
        with open(log, "a") as file:
            file.write(json.dumps(silent(trace)) + "\\n")
        return verdict

trace = a_long_trace()
executor = ThreadPoolExecutor(workers) if workers > 1 else None
shrunk = shrink_trace(trace, Logged(), journal=log + ".journal", executor=executor, width=workers)
print(json.dumps([silent(shrunk.trace), shrunk.calls, shrunk.why_stopped]))
"""
ROOT = Path(__file__).parents[2]
ALONE = shrink_trace(a_long_trace(), MUTE)
WANTED = [silent(ALONE.trace), ALONE.calls, None]


def started(log: Path, *, kill_at: int = 0, workers: int = 1, pause: float = 0.0):
    """Start the search in a process of its own."""
    words = [sys.executable, "-c", PROGRAM, str(log), str(kill_at), str(workers), str(pause)]
    return subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": "."}
    )


def finished(log: Path, *, workers: int = 1) -> list[object]:
    """Run the search to its end and return what it printed."""
    process = started(log, workers=workers)
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    found: list[object] = json.loads(printed)
    return found


def answered(log: Path) -> list[str]:
    """Return the traces that the oracle answered about, by both processes."""
    return log.read_text("utf-8").splitlines()


def test_a_killed_process_is_resumed_without_asking_twice(tmp_path):
    """`kill -9` in the seventh call: six answers are in the journal, none is bought again."""
    whole, log = tmp_path / "whole", tmp_path / "log"
    wanted = finished(whole)
    process = started(log, kill_at=7)
    process.communicate(timeout=60)
    before = answered(log)

    resumed = finished(log)

    assert process.returncode == -signal.SIGKILL
    assert len(before) == 6
    assert resumed == wanted
    assert answered(log) == answered(whole)


def test_a_process_killed_with_workers_is_resumed_too(tmp_path):
    """What was judged ahead is not in the journal before its turn; the result is the same."""
    log = tmp_path / "log"
    process = started(log, kill_at=9, workers=4)
    process.communicate(timeout=60)

    resumed = finished(log, workers=2)

    assert process.returncode == -signal.SIGKILL
    assert resumed == WANTED


def test_ctrl_c_ends_with_the_best_trace_and_can_be_resumed(tmp_path):
    """The signal that a terminal sends, in the middle of a call."""
    log = tmp_path / "log"
    process = started(log, pause=0.5)  # the rest takes seconds, however late this one wakes
    deadline = time.monotonic() + 30
    while not (log.exists() and len(answered(log)) >= 4) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    printed, _ = process.communicate(timeout=60)
    best, calls, why = json.loads(printed)

    resumed = finished(log)

    assert process.returncode == 0
    assert why == "interrupted"
    assert calls >= 4
    assert best in [json.loads(line) for line in answered(log)]
    assert resumed == WANTED


@pytest.mark.parametrize(("workers", "seed"), [(1, "1"), (2, "0"), (4, "7")])
def test_workers_and_hash_seeds_do_not_matter(tmp_path, workers, seed, monkeypatch):
    """The same trace by the same number of counted calls as in this process."""
    monkeypatch.setenv("PYTHONHASHSEED", seed)

    assert finished(tmp_path / "many", workers=workers) == WANTED

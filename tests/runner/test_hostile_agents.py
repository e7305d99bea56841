"""Agents that fail in every way there is: never green, never a hang, and nothing is left behind."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

import pytest

from tests.long import sample
from tests.runner.test_trials import an_active_case
from workbench.replay.trial import Limits
from workbench.runner.outcome import CaseVerdict
from workbench.runner.trials import run_cases

PROGRAM = """
import json, os, signal, socket, subprocess, sys, time, urllib.request

line = sys.stdin.readline()
base = os.environ["REPLAY_BASE_URL"]
port = int(base.split(":")[2].split("/")[0])

def half(count):
    for _ in range(count):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(b"POST " + base.split(str(port))[1].encode() + b"/model HTTP/1.1\\r\\ncontent-length: 900\\r\\n\\r\\n{")

def listen_and_leave():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            server = socket.create_server(("127.0.0.1", 0))
            time.sleep(600)
        os._exit(0)

FAULTS = {
    "crashes": lambda: 1 / 0,
    "ends without a word": lambda: sys.exit(0),
    "ends with a code": lambda: sys.exit(9),
    "is killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "is stopped": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "hangs": lambda: time.sleep(600),
    "sleeps through signals": lambda: (signal.signal(signal.SIGTERM, signal.SIG_IGN), time.sleep(600)),
    "floods its output": lambda: [print("x" * 60_000) for _ in iter(int, 1)],
    "floods its complaints": lambda: [os.write(2, b"x" * 60_000) for _ in iter(int, 1)],
    "prints binary": lambda: (os.write(1, bytes(range(256)) * 9 + b"\\n"), sys.exit(0)),
    "prints deep JSON": lambda: (print('{"text": ' + "[" * 100_000), sys.exit(0)),
    "answers no text": lambda: (print(json.dumps({"run_id": json.loads(line)["run_id"], "text": [1]}), flush=True), sys.exit(0)),
    "closes sockets half-way": lambda: (half(20), sys.exit(3)),
    "leaves listening grandchildren": lambda: (listen_and_leave(), sys.exit(3)),
    "starts forty processes": lambda: ([subprocess.Popen(["sleep", "600"]) for _ in range(40)], sys.exit(3)),
}
FAULTS[sys.argv[1]]()
"""
QUICK = (
    "crashes",
    "ends without a word",
    "ends with a code",
    "is killed",
    "prints binary",
    "prints deep JSON",
    "answers no text",
    "closes sockets half-way",
    "leaves listening grandchildren",
    "starts forty processes",
)
SLOW = ("is stopped", "hangs", "sleeps through signals")
FLOODS = ("floods its output", "floods its complaints")


@pytest.fixture
def program(tmp_path, monkeypatch):
    """The program, and a folder of its own for everything temporary."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    path = tmp_path / "hostile.py"
    path.write_text(PROGRAM)
    return path


def run(program, kind, fault, *, seconds=20):
    """Run one case with the program as an agent of a kind; it must leave nothing."""
    handles, children = _handles(), _children()
    agent = f"{kind}:{shlex.join([sys.executable, str(program), fault])}"
    started = time.monotonic()

    report = run_cases(
        [an_active_case()], agent=agent, isolate="audit", limits=Limits(seconds=seconds)
    )

    assert time.monotonic() - started < seconds + 15
    assert _children() <= children
    assert list((program.parent / "scratch").iterdir()) == []
    deadline = time.monotonic() + 5
    while len(_handles()) > len(handles) and time.monotonic() < deadline:
        time.sleep(0.02)  # readers of closed pipes end a moment later
    assert len(_handles()) <= len(handles)
    return report


def _children():
    """Return the ids of children; other tests leave some, such as Python's resource tracker."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii").split())


def _handles():
    return os.listdir("/proc/self/fd")  # noqa: PTH208  names only


@pytest.mark.parametrize(
    ("kind", "fault"), sample(list(product(("cmd", "worker", "mcp"), QUICK)), 14, seed=6)
)
def test_a_fault_is_never_green_and_leaves_nothing(program, kind, fault):
    """A broken agent must not look like a mended one, and the next run needs its machine."""
    report = run(program, kind, fault)

    (case,) = report.cases
    assert case.verdict in (CaseVerdict.INCONCLUSIVE, CaseVerdict.FAIL)
    assert report.exit_code in (1, 6)
    assert [doubt.clause for doubt in case.trials[0].doubts][:1] == ["agent_error"] or (
        kind == "cmd" and fault == "prints deep JSON"  # a text like any other: judged, and red
    )


@pytest.mark.parametrize(
    ("kind", "fault"),
    [("cmd", SLOW[0]), ("worker", SLOW[1]), ("mcp", SLOW[2])],
)
def test_an_agent_that_does_nothing_is_stopped_at_the_limit(program, kind, fault):
    """`run_cases(limits=...)` says when; a trial without an answer is inconclusive."""
    report = run(program, kind, fault, seconds=1)

    (case,) = report.cases
    assert (case.verdict, report.exit_code) == (CaseVerdict.INCONCLUSIVE, 6)
    assert case.trials[0].doubts[0].clause == "time_limit"


@pytest.mark.parametrize(("kind", "fault"), [("cmd", FLOODS[0]), ("worker", FLOODS[1])])
def test_a_flood_is_cut_off(program, kind, fault):
    """It neither blocks nor fills us."""
    report = run(program, kind, fault)

    (case,) = report.cases
    assert (case.verdict, report.exit_code) == (CaseVerdict.INCONCLUSIVE, 6)
    assert "printed without end" in case.trials[0].doubts[0].sentence

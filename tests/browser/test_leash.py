"""Whoever is killed leaves no server, no kernel and no browser behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.browser.jupyter import ROOT
from tests.browser.leash import leashed
from tests.long import is_long

pytestmark = [pytest.mark.browser, pytest.mark.slow]

STARTER = """
import sys, time
from pathlib import Path
from urllib.request import Request, urlopen
from playwright.sync_api import sync_playwright
from tests.browser.jupyter import SWITCHES, serving

home, chromium = Path(sys.argv[1]), sys.argv[2]
with serving(home, home / "home") as server, sync_playwright() as driver:
    driver.chromium.launch(executable_path=chromium, args=SWITCHES).new_page()
    ask = Request(f"{server.address}/api/kernels?token={server.token}", method="POST", data=b"{}")
    urlopen(ask).close()
    print("ready", flush=True)
    time.sleep(600)
"""


def running():
    """Return the parent of every process of the machine that runs."""
    said = subprocess.run(
        ["ps", "-eo", "pid=,ppid=,stat="],  # noqa: S607
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [line.split() for line in said.stdout.splitlines()]
    return {int(pid): int(parent) for pid, parent, stat in rows if not stat.startswith("Z")}


def begun_by(root):
    """Return all processes that a process began, and that those began."""
    parents, found = running(), {root}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {root}


def test_a_command_that_ends_by_itself_ends_with_its_own_code():
    """A server that could not start is told from one that a leash broke."""
    command = [sys.executable, "-c", "raise SystemExit(3)"]

    with leashed(command, env=os.environ, said=subprocess.DEVNULL) as begun:
        assert begun.wait(timeout=60) == 3


@pytest.mark.parametrize("how", [signal.SIGKILL, *([signal.SIGTERM] if is_long() else ())])
def test_nothing_outlives_whoever_began_it(how, chromium, tmp_path):
    """A benchmark that ran into a timeout left a JupyterLab behind, which slowed all that came after."""
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER, str(tmp_path), chromium],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    )
    with starter:
        assert starter.stdout is not None
        assert starter.stdout.read(5) == b"ready"
        begun = begun_by(starter.pid)
        assert len(begun) >= 5  # leash, server, kernel, driver and browser
        starter.send_signal(how)
    end = time.monotonic() + 20
    while (left := begun & running().keys()) and time.monotonic() < end:
        time.sleep(0.1)

    assert left == set()

"""`make lab`, seen as the person who opens it sees it."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect, sync_playwright

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def free_port():
    """Return a port on loopback that nobody listens on."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def lab(tmp_path):
    """The address of a JupyterLab that runs the recipe of `make lab`."""
    address = f"http://127.0.0.1:{(port := free_port())}"
    flags = f"--no-browser --allow-root --port={port} --IdentityProvider.token="
    recipe = subprocess.run(
        ["make", "-n", "--no-print-directory", "lab", f"LAB_FLAGS={flags}"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    command = shlex.split(recipe[recipe.index(".venv/bin/python -m jupyterlab") :])
    quiet = {"JUPYTER_CONFIG_DIR": str(tmp_path), "JUPYTER_DATA_DIR": str(tmp_path / "data")}
    server = subprocess.Popen(
        [sys.executable, *command[1:]],
        cwd=ROOT,
        env=os.environ | quiet,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_for(address, server)
        yield address
    finally:
        os.killpg(server.pid, signal.SIGKILL)  # with its kernel; how it stops is not our question
        server.wait()


def wait_for(address, server):
    """Return once the server answers; a server that ended will never."""
    for _ in range(240):
        assert server.poll() is None
        try:
            urlopen(f"{address}/api", timeout=5).close()  # noqa: S310  our own loopback server
        except URLError:
            time.sleep(0.25)
        else:
            return
    pytest.fail("JupyterLab did not start within a minute")


def test_the_lab_opens_the_quickstart_with_its_kernel(lab, chromium):
    """A person who types `make lab` sees the guided review, ready to run."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=SWITCHES)
        page = browser.new_page()
        page.goto(f"{lab}/lab/tree/00_quickstart.ipynb")

        expect(page.locator(".jp-Notebook h1").first).to_be_visible(timeout=60_000)
        expect(page.locator(".jp-Toolbar-kernelName").first).to_have_text(
            re.compile(r"Python 3"), timeout=60_000
        )
        assert page.locator(".jp-Dialog").count() == 0
        browser.close()

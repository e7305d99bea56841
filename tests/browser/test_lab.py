"""`make lab`, seen as the person who opens it sees it."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect

from tests.browser.jupyter import ROOT, free_port
from tests.browser.leash import leashed

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def made_lab(tmp_path):
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
    copies = recipe.index(".venv/bin/python -m tools.working_copies")
    assert copies < recipe.index(".venv/bin/python -m jupyterlab")
    subprocess.run([sys.executable, "-m", "tools.working_copies"], cwd=ROOT, check=True)
    command = shlex.split(recipe[recipe.index(".venv/bin/python -m jupyterlab") :])
    quiet = {"JUPYTER_CONFIG_DIR": str(tmp_path), "JUPYTER_DATA_DIR": str(tmp_path / "data")}
    with leashed(
        [sys.executable, *command[1:]],
        cwd=ROOT,
        env=os.environ | quiet,
        said=subprocess.DEVNULL,
    ) as server:
        wait_for(address, server)
        yield address


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


def test_the_lab_opens_the_incident_review_with_its_kernel(made_lab, browser):
    """A person who types `make lab` sees the guided review, ready to run."""
    page = browser.new_page()
    page.goto(f"{made_lab}/lab/tree/01_incident_review.ipynb")

    expect(page.locator(".jp-Notebook h1").first).to_be_visible(timeout=60_000)
    expect(page.locator(".jp-Toolbar-kernelName").first).to_have_text(
        re.compile(r"Python 3"), timeout=60_000
    )
    assert page.locator(".jp-Dialog").count() == 0
    page.wait_for_timeout(3_000)  # JupyterLab asks about news a moment after all is restored
    assert page.locator(".Toastify__toast").all_inner_texts() == []
    page.close()

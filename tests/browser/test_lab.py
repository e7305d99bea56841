"""`make lab`, seen as the person who opens it sees it."""

from __future__ import annotations

import json
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
from tests.long import sample

pytestmark = [pytest.mark.browser, pytest.mark.slow]


APPLICATIONS = {"jupyterlab": "lab/tree", "notebook": "notebooks"}
"""Each with the path below which it opens a notebook."""


def recipe_of(*variables):
    """Return what `make lab` would run."""
    return subprocess.run(
        ["make", "-n", "--no-print-directory", "lab", *variables],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.fixture
def made_lab(request, tmp_path):
    """The address of an application that runs the recipe of `make lab`."""
    address = f"http://127.0.0.1:{(port := free_port())}"
    flags = f"--no-browser --allow-root --port={port} --IdentityProvider.token="
    recipe = recipe_of(f"LAB={request.param}", f"LAB_FLAGS={flags}")
    assert "-m tools.working_copies" in recipe
    subprocess.run([sys.executable, "-m", "tools.working_copies"], cwd=ROOT, check=True)
    command = shlex.split(recipe[recipe.index(f".venv/bin/python -m {request.param}") :])
    quiet = {"JUPYTER_CONFIG_DIR": str(tmp_path), "JUPYTER_DATA_DIR": str(tmp_path / "data")}
    with leashed(
        [sys.executable, *command[1:]],
        cwd=ROOT,
        env=os.environ | quiet,
        said=subprocess.DEVNULL,
    ) as server:
        wait_for(address, server)
        yield f"{address}/{APPLICATIONS[request.param]}"


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


def test_the_incident_is_loaded_where_the_notebook_looks():
    """The first click of a newcomer is on a run that is there."""
    loading = re.search(r"-m workbench.demo --load (\S+)", recipe_of())
    cells = json.loads((ROOT / "notebooks/01_incident_review.ipynb").read_text("utf-8"))["cells"]
    given = "".join(next(cell for cell in cells if cell["metadata"].get("tags"))["source"])

    store = re.search(r'^store = "([^"]+)"', given, re.MULTILINE)

    assert loading is not None
    assert store is not None
    assert (ROOT / "notebooks" / store[1]).resolve() == (ROOT / loading[1]).resolve()


@pytest.mark.parametrize("made_lab", sample(list(APPLICATIONS), 1, 1), indirect=True)
def test_the_lab_opens_the_incident_review_with_its_kernel(made_lab, browser):
    """A person who types `make lab` sees the guided review, ready to run."""
    page = browser.new_page()
    page.goto(f"{made_lab}/01_incident_review.ipynb")

    expect(page.locator(".jp-Notebook h1").first).to_be_visible(timeout=60_000)
    expect(page.locator(".jp-Toolbar-kernelName").first).to_have_text(
        re.compile(r"Python 3"), timeout=60_000
    )
    assert page.locator(".jp-Dialog").count() == 0
    page.wait_for_timeout(3_000)  # JupyterLab asks about news a moment after all is restored
    assert page.locator(".Toastify__toast").all_inner_texts() == []
    page.close()

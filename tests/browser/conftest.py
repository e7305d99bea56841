"""One JupyterLab and one Chromium for all tests here, or a loud skip."""

from __future__ import annotations

import os

import pytest
from playwright.sync_api import sync_playwright

from tests.browser.jupyter import SWITCHES, Lab, serving


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of a Chromium; `make test` finds or installs one."""
    path = os.environ.get("WORKBENCH_CHROMIUM")
    if not path:
        if os.environ.get("REQUIRE_BROWSER") == "1":
            pytest.fail("REQUIRE_BROWSER=1 but no Chromium was found")
        pytest.skip("no Chromium (make test finds or installs one)")
    return path


@pytest.fixture(scope="session")
def browser(chromium):
    """The one browser."""
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=chromium, args=SWITCHES)
        yield started
        started.close()


@pytest.fixture(scope="session")
def server(chromium, tmp_path_factory):
    """The one server; its folder is empty but for what tests write."""
    home = tmp_path_factory.mktemp("jupyter")
    folder = tmp_path_factory.mktemp("notebooks")
    spare = home / "tmp"
    spare.mkdir()
    with serving(folder, home, WORKBENCH_KEYS=str(home / "keys"), TMPDIR=str(spare)) as running:
        yield running
        assert not running.outside.exists(), running.outside.read_text("utf-8")


@pytest.fixture
def lab(browser, server):
    """A page of its own; at the end nothing may have left loopback or thrown."""
    context = browser.new_context(viewport={"width": 1360, "height": 1000})
    here = Lab(server=server, page=context.new_page())
    here.page.set_default_timeout(15_000)
    here.watch()
    yield here
    context.close()
    assert here.outside == []
    assert here.errors == []

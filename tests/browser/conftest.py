"""A browser, or a loud skip."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of a Chromium; `make test` finds or installs one."""
    path = os.environ.get("WORKBENCH_CHROMIUM")
    if not path:
        if os.environ.get("REQUIRE_BROWSER") == "1":
            pytest.fail("REQUIRE_BROWSER=1 but no Chromium was found")
        pytest.skip("no Chromium (make test finds or installs one)")
    return path

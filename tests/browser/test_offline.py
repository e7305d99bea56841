"""The watch over requests that leave the machine does see them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.browser.offline import offline

ASKS = {
    "connect": "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)",
    "name": "from urllib.request import urlopen; urlopen('http://example.invalid/')",
}


@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)
def test_a_request_for_another_machine_is_refused_and_remembered(ask, tmp_path):
    """A watch that sees nothing would be green for ever."""
    site, said = offline(tmp_path)
    env = os.environ | {"PYTHONPATH": str(site)}

    done = subprocess.run([sys.executable, "-c", ask], env=env, capture_output=True, check=False)

    assert b"offline" in done.stderr
    assert "socket." in said.read_text("utf-8")


def test_this_machine_may_be_asked(tmp_path):
    """Kernels and the browser talk over loopback."""
    site, said = offline(tmp_path)
    ask = (
        "import socket\nserver = socket.create_server(('127.0.0.1', 0))\n"
        "socket.create_connection(server.getsockname())\nsocket.getaddrinfo('localhost', 80)"
    )

    subprocess.run(
        [sys.executable, "-c", ask], env=os.environ | {"PYTHONPATH": str(site)}, check=True
    )

    assert not said.exists()

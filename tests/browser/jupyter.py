"""A real JupyterLab in a real Chromium, driven as a person would, and its kernel read back."""

from __future__ import annotations

import ast
import json
import os
import secrets
import socket
import sys
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.request import urlopen

import axe_playwright_python  # type: ignore[import-untyped]
import pytest

from tests.browser.leash import leashed
from tests.browser.offline import offline

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["ROOT", "SHOTS", "SWITCHES", "Lab", "Server", "free_port", "notebook", "serving"]

ROOT = Path(__file__).resolve().parents[2]
SHOTS = ROOT / "build" / "screenshots"
"""Never committed; every view in both themes."""
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
WIDGET = "() => window.jupyterapp.shell.currentWidget"
AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"
AXE_RULES = {"region": {"enabled": False}}
"""Landmarks are the page's business, not a view's."""


@dataclass(frozen=True, kw_only=True)
class Server:
    """A JupyterLab (and Notebook 7) on loopback."""

    address: str
    token: str
    folder: Path
    """Its root: notebooks are written here."""
    log: Path
    outside: Path
    """What the server or a kernel wanted of another machine, if anything."""


def free_port():
    """Return a port on loopback that nobody listens on."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def serving(folder, home, **extra):
    """Run a server for notebooks in a folder, with settings of its own and no news."""
    port, token = free_port(), secrets.token_hex(16)
    site, outside = offline(home)
    names = ("CONFIG", "DATA", "RUNTIME")
    env = os.environ | {f"JUPYTER_{name}_DIR": str(home / name.lower()) for name in names}
    env |= {
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "JUPYTER_PLATFORM_DIRS": "1",
        "PYTHONPATH": os.pathsep.join([str(site), str(ROOT)]),
        **extra,
    }
    flags = {
        "--ip": "127.0.0.1",
        "--port": port,
        "--ServerApp.port_retries": 0,
        "--ServerApp.root_dir": folder,
        "--ServerApp.terminals_enabled": False,
        "--IdentityProvider.token": token,
        "--LabApp.news_url": None,
        "--LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager": "readonly",
        "--LanguageServerManager.autodetect": False,
        "--JupyterNotebookApp.expose_app_in_browser": True,
    }
    quiet = home / "settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings"
    quiet.parent.mkdir(parents=True, exist_ok=True)
    quiet.write_text(json.dumps({"fetchNews": "false", "checkForUpdates": False}))
    log = home / "server.log"
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        *("--expose-app-in-browser", *(f"{name}={value}" for name, value in flags.items())),
    ]
    with log.open("w") as said, leashed(command, env=env, said=said) as server:
        address = f"http://127.0.0.1:{port}"
        _answers(f"{address}/api/status?token={token}", server, log)
        yield Server(address=address, token=token, folder=folder, log=log, outside=outside)


def _answers(address, server, log):
    """Return once the server answers; a server that ended will never."""
    for _ in range(600):
        assert server.poll() is None, log.read_text("utf-8")[-2000:]
        try:
            urlopen(address, timeout=5).close()  # noqa: S310  our own loopback server
        except URLError:
            time.sleep(0.1)
        else:
            return
    pytest.fail("JupyterLab did not start within a minute")


def notebook(path, *cells):
    """Write a notebook of code cells."""
    document = {
        "cells": [
            {
                "cell_type": "code",
                "id": f"cell-{nth}",
                "execution_count": None,
                "metadata": {},
                "outputs": [],
                "source": source,
            }
            for nth, source in enumerate(cells)
        ],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path.write_text(json.dumps(document), "utf-8")
    return path


@dataclass(kw_only=True)
class Lab:
    """One page on a server."""

    server: Server
    page: Page
    outside: list[str] = field(default_factory=list)
    """Requests that were meant to leave loopback."""
    errors: list[str] = field(default_factory=list)
    """Exceptions of scripts."""

    def watch(self):
        """Refuse and remember whatever would leave loopback; remember exceptions of views."""

        def refuse(route):
            self.outside.append(route.request.url)
            route.abort()

        self.page.route(
            lambda url: not url.startswith((self.server.address, "data:", "blob:")), refuse
        )
        self.page.on("pageerror", self._threw)
        self.page.on("console", self._said)

    def _threw(self, error):
        """Remember an exception of ours: the application's own modules are no blobs."""
        if "blob:" in (error.stack or ""):
            self.errors.append(str(error))

    def _said(self, message):
        if message.type == "error" and "anywidget" in message.text:
            self.errors.append(message.text)

    def open(self, name, *, theme="light", app="lab"):
        """Open a notebook and wait for its kernel."""
        where = "lab/tree" if app == "lab" else "notebooks"
        reset = "&reset" if app == "lab" else ""
        self.page.goto(f"{self.server.address}/{where}/{name}?token={self.server.token}{reset}")
        self.page.wait_for_function("() => window.jupyterapp?.restored", timeout=60_000)
        self.page.evaluate("() => window.jupyterapp.restored")
        self.theme(theme)
        self.idle()
        return self

    def theme(self, name):
        """Change the theme and wait until it is there."""
        self.command("apputils:change-theme", theme=THEMES[name])
        dark = "false" if name == "dark" else "true"
        self.page.wait_for_selector(f'body[data-jp-theme-light="{dark}"]', state="attached")

    def command(self, name, **args):
        """Carry out a command of the application."""
        self.page.evaluate(
            "([name, args]) => window.jupyterapp.commands.execute(name, args).then(() => null)",
            [name, args],
        )

    def idle(self, timeout_s=60):
        """Wait until the kernel has nothing to do."""
        self.page.wait_for_function(
            f"""() => {{ const kernel = ({WIDGET})()?.sessionContext?.session?.kernel;
            return kernel?.connectionStatus === "connected" && kernel.status === "idle" }}""",
            timeout=timeout_s * 1000,
            polling=50,
        )

    def run_all(self):
        """Run all cells."""
        self.command("notebook:run-all-cells")
        self.idle()

    def py(self, expression):
        """Evaluate an expression in the kernel and return its JSON value."""
        said = self.page.evaluate(
            f"""async code => {{ const kernel = ({WIDGET})().sessionContext.session.kernel;
            const ask = kernel.requestExecute({{ code: "", silent: true, store_history: false,
              user_expressions: {{ value: code }} }});
            return (await ask.done).content.user_expressions.value }}""",
            f"__import__('json').dumps({expression})",
        )
        assert said["status"] == "ok", said.get("evalue")
        return json.loads(ast.literal_eval(said["data"]["text/plain"]))

    def exec(self, code):
        """Run a statement in the kernel."""
        said = self.page.evaluate(
            f"""async code => {{ const kernel = ({WIDGET})().sessionContext.session.kernel;
            const ask = kernel.requestExecute({{ code, store_history: false }});
            return (await ask.done).content.status }}""",
            code,
        )
        assert said == "ok"

    def eventually(self, expression, wanted=..., timeout_s=15):
        """Wait until an expression in the kernel has a value, by default true."""
        wanted = True if wanted is ... else wanted
        end = time.monotonic() + timeout_s
        while (got := self.py(expression)) != wanted:
            assert time.monotonic() < end, f"{expression} is {got!r}, not {wanted!r}"
            time.sleep(0.05)

    def restart(self):
        """Restart the kernel, as from the menu, and wait for it."""
        self.page.evaluate(
            f"() => ({WIDGET})().sessionContext.session.kernel.restart().then(() => null)"
        )
        self.idle()

    def save(self):
        """Save the notebook and return what is in its file."""
        self.command("docmanager:save")
        name = self.page.evaluate(f"() => ({WIDGET})().context.path")
        return (self.server.folder / name).read_text("utf-8")

    def cells(self):
        """Return how many cells the notebook has."""
        return self.page.evaluate(f"() => ({WIDGET})().content.widgets.length")

    def axe(self, selector):
        """Return what an accessibility checker finds wrong: `rule: target`."""
        self.page.evaluate(AXE.read_text("utf-8"))
        found = self.page.evaluate(
            "([selector, rules]) => axe.run(selector, { rules })", [selector, AXE_RULES]
        )
        assert found["passes"], "axe checked nothing"
        return [
            f"{item['id']}: {node['target']} {node['failureSummary']}"
            for item in found["violations"]
            for node in item["nodes"]
        ]

    def shot(self, selector, name):
        """Write a screenshot of a view."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.page.locator(selector).first.screenshot(path=SHOTS / f"{name}.png")

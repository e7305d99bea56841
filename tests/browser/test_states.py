"""Empty, loading, failed and left alone: every state that a view has is drawn, in both themes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.browser.every_state import NAMES
from tests.browser.jupyter import SHOTS, notebook
from workbench.ui import bridge

pytestmark = [pytest.mark.browser, pytest.mark.slow]

STATIC = Path(bridge.__file__).parent / "static"
SETUP = """from pathlib import Path
from time import sleep
from tests.browser.every_state import every_state, tell_of_trouble, tell_of_work
views = every_state({folder!r})"""
BUSY = """while not Path({flag!r}).exists():
    sleep(0.05)"""
SEEN = "nodes => nodes.map((node) => node.textContent)"
ELSEWHERE = {"The kernel was restarted or is gone."}
"""Drawn by all views, in the test of access."""


def states_of_modules():
    """Return the titles of all states that the modules of the views can draw."""
    text = "\n".join(path.read_text("utf-8") for path in STATIC.glob("*.js"))
    found = re.findall(r'\bstate\("\w+", (?:[\w.]+ \? )?"([^"]+)"(?: : "([^"]+)")?', text)
    return {title for titles in found for title in titles if title}


@pytest.fixture(scope="module")
def desk(server):
    """A notebook with every state, and a cell that keeps the kernel busy."""
    folder = server.folder / "states"
    folder.mkdir()
    cells = [f'views["{name}"]' for name in NAMES]
    busy = BUSY.format(flag=str(folder / "flag"))
    notebook(server.folder / "states.ipynb", SETUP.format(folder=str(folder)), *cells, busy)
    return "states.ipynb", folder / "flag"


def shown(lab):
    """Return the titles that stand on the page."""
    return set(lab.page.locator(".wb-state-title").evaluate_all(SEEN))


def looked_at(lab, what, *names):
    """Take pictures of views in both themes and let axe look at each; return the titles seen."""
    titles: set[str] = set()
    frames = {name: lab.page.locator(".wb-frame").nth(NAMES.index(name)) for name in names}
    SHOTS.mkdir(parents=True, exist_ok=True)
    for frame in frames.values():
        frame.evaluate("(node, what) => node.setAttribute('data-looked', what)", what)
    for theme in ("dark", "light"):
        lab.theme(theme)
        lab.page.wait_for_timeout(150)
        titles |= shown(lab)
        for name, frame in frames.items():
            frame.screenshot(path=SHOTS / f"state-{name}-{what}-{theme}.png")
        assert lab.axe(f"[data-looked={what}]") == []
    return titles


def test_every_state_is_drawn_for_everybody(lab, desk):
    """A view that waits, is empty or failed says so and what to do; nobody sees a blank frame."""
    name, flag = desk
    page = lab.open(name).page
    page.set_viewport_size({"width": 1360, "height": 6000})  # JupyterLab draws what can be seen
    page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }")
    page.wait_for_function(
        "(many) => document.querySelectorAll('.wb-frame').length === many",
        arg=len(NAMES),
        timeout=60_000,
    )
    titles = looked_at(lab, "busy", "empty_store", "no_suggestion")
    page.get_by_text("The kernel has not answered for 8 seconds").first.wait_for()
    page.locator(".wb-frame").first.screenshot(path=SHOTS / "state-not-answered.png")
    flag.touch()
    lab.idle()

    page.get_by_text("The draft could not be looked at.").wait_for()
    failed = page.locator(".wb-frame").nth(NAMES.index("unreadable"))
    assert failed.inner_text().count("Fix: set WORKBENCH_KEYS") == 1
    assert failed.get_by_role("button", name="Write redacted draft").is_disabled()
    page.get_by_label("Filter runs").nth(1).fill("nothing like it")
    page.get_by_text("No run matches.").wait_for()
    page.get_by_role("button", name="To decide 0").last.click()
    page.get_by_text("Nothing is left to decide.").wait_for()
    lab.exec("tell_of_work(views); tell_of_trouble(views)")
    page.get_by_text("Judging the whole trace first").wait_for()
    titles |= shown(lab)  # at once: the kernel tells a view again where it stands
    page.get_by_text("This did not work: KeyError at timeline.py:12").wait_for()
    titles |= looked_at(lab, "rest", *NAMES)

    assert states_of_modules() - titles == ELSEWHERE
    assert titles - states_of_modules() == {"No contract is stated yet."}

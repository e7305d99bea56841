"""The notebooks as a reviewer has them: beside a store with the demo incident, parameters filled in."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.browser.jupyter import ROOT, SHOTS
from workbench.demo.loading import load_demo

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["RUN", "Hand", "a_desk", "picture", "put_notebook"]

RUN = "run-leafbox-2041"
NOTEBOOKS = ROOT / "notebooks"


def a_desk(server, name):
    """Make a folder with a store that holds the demo incident, and a folder for cases."""
    folder = server.folder / name
    (folder / "cases").mkdir(parents=True)
    load_demo(folder / "store")
    (folder / "workbench.toml").write_text('[folders]\nkeys = "keys"\n', "utf-8")
    return folder


def put_notebook(folder, name, *, ner="auto", **parameters):
    """Copy a notebook with other parameters behind its own, as papermill does.

    Args:
        folder: a desk.
        name: of the notebook.
        ner: `none` opens it as on a machine without a language model, which takes seconds to load.
        parameters: of its cell.
    """
    document = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text("utf-8"))
    given = {"store": "store", "cases": "cases", "today": "2026-11-30"} | parameters
    source = "".join(f"{key} = {value!r}\n" for key, value in given.items())
    at = next(
        nth
        for nth, cell in enumerate(document["cells"])
        if "parameters" in cell["metadata"].get("tags", ())
    )
    cell = document["cells"][at] | {"id": "injected", "metadata": {}, "source": source}
    document["cells"].insert(at + 1, cell)
    if ner == "none":
        opens = document["cells"][at + 2]["source"]
        opens[-2] = opens[-2].replace("reviewer=reviewer", 'reviewer=reviewer, ner="none"')
        assert "ner=" in opens[-2]
    reviewer = str(parameters.get("reviewer", "")).lower()
    path = folder / f"{name}-{reviewer}.ipynb"
    path.write_text(json.dumps(document), "utf-8")
    return f"{folder.name}/{path.name}"


def picture(lab, view, name):
    """Take a picture of a view; `WORKBENCH_PICTURES=1` makes it one of the tutorial's."""
    lab.page.mouse.move(0, 0)
    lab.page.wait_for_timeout(150)
    lab.shot(f".wb-{view}", f"tour-{name}")
    if os.environ.get("WORKBENCH_PICTURES") == "1":
        images = ROOT / "docs" / "images"
        images.mkdir(exist_ok=True)
        shutil.copyfile(SHOTS / f"tour-{name}.png", images / f"{name}.png")


@dataclass
class Hand:
    """What a person does with mouse and keys; each of it is counted."""

    page: Page
    acts: int = 0
    moves: int = 0
    """Times that Tab was pressed on the way to a control."""

    def click(self, target):
        """Press a control with the mouse."""
        target.click()
        self.acts += 1

    def wheel(self, target):
        """Scroll on with the mouse's wheel; that is an action too."""
        target.hover()
        self.page.mouse.wheel(0, 0.8 * target.bounding_box()["height"])
        self.acts += 1

    def press(self, *keys):
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)
            self.acts += 1

    def type(self, text):
        """Type a text where the focus is."""
        self.page.keyboard.type(text)
        self.acts += 1

    def fill(self, target, text):
        """Click into a field and type."""
        target.fill(text)
        self.acts += 2

    def tab_to(self, target):
        """Press Tab until a control has the focus."""
        for _ in range(80):
            if target.evaluate("node => node === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
            self.moves += 1
        raise AssertionError("Tab does not lead there")

"""Picker and timeline in a real notebook: mouse, keyboard, both themes, hostile text, restarts."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import papermill
import pytest

from tests.browser.hostile import CANARY, a_hostile_run, payload
from tests.browser.jupyter import ROOT, notebook
from tests.builders import a_call, a_trace, a_user
from tests.ui.stores import a_store
from workbench.model.trace import RunStatus, Versions

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SETUP = """from workbench.ui.controllers.picker import Picker
from workbench.ui.controllers.timeline import Timeline
from workbench.ui.views.picker import PickerView
from workbench.ui.views.timeline import TimelineView
picker = Picker({store!r}, reviewer="Ada")
"""
PICK = "runs = PickerView(picker)\nruns"
LOOK = "timeline = Timeline().follow(picker)\nevents = TimelineView(timeline)\nevents"
WITHOUT_CHANNELS = """() => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  for (const channel of kernel._comms.values()) channel.dispose();
}"""
"""What a restart does first, in JupyterLab's own words: `_clearKernelState`."""
SAY = "print(runs.summary(), events.summary(), repr(runs), repr(events))"


@pytest.fixture(scope="module")
def desk(server):
    """A notebook over a store with one hostile run among sixty."""
    plain = [
        replace(a_trace(a_user(), a_call("a"), run_id=f"plain-{nth:02}"), status=RunStatus.OK)
        for nth in range(60)
    ]
    hostile = a_hostile_run(payload("run"))
    other = replace(
        a_hostile_run("good run", status=RunStatus.OK), versions=Versions(prompt="v42", model="m")
    )
    other = replace(other, events=other.events[:9])
    a_store(server.folder / "store", hostile, other, *plain).close()
    setup = SETUP.format(store=str(server.folder / "store"))
    notebook(server.folder / "desk.ipynb", setup, PICK, LOOK, SAY)
    return "desk.ipynb"


def run_in(lab, name):
    """Return a run's row in the picker."""
    return lab.page.get_by_role("listbox", name="Runs").get_by_role("option", name=name).first


def pick_hostile(lab):
    """Filter for the failed run and pick it with the mouse."""
    page = lab.page
    page.get_by_label("Status", exact=True).select_option("failed")
    page.get_by_text("Runs 1\u20131 of 1 that match").wait_for()
    run_in(lab, "failed").click()
    page.get_by_role("button", name="Pick this run").click()
    page.locator(".wb-picker .wb-status").get_by_text("Picked: review").wait_for()
    page.get_by_role("tree", name="Events of the run").wait_for()


def ran(lab):
    """Return the payloads that were executed, and what they made of the page."""
    return lab.page.evaluate(
        """() => [window.pwned ?? [], document.querySelectorAll(
        '.wb img, .wb script, .wb svg[onload], .wb a, .wb iframe, .wb [onmouseover], .wb [onerror]').length]"""
    )


def test_the_picker_and_the_timeline_by_mouse(lab, desk):
    """Pick, see the failure, mark the trigger, compare; nothing executes and nothing leaves."""
    page = lab.open(desk).page
    lab.run_all()
    page.get_by_text("No run is picked yet.", exact=True).wait_for()
    assert lab.axe(".wb-timeline") == []
    pick_hostile(lab)
    assert lab.py("picker.incident.run.trace.status") == "failed"

    page.get_by_role("button", name="Next failure").click()
    lab.eventually("timeline.selected is not None")
    page.get_by_role("button", name="Mark as trigger").click()
    page.get_by_role("button", name="Trigger: unmark").wait_for()
    assert len(lab.py("list(picker.incident.trigger)")) == 1
    page.get_by_role("button", name="Failures only").click()
    page.get_by_text("2 of 13 rows").wait_for()
    page.get_by_role("button", name="Failures only").click()
    for row in range(13):
        page.locator(".wb-timeline .wb-row").nth(row).click()
        lab.eventually("timeline.selected", lab.py(f"timeline._falls['this'].spans[{row}].seq"))
    page.locator(".wb-timeline .wb-row").nth(5).click()
    page.locator(".wb-raw summary").last.click()
    assert page.locator(".wb-timeline .wb-escape").count() > 0
    assert "\u202e" not in page.locator(".wb-timeline").inner_text()
    assert ran(lab) == [[], 0]
    assert (lab.py("runs.ignored"), lab.py("events.ignored")) == (0, 0)
    saved = lab.save()
    assert CANARY not in saved
    kept = [path.read_text("utf-8") for path in lab.server.folder.rglob(".ipynb_checkpoints/*")]
    assert kept
    assert CANARY not in "".join(kept)
    assert CANARY not in lab.server.log.read_text("utf-8")


def test_two_runs_beside_each_other(lab, desk):
    """The first difference, the versions and what follows are seen at once."""
    page = lab.open(desk).page
    lab.run_all()
    pick_hostile(lab)
    page.get_by_label("Run to compare with").fill("good run")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("tree", name="Events of the other run").wait_for()
    assert page.get_by_text("parts here").count() >= 1
    assert ran(lab) == [[], 0]


def reach(lab, role):
    """Go on by Tab until something with that role has the focus."""
    for _ in range(16):
        lab.page.keyboard.press("Tab")
        if lab.page.evaluate("() => document.activeElement.getAttribute('role')") == role:
            return
    pytest.fail(f"no {role} is reached by Tab")


def test_the_picker_by_keyboard_alone(lab, desk):
    """Filter, turn pages at the edges of the list, pick; nothing edits the notebook."""
    page = lab.open(desk).page
    lab.run_all()
    press = page.keyboard.press
    page.get_by_role("listbox", name="Runs").get_by_role("option").first.wait_for()
    cells = lab.cells()
    page.get_by_role("searchbox", name="Filter runs").focus()
    page.keyboard.type("plain-")
    page.get_by_text("of 60 that match").wait_for()
    reach(lab, "listbox")
    press("End")
    press("ArrowDown")
    page.get_by_text("Runs 51\u201360 of 60").wait_for()
    press("Home")
    press("ArrowUp")
    page.get_by_text("Runs 1\u201350 of 60").wait_for()
    press("]")
    page.get_by_text("Runs 51\u201360 of 60").wait_for()
    for key in "abxyzdd0j":
        press(key)
    press("Home")
    press("Enter")
    lab.eventually("picker.incident.run.trace.run_id[:6]", "plain-")
    assert lab.cells() == cells
    assert page.locator(".jp-mod-editMode").count() == 0


def test_the_timeline_by_keyboard_alone(lab, desk):
    """Every action has a key, focus is seen, and no key edits the notebook."""
    page = lab.open(desk).page
    lab.run_all()
    lab.exec("picker.pick('plain-07')")
    page.get_by_text("3 of 3 rows").wait_for()
    press = page.keyboard.press
    tree = page.get_by_role("tree", name="Events of the run")
    tree.focus()
    cells = lab.cells()
    press("Home")
    lab.eventually("timeline.selected", 0)
    assert tree.evaluate("node => getComputedStyle(node).outlineStyle") == "solid"
    press("ArrowDown")
    press("ArrowLeft")
    page.get_by_text("2 of 3 rows").wait_for()
    press("ArrowRight")
    page.get_by_text("3 of 3 rows").wait_for()
    press("End")
    lab.eventually("timeline.selected", 2)
    press("t")
    lab.eventually("list(picker.incident.trigger)", ["#2.args"])
    press("m")
    lab.eventually("timeline.masks")
    for key in "abxyzdd0j":
        press(key)
    press("?")
    page.locator(".wb-timeline").get_by_role("group", name="Help").wait_for()
    press("Escape")
    press("/")
    page.keyboard.type("nothing like it")
    page.get_by_text("0 of 3 rows").wait_for()
    assert lab.cells() == cells
    assert page.locator(".jp-mod-editMode").count() == 0


def test_a_restart_loses_nothing_and_says_so(lab, desk):
    """The view says that its kernel is gone; the next one is where this one was."""
    page = lab.open(desk).page
    lab.run_all()
    pick_hostile(lab)
    page.get_by_role("button", name="Next failure").click()
    lab.eventually("timeline.selected is not None")
    before = lab.py("list(picker.incident.trigger)")
    page.get_by_role("button", name="mark").first.click()
    lab.eventually("list(picker.incident.trigger) != " + repr(before))
    marked = lab.py("list(picker.incident.trigger)")

    lab.restart()

    page.locator(".wb-timeline .wb-state-gone").wait_for()
    lab.run_all()
    page.get_by_role("tree", name="Events of the run").wait_for()
    assert lab.py("picker.incident.run.trace.status") == "failed"
    assert lab.py("list(picker.incident.trigger)") == marked


def test_a_view_whose_channel_went_first_says_so_and_throws_nothing(lab, desk):
    """A restart disposes of the channels, then tells the widgets: a click may come between."""
    page = lab.open(desk).page
    lab.run_all()
    pick_hostile(lab)
    page.get_by_role("button", name="Next failure").click()
    lab.eventually("timeline.selected is not None")
    page.evaluate(WITHOUT_CHANNELS)

    page.get_by_role("button", name="mark").first.click()

    page.locator(".wb-timeline .wb-state-gone").wait_for()
    assert page.locator(".wb-state-gone").count() == 1
    assert lab.errors == []


@pytest.mark.filterwarnings("ignore")
def test_no_writer_of_notebooks_saves_a_value(server, desk, monkeypatch):
    """Papermill and nbconvert keep every output, trait and message that they can get."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(server.folder / "ipython"))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    executed = server.folder / "papermill.ipynb"
    source = server.folder / desk
    text = json.loads(source.read_text("utf-8"))
    pick = (
        "_ = [picker.pick(r['run_id']) for r in picker.page()['rows'] if r['status'] == 'failed']"
    )
    text["cells"][0]["source"] += pick
    asked = notebook(server.folder / "asked.ipynb", *[c["source"] for c in text["cells"]])
    papermill.execute_notebook(asked, executed, kernel_name="python3", progress_bar=False)
    subprocess.run(
        [sys.executable, "-m", "nbconvert", "--to", "html", "--output", "report", str(executed)],
        check=True,
        capture_output=True,
    )
    done = json.loads(executed.read_text("utf-8"))
    saved = [cell.get("outputs") for cell in done["cells"]]

    assert "1 of 62 runs" in str(saved)
    assert CANARY not in str(saved)
    assert CANARY not in json.dumps(done["metadata"])
    assert "window.pwned" not in str(saved)
    page = Path(server.folder / "report.html").read_text("utf-8")
    assert "1 of 62 runs" in page
    assert CANARY not in page

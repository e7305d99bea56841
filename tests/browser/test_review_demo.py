"""The whole review of the demo incident in the real notebooks: from a run to an active case.

A click, a key that decides, a choice and a typed text are one action each. Tab only moves: it is
counted beside them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from tests.browser.desks import RUN, a_desk, picture
from tests.browser.drive import (
    CASE,
    MAX_ACTIONS,
    REDACTION,
    by_keys,
    by_mouse,
    decide_all,
    is_written,
    opened,
    survivors_are_shown,
)
from tests.browser.jupyter import ROOT
from tests.notebooks.test_notebooks import PERSONAL

pytestmark = [pytest.mark.browser, pytest.mark.slow]


DECIDE_THE_REST = f"""review = {REDACTION}
while left := [row for row in review.rows() if row["reaches"] and row["status"] == "open"]:
    (review.see if left[0]["kind"] == "text" else review.accept)(left[0]["name"])
    review.wait()"""
"""What clicks do in the other tests, at once."""


def exit_code(folder, agent):
    """Run the exported case with an agent, headless, as CI does."""
    command = [*(sys.executable, "-m", "workbench", "run", "cases"), "--agent"]
    done = subprocess.run(
        [*command, f"python:workbench.demo.{agent}_agent:agent"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode


def holds_nothing_personal(folder):
    """Neither the notebooks nor the case may hold a value of the trace."""
    files = [*folder.glob("*.ipynb"), *folder.glob("cases/*"), *folder.glob(".ipynb_checkpoints/*")]
    assert len(files) >= 3
    return [v for file in files for v in PERSONAL if v in file.read_text("utf-8")] == []


def test_the_whole_review_by_mouse(lab, server):
    """Six people look at one screen: one run, eleven survivors, one file that CI runs."""
    folder = a_desk(server, "mouse")
    hand = opened(lab, folder, "01_incident_review", reviewer="Ada")
    page = lab.page
    page.set_viewport_size({"width": 1360, "height": 1400})  # a picture holds a whole view
    hand.click(page.get_by_role("listbox", name="Runs").get_by_role("option", name=RUN))
    hand.click(page.get_by_role("button", name="Pick this run"))
    page.locator(".wb-picker .wb-picked").wait_for()
    picture(lab, "picker", "pick")
    page.get_by_role("tree", name="Events of the run").wait_for()
    for failure in ("tool call #27", "tool call #121"):
        hand.click(page.get_by_role("button", name="Next failure"))
        page.get_by_role("heading", name=failure).wait_for()
    expect(page.locator(".wb-timeline .wb-leaf .wb-blank")).to_have_text("␣")
    picture(lab, "timeline", "understand")
    hand.click(page.get_by_role("button", name="Take").first)
    hand.click(page.get_by_role("button", name="State this contract"))
    reaches = survivors_are_shown(lab, least=6)
    assert reaches < lab.py(f"len({REDACTION}.rows())")
    picture(lab, "contract", "state")
    picture(lab, "redaction", "redact")
    decide_all(lab, by_mouse(hand), least=6)
    hand.click(page.get_by_role("button", name="Write redacted draft"))
    is_written(lab)
    lab.save()

    then = opened(lab, folder, "02_shrink_and_export", reviewer="Ada")
    then.click(page.get_by_role("button", name="Search"))
    page.get_by_text("✓ Smallest", exact=True).wait_for()
    picture(lab, "shrink", "shrink")
    then.fill(page.get_by_label("Owner"), "billing-agents")
    then.fill(page.get_by_label("Next review"), "2027-02-28")
    page.get_by_label("Where it can be prevented").select_option("code")
    then.acts += 2
    then.click(page.get_by_role("button", name="Export"))
    then.click(page.get_by_role("button", name="Accept the repaired path"))
    then.click(page.get_by_role("button", name="Activate"))
    lab.eventually(f"({CASE}.proof() or {{}}).get('state')", "active", timeout_s=30)
    picture(lab, "export", "export")
    saved = json.loads(lab.save())

    assert hand.acts + then.acts < MAX_ACTIONS
    assert (exit_code(folder, "broken"), exit_code(folder, "mended")) == (1, 0)
    assert "is active, 1 accepted path" in json.dumps(saved)
    assert holds_nothing_personal(folder)


def at_the_first_view(lab):
    """Stand on the first cell with a view, as the arrow keys of the notebook lead there."""
    lab.page.evaluate(
        """() => { const here = window.jupyterapp.shell.currentWidget;
        here.content.activeCellIndex = 4; here.content.mode = "command"; here.activate(); }"""
    )


def test_the_whole_review_by_keyboard(lab, server):
    """Nobody needs a mouse; Tab leads from view to view without a trap, keys decide."""
    folder = a_desk(server, "keys")
    hand = opened(lab, folder, "01_incident_review", reviewer="Bo", ner="none")
    page = lab.page
    at_the_first_view(lab)
    hand.tab_to(page.get_by_role("listbox", name="Runs"))
    hand.press("Home", "Enter")
    events = page.get_by_role("tree", name="Events of the run")
    events.wait_for()
    hand.tab_to(events)
    hand.press("n")
    page.locator(".wb-timeline .wb-event").first.wait_for()
    hand.tab_to(page.get_by_role("button", name="Take").first)
    hand.press("Enter")
    stating = page.get_by_role("button", name="State this contract")
    expect(stating).to_be_enabled(timeout=60_000)
    hand.tab_to(stating)
    hand.press("Enter")
    survivors_are_shown(lab, least=6)
    hand.tab_to(page.get_by_role("listbox", name="Findings"))
    decide_all(lab, by_keys(hand), least=6)
    hand.press("w")
    is_written(lab)
    lab.save()

    then = opened(lab, folder, "02_shrink_and_export", reviewer="Bo", ner="none")
    at_the_first_view(lab)
    then.tab_to(page.get_by_role("listbox", name="Events"))
    then.press("g")
    page.get_by_text("✓ Smallest", exact=True).wait_for()
    then.tab_to(page.get_by_label("Owner"))
    then.type("billing-agents")
    then.tab_to(page.get_by_label("Next review"))
    then.type("02282027")
    then.tab_to(page.get_by_label("Where it can be prevented"))
    then.type("by code")
    exporting = page.get_by_role("button", name="Export")
    expect(exporting).to_be_enabled(timeout=60_000)
    then.tab_to(exporting)
    then.press("Enter")
    for name in ("Accept the repaired path", "Activate"):
        button = page.get_by_role("button", name=name)
        expect(button).to_be_enabled(timeout=60_000)
        then.tab_to(button)
        then.press("Enter")
    lab.eventually(f"({CASE}.proof() or {{}}).get('state')", "active", timeout_s=30)

    assert hand.acts + then.acts < MAX_ACTIONS
    assert hand.moves + then.moves < 4 * MAX_ACTIONS
    assert (exit_code(folder, "broken"), exit_code(folder, "mended")) == (1, 0)
    assert page.locator(".jp-mod-editMode").count() == 0


def test_a_restart_in_the_middle_of_each_step_loses_nothing(lab, server):
    """Kernels die in meetings: after a pick, a half-typed contract, a decision, a search, a form."""
    folder = a_desk(server, "restarts")
    opened(lab, folder, "01_incident_review", reviewer="Cy", ner="none")
    page = lab.page
    page.get_by_role("listbox", name="Runs").get_by_role("option", name=RUN).dblclick()
    page.get_by_role("button", name="Take").first.wait_for()
    text = page.get_by_label("Contract, YAML")
    text.fill("# half\n")
    page.get_by_role("button", name="Take").first.focus()
    lab.eventually("desk.session.step('contract').text", "# half\n")

    begun_anew(lab)
    expect(text).to_have_value("# half\n", timeout=60_000)
    page.get_by_role("button", name="Take").first.click()
    page.get_by_role("button", name="State this contract").click()
    survivors_are_shown(lab, least=6)
    page.get_by_role("button", name="Accept", exact=True).click()
    lab.eventually(f"len({REDACTION}.entries)", 1)

    begun_anew(lab)
    survivors_are_shown(lab, least=6)
    assert lab.py(f"[(e.actor, e.payload['decision']) for e in {REDACTION}.entries]") == [
        ["Cy", "accepted"]
    ]
    lab.exec(DECIDE_THE_REST)
    page.get_by_role("button", name="Write redacted draft").click()
    page.get_by_text("is written as decided").wait_for()

    opened(lab, folder, "02_shrink_and_export", reviewer="Cy", ner="none")
    page.get_by_role("button", name="Search").click()
    begun_anew(lab)
    page.get_by_role("button", name="Search").or_(page.get_by_role("button", name="Go on")).click()
    page.get_by_label("Owner").fill("billing-agents")
    page.get_by_label("Next review").fill("2027-02-28")
    page.get_by_label("Title").focus()
    lab.eventually(f"{CASE}.fields.review_date", "2027-02-28")

    begun_anew(lab)
    expect(page.get_by_label("Owner")).to_have_value("billing-agents", timeout=60_000)
    page.get_by_role("button", name="Export").click()
    accepting = page.get_by_role("button", name="Accept the repaired path")
    accepting.wait_for()

    begun_anew(lab)
    accepting.click()
    expect(page.get_by_role("button", name="Activate")).to_be_enabled(timeout=60_000)

    begun_anew(lab)
    expect(page.get_by_role("button", name="Activate")).to_be_enabled(timeout=60_000)
    page.get_by_role("button", name="Activate").click()
    lab.eventually(f"({CASE}.proof() or {{}}).get('state')", "active", timeout_s=30)

    begun_anew(lab)
    expect(page.locator(".wb-export")).to_contain_text("active", timeout=60_000)
    assert lab.py(f"({CASE}.proof() or {{}}).get('state')") == "active"
    assert len(list(folder.glob("cases/*.case.yaml"))) == 1


def begun_anew(lab):
    """Restart the kernel; views that were there say so; run all cells again."""
    lab.restart()
    lab.page.locator(".wb-state-gone").first.wait_for()
    lab.run_all()
    lab.page.locator(".wb-state-gone").first.wait_for(state="detached")

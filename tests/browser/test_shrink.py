"""Shrinking in a real notebook: a live curve, Stop while it works, locks, a restart."""

from __future__ import annotations

import pytest

from tests.browser.jupyter import notebook

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SETUP = """from pathlib import Path
from tests.ui import review_builders as drafts
from workbench.ui.views.shrink import ShrinkView
review = drafts.{builder}
view = ShrinkView(review)
view"""
SAY = "print(view.summary(), repr(view))"


@pytest.fixture
def desk(server, tmp_path):
    """Return a function that writes a notebook over this test's folder."""

    def written(name, builder="a_shrink(Path({folder!r}))"):
        made = builder.format(folder=str(tmp_path))
        notebook(server.folder / name, SETUP.format(builder=made), SAY)
        return name

    return written


def opened(lab, name):
    """Open a notebook and run it."""
    page = lab.open(name).page
    page.set_default_timeout(30_000)
    lab.run_all()
    page.get_by_role("button", name="Search").wait_for()
    return page


def test_a_search_in_both_themes(lab, desk):
    """The curve, what is left and why; values of a raw draft are masked."""
    page = opened(lab, desk("shrink.ipynb", "a_shrink(Path({folder!r}), drafts.the_demo())"))
    page.get_by_text("Nothing was tried yet.", exact=True).wait_for()
    page.get_by_role("button", name="Search").click()
    page.get_by_text("✓ Smallest", exact=True).wait_for()

    page.get_by_role("img", name="Size of the trace by oracle calls").wait_for()
    page.get_by_role("button", name="Removed").click()
    page.locator(".wb-gone").first.wait_for()
    page.get_by_role("button", name="Kept").click()
    for theme in ("light", "dark"):
        lab.theme(theme)
        page.wait_for_timeout(250)
        lab.shot(".wb-shrink", f"shrink-{theme}")
        assert lab.axe(".wb-shrink") == []
    said = page.locator(".wb-shrink").inner_text() + lab.save()
    assert [raw for raw in ("Helen", "4471902") if raw in said] == []
    assert "shrink of d-" in said


def test_stop_is_heard_while_it_works_and_a_restart_goes_on(lab, desk):
    """Stop is answered at once; the journal brings back what was reached, in a new kernel too."""
    page = opened(lab, desk("stop.ipynb", "a_slow_shrink(Path({folder!r}))"))
    listed = page.get_by_role("listbox", name="Events")
    listed.focus()
    cells = lab.cells()
    page.keyboard.press("Home")
    page.keyboard.press("l")
    page.get_by_text("locked by Ana").wait_for()
    page.keyboard.press("g")
    page.locator(".wb-shrink svg circle").nth(1).wait_for()
    page.keyboard.press(".")
    page.get_by_text("Stopped early", exact=True).wait_for()
    lab.eventually("review.phase", "stopped", timeout_s=30)
    reached = lab.py("len(review.steps)")

    lab.restart()

    page.locator(".wb-shrink .wb-state-gone").wait_for()
    lab.run_all()
    page.get_by_text("Stopped early", exact=True).wait_for()
    assert lab.py("len(review.steps)") >= reached
    assert lab.py("list(review.locks)") == ["#0"]
    page.get_by_role("button", name="Go on").click()
    lab.eventually(f"len(review.steps) > {reached} or not review.is_working", timeout_s=30)
    lab.restart()  # while it works, without Stop
    lab.run_all()
    lab.eventually("review.phase", "stopped", timeout_s=30)  # the journal is read step by step
    assert lab.py("len(review.steps)") >= reached
    assert lab.py("list(review.locks)") == ["#0"]
    assert lab.cells() == cells
    assert lab.py("view.ignored") == 0

"""The redaction in a real notebook: by mouse, by keyboard, in two tabs, across a restart."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.jupyter import Lab, notebook

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SETUP = """from pathlib import Path
from tests.ui import review_builders as drafts
from workbench.ui.views.redaction import RedactionView
review = drafts.a_redaction(Path({folder!r}), {trace}, reviewer={reviewer!r})
view = RedactionView(review)
view"""
SAY = "print(view.summary(), repr(view))"
MAIL = "rachel.rivera@fabrikam.com"


@pytest.fixture
def desk(server, tmp_path):
    """Return a function that writes a notebook over this test's folder."""

    def written(name, *, trace="drafts.TRACE", reviewer="Ana"):
        setup = SETUP.format(folder=str(tmp_path), trace=trace, reviewer=reviewer)
        notebook(server.folder / name, setup, SAY)
        return name

    return written


def opened(lab, name):
    """Open a notebook, run it, and wait for the first finding."""
    page = lab.open(name).page
    page.set_default_timeout(30_000)
    lab.run_all()
    page.locator(".wb-redaction .wb-hunk").first.wait_for(timeout=60_000)
    return page


def until(lab, expression, wanted):
    """Wait until the kernel says so, on a busy machine too."""
    lab.eventually(expression, wanted, timeout_s=30)


def finding(page, name):
    """Return a line of the list."""
    return page.get_by_role("listbox", name="Findings").get_by_role("option", name=name).first


def words(lab):
    """Return what stands in the kernel, in order."""
    return lab.py("[e.payload['decision'] for e in review.entries]")


def test_a_redaction_by_mouse(lab, desk):
    """Each button decides at once; a raw value is seen only while held, and nothing is saved of it."""
    page = opened(lab, desk("redaction.ipynb"))
    page.get_by_text("5 of 7").wait_for()
    finding(page, "e-mail address").click()
    page.get_by_role("heading", name="e-mail address").wait_for()
    frame = page.locator(".wb-redaction")
    assert MAIL not in frame.inner_text()
    hold = page.get_by_role("button", name="Hold to show")
    hold.hover()
    page.mouse.down()
    page.locator(".wb-shown", has_text=MAIL).wait_for()
    page.mouse.up()
    page.locator(".wb-shown").wait_for(state="detached")
    assert MAIL not in frame.inner_text()

    page.get_by_role("button", name="Accept").click()
    until(lab, "[e.payload['decision'] for e in review.entries]", ["accepted"])
    finding(page, "phone number").click()
    page.get_by_role("heading", name="phone number").wait_for()
    page.get_by_role("button", name="Retain").click()
    page.get_by_label("Why must it stay?").fill("a <b>public</b> number")
    page.get_by_role("button", name="Retain", exact=True).click()
    until(lab, "[e.payload['decision'] for e in review.entries]", ["accepted", "retained"])
    finding(page, "text to read").click()
    page.get_by_role("button", name="Seen").click()
    page.get_by_text("0 texts that nobody has seen").or_(
        page.get_by_text("✓ fails as before")
    ).first.wait_for()
    until(lab, "review.state()['unreviewed']", 0)
    page.get_by_role("button", name="Write redacted draft").click()
    page.get_by_text("is written as decided").wait_for()

    finding(page, "phone number").click()
    page.get_by_text("“a <b>public</b> number”").wait_for()
    for theme in ("light", "dark"):
        lab.theme(theme)
        page.wait_for_timeout(250)
        lab.shot(".wb-redaction", f"redaction-{theme}")
        assert lab.axe(".wb-redaction") == []
    assert frame.locator("b").count() == 0
    saved = lab.save()
    assert [raw for raw in (MAIL, "Rachel", "4471902", "415 555") if raw in saved] == []
    assert "redaction of d-" in saved
    assert lab.py("view.ignored") == 0


def test_a_redaction_by_keyboard_alone(lab, desk):
    """One key a decision; no key edits the notebook."""
    page = opened(lab, desk("keys.ipynb"))
    cells = lab.cells()
    press = page.keyboard.press
    listed = page.get_by_role("listbox", name="Findings")
    listed.focus()
    assert listed.evaluate("node => getComputedStyle(node).outlineStyle") == "solid"
    press("a")
    until(lab, "len(review.entries)", 1)
    page.get_by_role("heading", name="person").wait_for()
    press("x")
    until(lab, "len(review.entries)", 2)
    press("u")
    until(lab, "len(review.entries)", 1)
    page.get_by_role("heading", name="person").wait_for()
    page.keyboard.down("h")
    page.locator(".wb-shown", has_text="Rachel").wait_for()
    page.keyboard.up("h")
    page.locator(".wb-shown").wait_for(state="detached")
    press("n")
    until(lab, "review.entries[-1].payload.get('strategy')", "next_draw")
    press("j")
    page.get_by_role("heading", name="account id").wait_for()
    press("r")
    page.keyboard.type("it is our own")
    press("Enter")
    until(lab, "review.entries[-1].payload.get('reason')", "it is our own")
    press("End")
    press("ArrowUp")
    page.get_by_role("heading", name="Read what is left").wait_for()
    press("s")
    until(lab, "review.entries[-1].payload['decision']", "seen")
    for key in "bcydd0?":
        press(key)
    page.locator(".wb-redaction").get_by_role("group", name="Help").wait_for()
    press("Escape")
    assert words(lab) == ["accepted", "accepted", "retained", "seen"]
    assert lab.cells() == cells
    assert page.locator(".jp-mod-editMode").count() == 0


def test_like_findings_are_decided_together_when_all_were_on_the_screen(lab, desk):
    """What is below the edge was not looked at; one undo takes all back."""
    page = opened(lab, desk("groups.ipynb", trace="drafts.BOOKING"))
    finding(page, "group: person, 6 alike").click()
    button = page.get_by_role("button", name="Accept these 6")
    button.wait_for()
    frame = page.locator(".wb-redaction")
    assert [raw for raw in ("Rachel", "Aarav", "Ito") if raw in frame.inner_text()] == []
    assert button.is_disabled()
    page.keyboard.press("g")
    assert lab.py("len(review.entries)") == 0
    for theme in ("light", "dark"):
        lab.theme(theme)
        page.wait_for_timeout(250)
        lab.shot(".wb-redaction", f"redaction-group-{theme}")
        assert lab.axe(".wb-redaction") == []
    for _ in range(8):
        if button.is_enabled():
            break
        page.keyboard.press(" ")
        page.wait_for_timeout(150)
    page.get_by_text("All 6 were shown").wait_for()
    lab.shot(".wb-redaction", "redaction-group-shown")

    page.keyboard.press("g")

    until(
        lab, "[(e.actor, e.payload['decision']) for e in review.entries]", [["Ana", "accepted"]] * 6
    )
    page.get_by_role("heading", name="date of birth, 3 alike").wait_for()
    page.keyboard.press("u")
    until(lab, "len(review.entries)", 0)
    page.get_by_role("heading", name="person, 6 alike").wait_for()
    expect(button).to_be_enabled()  # nobody looks twice at what has not changed
    button.click()
    until(lab, "len(review.entries)", 6)
    page.keyboard.press("U")
    until(lab, "len(review.entries)", 5)
    assert lab.py("view.ignored") == 0


def test_what_is_jumped_over_was_not_looked_at(lab, desk):
    """End shows the last text of twelve, not those between."""
    page = opened(lab, desk("jump.ipynb", trace="drafts.many_findings(14)"))
    finding(page, "group: read: args, 12 alike").click()
    page.get_by_role("heading", name="args, 12 alike").wait_for()
    shown = page.locator(".wb-hunks")
    shown.evaluate("node => { node.scrollTop = node.scrollHeight; }")
    page.wait_for_timeout(300)
    button = page.get_by_role("button", name="Seen: nothing more in these 12")
    assert button.is_disabled()
    shown.evaluate("node => { node.scrollTop = 0; }")
    for _ in range(6):
        page.keyboard.press(" ")
        page.wait_for_timeout(150)
    expect(button).to_be_enabled()


def test_raw_values_of_a_group_are_shown_while_held(lab, desk):
    """All of them at once, and each is written down."""
    page = opened(lab, desk("held.ipynb", trace="drafts.BOOKING"))
    finding(page, "group: person, 6 alike").click()
    page.get_by_role("heading", name="person, 6 alike").wait_for()
    page.keyboard.down("h")
    page.locator(".wb-shown", has_text="Rachel").wait_for()
    page.locator(".wb-shown", has_text="Ito").wait_for()
    page.keyboard.up("h")
    page.locator(".wb-shown").first.wait_for(state="detached")
    finding(page, "group: read: text, 3 alike").click()
    button = page.get_by_role("button", name="Seen: nothing more in these 3")
    expect(button).to_be_enabled()
    lab.shot(".wb-redaction", "redaction-group-texts")
    page.get_by_role("button", name="Alone").nth(1).click()
    page.get_by_role("heading", name="Read what is left: text").wait_for()
    finding(page, "group: read: text, 3 alike").click()
    button.click()
    until(lab, "[e.payload['decision'] for e in review.entries]", ["seen"] * 3)


def test_two_tabs_lose_no_decision(lab, desk):
    """Who is second is told who was first, and both see both."""
    other = Lab(server=lab.server, page=lab.page.context.new_page())
    mine = opened(lab, desk("ana.ipynb"))
    theirs = opened(other, desk("bo.ipynb", reviewer="Bo"))
    finding(mine, "e-mail address").click()
    mine.get_by_role("heading", name="e-mail address").wait_for()
    finding(theirs, "e-mail address").click()
    theirs.get_by_role("heading", name="e-mail address").wait_for()
    mine.get_by_role("button", name="Not personal").click()
    until(lab, "[e.payload['decision'] for e in review.entries]", ["rejected"])

    theirs.get_by_role("button", name="Accept").click()

    theirs.get_by_text("Ana decided on this meanwhile; nothing was changed").wait_for()
    finding(theirs, "not personal by Ana").wait_for()
    finding(theirs, "phone number").click()
    theirs.get_by_role("heading", name="phone number").wait_for()
    theirs.get_by_role("button", name="Accept").click()
    until(other, "[e.actor for e in review.entries]", ["Ana", "Bo"])
    finding(mine, "accepted by Bo").wait_for()


def test_a_restart_in_the_middle_loses_no_decision(lab, desk):
    """The view says that its kernel is gone; the next one stands where this one stood."""
    page = opened(lab, desk("restart.ipynb"))
    page.get_by_role("button", name="Accept").click()
    until(lab, "len(review.entries)", 1)

    lab.restart()

    page.locator(".wb-redaction .wb-state-gone").wait_for()
    lab.run_all()
    page.locator(".wb-redaction .wb-hunk").first.wait_for(timeout=60_000)
    finding(page, "accepted by Ana").wait_for()
    assert words(lab) == ["accepted"]


def test_markup_and_hidden_marks_in_values_are_text(lab, desk):
    """A trace is written by strangers."""
    trace = "__import__('tests.browser.hostile', fromlist=['a']).a_hostile_run('r')"
    name = desk("hostile.ipynb", trace=trace)
    page = opened(lab, name)
    page.get_by_role("listbox", name="Findings").focus()
    seen = set()
    for _ in range(14):
        page.keyboard.press("j")
        page.wait_for_timeout(60)
        seen.add(page.locator(".wb-finding-head").inner_text())
    assert len(seen) > 3
    assert page.locator(".wb-redaction .wb-escape").count() > 0
    assert page.evaluate("() => window.pwned ?? []") == []
    assert page.locator(".wb-redaction :is(img, script, a, iframe, [onerror])").count() == 0


def test_500_findings_stay_smooth(lab, desk):
    """The list draws only what is seen; a key is answered within a frame or two."""
    page = opened(lab, desk("many.ipynb", trace="drafts.many_findings(500)"))
    page.get_by_text("Reaches the case 502").wait_for()
    listed = page.get_by_role("listbox", name="Findings")
    listed.focus()
    assert listed.get_by_role("option").count() < 40
    times = page.evaluate(
        """async () => {
          const list = document.querySelector('.wb-redaction .wb-rows');
          const times = [];
          for (let nth = 0; nth < 40; nth += 1) {
            const begin = performance.now();
            list.dispatchEvent(new KeyboardEvent('keydown', { key: 'PageDown', bubbles: true }));
            times.push(performance.now() - begin);
            await new Promise(requestAnimationFrame);
          }
          return times.sort((a, b) => a - b);
        }"""
    )
    assert times[20] < 16
    page.keyboard.press("End")
    listed.get_by_role("option", selected=True).wait_for()

"""Markup and hidden marks in every text of a run, in every view, theme and application: text only."""

from __future__ import annotations

import re

import pytest

from tests.browser.every_view import HOSTILE, NAMES, written_desk
from tests.browser.hostile import CANARY, HIDDEN, payload
from workbench.casefile.case import load_case
from workbench.casefile.draft import load_draft
from workbench.review.report import report_of_case, report_of_draft
from workbench.review.report_page import report_page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MADE = """() => [...document.querySelectorAll(
  'img[src="x"], [onerror], [onmouseover], svg[onload], a[href^="javascript"], .wb script, .wb iframe')].length"""
SHOWN = """() => [...document.querySelectorAll('.wb *')].flatMap((node) => [
  ...[...node.childNodes].filter((one) => one.nodeType === Node.TEXT_NODE).map((one) => one.data),
  ...[...node.attributes].filter((one) => one.name !== 'value').map((one) => one.value)])"""
MARKS = set(HIDDEN) - set("abcdm[0")
FIELDS = {
    "timeline": "system user model reply tool key item raw type message header value body inner "
    "detail permit actor state before after context claim agent origin prompt at asker answered scope",
    "picker": "run tag by",
    "stale": "title owner",
    "export": "title owner why",
}
"""Payloads that must be seen somewhere in a view, so that none is missed by not being drawn."""


@pytest.fixture(scope="module")
def desk(server):
    """A notebook with every view of one hostile review."""
    return written_desk(server.folder, "payloads")


def opened(lab, desk, app):
    """Open the notebook, run it, and wait for the last view."""
    page = lab.open(desk, app=app).page
    page.set_default_timeout(30_000)
    lab.run_all()
    page.locator(".wb-stale .wb-row").first.wait_for(timeout=90_000)
    page.locator(".wb-redaction .wb-hunk").first.wait_for()
    return page


def walked(page):
    """Look at everything that the views show; return what was seen, by view."""
    seen = {"timeline": ""}
    timeline = page.locator(".wb-timeline").first
    for nth in range(timeline.locator(".wb-row").count()):
        timeline.locator(".wb-row").nth(nth).click()
        timeline.locator(".wb-row").nth(nth).hover()
        timeline.locator(".wb-event").first.wait_for()
        page.wait_for_timeout(60)
        page.evaluate(
            "() => document.querySelectorAll('.wb-raw').forEach((raw) => { raw.open = true; })"
        )
        seen["timeline"] += timeline.inner_text()
    page.get_by_role("listbox", name="Findings").focus()
    for _ in range(15):
        page.keyboard.press("j")
        page.wait_for_timeout(30)
    second = page.locator(".wb-timeline").nth(1)
    for nth in (0, 3):
        second.locator(".wb-row").nth(nth).click()
        second.locator(".wb-event").first.wait_for()
    seen["two"] = second.text_content()
    for name in ("picker", "contract", "redaction", "shrink", "export", "stale"):
        titles = page.locator(f".wb-{name} [title]").evaluate_all(
            "nodes => nodes.map((n) => n.title)"
        )
        seen[name] = page.locator(f".wb-{name}").first.text_content() + "\n".join(titles)
    return seen


def marks_shown(page):
    """Return the hidden marks that the page holds as they are, in texts or attributes."""
    return MARKS & set("".join(page.evaluate(SHOWN)))


def ran(page):
    """Return the payloads that were executed."""
    return page.evaluate("() => window.pwned ?? []")


def test_no_text_of_a_run_is_more_than_text_in_jupyterlab(lab, desk):
    """Names, keys, values, errors, ids, tags, titles and owners; in both themes."""
    page = opened(lab, desk, "lab")
    seen = walked(page)
    lab.theme("dark")
    page.wait_for_timeout(200)

    missed = {
        f"{view}: {field}"
        for view, fields in FIELDS.items()
        for field in fields.split()
        if f"{CANARY}-{field}" not in seen[view] and f"push('{field}')" not in seen[view]
    }
    assert missed == set()
    assert marks_shown(page) == set()
    assert page.locator(".wb-escape").count() > 10
    assert (ran(page), page.evaluate(MADE)) == ([], 0)
    assert page.locator(".wb-frame").count() == len(NAMES)
    assert lab.py("[view.ignored for view in views.values()]") == [0] * len(NAMES)
    assert CANARY not in re.sub(r"reviewer\S*", "", lab.save())
    page.evaluate(
        "(markup) => { document.body.append(Object.assign(document.createElement('p'), { innerHTML: markup })); }",
        payload("control"),
    )
    page.wait_for_function(
        "() => window.pwned?.includes('control')"
    )  # a payload does run, if it can


def test_no_text_of_a_run_is_more_than_text_in_notebook_7(lab, desk):
    """Another application around the same views."""
    page = opened(lab, desk, "notebook")
    lab.theme("dark")
    walked(page)
    lab.theme("light")

    assert marks_shown(page) == set()
    assert (ran(page), page.evaluate(MADE)) == ([], 0)


def test_no_text_of_a_run_is_more_than_text_in_a_report(lab, desk):
    """The page for the post-mortem; its own policy is taken out first, so the text alone protects."""
    home = lab.server.folder / "payloads"
    drafts = [load_draft(path) for path in (home / "store" / "drafts").glob("r-*.*.json")]
    if not drafts:  # this test alone
        opened(lab, desk, "lab")
        drafts = [load_draft(path) for path in (home / "store" / "drafts").glob("r-*.*.json")]
    reports = [report_of_draft(draft, file=HOSTILE, date="2026-11-30") for draft in drafts]
    late = load_case(home / "old" / "late.case.yaml")
    reports.append(report_of_case(late, file=HOSTILE))
    page = lab.page.context.new_page()
    for report in reports:
        markup = re.sub(
            r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", report_page(report)
        )
        assert "Content-Security-Policy" not in markup
        page.set_content(markup)
        page.mouse.move(300, 200)

        assert "push(" in page.content()
        assert (ran(page), page.evaluate(MADE)) == ([], 0)
        assert MARKS & set(page.locator("body").inner_text()) == set()
    assert len(reports) == 3

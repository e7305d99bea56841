"""Contract, case and stale table in a real notebook: from a typed clause to an active case."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from tests.browser.jupyter import notebook
from tests.review.runs import CONTRACT, KEY, an_incident
from tests.review.stale_cases import PROVEN, put
from tests.ui.stores import a_store
from workbench.casefile.draft import save_draft
from workbench.review.draft import open_draft as open_raw
from workbench.review.incident import open_draft
from workbench.review.redact import redact_into
from workbench.review.vault import Vault

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SETUP = """from pathlib import Path
from workbench.casefile.draft import load_draft
from workbench.review.incident import open_draft
from workbench.review.vault import Vault
from workbench.ui.controllers.contract import ContractForm
from workbench.ui.controllers.export import CaseForm
from workbench.ui.controllers.stale import StaleTable
from workbench.ui.views.contract import ContractView
from workbench.ui.views.export import CaseView
from workbench.ui.views.stale import StaleView
here = Path({folder!r})
incident = open_draft("run-7f3a", store=here / "store", reviewer="Ada")
contract = ContractView(ContractForm(incident))
form = CaseForm(load_draft(here / "draft.json"), incident, vault=Vault(here / "keys"),
                cases=here / "cases", today="2026-11-30")
case = CaseView(form)
stale = StaleView(StaleTable(here / "old", today="2026-11-30", reviewer="Ada"))"""
OTHER_TAB = """bob = open_draft("run-7f3a", store=here / "store", reviewer="Bob")
ContractForm(bob).state("max_calls: {billing.pause: 0}")"""
CLAUSES = "max_calls: {billing.pause: 1}\nsuccess_requires: billing.get.status == completed\n"
PAYLOAD = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>\\u202e'


@pytest.fixture(scope="module")
def desk(server):
    """A notebook over a redacted incident and a folder with one stale, hostile case."""
    folder = server.folder / "forms"
    (folder / "old").mkdir(parents=True)
    store = a_store(folder / "store", an_incident())
    run = open_draft("run-7f3a", store=store, reviewer="Ada").run
    raw = open_raw(run, CONTRACT, key=KEY)
    draft, _ = redact_into(Vault(folder / "keys"), raw, key=KEY, ner="none")
    assert draft.redaction is not None
    save_draft(
        replace(draft, redaction=replace(draft.redaction, unreviewed=0)), folder / "draft.json"
    )
    store.close()
    title = f"'{PAYLOAD}'".replace("\\u202e", "")
    put(folder / "old", "late", PROVEN, review_date='"2026-11-01"', title=title)
    setup = SETUP.format(folder=str(folder))
    notebook(server.folder / "forms.ipynb", setup, "contract", "case", "stale")
    return "forms.ipynb"


def looked_at(lab, name):
    """Take pictures of a view in both themes and let axe look at each."""
    for theme in ("dark", "light"):
        lab.theme(theme)
        lab.page.wait_for_timeout(200)
        lab.shot(f".wb-{name}", f"{name}-{theme}")
        assert lab.axe(f".wb-{name}") == []


def a_run_that_is_not_there_is_refused(page):
    """What was typed stays, to be mended."""
    run = page.get_by_label("Run of the mended agent")
    run.fill("no-such-run")
    page.get_by_role("button", name="Accept this run").click()
    page.locator(".wb-export .wb-notice-refused").wait_for()
    expect(run).to_have_value("no-such-run")


def test_a_contract_a_case_and_a_decision(lab, desk):
    """What is wrong is said as one types; what is right is in the store and in files."""
    page = lab.open(desk).page
    page.set_viewport_size({"width": 1360, "height": 2600})  # JupyterLab draws what can be seen
    lab.run_all()

    page.get_by_role("button", name="Take").first.wait_for()
    page.get_by_role("button", name="Take").first.click()
    text = page.get_by_label("Contract, YAML")
    expect(text).to_have_value("max_calls: {billing.pause: 1}\n")
    text.fill("max_call: {billing.pause: 1}\n")
    page.get_by_text("Fix: write max_calls").wait_for()
    assert text.get_attribute("aria-invalid") == "true"
    assert page.get_by_role("button", name="State this contract").is_disabled()
    text.fill(CLAUSES)
    page.get_by_text("✗ broken").nth(1).wait_for()
    lab.exec(OTHER_TAB)
    page.get_by_role("button", name="State this contract").click()
    page.get_by_text("Bob wrote another text meanwhile").wait_for()
    assert text.input_value() == CLAUSES
    page.get_by_role("button", name="Keep mine").click()
    lab.eventually("contract.form.author", "Ada")
    page.get_by_role("button", name="State this contract").click()
    lab.eventually("contract.form.contract is not None")
    looked_at(lab, "contract")

    assert page.get_by_role("button", name="Export").is_disabled()
    page.get_by_label("Owner").fill("billing")
    page.get_by_label("Next review").first.fill("2027-02-28")
    page.get_by_label("Title").fill("x" * 300)
    page.get_by_text("is 300 characters; at most 200 are taken").wait_for()
    assert page.get_by_role("button", name="Export").is_disabled()
    page.get_by_label("Title").fill("Paused twice")
    page.get_by_role("button", name="Export").click()
    a_run_that_is_not_there_is_refused(page)
    page.get_by_role("button", name="Accept the repaired path").click()
    page.get_by_role("button", name="Activate").click()
    lab.eventually("(form.proof() or {}).get('state')", "active")
    page.get_by_role("button", name="Last step").click()
    looked_at(lab, "export")

    page.get_by_role("listbox", name="Cases").focus()
    page.keyboard.press("k")
    page.locator(".wb-stale").get_by_label("Next review").fill("2027-06-01")
    page.get_by_label("Reason").fill("guards the retry")
    page.keyboard.press("Control+Enter")
    lab.eventually("stale.table.due", 0)
    looked_at(lab, "stale")

    assert lab.py("[contract.ignored, case.ignored, stale.ignored]") == [0, 0, 0]
    assert page.evaluate(
        "() => [window.pwned ?? 0, document.querySelectorAll('.wb img').length]"
    ) == [0, 0]
    saved = lab.save()
    assert "guards the retry" not in saved
    assert "ada.lovelace" not in saved
    assert "billing.pause" not in saved.replace(CLAUSES, "")

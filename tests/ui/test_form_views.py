"""What the views of the contract and the case hear and tell; nothing of it is synced."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import pytest

from tests.review.runs import CONTRACT, KEY, an_incident
from tests.review.stale_cases import PROVEN, TODAY, put
from tests.ui.stores import a_store
from tests.ui.tabs import Tab
from workbench.review.draft import open_draft as open_raw
from workbench.review.incident import open_draft
from workbench.review.redact import redact_into
from workbench.review.vault import Vault
from workbench.ui.bridge import SYNCED
from workbench.ui.controllers.case_fields import CaseFields
from workbench.ui.controllers.contract import ContractForm
from workbench.ui.controllers.export import CaseForm
from workbench.ui.controllers.stale import StaleTable
from workbench.ui.views.contract import ContractView
from workbench.ui.views.export import CaseView
from workbench.ui.views.stale import StaleView

pytestmark = pytest.mark.desk

TEXT = "max_calls: {billing.pause: 1}\n"
WHOLE = CaseFields(owner="billing", review_date="2027-02-28")


@pytest.fixture
def incident(tmp_path):
    """A run under review."""
    store = a_store(tmp_path / "store", an_incident())
    return open_draft("run-7f3a", store=store, reviewer="ann")


def opened(view):
    """Return what a view tells from now on."""
    told: list[dict[str, Any]] = []
    view.send = told.append
    return told


def say(view, kind, **fields):
    """Say something as the browser does."""
    view._receive(view, {"kind": kind, **fields}, [])


def test_the_contract_is_stated_through_its_view(incident):
    """Take a suggestion, add the preset, type, state: each answer says how it stands."""
    tab = Tab(ContractView(ContractForm(incident)))
    evidence = {"forbidden": "", "evidence": "billing.get.status == completed", "final": ""}

    tab.say("use", number=0, text="# why\n")
    tab.say("parts", **(evidence | {"forbidden": "billing.pause#"}))
    tab.say("preset", **evidence, text=tab.last("added")["text"])
    tab.say("check", text="max_call: 1\n")
    tab.say("keep", text=TEXT)
    tab.say("state", text=TEXT)
    tab.say("state", text="[]\n")
    tab.say("undo")
    tab.say("sync")

    assert tab.kinds() == [
        *("suggestions", "text", "text", "added", "parts", "text", "added", "checked", "text"),
        *("text", "stated", "text", "refused", "text", "added", "text"),
    ]
    assert tab.told[3]["text"].startswith("# why\n")
    assert [one["field"] for one in tab.last("parts")["problems"]] == ["forbidden"]
    assert tab.last("checked")["problems"][0]["line"] == 1
    assert tab.last("stated")["summary"] == "1 clause, stated by ann"
    assert tab.view.summary() == "no contract is stated yet"
    assert tab.last("added")["text"] == tab.last("text")["text"] == TEXT
    assert tab.view.ignored == 0


def a_case_view(folder, reviewer="ann", *, store=None):
    """Open the form of a case over a store and a folder."""
    store = store or a_store(folder / "store", an_incident())
    incident = open_draft("run-7f3a", store=store, reviewer=reviewer)
    vault = Vault(folder / "keys")
    raw = open_raw(incident.run, CONTRACT, key=KEY)
    draft, _ = redact_into(vault, raw, key=KEY, ner="none")
    assert draft.redaction is not None
    draft = replace(draft, redaction=replace(draft.redaction, unreviewed=0))
    form = CaseForm(draft, incident, vault=vault, cases=folder / "cases", today="2026-11-30")
    return CaseView(form)


def test_the_case_is_made_through_its_view(tmp_path):
    """Fill in, export, accept, activate: the proof follows each step, also one that is refused."""
    tab = Tab(a_case_view(tmp_path))

    tab.say("accept")
    tab.say("check", **asdict(WHOLE))
    tab.say("fill", **asdict(WHOLE))
    tab.say("export", **asdict(WHOLE))
    tab.say("accept")
    tab.say("activate")
    tab.say("sync")
    say(tab.view, "check", owner="billing")

    assert tab.kinds() == [
        *("limits", "fields", "proof", "proof", "refused", "checked", "fields"),
        *("fields", "proof", "proof", "proof", "fields"),
    ]
    proofs = [message["proof"] for message in tab.told if message["kind"] == "proof"]
    assert [one and one["state"] for one in proofs] == [
        *(None, None, "proposed", "proposed", "active"),
    ]
    assert tab.told[5]["can_be_exported"]
    assert tab.told[0]["limits"]["title"] == 200
    assert tab.told[0]["fix"] == "model"  # what counts while nobody chooses
    assert tab.view.ignored == 1  # half a form is no message
    assert "is active" in tab.view.summary()


def test_a_stale_case_is_decided_through_its_view(tmp_path):
    """The table comes back as it is now, with the record of the meeting."""
    put(tmp_path, "late", PROVEN, review_date='"2026-11-01"')
    view = StaleView(StaleTable(tmp_path, today=TODAY, reviewer=""))
    told = opened(view)
    given = {"action": "keep", "reason": "guards", "until": "2027-06-01"}

    say(view, "ready")
    place = told[0]["rows"][0]["place"]
    given["seal"] = told[0]["rows"][0]["seal"]
    say(view, "decide", place=place, **given)
    say(view, "reviewer", by=" bob ")
    say(view, "decide", place=place, **given)
    say(view, "decide", place=place, **(given | {"action": "burn"}))
    say(view, "refresh")

    assert [message["kind"] for message in told] == [
        *("rows", "rows", "refused", "decided", "rows", "rows"),
    ]
    assert told[-1]["rows"][0]["decided"]["by"] == told[-1]["reviewer"] == "bob"
    assert "| `late` | keep | 2027-06-01 | bob | guards |" in told[-1]["record"]
    assert view.ignored == 1
    assert view.summary() == "0 of 1 case to decide, 1 decision made today"
    assert set(view.get_state()) <= SYNCED


@pytest.mark.parametrize("kind", [ContractView, CaseView])
def test_nothing_of_a_form_is_synced(incident, tmp_path, kind):
    """A notebook file that is saved holds no contract, no case and no suggestion."""
    if kind is ContractView:
        view = ContractView(ContractForm(incident))
    else:
        draft = open_raw(incident.run, CONTRACT, key=KEY)
        form = CaseForm(
            draft, incident, vault=Vault(tmp_path), cases=tmp_path / "cases", today="2026-11-30"
        )
        view = CaseView(form)
    opened(view)

    say(view, "ready")

    assert set(view.get_state()) <= SYNCED
    assert "ada.lovelace" not in repr(view.get_state())
    assert repr(view) == kind.__name__

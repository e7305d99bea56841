"""What the views of the contract and the case hear and tell; nothing of it is synced."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import pytest

from tests.review.runs import CONTRACT, KEY, an_incident
from tests.review.stale_cases import PROVEN, TODAY, put
from tests.ui.stores import a_store
from workbench.review.draft import open_draft as open_raw
from workbench.review.incident import open_draft
from workbench.review.redact import redact_into
from workbench.review.vault import Vault
from workbench.ui.bridge import SYNCED
from workbench.ui.controllers.contract import ContractForm
from workbench.ui.controllers.export import CaseFields, CaseForm
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
    view = ContractView(ContractForm(incident))
    told = opened(view)

    say(view, "ready")
    say(view, "use", number=0)
    say(view, "preset", forbidden="", evidence="billing.get.status == completed", final="")
    say(view, "check", text="max_call: 1\n")
    say(view, "keep", text=TEXT)
    say(view, "state", text=TEXT)
    say(view, "state", text="[]\n")

    kinds = [message["kind"] for message in told]
    assert kinds == [
        *("suggestions", "text", "checked", "text", "checked", "text", "checked"),
        *("checked", "stated", "refused"),
    ]
    assert told[7]["problems"][0]["line"] == 1
    assert told[8]["summary"] == view.summary() == "1 clause, stated by ann"
    assert view.form.contract is not None
    assert view.ignored == 0


def test_the_case_is_made_through_its_view(incident, tmp_path):
    """Fill in, export, accept, activate: the proof follows each step."""
    vault = Vault(tmp_path / "keys")
    raw = open_raw(incident.run, CONTRACT, key=KEY)
    draft, _ = redact_into(vault, raw, key=KEY, ner="none")
    assert draft.redaction is not None
    draft = replace(draft, redaction=replace(draft.redaction, unreviewed=0))
    form = CaseForm(draft, incident, vault=vault, cases=tmp_path / "cases", today="2026-11-30")
    view = CaseView(form)
    told = opened(view)

    say(view, "ready")
    say(view, "accept")
    say(view, "check", **asdict(WHOLE))
    say(view, "fill", **asdict(WHOLE))
    say(view, "export", **asdict(WHOLE))
    say(view, "accept")
    say(view, "activate")
    say(view, "check", owner="billing")

    kinds = [message["kind"] for message in told]
    assert kinds == [
        *("fields", "checked", "proof", "refused", "checked", "proof", "proof", "proof"),
    ]
    assert [told[1]["can_be_exported"], told[4]["can_be_exported"]] == [False, True]
    assert [told[at]["proof"]["state"] for at in (5, 6, 7)] == ["proposed", "proposed", "active"]
    assert view.ignored == 1  # half a form is no message
    assert "is active" in view.summary()


def test_a_stale_case_is_decided_through_its_view(tmp_path):
    """The table comes back as it is now, with the record of the meeting."""
    put(tmp_path, "late", PROVEN, review_date='"2026-11-01"')
    view = StaleView(StaleTable(tmp_path, today=TODAY, reviewer=""))
    told = opened(view)
    given = {"action": "keep", "reason": "guards", "until": "2027-06-01"}

    say(view, "ready")
    place = told[0]["rows"][0]["place"]
    say(view, "decide", place=place, **given)
    say(view, "reviewer", by=" bob ")
    say(view, "decide", place=place, **given)
    say(view, "decide", place=place, **(given | {"action": "burn"}))
    say(view, "refresh")

    assert [message["kind"] for message in told] == ["rows", "refused", "decided", "rows", "rows"]
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

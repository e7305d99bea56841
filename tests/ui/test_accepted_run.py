"""An accepted path from a run of the mended agent, chosen in the form of the case."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from tests.review.runs import CONTRACT, an_incident
from tests.review.test_accept_values import mended
from tests.ui.stores import a_store
from tests.ui.tabs import Tab
from workbench.casefile.case import load_case
from workbench.errors import InputError
from workbench.redact.policy import DEFAULT_POLICY
from workbench.review.draft import draft_id, open_draft as open_raw
from workbench.review.incident import open_draft
from workbench.review.redact import draft_key, redact_into
from workbench.review.vault import Vault
from workbench.ui.controllers.case_fields import CaseFields
from workbench.ui.controllers.export import CaseForm
from workbench.ui.controllers.mended import Mended
from workbench.ui.views.export import CaseView

pytestmark = pytest.mark.desk

WHOLE = CaseFields(owner="billing", review_date="2027-02-28", title="Paused twice")


@pytest.fixture
def form(tmp_path):
    """A form with an exported case, over a store that has runs of the mended agent too."""
    quick = replace(mended(told="Done.").trace, run_id="run-quick")
    store = a_store(tmp_path / "store", an_incident(), mended().trace, quick)
    incident = open_draft("run-7f3a", store=store, reviewer="ann")
    vault = Vault(tmp_path / "keys")
    key = draft_key(vault, draft_id(incident.run.trace, CONTRACT), DEFAULT_POLICY)
    draft, _ = redact_into(vault, open_raw(incident.run, CONTRACT, key=key), key=key, ner="none")
    form = CaseForm(
        draft,
        incident,
        vault=vault,
        cases=tmp_path / "cases",
        today="2026-11-30",
        mended=Mended(ner="none"),
    )
    form.export(WHOLE)
    return form


def accepted(form):
    """Return the names of the accepted paths in the file."""
    return [path.name for path in load_case(form.file).accepted]


def test_a_run_of_the_mended_agent_becomes_an_accepted_path(form):
    """What the agent really does now is better than a mended script of what it did."""
    form.accept_run(" run-green ")
    form.wait()
    form.accept_run("run-quick")
    form.wait()

    assert form.failure is None
    assert accepted(form) == ["accepted", "accepted-2"]
    proof = form.proof()
    assert (proof["recorded_red"], proof["accepted_green"]) == (True, True)
    assert "Ada Lovelace" not in proof["text"]
    assert [path.by for path in load_case(form.file).accepted] == ["ann", "ann"]
    assert any(sign == "+" for sign, _ in proof["diff"])


@pytest.mark.parametrize(
    ("reference", "why"),
    [("run-7f3a", "not green"), ("no-such-run", "no-such-run"), ("<b>x</b>#1", "")],
)
def test_a_run_that_cannot_be_accepted_changes_nothing(form, reference, why):
    """The incident itself, and a typing error: the file is as it was, and the form says why."""
    before = form.file.read_bytes()

    form.accept_run(reference)
    form.wait()

    assert form.failure
    assert why in form.failure
    assert "Ada Lovelace" not in form.failure
    assert form.file.read_bytes() == before
    form.accept_run("run-green")
    form.wait()
    assert form.failure is None


def test_one_run_at_a_time_and_a_named_one(form):
    """Two clicks are one wish."""
    with form.lock:  # the work cannot end before the second click
        form.accept_run("run-green")
        with pytest.raises(InputError, match="another run is being accepted"):
            form.accept_run("run-green")
    form.wait()
    with pytest.raises(InputError, match="run is empty"):
        form.accept_run("  ")

    assert accepted(form) == ["accepted"]


def test_a_browser_hears_of_the_work_and_of_its_end(form):
    """It is told at once that it began, and later what became of it."""
    tab = Tab(CaseView(form))
    before = len(tab.told)

    with form.lock:
        tab.say("accept_run", run="run-green")
        assert tab.last("proof")["is_working"]
    form.wait()
    tab.say("accept_run", run="run-7f3a")
    form.wait()

    kinds = [one["kind"] for one in tab.told[before:]]
    assert kinds[0] == "proof"
    assert kinds[-1] == "refused"
    assert not tab.last("proof")["is_working"]
    assert "1 accepted path" in tab.last("proof")["summary"]
    assert asdict(form.fields)["owner"] == "billing"

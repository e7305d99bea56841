"""Every view of a review over one hostile run: what tests of themes, access and markup look at."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser.hostile import a_hostile_run, payload, short_payload
from tests.browser.jupyter import notebook
from tests.builders import a_call, a_trace, a_user
from tests.review.stale_cases import PROVEN, put
from tests.ui.stores import a_store
from workbench.casefile.contract import load_contract
from workbench.casefile.draft import load_draft
from workbench.model.trace import RunStatus
from workbench.review.incident import open_draft
from workbench.review.vault import Vault
from workbench.store.handle import open_store
from workbench.ui.controllers.case_fields import CaseFields
from workbench.ui.controllers.contract import ContractForm
from workbench.ui.controllers.export import CaseForm
from workbench.ui.controllers.picker import Picker
from workbench.ui.controllers.stale import StaleTable
from workbench.ui.controllers.steps import redacted_path, redaction_of, shrink_of, small_path
from workbench.ui.controllers.timeline import Timeline
from workbench.ui.views.contract import ContractView
from workbench.ui.views.export import CaseView
from workbench.ui.views.picker import PickerView
from workbench.ui.views.redaction import RedactionView
from workbench.ui.views.shrink import ShrinkView
from workbench.ui.views.stale import StaleView
from workbench.ui.views.timeline import TimelineView

if TYPE_CHECKING:
    from workbench.ui.bridge import View

__all__ = ["HOSTILE", "NAMES", "every_view", "put_runs", "written_desk"]

NAMES = ("picker", "timeline", "two", "contract", "redaction", "shrink", "case", "stale")
"""Of the cells, one a view."""
HOSTILE = payload("run")
"""Id of the run."""
_TODAY = "2026-11-30"
_CONTRACT = "max_calls: {billing.pause: 0}\n"


def put_runs(folder):
    """Write a store with the hostile run, one to compare it with, and others."""
    plain = [
        replace(a_trace(a_user(), a_call("a"), run_id=f"plain-{nth:02}"), status=RunStatus.OK)
        for nth in range(12)
    ]
    other = a_hostile_run("good run", status=RunStatus.OK)
    other = replace(other, events=other.events[:9])
    a_store(folder / "store", a_hostile_run(HOSTILE), other, *plain).close()


def every_view(folder: str) -> dict[str, View]:
    """Return all views of one review that has come to its end, by name."""
    here = Path(folder)
    store = open_store(here / "store", create=False, clock=lambda: 1_800_000_000.0)
    picker = Picker(store, reviewer=payload("reviewer"), run=HOSTILE)
    incident = open_draft(HOSTILE, store=store, reviewer=payload("reviewer"))
    two = Timeline(incident)
    two.compare_with("good run")
    contract = load_contract({"max_calls": {"billing.pause": 0}})
    form = ContractForm(incident)
    form.state(_CONTRACT)
    redaction = redaction_of(incident, contract, vault=Vault(here / "keys"), ner="none")
    redaction.wait()
    redaction.write()
    redaction.wait()
    assert redacted_path(incident).is_file(), redaction.failure
    shrink = shrink_of(incident)
    shrink.start()
    shrink.wait()
    case = CaseForm(
        load_draft(small_path(incident)),
        incident,
        vault=Vault(here / "keys"),
        cases=here / "cases",
        today=_TODAY,
    )
    case.fill(
        CaseFields(
            owner=short_payload("owner"),
            review_date="2027-02-28",
            title=short_payload("title"),
            summary=short_payload("why"),
        )
    )
    views: tuple[View, ...] = (
        *(PickerView(picker), TimelineView(Timeline().follow(picker)), TimelineView(two)),
        *(ContractView(form), RedactionView(redaction), ShrinkView(shrink), CaseView(case)),
        StaleView(StaleTable(here / "old", today=_TODAY, reviewer=payload("reviewer"))),
    )
    return dict(zip(NAMES, views, strict=True))


def written_desk(folder, name):
    """Write the runs, a stale case and a notebook with a view a cell; return its name."""
    home = folder / name
    (home / "old").mkdir(parents=True)
    put_runs(home)
    quoted = {key: json.dumps(short_payload(key)) for key in ("title", "owner")}
    put(home / "old", "late", PROVEN, review_date='"2026-11-01"', **quoted)
    (home / "old" / "broken.case.yaml").write_text(f"schema: {payload('schema')}\n", "utf-8")
    setup = f"from tests.browser.every_view import every_view\nviews = every_view({str(home)!r})"
    notebook(folder / f"{name}.ipynb", setup, *(f'views["{one}"]' for one in NAMES))
    return f"{name}.ipynb"

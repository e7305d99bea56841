"""Views with nothing to show, or that wait, or that failed: what tests of their states look at."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.builders import a_call, a_trace, a_user
from tests.ui import review_builders as drafts
from tests.ui.stores import a_store
from workbench.model.trace import Grade, Loss, Losses
from workbench.review.incident import open_draft
from workbench.review.vault import Vault
from workbench.store.handle import open_store
from workbench.ui.controllers.contract import ContractForm
from workbench.ui.controllers.picker import Picker
from workbench.ui.controllers.redaction import RedactionReview
from workbench.ui.controllers.session import Missing
from workbench.ui.controllers.stale import StaleTable
from workbench.ui.controllers.timeline import Timeline
from workbench.ui.views.contract import ContractView
from workbench.ui.views.picker import PickerView
from workbench.ui.views.redaction import RedactionView
from workbench.ui.views.shrink import ShrinkView
from workbench.ui.views.stale import StaleView
from workbench.ui.views.timeline import TimelineView
from workbench.ui.views.waiting import WaitingView

if TYPE_CHECKING:
    from workbench.ui.bridge import View

__all__ = ["NAMES", "every_state", "tell_of_trouble", "tell_of_work"]

NAMES = (
    *("empty_store", "no_match", "no_run", "no_row", "no_suggestion"),
    *("nothing_personal", "all_decided", "unreadable", "looking", "ready"),
    *("judging", "no_case", "waiting", "never_a_case"),
)
"""Of the cells, one a view."""
_PLAIN = a_trace(a_user(""), a_call("billing.pause"), run_id="plain")


def every_state(folder: str) -> dict[str, View]:
    """Return a view in each of its states that lasts, by name."""
    here = Path(folder)
    store = a_store(here / "store", a_trace(a_user(), a_call("a"), run_id="run"))
    incident = open_draft("run", store=store, reviewer="Ada")
    (here / "no-folder").write_text("", "utf-8")
    (here / "cases").mkdir()
    settled = drafts.a_redaction(_made(here / "settled"))
    settled.wait()
    for finding in settled.findings:
        (settled.see if finding.cluster is None else settled.accept)(finding.name)
    settled.wait()
    views: tuple[View, ...] = (
        PickerView(Picker(open_store(here / "empty"), reviewer="Ada")),
        PickerView(Picker(store, reviewer="Ada")),
        TimelineView(Timeline()),
        TimelineView(Timeline(incident)),
        ContractView(ContractForm(incident)),
        RedactionView(drafts.a_redaction(_made(here / "plain"), _PLAIN)),
        RedactionView(settled),
        RedactionView(_unreadable(here)),
        RedactionView(drafts.a_redaction(_made(here / "looking"))),
        ShrinkView(drafts.a_shrink(_made(here / "ready"))),
        ShrinkView(drafts.a_shrink(_made(here / "judging"))),
        StaleView(StaleTable(here / "cases", today="2026-11-30", reviewer="Ada")),
        WaitingView(
            Missing(title="No contract is stated yet.", detail="State what must never happen."),
            look_again=lambda: None,
        ),
        PickerView(_of_too_little(here)),
    )
    return dict(zip(NAMES, views, strict=True))


def _of_too_little(here: Path) -> Picker:
    """Return a picker of a run of which no case can be made."""
    fix = "record what tools answered: `capture_tool_results=True`"
    lost = Losses(
        items=(
            Loss(kind="results_missing", caps=Grade.SKELETON, count=7, fix=fix),
            Loss(kind="times_missing", caps=Grade.NEEDS_FIXTURES, note="no event has a time"),
        )
    )
    store = a_store(here / "bare", a_trace(a_user(), a_call("a"), run_id="run"), losses=lost)
    return Picker(store, reviewer="Ada", run="run")


def tell_of_work(views: dict[str, View]) -> None:
    """Tell browsers what is told while the first answer is not there yet."""
    redaction, shrink = views["looking"], views["judging"]
    assert isinstance(redaction, RedactionView)
    assert isinstance(shrink, ShrinkView)
    state = redaction.review.state() | {"looked": False, "checking": True}
    redaction.tell("list", state=state, rows=[], seen=0)
    working = shrink.review.state() | {"phase": "working"}
    shrink.tell("progress", state=working, since=0, steps=[], seen=0)


def tell_of_trouble(views: dict[str, View]) -> None:
    """Tell browsers of a refusal, and of an error that is ours."""
    views["no_match"].tell("refused", message="is taken.\n  Fix: choose another")
    views["no_row"].tell("broken", error="KeyError", place="timeline.py:12")


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _unreadable(here: Path) -> RedactionReview:
    """Return a redaction whose keys cannot be kept: a file is where their folder would be."""
    return RedactionReview(
        drafts.a_draft(),
        store=open_store(here / "keyless"),
        vault=Vault(here / "no-folder"),
        out=here / "never.json",
        ner="none",
        reviewer="Ada",
    )

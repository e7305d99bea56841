"""The steps of a review follow one another, and each says what it waits for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.ui.review_builders import TRACE, a_vault
from tests.ui.stores import a_store
from workbench.casefile.draft import load_draft, save_draft
from workbench.model.settings import Settings
from workbench.ui.controllers.contract import ContractForm
from workbench.ui.controllers.export import CaseForm
from workbench.ui.controllers.picker import Picker
from workbench.ui.controllers.redaction import RedactionReview
from workbench.ui.controllers.session import Desk, Missing, Session, Stage
from workbench.ui.controllers.shrink import ShrinkReview
from workbench.ui.controllers.steps import redacted_path, small_path

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.desk

CLAUSES = "max_calls: {billing.pause: 0}\n"


def a_session(
    folder: Path, *, run: str | None = TRACE.run_id, draft: Path | None = None
) -> Session:
    """Return a session over a store with one run; made again it stands where it was left."""
    store = a_store(folder / "store", TRACE)
    desk = Desk(
        vault=a_vault(folder),
        cases=folder / "cases",
        today="2026-11-30",
        settings=Settings(),
        ner="none",
        draft=draft,
    )
    return Session(Picker(store, reviewer="Ana", run=run), desk)


def stated(session: Session) -> None:
    """State the contract."""
    form = session.step(Stage.CONTRACT)
    assert isinstance(form, ContractForm)
    form.state(CLAUSES)


def redacted(session: Session) -> None:
    """Write the redacted draft, nothing decided."""
    review = session.step(Stage.REDACTION)
    assert isinstance(review, RedactionReview)
    review.write()
    review.wait()


def shrunk(session: Session) -> None:
    """Search for the smallest trace."""
    review = session.step(Stage.SHRINK)
    assert isinstance(review, ShrinkReview)
    review.start()
    review.wait()


def test_nothing_begins_before_a_run_is_picked(tmp_path: Path) -> None:
    """Run All on a new store is no error: each step says what to do."""
    session = a_session(tmp_path, run=None)

    steps = [session.step(stage) for stage in Stage]

    missing = [step for step in steps if isinstance(step, Missing)]
    assert len(missing) == 4
    assert "notebook 01" in missing[0].detail
    assert session.summary().count("No run is picked yet") == 5


def test_each_step_opens_when_the_one_before_is_done(tmp_path: Path) -> None:
    """Nobody runs a cell again: who watches a step is told."""
    session = a_session(tmp_path, run=None)
    told: list[str] = []
    for stage in Stage:
        session.watch(stage, lambda step: told.append(type(step).__name__))
    assert told == ["Missing"] * 4

    session.picker.pick(TRACE.run_id)
    stated(session)
    redacted(session)
    shrunk(session)

    opened = [name for name in told if name != "Missing"]
    assert opened == ["ContractForm", "RedactionReview", "ShrinkReview", "CaseForm"]


def test_a_new_kernel_stands_where_the_last_one_stood(tmp_path: Path) -> None:
    """The notebook that exports finds what the notebook that redacts has left."""
    first = a_session(tmp_path)
    stated(first)
    redacted(first)

    second = a_session(tmp_path)

    assert isinstance(second.step(Stage.SHRINK), ShrinkReview)
    assert isinstance(second.step(Stage.CASE), Missing)
    shrunk(second)
    second.look_again()
    assert isinstance(second.step(Stage.CASE), CaseForm)
    assert "1 clause, stated by Ana" in second.summary()


def test_a_summary_opens_nothing(tmp_path: Path) -> None:
    """Detectors take seconds; a line of text must not start them."""
    session = a_session(tmp_path)

    said = session.summary().splitlines()

    assert said[2:] == [
        "contract: no contract is stated yet",
        *(f"{stage}: No contract is stated yet." for stage in ("redaction", "shrink", "case")),
    ]
    stated(session)
    assert "redaction: can begin" in session.summary()
    redacted(session)
    unopened = a_session(tmp_path).summary()
    assert ".redacted.json is there" in unopened
    assert "shrink: can begin" in unopened
    assert "case: Nothing is shrunk yet." in unopened
    shrunk(session)
    assert "case: not open here" in a_session(tmp_path).summary()


def test_a_draft_of_an_earlier_contract_is_not_shrunk(tmp_path: Path) -> None:
    """What is exported must fail by the contract that stands."""
    session = a_session(tmp_path)
    stated(session)
    redacted(session)
    assert isinstance(session.step(Stage.SHRINK), ShrinkReview)

    form = session.step(Stage.CONTRACT)
    assert isinstance(form, ContractForm)
    form.state("forbid_call: [billing.pause]\n")

    step = session.step(Stage.SHRINK)
    assert isinstance(step, Missing)
    assert step.title == "The contract was changed since the draft was redacted."


def test_a_small_draft_of_another_redaction_is_not_exported(tmp_path: Path) -> None:
    """Who redacts again has to shrink again: the old small trace holds the old pseudonyms."""
    session = a_session(tmp_path)
    stated(session)
    redacted(session)
    shrunk(session)
    incident = session.picker.incident
    assert incident is not None
    small = load_draft(small_path(incident))
    assert isinstance(session.step(Stage.CASE), CaseForm)

    review = session.step(Stage.REDACTION)
    assert isinstance(review, RedactionReview)
    review.wait()
    review.reject(next(f.name for f in review.findings if f.cluster is not None))
    review.write()
    review.wait()

    save_draft(small, small_path(incident))
    assert isinstance(session.step(Stage.CASE), Missing)


def test_a_draft_may_lie_where_a_person_wants_it(tmp_path: Path) -> None:
    """`draft` in the parameters names the file, in both notebooks."""
    session = a_session(tmp_path, draft=tmp_path / "mine.json")
    stated(session)
    redacted(session)
    shrunk(session)

    assert load_draft(tmp_path / "mine.json").redaction is not None
    assert load_draft(tmp_path / "mine.small.json").shrink is not None


def test_a_step_that_is_refused_says_why(tmp_path: Path) -> None:
    """A damaged file is no traceback in the middle of a meeting."""
    session = a_session(tmp_path)
    stated(session)
    incident = session.picker.incident
    assert incident is not None
    redacted_path(incident).write_text("{}", "utf-8")

    step = session.step(Stage.SHRINK)

    assert isinstance(step, Missing)
    assert step.title == "This step cannot begin."
    assert "schema" in step.detail


def test_another_contract_keeps_what_was_decided_on_values(tmp_path: Path) -> None:
    """A clause more is another draft, and nobody wants to decide on forty values twice."""
    session = a_session(tmp_path)
    stated(session)
    review = session.step(Stage.REDACTION)
    assert isinstance(review, RedactionReview)
    review.wait()
    value = next(f.name for f in review.findings if f.cluster is not None)
    review.name_reviewer("Bo")
    review.retain(value, "it is public")
    form = session.step(Stage.CONTRACT)
    assert isinstance(form, ContractForm)

    form.state("forbid_call: [billing.pause]\n")
    form.state("forbid_call: [billing.pause]\nmax_calls: {billing.pause: 0}\n")

    again = session.step(Stage.REDACTION)
    assert isinstance(again, RedactionReview)
    assert again is not review
    assert [(e.actor, e.payload["reason"]) for e in again.entries] == [("Bo", "it is public")]
    again.name_reviewer("Bo")
    again.undo()
    assert a_session(tmp_path).step(Stage.REDACTION).entries == ()  # type: ignore[union-attr]


def replaced_places(session: Session) -> str:
    """What the summary says of places that are replaced."""
    found = re.search(r"[0-9]+ places replaced", session.summary())
    assert found is not None
    return found[0]


def test_both_notebooks_say_the_same_of_what_is_replaced(tmp_path: Path) -> None:
    """The one that exports opens no redaction: it has the figure from the draft that was written."""
    first = a_session(tmp_path)
    assert replaced_places(first) == "0 places replaced"
    stated(first)
    redacted(first)

    second = a_session(tmp_path)

    assert replaced_places(second) == replaced_places(first) != "0 places replaced"
    assert second.timeline.ledger == first.timeline.ledger
    reopened = second.step(Stage.REDACTION)
    assert isinstance(reopened, RedactionReview)
    reopened.wait()
    assert replaced_places(second) == replaced_places(first)


def test_what_another_notebook_does_is_there_at_the_next_look(tmp_path: Path) -> None:
    """Both are open at once; the one that exports has no form that reads the contract again."""
    second = a_session(tmp_path)
    opened: list[str] = []
    second.watch(Stage.SHRINK, lambda step: opened.append(type(step).__name__))
    first = a_session(tmp_path)
    stated(first)
    redacted(first)
    assert replaced_places(second) == "0 places replaced"

    second.look_again()

    assert opened == ["Missing", "ShrinkReview"]
    assert replaced_places(second) == replaced_places(first)


@pytest.mark.parametrize("damage", ["contract", "file"])
def test_a_draft_that_does_not_count_replaces_nothing(tmp_path: Path, damage: str) -> None:
    """By another contract or damaged, it is not what will be exported; its step says so."""
    first = a_session(tmp_path)
    stated(first)
    redacted(first)
    incident = first.picker.incident
    assert incident is not None
    if damage == "file":
        redacted_path(incident).write_text("{}", "utf-8")
    else:
        form = first.step(Stage.CONTRACT)
        assert isinstance(form, ContractForm)
        form.state("forbid_call: [billing.pause]\n")

    second = a_session(tmp_path)

    assert replaced_places(second) == "0 places replaced"
    step = second.step(Stage.SHRINK)
    assert isinstance(step, Missing)
    assert f"shrink: {step.title}" in second.summary()

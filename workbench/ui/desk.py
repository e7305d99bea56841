"""What a notebook opens: a review with all its steps, or the table of stale cases.

Here is the edge: names of files and people as they are written in a cell, the settings of the
folder, the clock and the login name.
"""

from __future__ import annotations

import getpass
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.casefile.case_checks import is_date
from workbench.casefile.files import shown_path
from workbench.casefile.settings import find_settings, keys_folder, load_settings
from workbench.errors import InputError
from workbench.ingest.reader import offered_tools
from workbench.model.wording import counted
from workbench.redact.policy import DEFAULT_POLICY, load_policy
from workbench.review.agenda import write_record
from workbench.review.owners import find_owners
from workbench.review.vault import Vault
from workbench.store.handle import open_store
from workbench.ui.controllers.contract import ContractForm
from workbench.ui.controllers.export import CaseForm
from workbench.ui.controllers.picker import Picker
from workbench.ui.controllers.redaction import RedactionReview
from workbench.ui.controllers.session import Desk, Missing, Session, Stage
from workbench.ui.controllers.shrink import ShrinkReview
from workbench.ui.controllers.stale import StaleTable
from workbench.ui.edge import at_the_edge
from workbench.ui.views.contract import ContractView
from workbench.ui.views.export import CaseView
from workbench.ui.views.picker import PickerView
from workbench.ui.views.redaction import RedactionView
from workbench.ui.views.shrink import ShrinkView
from workbench.ui.views.stale import StaleView
from workbench.ui.views.step import Said, Step
from workbench.ui.views.timeline import TimelineView
from workbench.ui.views.waiting import WaitingView

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.model.settings import Settings
    from workbench.model.trace import Tool
    from workbench.redact.policy import Policy
    from workbench.ui.bridge import View

__all__ = ["ReviewDesk", "StaleDesk", "open_desk", "open_stale_desk"]

_POLICY: Final = "redaction.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """What the folder of a notebook says."""

    home: Path
    """Of `workbench.toml`, else the folder itself."""
    settings: Settings

    @property
    def policy(self) -> Policy:
        """`redaction.yaml` beside the settings, if there is one."""
        file = self.home / _POLICY
        return load_policy(file) if file.is_file() else DEFAULT_POLICY

    @property
    def vault(self) -> Vault:
        """Keys and replaced values."""
        return Vault(keys_folder(self.settings, self.home))


@at_the_edge
def open_desk(  # noqa: PLR0913  a notebook's parameters
    *,
    store: str,
    run: str | None = None,
    draft: str | None = None,
    cases: str,
    today: str | None = None,
    reviewer: str | None = None,
    ner: str = "auto",
    clock: Callable[[], float] = time.time,
) -> ReviewDesk:
    """Open the review of a run, every step where it was left.

    Args:
        store: folder of the runs.
        run: its id; None: the one that was picked last.
        draft: file of the redacted draft; None: beside the store.
        cases: folder of the case files.
        today: ISO date; None: the clock's.
        reviewer: who decides; None: who is logged in.
        ner: `none` to go on without names in prose.
        clock: seconds since 1970.

    Raises:
        InputError: there is no such store or run, or the date is none.
    """
    place = _place()
    picker = Picker(
        open_store(store, create=False, clock=clock),
        reviewer=_reviewer(reviewer),
        run=run,
        settings=place.settings,
        clock=clock,
    )
    desk = Desk(
        vault=place.vault,
        cases=Path(cases),
        today=_day(today, clock),
        settings=place.settings,
        policy=place.policy,
        ner=ner,
        owners=find_owners(Path.cwd(), listed=place.settings.review.owners),
        draft=None if draft is None else Path(draft),
    )
    return ReviewDesk(Session(picker, desk))


class ReviewDesk:
    """The steps of one review, each to be shown in a cell of its own."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._lines: list[Said] = []

    @at_the_edge
    def check(self) -> str:
        """Say what is in the store, and whether it is as it was written."""
        store = self.session.store
        found = store.verify()
        runs = counted(self.session.picker.listing.total, "run")
        sound = (
            "sound"
            if found.ok
            else f"NOT SOUND: see `workbench store verify --store {store.root.name}`"
        )
        who = self.session.picker.reviewer
        return f"store {store.root.name}: {runs}; {sound}\nreviewer: {who}"

    @at_the_edge
    def sum_up(self) -> None:
        """Say below this cell where every step stands, now and after each click."""
        said = Said(self.session.summary)
        self._lines.append(said)
        said.show()

    @at_the_edge
    def pick(self) -> Step:
        """Which run is reviewed."""
        return self._fixed(PickerView(self.session.picker))

    @at_the_edge
    def look(self) -> Step:
        """What happened in it."""
        return self._fixed(TimelineView(self.session.timeline))

    @at_the_edge
    def state(self) -> Step:
        """What must never happen again."""
        return self._step(Stage.CONTRACT)

    @at_the_edge
    def redact(self) -> Step:
        """What of it may be shown to everybody."""
        return self._step(Stage.REDACTION)

    @at_the_edge
    def shrink(self) -> Step:
        """The least that still fails."""
        return self._step(Stage.SHRINK)

    @at_the_edge
    def export(self) -> Step:
        """The case, its proof, and its activation."""
        return self._step(Stage.CASE)

    def _step(self, stage: Stage) -> Step:
        step = self._new()
        self.session.watch(stage, lambda controller: step.become(self._view(controller)))
        return step

    def _fixed(self, view: View) -> Step:
        step = self._new()
        step.become(view)
        return step

    def _new(self) -> Step:
        """What is done in one step may open another, and all lines may say something else."""
        step = Step(on_heard=self._heard)
        self._lines.append(step.line)
        return step

    def _heard(self) -> None:
        self.session.look_again()
        for line in tuple(self._lines):
            line.renew()

    def _view(
        self, controller: ContractForm | RedactionReview | ShrinkReview | CaseForm | Missing
    ) -> View:
        if isinstance(controller, ContractForm):
            return ContractView(controller)
        if isinstance(controller, RedactionReview):
            return RedactionView(controller)
        if isinstance(controller, ShrinkReview):
            return ShrinkView(controller)
        if isinstance(controller, CaseForm):
            return CaseView(controller)
        return WaitingView(controller, look_again=self.session.look_again)


@at_the_edge
def open_stale_desk(
    *,
    cases: str,
    store: str | None = None,
    tools: str | None = None,
    today: str | None = None,
    reviewer: str | None = None,
    clock: Callable[[], float] = time.time,
) -> StaleDesk:
    """Open the table of stale cases.

    Args:
        cases: folder of the case files.
        store: also keeps the decisions, and has the verdicts of trials; None, or an absent folder: none.
        tools: file of the tools of today, as a server answers to `tools/list`; None: nobody knows.
        today: ISO date of the meeting; None: the clock's.
        reviewer: who decides; None: who is logged in.
        clock: seconds since 1970.

    Raises:
        InputError: there is no such folder of cases or file of tools, the file is none, or the date
            is none.
    """
    place, folder = _place(), Path(cases)
    if not folder.exists():
        message = "is not there; expected a folder of case files"
        raise InputError(
            message, place=shown_path(folder), fix="export a case, or name another folder"
        )
    kept = None if store is None or not Path(store).is_dir() else open_store(store, create=False)
    day = _day(today, clock)
    table = StaleTable(
        folder,
        today=day,
        reviewer=_reviewer(reviewer),
        lead_days=place.settings.review.lead_days,
        owners=find_owners(Path.cwd(), listed=place.settings.review.owners),
        store=kept,
        tools=None if tools is None else _tools(Path(tools)),
    )
    return StaleDesk(table, record=folder / "reviews" / f"{day}.md")


class StaleDesk:
    """One quarterly review: the table, and the record of the meeting."""

    def __init__(self, table: StaleTable, *, record: Path) -> None:
        self.table = table
        self._record = record

    @at_the_edge
    def check(self) -> str:
        """Say what there is to decide, and whether tools were compared."""
        return f"{self.table.summary()}\n{self.table.compared()}"

    @at_the_edge
    def decide(self) -> Step:
        """The table, one decision a case."""
        step = Step()
        step.become(StaleView(self.table))
        return step

    @at_the_edge
    def write_record(self) -> str:
        """Write the record of the meeting beside the cases, and return it with its place.

        What people noted in it stays.
        """
        text = self.table.record()
        if not self.table.has_decided:
            return f"{text}\nNothing is decided yet, so no record is written."
        write_record(self._record, text)
        return f"{text}\nWritten to {shown_path(self._record)}."


def _place() -> _Place:
    file = find_settings(Path.cwd())
    return _Place(home=Path.cwd() if file is None else file.parent, settings=load_settings(file))


def _tools(file: Path) -> tuple[Tool, ...]:
    """Read the tools of today; an absent file must not look like tools that nobody changed."""
    if not file.is_file():
        message = "is not there; expected a file with the tools of today, JSON"
        fix = "save what the server answers to tools/list, or set tools = None"
        raise InputError(message, place=shown_path(file), fix=fix)
    return offered_tools(file)


def _day(today: str | None, clock: Callable[[], float]) -> str:
    day = datetime.fromtimestamp(clock(), UTC).date().isoformat() if today is None else today
    if not is_date(day):
        message = "is no day of the calendar; expected YYYY-MM-DD"
        raise InputError(message, key="today", fix="write a day as 2027-02-28, or None for today")
    return day


def _reviewer(name: str | None) -> str:
    """Return who decides; a machine without a login name has to be told."""
    if name is not None:
        return name
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        message = "is None, and nobody is logged in by name"
        raise InputError(message, key="reviewer", fix="write your name") from None

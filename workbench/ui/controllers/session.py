"""A whole review of one run: each step opens when what it needs is there, and where it was left.

Steps follow one another: a run is picked, its contract is stated, the draft is redacted, then
shrunk, then exported. A step that cannot begin yet says what is missing; it opens as soon as the
step before is done, in this notebook or, after a second look, in another one.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum
from threading import RLock
from typing import TYPE_CHECKING, Final, TypeAlias

from workbench.casefile.draft import load_draft
from workbench.errors import WorkbenchError
from workbench.redact.policy import DEFAULT_POLICY
from workbench.review.draft import draft_id
from workbench.ui.controllers.contract import ContractForm
from workbench.ui.controllers.export import CaseForm
from workbench.ui.controllers.mended import Mended
from workbench.ui.controllers.redaction import RedactionReview
from workbench.ui.controllers.shrink import ShrinkReview
from workbench.ui.controllers.steps import (
    carry_over,
    load_redacted,
    load_small,
    redacted_path,
    redaction_of,
    shrink_of,
    small_path,
)
from workbench.ui.controllers.timeline import Timeline

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from workbench.model.draft import Draft
    from workbench.model.ledger import LedgerEntry
    from workbench.model.settings import Settings
    from workbench.redact.policy import Policy
    from workbench.review.incident import Incident
    from workbench.review.owners import Owners
    from workbench.review.vault import Vault
    from workbench.store.handle import Store
    from workbench.ui.controllers.picker import Picker

__all__ = ["Desk", "Missing", "Session", "Stage"]


class Stage(StrEnum):
    """A step that needs the one before."""

    CONTRACT = "contract"
    REDACTION = "redaction"
    SHRINK = "shrink"
    CASE = "case"


_ORDER: Final = tuple(Stage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What all reviews at one desk share."""

    vault: Vault
    """Keeps keys and what is replaced."""
    cases: Path
    """Folder of the case files."""
    today: str
    """ISO date."""
    settings: Settings
    policy: Policy = DEFAULT_POLICY
    ner: str = "auto"
    owners: Owners | None = None
    draft: Path | None = None
    """File of the redacted draft; None: beside the store."""


@dataclass(slots=True, kw_only=True)
class Missing:
    """Stands for a step that cannot begin yet; it hears nothing and knows nothing of the trace."""

    title: str
    detail: str
    lock: RLock = field(default_factory=RLock, repr=False)

    def summary(self) -> str:
        """Say what is missing."""
        return self.title


Step: TypeAlias = "ContractForm | RedactionReview | ShrinkReview | CaseForm | Missing"

_NO_RUN: Final = (
    "No run is picked yet.",
    "Pick one in the list of runs (notebook 01), or name it as `run` in the parameters.",
)
_NO_CONTRACT: Final = (
    "No contract is stated yet.",
    "State what must never happen again (notebook 01); the run must break it.",
)
_NOT_REDACTED: Final = (
    "The run is not redacted yet.",
    "Decide on what reaches the case (notebook 01), then write the redacted draft.",
)
_REDACTED_OTHERWISE: Final = (
    "The contract was changed since the draft was redacted.",
    "Write the redacted draft again (notebook 01); decisions that were made are there.",
)
_NOT_SMALL: Final = (
    "Nothing is shrunk yet.",
    "Search for the smallest trace above; what is found is written, and this step opens.",
)


class Session:
    """One desk, one picked run, and the steps of its review."""

    def __init__(self, picker: Picker, desk: Desk) -> None:
        self.picker = picker
        self.timeline = Timeline().follow(picker)
        self.desk = desk
        self._lock = RLock()
        """Never held while another controller's lock is asked for."""
        self._steps: dict[Stage, Step] = {}
        self._seals: dict[Stage, str] = {}
        self._watchers: dict[Stage, list[Callable[[Step], None]]] = {}
        self._written_as: tuple[str, tuple[LedgerEntry, ...]] = "", ()
        """What the redacted draft replaced, and what that rests on."""
        picker.watch(self._picked)

    @property
    def store(self) -> Store:
        """The store of runs and decisions."""
        return self.picker.store

    def watch(self, stage: Stage, act: Callable[[Step], None]) -> None:
        """Open a step, and have what it is, now and whenever it is another one."""
        self._watchers.setdefault(stage, []).append(act)
        if not self._refresh(stage):
            act(self._steps[stage])

    def step(self, name: str) -> Step:
        """Return what a step (a `Stage` or its value) is now; it is opened if it was not."""
        stage = Stage(name)
        self._refresh(stage)
        return self._steps[stage]

    def look_again(self) -> None:
        """Open what can begin now, also by what was done elsewhere."""
        if self.picker.incident is not None:
            self.picker.incident.log.look()
        for stage in _ORDER:
            if stage in self._watchers:
                self._refresh(stage)
        self._mark_replaced()

    def summary(self) -> str:
        """Say where every step stands, a line each, without values of the trace."""
        steps = (f"{stage.value}: {self._said(stage)}" for stage in _ORDER)
        return "\n".join((self.picker.summary(), self.timeline.summary(), *steps))

    # --- inside -------------------------------------------------------------------

    def _said(self, stage: Stage) -> str:
        """Say where a step stands; one that nobody watches is not opened for that."""
        step, incident = self._steps.get(stage), self.picker.incident
        if step is None and stage is Stage.CONTRACT and incident is not None:
            step = self._contract(incident)
        if step is not None:
            return step.summary()
        try:
            missing = self._missing(stage, incident)
        except WorkbenchError as error:
            missing = _refused(error)
        if missing is not None or incident is None or stage is Stage.CASE:
            return "not open here" if missing is None else missing.summary()
        path = _FILES[stage](incident, self.desk.draft)
        return f"{path.name} is there" if path.is_file() else "can begin"

    def _picked(self, _: Incident) -> None:
        self.look_again()

    def _refresh(self, stage: Stage) -> bool:
        """Open a step anew if what it rests on is another; say whether its watchers were told."""
        with self._lock:
            incident = self.picker.incident
            seal = self._seal(stage, incident)
            if self._seals.get(stage) == seal:
                return False
            step = self._steps[stage] = self._made(stage, incident)
            self._seals[stage] = seal
        self._listen(step)
        for act in tuple(self._watchers.get(stage, ())):
            act(step)
        return True

    def _listen(self, step: Step) -> None:
        """Go on to the next step when this one is done."""
        if isinstance(step, ContractForm):
            step.on_state.append(self.look_again)
        elif isinstance(step, RedactionReview | ShrinkReview):
            step.on_change.append(lambda: self._written(step))
        if isinstance(step, RedactionReview):
            step.on_change.append(self._mark_replaced)

    def _mark_replaced(self) -> None:
        """Mark in the timeline what is replaced: as it is decided here, else as it was written."""
        incident = self.picker.incident
        if incident is None:
            return
        step = self._steps.get(Stage.REDACTION)
        is_of_it = self._seals.get(Stage.REDACTION) == self._seal(Stage.REDACTION, incident)
        decided = step.ledger if is_of_it and isinstance(step, RedactionReview) else None
        self.timeline.mark_replaced(self._replaced(incident) if decided is None else decided)

    def _replaced(self, incident: Incident) -> tuple[LedgerEntry, ...]:
        """Return what the redacted draft has replaced; the file is read again when it is another."""
        seal = self._seal(Stage.SHRINK, incident)
        if self._written_as[0] != seal:
            try:
                draft = self._redacted(incident)
            except WorkbenchError:  # the step that needs the draft says why
                draft = None
            note = None if draft is None else draft.redaction
            self._written_as = seal, () if note is None else note.ledger
        return self._written_as[1]

    def _written(self, step: RedactionReview | ShrinkReview) -> None:
        is_busy = step.is_checking if isinstance(step, RedactionReview) else step.is_working
        if not is_busy and step.is_written:
            self.look_again()

    def _seal(self, stage: Stage, incident: Incident | None) -> str:
        """Return what a step rests on; the same text is the same step."""
        if incident is None:
            return ""
        parts = [incident.run.trace.run_id]
        if stage is not Stage.CONTRACT:
            stated = self._contract(incident).stated_text
            parts.extend((stated, *incident.trigger))
        if stage in (Stage.SHRINK, Stage.CASE):
            parts.append(_digest(redacted_path(incident, self.desk.draft)))
        if stage is Stage.CASE:
            parts.append(_digest(small_path(incident, self.desk.draft)))
        return "\0".join(parts)

    def _contract(self, incident: Incident) -> ContractForm:
        return ContractForm(incident, claims=self.desk.settings.claims)

    def _made(self, stage: Stage, incident: Incident | None) -> Step:
        """Open a step; one that is refused says why."""
        try:
            missing = self._missing(stage, incident)
            if missing is not None or incident is None:
                return missing or _missing(_NO_RUN)
            return self._opened(stage, incident)
        except WorkbenchError as error:
            return _refused(error)

    def _missing(self, stage: Stage, incident: Incident | None) -> Missing | None:
        """Return what has to be done before a step; None: it can begin."""
        if incident is None:
            return _missing(_NO_RUN)
        if stage is Stage.CONTRACT:
            return None
        contract = self._contract(incident).contract
        if contract is None:
            return _missing(_NO_CONTRACT)
        if stage is Stage.REDACTION:
            return None
        if not redacted_path(incident, self.desk.draft).is_file():
            return _missing(_NOT_REDACTED)
        redacted = self._redacted(incident)
        if redacted is None:
            return _missing(_REDACTED_OTHERWISE)
        is_small = stage is Stage.SHRINK or load_small(incident, redacted, self.desk.draft)
        return None if is_small else _missing(_NOT_SMALL)

    def _redacted(self, incident: Incident) -> Draft | None:
        """Return the redacted draft; None: there is none by the contract that stands."""
        contract = self._contract(incident).contract
        draft = load_redacted(incident, self.desk.draft)
        if contract is None or draft is None:
            return None
        return draft if draft.draft == draft_id(incident.run.trace, contract) else None

    def _opened(self, stage: Stage, incident: Incident) -> Step:
        desk, form = self.desk, self._contract(incident)
        if stage is Stage.CONTRACT:
            return form
        if stage is Stage.SHRINK:
            return shrink_of(incident, out=desk.draft)
        if stage is Stage.CASE:
            small = load_draft(small_path(incident, desk.draft))
            return CaseForm(
                small,
                incident,
                vault=desk.vault,
                cases=desk.cases,
                today=desk.today,
                owners=desk.owners,
                mended=Mended(settings=desk.settings, policy=desk.policy, ner=desk.ner),
            )
        contract = form.contract
        assert contract is not None  # noqa: S101  it is not missing
        carry_over(incident, contract, form.earlier())
        return redaction_of(
            incident,
            contract,
            vault=desk.vault,
            policy=desk.policy,
            ner=desk.ner,
            out=desk.draft,
        )


_FILES: Final = {Stage.REDACTION: redacted_path, Stage.SHRINK: small_path}


def _missing(words: tuple[str, str]) -> Missing:
    return Missing(title=words[0], detail=words[1])


def _refused(error: WorkbenchError) -> Missing:
    return Missing(title="This step cannot begin.", detail=str(error))


def _digest(path: Path) -> str:
    """Return a digest of a file; empty: there is none."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""

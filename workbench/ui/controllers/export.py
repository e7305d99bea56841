"""From a redacted draft to an active case: the form, the preview, the file, its proof.

The form is checked as one types, and nothing can be exported before it is whole. What is filled in
is in the store; the case itself is a file, so a restarted kernel finds both.
"""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Final

from workbench.casefile.case import CASE_SUFFIX, load_case
from workbench.casefile.codec import decode, encode
from workbench.casefile.layout import format_case
from workbench.casefile.place import Place
from workbench.errors import InputError, RefusedError
from workbench.model.wording import counted
from workbench.review.accept import accept_repair
from workbench.review.edit import rewrite_case
from workbench.review.export import case_of, export_draft, exported_before
from workbench.review.owners import no_owners
from workbench.runner.activate import activate
from workbench.ui.controllers.case_fields import (
    LIMITS,
    CaseFields,
    details_of,
    problem,
    without,
    wrong_fields,
)
from workbench.ui.controllers.mended import Mended
from workbench.ui.controllers.proof import proof_of
from workbench.ui.controllers.worker import Worker, said_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from workbench.model.case import Case
    from workbench.model.contract import FixPlace
    from workbench.model.draft import Draft
    from workbench.model.jsonvalue import JsonMap
    from workbench.review.incident import Incident
    from workbench.review.owners import Owners
    from workbench.review.vault import Vault
    from workbench.store.records import Decision

__all__ = ["CaseForm"]

FILLED: Final = "case_filled"
EXPORTED: Final = "case_exported"
ACCEPTED: Final = "case_accepted"
ACTIVATED: Final = "case_activated"


class CaseForm:
    """One draft on its way to an active case."""

    def __init__(  # noqa: PLR0913  what a form needs, keyword-only
        self,
        draft: Draft,
        incident: Incident,
        *,
        vault: Vault,
        cases: Path,
        today: str,
        owners: Owners | None = None,
        mended: Mended | None = None,
    ) -> None:
        """Open the form where it was left.

        Args:
            draft: redacted, and shrunk where that was wanted.
            incident: keeps what is filled in.
            vault: has what was replaced, for the last look at the file.
            cases: folder of the case files.
            today: ISO date.
            owners: who may own a case; None: anybody.
            mended: how runs of the mended agent are found and redacted; None: as by default.
        """
        self.lock = RLock()
        self.on_change: list[Callable[[], None]] = []
        """Called from another thread when a run was accepted, or was not."""
        self.failure: str | None = None
        """Why the last run was not accepted."""
        self._mended = Mended() if mended is None else mended
        self._worker = Worker(self.lock, on_failure=self._failed, on_rest=self._rested)
        self._draft, self._incident, self._vault = draft, incident, vault
        self._cases, self._today = cases, today
        self._owners = no_owners() if owners is None else owners
        self._was: str | None = None
        """Text of the file before the last step."""

    # --- what is shown -----------------------------------------------------------

    @property
    def fields(self) -> CaseFields:
        """What was filled in last, field by field."""
        return self._fields(None)

    @property
    def seen(self) -> int:
        """How much of the review's log `fields` is told with."""
        return self._incident.log.seen

    @property
    def fix_of_contract(self) -> FixPlace:
        """What counts while the form does not say where it can be prevented."""
        return self._draft.contract.fix

    @property
    def file(self) -> Path | None:
        """The case file that this review exported; None: none yet, or it was moved away."""
        last = self._incident.log.last(EXPORTED)
        path = None if last is None else self._cases / str(last.payload["file"])
        return path if path is not None and path.is_file() else None

    @property
    def edition(self) -> str | None:
        """Another text whenever the exported file is another one; None: there is none."""
        path = self.file
        return None if path is None else f"{path.name} {path.stat().st_mtime_ns}"

    def check(self, fields: CaseFields) -> JsonMap:
        """Say which fields are wrong, and show the file that would be written; writes nothing.

        Returns:
            `problems` with field, message and fix; `preview`, the text of the case with
            stand-ins for the fields that are `missing`, or None; and whether it `can_be_exported`.
        """
        problems = [*wrong_fields(fields, owners=self._owners, today=self._today)]
        missing = {str(one["field"]) for one in problems}
        preview = None
        try:
            case = case_of(self._draft, details_of(without(fields, missing)), date=self._today)
            preview = format_case(case)
            is_there = (self._cases / f"{case.id}{CASE_SUFFIX}").exists()
            if is_there and self._left_behind(case) is None:
                problems.append(problem("id", "there is such a case", "choose another id"))
        except InputError as error:
            problems.append(problem(_field(error.key), _message(error), error.fix))
        except RefusedError as error:
            problems.append(problem("", _message(error), error.fix))
        return {
            "problems": [*problems],
            "preview": preview,
            "missing": [*sorted(missing)],
            "can_be_exported": not problems,
        }

    def proof(self) -> JsonMap | None:
        """Return what the self-test says of the exported case; None: there is none."""
        path = self.file
        return None if path is None else proof_of(load_case(path), path, was=self._was)

    @property
    def is_working(self) -> bool:
        """Whether a run is being read, redacted and tried."""
        return self._worker.is_working

    def summary(self) -> str:
        """Say in one line where the step stands, without values of the trace."""
        path = self.file
        if path is None:
            return "no case is exported yet"
        case = load_case(path)
        paths = counted(len(case.accepted), "accepted path")
        return f"{path.name} is {case.state.value}, {paths}"

    # --- what people do ----------------------------------------------------------

    def look_again(self) -> None:
        """Take what others filled in meanwhile."""
        self._incident.log.look()

    def fill(self, fields: CaseFields, *, seen: int | None = None) -> None:
        """Keep what is filled in so far, whether it is right or not.

        Args:
            fields: as they are filled in.
            seen: how much of the log the person had seen; what is as it was then stays as it is
                now, so that two people can fill in a field each.

        Raises:
            RefusedError: somebody else filled in the same field otherwise.
        """
        changed = self._changed(fields, seen)
        if changed:
            incident = self._incident
            incident.log.write(
                FILLED, changed, by=incident.reviewer, seen=seen, unless=_contradicts(changed)
            )

    def export(self, fields: CaseFields, *, seen: int | None = None) -> Path:
        """Write the case file and return its path.

        A file that was written while the log could not be is taken as it is.

        Raises:
            InputError: a field is wrong, or the file is there already.
            RefusedError: the case would not fail as the incident did, or holds a replaced value;
                or somebody else filled in a field otherwise, or exported, meanwhile.
        """
        for wrong in wrong_fields(fields, owners=self._owners, today=self._today):
            raise InputError(str(wrong["message"]), key=str(wrong["field"]), fix=str(wrong["fix"]))
        needles = self._vault.needles(self._draft.draft)
        whole = encode(fields)
        assert isinstance(whole, dict)  # noqa: S101  a dataclass is a mapping
        with self._incident.log.turn(
            by=self._incident.reviewer, seen=seen, unless=_contradicts(whole)
        ) as add:
            if fields != self.fields:
                add(FILLED, self._changed(fields, None))
            details = details_of(fields)
            path = self._left_behind(case_of(self._draft, details, date=self._today))
            if path is None:
                _, path = export_draft(
                    self._draft,
                    details,
                    self._cases,
                    needles=needles,
                    date=self._today,
                    vault=self._vault,
                )
            add(EXPORTED, {"file": path.name})
        self._was = None
        return path

    def accept(self) -> Case:
        """Add the path that mending the recorded one gives.

        Raises:
            InputError: nothing is exported, or the path is there.
            RefusedError: no repair is green.
        """
        path = self._require_file()
        was = path.read_text("utf-8")
        case = accept_repair(path, by=self._incident.reviewer)
        self._was = was
        self._incident.record(ACCEPTED, {"file": path.name, "path": case.accepted[-1].name})
        return case

    def accept_run(self, reference: str) -> None:
        """Add the way that a run of the mended agent took; returns at once.

        Args:
            reference: a run id of the store, a trace file, or `RESULTS#RUN_ID` of a trial.

        Raises:
            InputError: nothing is exported or named, or a run is being accepted.
        """
        path = self._require_file()
        if not reference.strip():
            message = "is empty; expected a run of the mended agent"
            raise InputError(message, key="run", fix="write a run id, or results.json#RUN_ID")
        if self.is_working:
            message = "another run is being accepted"
            raise InputError(message, place=path.name, fix="wait for it")
        self.failure = None
        self._worker.ask("accept", lambda _: self._accept_run(path, reference.strip()))

    def wait(self, timeout_s: float = 60) -> None:
        """Wait until no run is being accepted; for scripts."""
        self._worker.wait(timeout_s)

    def activate(self) -> Case:
        """Let the case gate from now on.

        Raises:
            InputError: nothing is exported, or it is active already.
            RefusedError: it is not red, green, killable and reviewed.
        """
        path = self._require_file()
        was, text = load_case(path), path.read_text("utf-8")
        case = activate(was, by=self._incident.reviewer, date=self._today)
        rewrite_case(path, case, was=was)
        self._was = text
        self._incident.record(ACTIVATED, {"file": path.name})
        return case

    # --- inside -------------------------------------------------------------------

    def _accept_run(self, path: Path, reference: str) -> None:
        was, incident = path.read_text("utf-8"), self._incident
        case = self._mended.accept(
            path, reference, store=incident.store, vault=self._vault, by=incident.reviewer
        )
        with self.lock:
            self._was = was
        incident.record(ACCEPTED, {"file": path.name, "path": case.accepted[-1].name})

    def _failed(self, error: Exception) -> None:
        with self.lock:
            self.failure = said_of(error)

    def _rested(self) -> None:
        with self.lock:
            for told in self.on_change:
                told()

    def _left_behind(self, case: Case) -> Path | None:
        """Return the file that an export wrote whose entry is missing: the store failed then."""
        return exported_before(case, self._cases) if self.file is None else None

    def _require_file(self) -> Path:
        path = self.file
        if path is None:
            message = "is not exported yet"
            raise InputError(message, place=self._draft.draft, fix="export the case first")
        return path

    def _fields(self, seen: int | None) -> CaseFields:
        """Return the fields as they were when so much of the log had been seen; None: as of now."""
        filled: JsonMap = {}
        for entry in self._incident.log.standing(FILLED, before=seen):
            filled |= entry.payload
        return decode(CaseFields, filled, place=Place(name="form"))

    def _changed(self, fields: CaseFields, seen: int | None) -> JsonMap:
        before = self._fields(seen)
        return {
            name: getattr(fields, name)
            for name in LIMITS
            if getattr(fields, name) != getattr(before, name)
        }


def _contradicts(given: JsonMap) -> Callable[[Decision], bool]:
    """Return whether a decision exports, or fills in one of some fields otherwise."""

    def is_other(entry: Decision) -> bool:
        if entry.kind == FILLED:
            return any(given.get(name, value) != value for name, value in entry.payload.items())
        return entry.kind == EXPORTED

    return is_other


def _message(error: InputError | RefusedError) -> str:
    """Return an error's words without the fix, which stands beside them."""
    return str(error).partition("\n  Fix:")[0]


def _field(key: str) -> str:
    """Return the field of the form that a place in the case is filled in by; empty: none is."""
    first, _, rest = key.partition(".")
    name = rest if first == "why" else first
    return name if name in CaseFields.__dataclass_fields__ else ""

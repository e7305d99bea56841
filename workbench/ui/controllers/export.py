"""From a redacted draft to an active case: the form, the preview, the file, its proof.

The form is checked as one types, and nothing can be exported before it is whole. What is filled in
is in the store; the case itself is a file, so a restarted kernel finds both.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import RLock
from typing import TYPE_CHECKING, Final

from workbench.casefile.case import CASE_SUFFIX, load_case
from workbench.casefile.case_checks import is_date
from workbench.casefile.codec import decode, encode
from workbench.casefile.files import shown_path
from workbench.casefile.layout import format_case
from workbench.casefile.place import Place
from workbench.errors import InputError, RefusedError
from workbench.model.case import Severity
from workbench.model.contract import FixPlace
from workbench.model.wording import counted
from workbench.review.accept import accept_repair
from workbench.review.edit import rewrite_case
from workbench.review.export import CaseDetails, case_of, export_draft
from workbench.review.owners import no_owners
from workbench.runner.activate import activate
from workbench.runner.selftest import check_case

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.case import Case
    from workbench.model.draft import Draft
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.review.incident import Incident
    from workbench.review.owners import Owners
    from workbench.review.vault import Vault

__all__ = ["CaseFields", "CaseForm"]

FILLED: Final = "case_filled"
EXPORTED: Final = "case_exported"
ACCEPTED: Final = "case_accepted"
ACTIVATED: Final = "case_activated"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFields:
    """What people fill in; empty: not yet."""

    owner: str = ""
    review_date: str = ""
    severity: str = Severity.S2.value
    title: str = ""
    id: str = ""
    fix: str = ""
    """Empty: the contract's."""
    summary: str = ""
    impact: str = ""
    cause: str = ""
    mend: str = ""

    @property
    def why(self) -> JsonMap | None:
        """What was said of the reasons."""
        said: JsonMap = {"summary": self.summary, "impact": self.impact}
        said |= {"cause": self.cause, "mend": self.mend}
        return {key: text for key, text in said.items() if text} or None


class CaseForm:
    """One draft on its way to an active case."""

    def __init__(
        self,
        draft: Draft,
        incident: Incident,
        *,
        vault: Vault,
        cases: Path,
        today: str,
        owners: Owners | None = None,
    ) -> None:
        """Open the form where it was left.

        Args:
            draft: redacted, and shrunk where that was wanted.
            incident: keeps what is filled in.
            vault: has what was replaced, for the last look at the file.
            cases: folder of the case files.
            today: ISO date.
            owners: who may own a case; None: anybody.
        """
        self.lock = RLock()
        self._draft, self._incident, self._vault = draft, incident, vault
        self._cases, self._today = cases, today
        self._owners = no_owners() if owners is None else owners

    # --- what is shown -----------------------------------------------------------

    @property
    def fields(self) -> CaseFields:
        """What was filled in last."""
        last = self._incident.last(FILLED)
        if last is None:
            return CaseFields()
        return decode(CaseFields, last.payload, place=Place(name="form"))

    @property
    def file(self) -> Path | None:
        """The case file that this review exported; None: none yet, or it was moved away."""
        last = self._incident.last(EXPORTED)
        path = None if last is None else self._cases / str(last.payload["file"])
        return path if path is not None and path.is_file() else None

    def check(self, fields: CaseFields) -> JsonMap:
        """Say which fields are wrong, and show the file that would be written; writes nothing.

        Returns:
            `problems` with field, message and fix; `preview`, the text of the case, or None; and
            whether it `can_be_exported`.
        """
        problems = [*self._wrong(fields)]
        preview = None
        if not problems:
            try:
                case = case_of(self._draft, _details(fields), date=self._today)
                preview = format_case(case)
                if (self._cases / f"{case.id}{CASE_SUFFIX}").exists():
                    problems.append(_problem("id", "there is such a case", "choose another id"))
            except InputError as error:
                problems.append(_problem(_field(error.key), _message(error), error.fix))
            except RefusedError as error:
                problems.append(_problem("", _message(error), error.fix))
        return {"problems": problems, "preview": preview, "can_be_exported": not problems}

    def proof(self) -> JsonMap | None:
        """Return what the self-test says of the exported case; None: there is none."""
        path = self.file
        if path is None:
            return None
        case = load_case(path)
        report = check_case(case, path=shown_path(path))
        return {
            "path": report.path,
            "state": report.state,
            "recorded_red": report.recorded_red,
            "accepted_green": report.accepted_green,
            "sound": report.sound,
            "dead_clauses": [*report.dead_clauses],
            "problems": [encode(problem) for problem in report.problems],
            "unreviewed": 0 if case.redaction is None else case.redaction.unreviewed,
            "text": path.read_text("utf-8"),
            "command": f"workbench run {shown_path(path)} --agent SPEC",
        }

    def summary(self) -> str:
        """Say in one line where the step stands, without values of the trace."""
        path = self.file
        if path is None:
            return "no case is exported yet"
        case = load_case(path)
        paths = counted(len(case.accepted), "accepted path")
        return f"{path.name} is {case.state.value}, {paths}"

    # --- what people do ----------------------------------------------------------

    def fill(self, fields: CaseFields) -> None:
        """Keep what is filled in so far, whether it is right or not."""
        if fields != self.fields:
            payload = encode(fields)
            assert isinstance(payload, dict)  # noqa: S101  a dataclass is a mapping
            self._incident.record(FILLED, payload)

    def export(self, fields: CaseFields) -> Path:
        """Write the case file and return its path.

        Raises:
            InputError: a field is wrong, or the file is there already.
            RefusedError: the case would not fail as the incident did, or holds a replaced value.
        """
        for problem in self._wrong(fields):
            assert isinstance(problem, dict)  # noqa: S101
            raise InputError(
                str(problem["message"]), key=str(problem["field"]), fix=str(problem["fix"])
            )
        needles = self._vault.needles(self._draft.draft)
        details = _details(fields)
        self.fill(fields)
        self._cases.mkdir(parents=True, exist_ok=True)
        _, path = export_draft(self._draft, details, self._cases, needles=needles, date=self._today)
        self._incident.record(EXPORTED, {"file": path.name})
        return path

    def accept(self) -> Case:
        """Add the path that mending the recorded one gives.

        Raises:
            InputError: nothing is exported, or the path is there.
            RefusedError: no repair is green.
        """
        path = self._require_file()
        case = accept_repair(path, by=self._incident.reviewer)
        self._incident.record(ACCEPTED, {"file": path.name, "path": case.accepted[-1].name})
        return case

    def activate(self) -> Case:
        """Let the case gate from now on.

        Raises:
            InputError: nothing is exported, or it is active already.
            RefusedError: it is not red, green, killable and reviewed.
        """
        path = self._require_file()
        was = load_case(path)
        case = activate(was, by=self._incident.reviewer, date=self._today)
        rewrite_case(path, case, was=was)
        self._incident.record(ACTIVATED, {"file": path.name})
        return case

    # --- inside -------------------------------------------------------------------

    def _require_file(self) -> Path:
        path = self.file
        if path is None:
            message = "is not exported yet"
            raise InputError(message, place=self._draft.draft, fix="export the case first")
        return path

    def _wrong(self, fields: CaseFields) -> list[Json]:
        """Return what a form alone can tell."""
        found: list[Json] = []
        if not fields.owner.strip():
            found.append(_problem("owner", "is empty; a case has an owner", "name a team"))
        elif not self._owners.knows(fields.owner):
            sources = ", ".join(self._owners.sources)
            found.append(_problem("owner", f"is not in {sources}", "name one that is"))
        if not is_date(fields.review_date):
            message = "is no day of the calendar; expected YYYY-MM-DD"
            found.append(_problem("review_date", message, "choose a day"))
        elif fields.review_date <= self._today:
            message = f"is not after today, {self._today}"
            found.append(_problem("review_date", message, "choose a day to come"))
        if not fields.title.isprintable():
            found.append(_problem("title", "is more than one printable line", "shorten it"))
        for name, value, known in (
            ("severity", fields.severity, [one.value for one in Severity]),
            ("fix", fields.fix, ["", *(one.value for one in FixPlace)]),
        ):
            if value not in known:
                words = ", ".join(filter(None, known))
                found.append(_problem(name, f"is none of {words}", "choose one of them"))
        return found


def _details(fields: CaseFields) -> CaseDetails:
    return CaseDetails(
        owner=fields.owner.strip(),
        review_date=fields.review_date,
        id=fields.id.strip() or None,
        title=fields.title.strip() or None,
        severity=Severity(fields.severity),
        fix=FixPlace(fields.fix) if fields.fix else None,
        why=fields.why,
    )


def _problem(field: str, message: str, fix: str | None) -> Json:
    return {"field": field, "message": message, "fix": fix}


def _message(error: InputError | RefusedError) -> str:
    """Return an error's words without the fix, which stands beside them."""
    return str(error).partition("\n  Fix:")[0]


def _field(key: str) -> str:
    """Return the field of the form that a place in the case is filled in by; empty: none is."""
    first, _, rest = key.partition(".")
    name = rest if first == "why" else first
    return name if name in CaseFields.__dataclass_fields__ else ""

"""From a redacted draft to a case file, or a refusal that says why.

What is written was replayed and judged before: the case fails with the signature of the raw
trace, and its final bytes hold none of the replaced values in any view.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.casefile.build import build_case
from workbench.casefile.case import load_case
from workbench.casefile.case_checks import check_case
from workbench.casefile.case_document import case_document
from workbench.casefile.layout import format_case
from workbench.casefile.place import Place
from workbench.check.claims import claim_outcome
from workbench.check.judge import judge
from workbench.errors import InputError, RefusedError
from workbench.model.case import CaseSource, CaseState, Header, HistoryEntry, Severity, SourceKind
from workbench.model.event import Claim, ClaimBasis, ClaimOutcome
from workbench.model.ledger import Residue
from workbench.model.trace import Effect
from workbench.redact.places import parse_glob
from workbench.redact.residue import scan, view_count
from workbench.redact.slots import tree_slots
from workbench.replay.scripted import replay_path
from workbench.review.draft import require_failure
from workbench.review.places import case_parts, hit_places, ledger_in_case, trigger_in_case
from workbench.review.written import require_free, write_case

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from workbench.model.case import Case
    from workbench.model.contract import Contract, FixPlace
    from workbench.model.draft import Draft
    from workbench.model.event import Event
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.ledger import RedactionNote
    from workbench.model.trace import Trace
    from workbench.model.verdict import First, Signature, Verdict, Violation
    from workbench.redact.residue import Hit, Needle
    from workbench.redact.slots import Slot
    from workbench.review.vault import Vault

__all__ = [
    "CaseDetails",
    "case_of",
    "export_draft",
    "exported_before",
    "require_redacted",
    "require_target",
    "with_claims",
]

_SUFFIX = ".case.yaml"
_SLUG_LENGTH = 48
_POSITION = re.compile(r",? at (?P<at>[0-9]{1,9})(?:,|(?![\w.]))")
"""A position in a sentence of ours, between commas or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseDetails:
    """What a case says that no trace can."""

    owner: str
    review_date: str
    id: str | None = None
    """None: from the first violation and the draft's id."""
    title: str | None = None
    """None: the first violation's sentence."""
    severity: Severity = Severity.S2
    fix: FixPlace | None = None
    """None: the contract's."""
    why: JsonMap | None = None
    incident: str | None = None
    """Reference in the incident tracker; None: the draft's."""
    local: tuple[str, ...] = ()
    """Tools that may run for real in a replay; those of the case with effect pure are taken."""


def case_of(draft: Draft, details: CaseDetails, *, date: str) -> Case:
    """Return the proposed case of a draft; nothing is written.

    Args:
        draft: redacted.
        details: what the trace does not say.
        date: of today, for the history.

    Raises:
        InputError: the draft is raw, its trace cannot be carried by a case, or a detail is
            not what a case takes.
        RefusedError: its trace no longer fails as the incident did, or the case would not.
    """
    redaction = require_redacted(draft)
    verdict = require_failure(draft.trace, draft.contract)
    if verdict.signature != draft.raw_signature:
        message = "the draft no longer fails as the incident did"
        raise RefusedError(message, reasons=_difference(draft, verdict), fix="redact it again")
    fix = details.fix or draft.contract.fix
    contract = replace(draft.contract, fix=fix)
    case = build_case(
        with_claims(draft.trace, contract),
        contract,
        header=_header(draft, details, verdict, redaction, fix),
    )
    created = HistoryEntry(date=date, by=details.owner, change="created")
    versions = draft.trace.versions
    pure = [tool.name for tool in case.tools if tool.effect is Effect.PURE]
    case = replace(
        case,
        local=tuple(name for name in pure if name in details.local),
        history=(created,),
        failing_version=versions.prompt or versions.agent or versions.model,
    )
    check_case(case, Place(name=draft.draft))
    _require_same_failure(case, draft)
    return case


def require_redacted(draft: Draft) -> RedactionNote:
    """Return how a draft was redacted.

    Raises:
        InputError: it was not.
    """
    if draft.redaction is None:
        message = "was not redacted; a raw trace is never exported"
        raise InputError(message, place=draft.draft, fix="workbench redact first")
    return draft.redaction


def with_claims(trace: Trace, contract: Contract) -> Trace:
    """Write into each claim the outcome that the contract reads in it, for the case's reader."""
    return replace(trace, events=tuple(_with_outcome(event, contract) for event in trace.events))


def _with_outcome(event: Event, contract: Contract) -> Event:
    if not isinstance(event, Claim) or event.outcome is not ClaimOutcome.UNKNOWN:
        return event
    outcome = claim_outcome(event, contract.claims)
    if outcome is ClaimOutcome.UNKNOWN:
        return event
    return replace(event, outcome=outcome, basis=ClaimBasis.PATTERN)


def _header(
    draft: Draft,
    details: CaseDetails,
    verdict: Verdict,
    redaction: RedactionNote,
    fix: FixPlace,
) -> Header:
    source = draft.source
    return Header(
        id=details.id or _slug(draft, verdict.violations[0]),
        title=details.title or _title(verdict.violations[0]),
        owner=details.owner,
        review_date=details.review_date,
        severity=details.severity,
        fix=fix,
        state=CaseState.PROPOSED,
        source=CaseSource(
            kind=SourceKind.INCIDENT,
            draft=draft.draft,
            run_id=draft.trace.run_id,
            trace_digest=source.trace_digest,
            store_head=source.store_head,
            imported_from=source.imported_from,
            incident=details.incident or source.incident,
            grade=source.grade,
        ),
        signature=draft.raw_signature,
        why=details.why,
        tags=draft.trace.tags,
        redaction=replace(redaction, ledger=ledger_in_case(redaction.ledger, draft.trace)),
        shrink=draft.shrink,
        trigger=trigger_in_case(draft.trigger, draft.trace),
        unproven=draft.contract.unproven,
    )


def _title(first: Violation) -> str:
    """Return what broke, without positions: those of a shrunk trace tell a reader nothing."""
    known = {first.seq, *first.evidence}

    def without(found: re.Match[str]) -> str:
        return "" if int(found["at"]) in known else found[0]

    return _POSITION.sub(without, first.sentence)


def _slug(draft: Draft, first: First | Violation) -> str:
    """Return an id such as `forbid-call-send-money-5b1e07`; readable, and distinct by draft."""
    kind = first.clause.partition("/")[0]
    words = re.sub(r"[^a-z0-9]+", "-", f"{kind}-{first.tool or ''}".lower()).strip("-")
    return f"{words[:_SLUG_LENGTH].strip('-')}-{draft.draft.removeprefix('d-')[:6]}"


def _require_same_failure(case: Case, draft: Draft) -> None:
    """Replay the built case: the last word before export.

    Raises:
        RefusedError: it fails in another way, or not at all.
    """
    verdict = judge(replay_path(case, case.recorded), case.contract)
    if verdict.signature != draft.raw_signature:
        message = "the case would not fail as the incident did when it is replayed"
        raise RefusedError(
            message,
            reasons=_difference(draft, verdict),
            fix="shrink with --oracle replay, or lock what the failure needs",
        )


def _difference(draft: Draft, verdict: Verdict) -> tuple[str, ...]:
    wanted, found = draft.raw_signature, verdict.signature
    return (f"the incident: {_failing(wanted)}", f"now: {_failing(found)}")


def _failing(signature: Signature) -> str:
    """Say what fails and where first, as the case file states it."""
    first = signature.first
    if first is None:
        return "nothing"
    place = ", ".join(part for part in (first.kind, first.tool, first.outcome) if part)
    return f"{', '.join(sorted(signature.clauses))}, first {first.clause} ({place})"


def export_draft(
    draft: Draft,
    details: CaseDetails,
    out: Path,
    *,
    needles: Sequence[Needle],
    date: str,
    vault: Vault,
) -> tuple[Case, Path]:
    """Write the case of a draft as a new file, or over its last export that nobody touched.

    Args:
        draft: redacted.
        details: what the trace does not say.
        out: a file `*.case.yaml`, or a folder to put `ID.case.yaml` into.
        needles: every replaced value, for the last look at the final bytes and the file's name.
        date: of today.
        vault: knows what was written last, and notes what is written now.

    Raises:
        InputError: see `case_of`; or another file is there already, or cannot be written.
        RefusedError: see `case_of`; or a replaced value is still in the file.
    """
    case = case_of(draft, details, date=date)
    path = _file_in(out, case.id)
    case = _searched(case, path, needles)
    write_case(case, path, draft.draft, vault)
    return case, path


def _file_in(out: Path, case_id: str) -> Path:
    return out if out.name.endswith(_SUFFIX) else out / f"{case_id}{_SUFFIX}"


def require_target(raw: Draft, details: CaseDetails, out: Path, vault: Vault) -> None:
    """Refuse a file that an export of this draft may not write, before the work.

    Args:
        raw: the draft before it is redacted; a tool whose name is replaced makes another id of
            the case, and its file is looked at when it is written.
        details: what the trace does not say.
        out: see `export_draft`.
        vault: knows what was written last.

    Raises:
        InputError: it is there, and is not the untouched last export of this draft.
    """
    first = raw.raw_signature.first
    assert first is not None  # noqa: S101  `open_draft` refuses a run that breaks nothing
    require_free(_file_in(out, details.id or _slug(raw, first)), raw.draft, vault)


def exported_before(case: Case, folder: Path) -> Path | None:
    """Return the file in a folder that an earlier export of the same case wrote; None: none is.

    Args:
        case: as `case_of` returned it; it may be of another day.
        folder: of the case files.
    """
    path = _file_in(folder, case.id)
    try:
        there = load_case(path)
    except InputError:  # none, or whatever it is: it is not ours
        return None
    if there.redaction is None or case.redaction is None or len(there.history) != 1:
        return None
    searched, (created,) = there.redaction, there.history
    same = replace(
        case,
        redaction=replace(case.redaction, residue=searched.residue, unreviewed=searched.unreviewed),
        history=tuple(replace(entry, date=created.date) for entry in case.history),
    )
    return path if format_case(there) == format_case(same) else None


def _without_retained(
    hits: Sequence[Hit], case: Case, typed: str, needles: Sequence[Needle]
) -> tuple[Hit, ...]:
    """Leave out values that stand only where the ledger says that they were left."""
    ledger = case.redaction.ledger if case.redaction is not None else ()
    globs = [parse_glob(at) for entry in ledger if entry.pseudonym is None for at in entry.at]
    if not globs:
        return tuple(hits)
    kept: list[str] = []

    def emptied(slot: Slot) -> str:
        if not any(glob.matches(slot.place) for glob in globs):
            return slot.text
        kept.append(slot.text)
        return "0" if slot.is_number else ""

    rest = [tree_slots(part, place, emptied) for place, part in case_parts(case)]
    parts = ("tools", "contract", "input", "paths", "fixtures")
    others: Json = {k: v for k, v in case_document(case).items() if k not in parts}
    data = json.dumps([typed, others, rest], ensure_ascii=False).encode("utf-8", "surrogatepass")
    elsewhere = {hit.needle for hit in scan(data, needles)}
    retained = {
        hit.needle for hit in scan("\n".join(kept).encode("utf-8", "surrogatepass"), needles)
    }
    return tuple(hit for hit in hits if hit.needle in elsewhere or hit.needle not in retained)


def _searched(case: Case, path: Path, needles: Sequence[Needle]) -> Case:
    """Return the case with what the search of its final bytes found.

    Raises:
        RefusedError: a replaced value is still there.
    """
    typed = f"{path.name}\n{case.id}"
    as_words = re.sub(r"[-_.]+", " ", typed)  # helen-carter is a name too
    typed = f"{typed}\n{as_words}\n"
    hits = scan(f"{typed}{format_case(case)}".encode(), needles)
    if hits:
        hits = _without_retained(hits, case, typed, needles)
    blocking = [hit for hit in hits if hit.blocking]
    if blocking:
        message = f"{len({hit.needle for hit in blocking})} replaced values are still in the case"
        raise RefusedError(
            message,
            reasons=hit_places(blocking, needles),
            fix="keep them out of --title, --why and --id, or redact again with the field named",
        )
    assert case.redaction is not None  # noqa: S101  `case_of` refuses raw drafts
    note = replace(
        case.redaction,
        residue=Residue(views=view_count(), hits=0),
        unreviewed=case.redaction.unreviewed + len(hits),
    )
    return replace(case, redaction=note)

"""Accepted paths: from a run of the mended agent, or by mending the recorded path.

A run is redacted under the case's own draft key, so that the same person has the same pseudonym
in every path; without the key no run can be accepted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.casefile.case import load_case
from workbench.casefile.layout import format_case
from workbench.casefile.place import step_key
from workbench.errors import InputError, RefusedError
from workbench.redact.places import place_text
from workbench.redact.redaction import require_safe
from workbench.redact.residue import scan
from workbench.redact.run import redact_trace
from workbench.review.edit import rewrite_case
from workbench.review.places import case_parts, hit_places, ledger_in_case
from workbench.runner.accept import accept_trace, repair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from workbench.model.case import Case
    from workbench.model.ledger import LedgerEntry, RedactionNote
    from workbench.redact.policy import Policy
    from workbench.redact.redaction import Redaction
    from workbench.redact.residue import Needle
    from workbench.review.source import LoadedRun
    from workbench.review.vault import Vault
    from workbench.runner.reports.saved import SavedTrial

__all__ = ["accept_repair", "accept_run", "accept_trial"]


def accept_repair(file: Path, *, name: str | None = None, by: str | None = None) -> Case:
    """Add the path that mending the recorded one gives, and write the case.

    Args:
        file: of the case.
        name: of the path; None: `repaired`.
        by: who accepts it; None: the case's owner.

    Raises:
        InputError: the file is no case.
        RefusedError: no repair is green; the file is unchanged.
    """
    case = load_case(file)
    done = repair(case, name=name or "repaired", by=by or case.owner)
    rewrite_case(file, done, was=case)
    return done


def accept_trial(
    file: Path, trial: SavedTrial, *, name: str | None = None, by: str | None = None
) -> Case:
    """Add the way that a trial of the case took, and write the case.

    A trial is a replay of the case, so it was only ever told what the case says: its pseudonyms
    are the case's, and no key is needed.

    Args:
        file: of the case.
        trial: of the mended agent, from a `results.json` with traces.
        name: of the path; None: `accepted`.
        by: who accepts it; None: the case's owner.

    Raises:
        InputError: no such case, a trial of another one, or a path of that name is there.
        RefusedError: the trial's way is not green; the file is unchanged.
    """
    case = load_case(file)
    if trial.case_id != case.id:
        message = "is a trial of another case"
        raise InputError(message, place=trial.run_id, fix=f"name one of {case.id}")
    done = accept_trace(case, trial.trace(), name=name or "accepted", by=by or case.owner)
    rewrite_case(file, done, was=case)
    return done


def accept_run(  # noqa: PLR0913  the command's flags, keyword-only
    file: Path,
    run: LoadedRun,
    *,
    vault: Vault,
    key: bytes | None = None,
    name: str | None = None,
    by: str | None = None,
    policy: Policy | None = None,
    ner: str = "auto",
) -> Case:
    """Add the way that a run took, and write the case.

    Args:
        file: of the case.
        run: of the mended agent, with outcomes derived.
        vault: where the case's draft key is.
        key: of the draft, where a person keeps it; None: it is in the vault.
        name: of the path; None: `accepted`.
        by: who accepts it; None: the case's owner.
        policy: of redaction, as for the incident.
        ner: `auto`, or `none`.

    Raises:
        InputError: no such case or key, or a path of that name is there.
        RefusedError: the run's way is not green, or a value of the incident is in it; the file
            is unchanged.
    """
    case = load_case(file)
    draft = case.source.draft
    if draft is None:
        message = "names no draft, so its pseudonyms cannot be drawn again"
        raise InputError(message, place=file.name, key="source.draft", fix="use --repair")
    known = vault.needles(draft)
    redaction = redact_trace(
        run.trace, policy=policy, key=key or vault.known_key(draft), ner=ner, known=known
    )
    require_safe(redaction)
    done = accept_trace(case, redaction.trace, name=name or "accepted", by=by or case.owner)
    done = replace(done, redaction=_grown(case.redaction, redaction, case=done))
    seen = {needle.text for needle in known}
    new = tuple(needle for needle in redaction.needles if needle.text not in seen)
    _require_clean(done, known, new)
    rewrite_case(file, done, was=case)
    vault.keep(draft, (*known, *new))  # so that the next path says the same for them too
    return done


def _grown(note: RedactionNote | None, redaction: Redaction, *, case: Case) -> RedactionNote | None:
    """Return the case's note with the new path's values, texts to review and places."""
    if note is None:
        return None
    known = {entry.pseudonym for entry in note.ledger if entry.pseudonym is not None}
    path = step_key("paths", case.accepted[-1].name)
    retained = _retained(redaction, path)
    new = [e for e in redaction.ledger if e.pseudonym is not None and e.pseudonym not in known]
    return replace(
        note,
        ledger=(*_placed((*note.ledger, *new), case), *retained),
        unreviewed=note.unreviewed + redaction.unreviewed,
        unseen=(*note.unseen, *(f"{path} {place}" for place in redaction.unseen)),
    )


def _retained(redaction: Redaction, path: str) -> Iterator[LedgerEntry]:
    """Yield what a person left as it is and the new path carries, as being somewhere in it."""
    for entry in ledger_in_case(redaction.ledger, redaction.trace):
        if entry.pseudonym is None:
            yield replace(entry, at=(path,))


def _placed(ledger: Iterable[LedgerEntry], case: Case) -> Iterator[LedgerEntry]:
    """Yield the entries whose pseudonym is in the case, with all places where it is.

    Pseudonyms are recognisable as ours, so a place that holds one holds it on purpose.
    """
    texts = [found for place, part in case_parts(case) for found in _texts(part, place_text(place))]
    for entry in ledger:
        if entry.pseudonym is None:
            yield entry
            continue
        found = [place for place, text in texts if entry.pseudonym in text]
        at = tuple(dict.fromkeys((*entry.at, *found))) if entry.at[0][:1] != "#" else tuple(found)
        if at:
            yield replace(entry, at=at)


def _texts(value: object, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _texts(item, step_key(place, name))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _texts(item, step_key(place, at))
    elif isinstance(value, str | int | float):
        yield place, str(value)


def _require_clean(case: Case, known: tuple[Needle, ...], new: tuple[Needle, ...]) -> None:
    """Look for every replaced value in what will be written.

    Args:
        case: with the new path.
        known: what was replaced in the paths before; only the new path can hold it.
        new: what was replaced in the new path only; only what was there before can hold it.

    Raises:
        RefusedError: one is there.
    """
    data = format_case(case).encode()
    _refuse(
        data,
        known,
        "values that were replaced in the incident are in the new path",
        fix="declare the field in --policy, so that it is replaced here too",
    )
    _refuse(
        data,
        new,
        "values that are replaced in the new path stand in the case, where nothing found them",
        fix="if they are personal, redact the incident again with the field declared; "
        "else reject the finding in --policy",
    )


def _refuse(data: bytes, needles: tuple[Needle, ...], what: str, *, fix: str) -> None:
    hits = [hit for hit in scan(data, needles) if hit.blocking]
    if hits:
        message = f"{len({hit.needle for hit in hits})} {what}"
        raise RefusedError(message, reasons=hit_places(hits, needles), fix=fix)

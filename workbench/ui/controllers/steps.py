"""The redaction and the shrinking of an incident under review, with their files beside the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.casefile.draft import load_draft
from workbench.errors import InputError
from workbench.redact.policy import DEFAULT_POLICY
from workbench.review.decision_log import DecisionLog
from workbench.review.draft import draft_id, open_draft
from workbench.review.redact import draft_key
from workbench.review.shrink import OracleKind
from workbench.shrink import is_projection
from workbench.ui.controllers.redaction import RedactionReview
from workbench.ui.controllers.redaction_log import DECISION, TOPIC
from workbench.ui.controllers.shrink import ShrinkReview

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from workbench.model.contract import Contract
    from workbench.model.draft import Draft
    from workbench.redact.policy import Policy
    from workbench.review.incident import Incident
    from workbench.review.vault import Vault

__all__ = [
    "carry_over",
    "load_redacted",
    "load_small",
    "redacted_path",
    "redaction_of",
    "shrink_of",
    "small_path",
]


def redacted_path(incident: Incident, out: Path | None = None) -> Path:
    """Return where the redacted draft of an incident is written: `out`, else beside the store."""
    return out or _folder(incident) / f"{incident.id}.redacted.json"


def small_path(incident: Incident, out: Path | None = None) -> Path:
    """Return where the shrunk draft is written: beside the redacted one."""
    if out is None:
        return _folder(incident) / f"{incident.id}.small.json"
    return out.with_name(f"{out.stem}.small.json")


def load_redacted(incident: Incident, out: Path | None = None) -> Draft | None:
    """Return the redacted draft as it was written; None: it was not yet.

    Raises:
        InputError: its file is damaged, or holds a raw draft.
    """
    path = redacted_path(incident, out)
    if not path.is_file():
        return None
    draft = load_draft(path)
    if draft.redaction is None:
        message = "holds a raw draft; expected a redacted one"
        raise InputError(message, place=path.name, fix="name the file that `redact` wrote")
    return draft


def load_small(incident: Incident, redacted: Draft, out: Path | None = None) -> Draft | None:
    """Return the shrunk draft; None: there is none of what is redacted now.

    Raises:
        InputError: its file is damaged.
    """
    path = small_path(incident, out)
    if not path.is_file():
        return None
    small = load_draft(path)
    is_of_it = small.draft == redacted.draft and is_projection(small.trace, redacted.trace)
    return small if is_of_it else None


def redaction_of(
    incident: Incident,
    contract: Contract,
    *,
    vault: Vault,
    policy: Policy = DEFAULT_POLICY,
    ner: str = "auto",
    out: Path | None = None,
) -> RedactionReview:
    """Open the redaction of an incident, where it was left.

    Args:
        incident: under review.
        contract: what its run broke.
        vault: keeps keys and what is replaced.
        policy: what `redaction.yaml` says.
        ner: `auto`, or `none` to go on without names in prose.
        out: file of the redacted draft; None: beside the store.

    Raises:
        InputError: too much was lost for a case, or the folder of keys cannot be used.
        RefusedError: the run does not break the contract.
    """
    key = draft_key(vault, draft_id(incident.run.trace, contract), policy)
    return RedactionReview(
        open_draft(incident.run, contract, key=key),
        store=incident.store,
        vault=vault,
        out=redacted_path(incident, out),
        policy=policy,
        ner=ner,
        trigger=incident.trigger,
        reviewer=incident.reviewer,
    )


def carry_over(incident: Incident, contract: Contract, earlier: Iterable[Contract]) -> int:
    """Give a contract's draft what was decided on the draft of an earlier one; return how much.

    The draft is another one when the contract is, but the values are the same: nobody decides
    twice. Nothing is carried over once something was decided on the new draft.
    """
    trace, store = incident.run.trace, incident.store
    log = DecisionLog(store, draft_id(trace, contract), topic=TOPIC)
    if log.entries:
        return 0
    for contract_before in earlier:
        before = DecisionLog(store, draft_id(trace, contract_before), topic=TOPIC)
        entries = before.standing(DECISION)
        if entries:
            for entry in entries:
                log.write(DECISION, entry.payload, by=entry.actor)
            return len(entries)
    return 0


def shrink_of(
    incident: Incident,
    *,
    kind: OracleKind = OracleKind.RECORDED,
    budget_calls: int = 500,
    out: Path | None = None,
) -> ShrinkReview:
    """Open the shrinking of an incident, where it was left.

    Args:
        incident: under review.
        kind: who says that it still fails.
        budget_calls: candidates judged before it stops by itself.
        out: file of the redacted draft; None: beside the store.

    Raises:
        InputError: the incident is not redacted yet, or its draft's file is damaged.
    """
    redacted = load_redacted(incident, out)
    if redacted is None:
        message = "is not redacted yet"
        raise InputError(message, place=incident.id, fix="write the redacted draft first")
    return ShrinkReview(
        redacted,
        store=incident.store,
        out=small_path(incident, out),
        journals=_folder(incident),
        kind=kind,
        budget_calls=budget_calls,
        reviewer=incident.reviewer,
    )


def _folder(incident: Incident) -> Path:
    folder = incident.draft_path.parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder

"""The redaction and the shrinking of an incident under review, with their files beside the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.casefile.draft import load_draft
from workbench.errors import InputError
from workbench.redact.policy import DEFAULT_POLICY
from workbench.review.draft import draft_id, open_draft
from workbench.review.redact import draft_key
from workbench.review.shrink import OracleKind
from workbench.ui.controllers.redaction import RedactionReview
from workbench.ui.controllers.shrink import ShrinkReview

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.contract import Contract
    from workbench.redact.policy import Policy
    from workbench.review.incident import Incident
    from workbench.review.vault import Vault

__all__ = ["redacted_path", "redaction_of", "shrink_of", "small_path"]


def redacted_path(incident: Incident) -> Path:
    """Return where the redacted draft of an incident is written."""
    return _folder(incident) / f"{incident.id}.redacted.json"


def small_path(incident: Incident) -> Path:
    """Return where the shrunk draft of an incident is written."""
    return _folder(incident) / f"{incident.id}.small.json"


def redaction_of(
    incident: Incident,
    contract: Contract,
    *,
    vault: Vault,
    policy: Policy = DEFAULT_POLICY,
    ner: str = "auto",
) -> RedactionReview:
    """Open the redaction of an incident, where it was left.

    Args:
        incident: under review.
        contract: what its run broke.
        vault: keeps keys and what is replaced.
        policy: what `redaction.yaml` says.
        ner: `auto`, or `none` to go on without names in prose.

    Raises:
        InputError: too much was lost for a case, or the folder of keys cannot be used.
        RefusedError: the run does not break the contract.
    """
    key = draft_key(vault, draft_id(incident.run.trace, contract), policy)
    return RedactionReview(
        open_draft(incident.run, contract, key=key),
        store=incident.store,
        vault=vault,
        out=redacted_path(incident),
        policy=policy,
        ner=ner,
        trigger=incident.trigger,
        reviewer=incident.reviewer,
    )


def shrink_of(
    incident: Incident, *, kind: OracleKind = OracleKind.RECORDED, budget_calls: int = 500
) -> ShrinkReview:
    """Open the shrinking of an incident, where it was left.

    Raises:
        InputError: the incident is not redacted yet.
    """
    path = redacted_path(incident)
    if not path.is_file():
        message = "is not redacted yet"
        raise InputError(message, place=incident.id, fix="write the redacted draft first")
    return ShrinkReview(
        load_draft(path),
        store=incident.store,
        out=small_path(incident),
        journals=_folder(incident),
        kind=kind,
        budget_calls=budget_calls,
        reviewer=incident.reviewer,
    )


def _folder(incident: Incident) -> Path:
    folder = incident.draft_path.parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder

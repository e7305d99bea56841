"""What redaction returns, and when it may leave the machine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.errors import RefusedError
from workbench.model.ledger import LedgerEntry, RedactionNote, Residue, TriggerNote

if TYPE_CHECKING:
    from workbench.model.contract import Contract
    from workbench.model.jsonvalue import JsonMap
    from workbench.model.trace import Trace
    from workbench.redact.report import FactNote
    from workbench.redact.residue import Needle

__all__ = ["Redaction", "note_of", "require_safe"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Redaction:
    """A redacted trace and contract, and everything that a person must know about them."""

    trace: Trace
    contract: Contract | None
    ledger: tuple[LedgerEntry, ...]
    facts_kept: tuple[FactNote, ...]
    facts_lost: tuple[FactNote, ...]
    trigger_facts_lost: tuple[FactNote, ...]
    """Of `facts_lost`, those on values that make the failure happen."""
    signature_same: bool
    """Whether the contract answers the same before and after; True without a contract."""
    broken_by: tuple[str, ...] = ()
    """Places of the replacements that change the signature whatever is drawn."""
    residue: Residue
    residue_at: tuple[str, ...] = ()
    """One sentence a hit: the view and the type."""
    unreviewed: int
    unseen: tuple[str, ...] = ()
    """Places of the free texts that reach the case and that nobody has seen."""
    trigger: tuple[TriggerNote, ...]
    detectors: dict[str, str]
    policy: str
    findings: int
    """Spots replaced or retained."""
    clusters: int
    """Groups of variants of one value."""
    surviving: int
    """Distinct values that reach the case, of `values`."""
    values: int
    """Distinct values replaced."""
    needles: tuple[Needle, ...] = field(default=(), repr=False)
    """Every replaced value, to search later bytes for; never written to a draft or case."""


def require_safe(redaction: Redaction) -> None:
    """Refuse a redaction that may not leave the machine.

    Raises:
        RefusedError: residue, a lost fact of the trigger, or a changed signature.
    """
    reasons = [f"a replaced value is still there: {sentence}" for sentence in redaction.residue_at]
    reasons += [
        f"{note.at} ({note.type}) lost {note.fact}" for note in redaction.trigger_facts_lost
    ]
    if not redaction.signature_same:
        where = ", ".join(redaction.broken_by) or "several replacements together"
        reasons.append(f"the contract answers otherwise after redaction: {where}")
    if reasons:
        raise RefusedError(
            "the redacted trace may not be exported",
            reasons=tuple(reasons),
            fix="declare a field, retain a value with a reason, or accept the loss in redaction.yaml",
        )


def note_of(redaction: Redaction) -> RedactionNote:
    """Return what the draft and the case say about a redaction."""
    detectors: JsonMap = dict(redaction.detectors)
    return RedactionNote(
        policy=redaction.policy,
        detectors=detectors,
        ledger=redaction.ledger,
        residue=redaction.residue,
        unreviewed=redaction.unreviewed,
        unseen=redaction.unseen,
    )

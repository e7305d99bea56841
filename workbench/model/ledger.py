"""What redaction replaced, where, and why; never an original value, never its hash."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.model.jsonvalue import JsonMap

__all__ = ["LedgerEntry", "RedactionNote", "Residue", "TriggerNote"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """One value, all its places, and what was decided."""

    at: tuple[str, ...]
    """Places: paths of the draft (`#17.args.account_id`) or, in a case, of the case."""
    type: str
    """`EMAIL_ADDRESS`, `ACCOUNT_ID`, ..."""
    pseudonym: str | None = None
    """None: retained."""
    strategy: str | None = None
    by: str | None = None
    """Detector, with version where it has one."""
    decision: str
    """`rule`, `accepted`, `rejected`, `retained`."""
    reason: str | None = None
    facts_lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Residue:
    """What the scan of the final bytes found."""

    views: int
    hits: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactionNote:
    """How a trace or case was redacted."""

    policy: str
    detectors: JsonMap = field(default_factory=dict)
    """Name -> version."""
    ledger: tuple[LedgerEntry, ...] = ()
    residue: Residue
    unreviewed: int
    """Surviving texts that no detector settled and no named person has seen."""
    unseen: tuple[str, ...] = ()
    """Where those texts were in the raw run, e.g. `#17.text`; a policy decides by these places."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerNote:
    """A value that makes the failure happen, and the facts that were kept."""

    at: str
    facts: tuple[str, ...] = ()

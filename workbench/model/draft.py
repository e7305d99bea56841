"""A draft: a trace on its way to a case; every step reads one and writes one."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.model.case import ShrinkNote
from workbench.model.contract import Contract
from workbench.model.ledger import RedactionNote, TriggerNote
from workbench.model.trace import Grade, Trace
from workbench.model.verdict import Signature

__all__ = ["Draft", "DraftSource"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftSource:
    """The run that a draft was made from."""

    run_id: str = field(repr=False)
    trace_digest: str
    """`hmac:` and hex of the raw trace under the draft's key."""
    store_head: str | None = None
    imported_from: str | None = None
    grade: Grade
    incident: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One `draft/1` document."""

    draft: str
    """Its id, `d-` and hex digits; names its key."""
    source: DraftSource
    raw_signature: Signature
    trace: Trace
    contract: Contract
    redaction: RedactionNote | None = None
    """None: the trace is raw, and `export` refuses."""
    trigger: tuple[TriggerNote, ...] = ()
    shrink: ShrinkNote | None = None

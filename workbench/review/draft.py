"""A review's first step: a run and the contract it broke become a draft.

The draft's id is derived from the whole raw trace and the contract, so that the same question
asked twice is the same draft, with the same key and the same pseudonyms.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.casefile.contract import contract_document
from workbench.casefile.digest import canonical_json
from workbench.casefile.trace import trace_document
from workbench.check.judge import judge
from workbench.errors import InputError, RefusedError
from workbench.model.draft import Draft, DraftSource
from workbench.model.trace import Grade
from workbench.model.verdict import Result

if TYPE_CHECKING:
    from workbench.model.contract import Contract
    from workbench.model.trace import Trace
    from workbench.model.verdict import Verdict
    from workbench.review.source import LoadedRun

__all__ = ["draft_id", "open_draft", "require_failure", "trace_seal"]

_ID_DIGITS = 12


def draft_id(trace: Trace, contract: Contract) -> str:
    """Return `d-` and 12 hex digits, the same for the same raw trace and contract."""
    whole = canonical_json([trace_document(trace), contract_document(contract)])
    return "d-" + hashlib.sha256(whole).hexdigest()[:_ID_DIGITS]


def trace_seal(trace: Trace, key: bytes) -> str:
    """Return `hmac:` and the hex HMAC-SHA-256 of the trace's RFC 8785 JSON under a draft's key."""
    return "hmac:" + hmac.digest(key, canonical_json(trace_document(trace)), "sha256").hex()


def open_draft(
    run: LoadedRun, contract: Contract, *, key: bytes, incident: str | None = None
) -> Draft:
    """Return the raw draft of a run that breaks a contract.

    Args:
        run: with outcomes derived.
        contract: what it broke.
        key: the draft's 32 bytes (see `redact.keys`), for the digest of the raw trace.
        incident: reference in the incident tracker.

    Raises:
        InputError: too much was lost for a case (`skeleton` or `unusable`).
        RefusedError: the run does not break the contract, or a clause that is not listed in
            `unproven` is inconclusive.
    """
    if run.grade in (Grade.SKELETON, Grade.UNUSABLE):
        lost = ", ".join(loss.kind for loss in run.losses.items if loss.caps is run.grade)
        message = f"run {run.trace.run_id!r} is graded {run.grade.value}: it lost {lost}"
        raise InputError(message, fix="`workbench doctor RUN` says what brings it back")
    verdict = require_failure(run.trace, contract)
    source = run.trace.source
    return Draft(
        draft=draft_id(run.trace, contract),
        source=DraftSource(
            run_id=run.trace.run_id,
            trace_digest=trace_seal(run.trace, key),
            store_head=run.store_head,
            imported_from=None if source is None else source.format,
            grade=run.grade,
            incident=incident,
        ),
        raw_signature=verdict.signature,
        trace=replace(run.trace, source=None if source is None else replace(source, file=None)),
        contract=contract,
    )


def require_failure(trace: Trace, contract: Contract) -> Verdict:
    """Return the verdict of a trace that must break its contract, all clauses known.

    Raises:
        RefusedError: it does not, or a clause is inconclusive and not listed as unproven.
    """
    verdict = judge(trace, contract)
    if not verdict.signature:
        message = "the run does not break this contract, so there is nothing to keep"
        raise RefusedError(
            message, fix="see `workbench judge`; `workbench diagnose` proposes clauses"
        )
    allowed = {entry.clause for entry in contract.unproven}
    unknown = [
        f"{clause.clause}: {clause.sentence}"
        for clause in verdict.clauses
        if clause.result is Result.INCONCLUSIVE and clause.clause not in allowed
    ]
    if unknown:
        message = "clauses are inconclusive on this run"
        raise RefusedError(
            message,
            reasons=tuple(unknown),
            fix="list them under `unproven` with a reason, or change the contract",
        )
    return verdict

"""All of it, headless: from a run to a case file.

The steps are those of a review (open, redact, shrink, export); without a contract the first
suggestion of high confidence is taken, and said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.casefile.contract import load_contract
from workbench.check.diagnose import diagnose
from workbench.errors import InputError
from workbench.review.draft import draft_id, open_draft
from workbench.review.export import export_draft, require_target
from workbench.review.redact import draft_key, redact_into
from workbench.review.shrink import OracleKind, shrink_draft

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from workbench.model.case import Case
    from workbench.model.contract import Contract
    from workbench.model.draft import Draft
    from workbench.model.trace import Trace
    from workbench.model.verdict import Suggestion
    from workbench.redact.policy import Policy
    from workbench.redact.redaction import Redaction
    from workbench.redact.survey import OnProgress
    from workbench.review.export import CaseDetails
    from workbench.review.source import LoadedRun
    from workbench.review.vault import Vault
    from workbench.shrink import Shrunk, Step

__all__ = ["Made", "make_case", "surest_suggestion"]

_SURE = "high"


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What became of a run."""

    case: Case
    path: Path
    draft: Draft
    """Redacted and shrunk."""
    redaction: Redaction
    shrunk: Shrunk


def surest_suggestion(
    trace: Trace, *, on_unsure: Callable[[Sequence[Suggestion]], None] = lambda _found: None
) -> Suggestion:
    """Return the first suggestion of high confidence.

    Args:
        trace: with outcomes derived.
        on_unsure: is told the others, the surest first, when none is of high confidence.

    Raises:
        InputError: there is none, so a person has to state the contract.
    """
    found = diagnose(trace)
    for suggestion in found:
        if suggestion.confidence == _SURE:
            return suggestion
    message = f"nothing in run {trace.run_id!r} suggests a clause with high confidence"
    fix = "state what it broke: --contract FILE"
    if found:
        on_unsure(found)
        fix = "if one of these is it: workbench diagnose RUN --write FILE; then --contract FILE"
    raise InputError(message, fix=fix)


def make_case(  # noqa: PLR0913  the command's flags, keyword-only
    run: LoadedRun,
    contract: Contract | None,
    details: CaseDetails,
    out: Path,
    *,
    vault: Vault,
    date: str,
    policy: Policy | None = None,
    ner: str = "auto",
    trigger: Sequence[str] = (),
    on_progress: OnProgress = lambda _step, _done, _total: None,
    on_step: Callable[[Step], None] | None = None,
) -> Made:
    """Write the case of a run.

    Args:
        run: with outcomes derived.
        contract: what it broke; None: the surest suggestion.
        details: owner, review date and so on.
        out: a `*.case.yaml` file, or a folder.
        vault: keys and values of drafts.
        date: of today.
        policy: of redaction.
        ner: `auto`, or `none`.
        trigger: more places of the trigger.
        on_progress: of the redaction; see `redact_trace`.
        on_step: of the search for the smallest trace; see `shrink_trace`.

    Raises:
        InputError: something given is not what was expected.
        RefusedError: a step that protects says no; nothing was written.
    """
    if contract is None:
        contract = load_contract(surest_suggestion(run.trace).contract)
    key = draft_key(vault, draft_id(run.trace, contract), policy)
    raw = open_draft(run, contract, key=key, incident=details.incident)
    require_target(raw, details, out, vault)
    redacted, redaction = redact_into(
        vault, raw, key=key, policy=policy, ner=ner, trigger=trigger, on_progress=on_progress
    )
    small, shrunk = shrink_draft(redacted, kind=OracleKind.RECORDED, on_step=on_step)
    needles = redaction.needles
    case, path = export_draft(small, details, out, needles=needles, date=date, vault=vault)
    return Made(case=case, path=path, draft=small, redaction=redaction, shrunk=shrunk)

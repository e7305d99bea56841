"""`workbench export DRAFT -o CASE`: a redacted draft becomes a case file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.details import details_of
from workbench.cli.drafts import draft_in
from workbench.cli.options import keys_folder, print_json, relative, settings_of
from workbench.errors import InputError
from workbench.review.export import export_draft, require_redacted
from workbench.review.summary import render_case
from workbench.review.vault import Vault

if TYPE_CHECKING:
    from argparse import Namespace

    from workbench.model.draft import Draft
    from workbench.model.ledger import RedactionNote

__all__ = ["execute", "today"]


def execute(options: Namespace) -> int:
    """Write the case; 1 when the case would not fail as the incident did, or holds a value."""
    details = details_of(options, today=today())
    draft = draft_in(options.draft)
    if draft is None:
        what = "is no draft" if Path(options.draft).exists() else "is not there"
        message = f"{what}; expected a file that `workbench redact` or `shrink` wrote"
        raise InputError(
            message, place=options.draft, fix="workbench redact RUN --contract C -o DRAFT"
        )
    _require_ner(draft, require_redacted(draft), without=options.without_ner)
    vault = Vault(keys_folder(settings_of()))
    needles = vault.needles(draft.draft)
    case, path = export_draft(
        draft, details, options.out, needles=needles, date=today(), vault=vault
    )
    if options.json:
        steps = ["redacted", *(["shrunk"] if draft.shrink else []), "exported"]
        print_json({"case": relative(path), "state": case.state.value, "steps": [*steps]})
    else:
        print(render_case(case, relative(path)))
    return 0


def _require_ner(draft: Draft, note: RedactionNote, *, without: bool) -> None:
    """Names in prose must have been looked for, or a person says that they need not be.

    Raises:
        InputError: they were not, and nobody did.
    """
    if "ner" not in note.detectors and not without:
        message = "was redacted without a model that finds names in prose"
        raise InputError(
            message, place=draft.draft, fix="redact with [ner-en], or type --without-ner"
        )


def today() -> str:
    """Return today's date, UTC."""
    return datetime.now(tz=UTC).date().isoformat()  # noqa: TID251  the command line is the clock

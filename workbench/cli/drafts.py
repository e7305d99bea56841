"""What a command does with a DRAFT that it was given."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.casefile.contract import load_contract
from workbench.casefile.draft import DRAFT_SCHEMA, load_draft
from workbench.cli.options import relative
from workbench.errors import InputError
from workbench.review.source import is_file

if TYPE_CHECKING:
    from workbench.model.draft import Draft

__all__ = ["draft_in", "require_same_clauses"]

_HEAD_BYTES = 4096


def draft_in(reference: str) -> Draft | None:
    """Return the draft in a file; None: there is no such file, or it is another document.

    Raises:
        InputError: it says that it is a draft, and is none; or it cannot be read.
    """
    path = Path(reference)
    if not is_file(path):
        return None
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except OSError as error:
        message = f"cannot be read ({error.strerror})"
        raise InputError(message, place=relative(path), fix="check the path") from None
    return load_draft(path) if f'"{DRAFT_SCHEMA}"'.encode() in head else None


def require_same_clauses(draft: Draft, path: Path | None) -> None:
    """A draft's own contract counts, since its literals were redacted; another one is an error.

    Raises:
        InputError: the file states other clauses.
    """
    if path is None:
        return
    ours = [clause.id for clause in draft.contract.clauses]
    if [clause.id for clause in load_contract(path).clauses] != ours:
        message = "states other clauses than the draft was opened with"
        raise InputError(message, place=relative(path), fix="redact the run with this contract")

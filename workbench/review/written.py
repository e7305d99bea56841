"""Where an export may write: a new file, or the file of its own last export, untouched since.

Whoever makes a case reads its texts, declares what was missed and makes it again. Beside the
draft's key lies the digest of what was written last: a file that still has it was changed by
nobody, so that nothing is lost. An accepted path, a decision or a comment changes it, and another
machine has no digest.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from workbench.casefile.case import parse_case, save_case
from workbench.casefile.case_files import name_results
from workbench.casefile.files import read_bytes, shown_path
from workbench.casefile.strict_yaml import MAX_BYTES
from workbench.errors import CaseFormatError
from workbench.review.edit import rewrite_case

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.case import Case
    from workbench.review.vault import Vault

__all__ = ["require_free", "write_case"]


def require_free(path: Path, draft: str, vault: Vault) -> bytes | None:
    """Return what the last export of a draft wrote to a path; None: nothing is there.

    Args:
        path: of the case file.
        draft: its id.
        vault: knows what was written last.

    Raises:
        InputError: something else is there, or it was changed since, or it cannot be read.
    """
    if not os.path.lexists(path):
        return None
    plain = path.is_file() and not path.is_symlink()
    data = read_bytes(path, limit=MAX_BYTES) if plain else b""
    if not plain or not vault.wrote(draft, data):
        raise CaseFormatError(
            "exists already, and is not what the last export of this draft wrote",
            place=shown_path(path),
            fix="choose another id or folder; or delete it, and accept its paths anew",
        )
    return data


def write_case(case: Case, path: Path, draft: str, vault: Vault) -> None:
    """Write a case file, and note what was written.

    Raises:
        InputError: see `require_free`; or it cannot be written.
    """
    before = require_free(path, draft, vault)
    if before is None:
        save_case(case, path)
    else:
        was = parse_case(before, name=shown_path(path), folder=path.parent)
        rewrite_case(path, case, was=was)
        _drop_results(was, case, path.parent)
    vault.note_written(draft, path.read_bytes())


def _drop_results(was: Case, case: Case, folder: Path) -> None:
    """Delete the large results that only the file before named: they were redacted less."""
    kept = {fixture.file for fixture in name_results(case).fixtures}
    for fixture in was.fixtures:
        if fixture.file is not None and fixture.file not in kept:
            (folder / fixture.file).unlink(missing_ok=True)

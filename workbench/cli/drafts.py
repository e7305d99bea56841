"""Whether what was given is a draft."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.casefile.draft import DRAFT_SCHEMA, load_draft

if TYPE_CHECKING:
    from workbench.model.draft import Draft

__all__ = ["draft_in"]

_HEAD_BYTES = 4096


def draft_in(reference: str) -> Draft | None:
    """Return the draft in a file; None: there is no such file, or it is another document.

    Raises:
        InputError: it says that it is a draft, and is none.
    """
    path = Path(reference)
    if not path.is_file():
        return None
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    return load_draft(path) if f'"{DRAFT_SCHEMA}"'.encode() in head else None

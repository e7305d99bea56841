"""Reviewed answers for calls that a live run missed become fixtures of the case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.casefile.case import load_case
from workbench.casefile.files import read_bytes, shown_path
from workbench.casefile.strict_yaml import MAX_BYTES
from workbench.casefile.stubs import parse_stubs
from workbench.review.edit import rewrite_case
from workbench.runner.stubs import with_stubs

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["add_stubs"]


def add_stubs(file: Path, stubs: Path, *, by: str | None = None) -> tuple[str, ...]:
    """Add the answers of a file of stubs to a case file and return the ids of the new fixtures.

    Args:
        file: of the case.
        stubs: of the answers; it stays as it is.
        by: who declares them; None: the case's owner.

    Raises:
        InputError: one of the files cannot be read, or a stub cannot be added as it is.
        RefusedError: a path would no longer end as it does; the file is unchanged.
    """
    case = load_case(file)
    given = parse_stubs(read_bytes(stubs, limit=MAX_BYTES), name=shown_path(stubs))
    grown, added = with_stubs(case, given, by=by or case.owner)
    rewrite_case(file, grown, was=case)
    return added

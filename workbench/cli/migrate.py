"""`workbench migrate CASES...`: case files of an older format version to the present one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.casefile.case import find_cases
from workbench.casefile.case_document import CASE_SCHEMA
from workbench.cli.options import complain, relative
from workbench.errors import InputError
from workbench.review.edit import migrate_file

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["execute"]


def execute(options: Namespace) -> int:
    """Migrate every case; 0 all are of the present version, 4 one cannot be."""
    invalid = changed = 0
    paths = find_cases(options.cases)
    for path in paths:
        try:
            differs = migrate_file(path)
        except InputError as error:
            invalid += 1
            complain(f"workbench: {error}")
            continue
        if differs:
            changed += 1
            print(f"migrated {relative(path)}")
    print(f"{changed} of {len(paths)} case files changed; the format is {CASE_SCHEMA}")
    return 4 if invalid else 0

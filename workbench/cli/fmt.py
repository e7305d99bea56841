"""`workbench fmt CASES...`: write case files in the one canonical layout; comments stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.casefile.case import find_cases, load_case
from workbench.cli.options import complain, relative
from workbench.errors import InputError
from workbench.review.edit import formatted, rewrite_case

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["execute"]


def execute(options: Namespace) -> int:
    """Format every case; 0 done, 1 with `--check` when something would change, 4 invalid."""
    invalid = changed = 0
    paths = find_cases(options.cases)
    for path in paths:
        try:
            differs = formatted(path).encode() != path.read_bytes()
            if differs and not options.check:
                case = load_case(path)
                rewrite_case(path, case, was=case)
        except InputError as error:
            invalid += 1
            complain(f"workbench: {error}")
            continue
        if differs:
            changed += 1
            print(("would change " if options.check else "formatted ") + relative(path))
    print(f"{changed} of {len(paths)} case files {'would change' if options.check else 'changed'}")
    if invalid:
        return 4
    return 1 if changed and options.check else 0

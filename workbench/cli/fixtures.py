"""`workbench fixtures CASE --add STUBS`: reviewed answers for calls that a live run missed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.cli.options import print_json, relative
from workbench.review.stubs import add_stubs

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["execute"]


def execute(options: Namespace) -> int:
    """Add the fixtures; 1 when a path would change, 4 when a stub cannot be added."""
    added = add_stubs(options.case, options.add, by=options.by)
    if options.json:
        print_json({"case": relative(options.case), "fixtures": [*added]})
    else:
        print(f"{relative(options.case)}: {', '.join(added)} added, declared")
    return 0

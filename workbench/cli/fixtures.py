"""`workbench fixtures CASE --add STUBS`: reviewed answers for calls that a live run missed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.options import add_json, print_json, relative
from workbench.review.stubs import add_stubs

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

__all__ = ["add_arguments", "execute"]


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    parser.add_argument("case", metavar="CASE", type=Path, help="case file")
    parser.add_argument(
        "--add",
        metavar="STUBS",
        type=Path,
        required=True,
        help="CASE.missing.yaml of a live run, filled in",
    )
    parser.add_argument(
        "--by", metavar="NAME", help="who declares them (default: the case's owner)"
    )
    add_json(parser)


def execute(options: Namespace) -> int:
    """Add the fixtures; 1 when a path would change, 4 when a stub cannot be added."""
    added = add_stubs(options.case, options.add, by=options.by)
    if options.json:
        print_json({"case": relative(options.case), "fixtures": [*added]})
    else:
        print(f"{relative(options.case)}: {', '.join(added)} added, declared")
    return 0

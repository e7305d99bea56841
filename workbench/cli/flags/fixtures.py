"""Flags of `workbench fixtures CASE --add STUBS`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.cli.flags.shared import add_json

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["WORK", "add_arguments"]

WORK: Final = "workbench.cli.fixtures"


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

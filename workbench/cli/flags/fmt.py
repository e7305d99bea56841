"""Flags of `workbench fmt CASES...`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["WORK", "add_arguments"]

WORK: Final = "workbench.cli.fmt"


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    parser.add_argument(
        "cases", metavar="CASES", nargs="+", type=Path, help="case files or folders"
    )
    parser.add_argument(
        "--check", action="store_true", help="change nothing; 1 if a file would change"
    )

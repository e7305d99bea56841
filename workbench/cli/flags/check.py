"""Flags of `workbench check CASES...`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.cli.flags.shared import add_json

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["WORK", "add_arguments"]

WORK: Final = "workbench.cli.check"


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    parser.add_argument(
        "cases", metavar="CASES", nargs="+", type=Path, help="case files or folders"
    )
    parser.add_argument(
        "--detectors",
        action="store_true",
        help="look for personal data too (desk half); else the result is the same on every machine",
    )
    add_json(parser)

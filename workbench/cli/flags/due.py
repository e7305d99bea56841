"""Flags of `workbench due CASES...`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.cli.flags.shared import add_json

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["WORK", "add_arguments"]

WORK: Final = "workbench.cli.due"


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    parser.add_argument(
        "cases", metavar="CASES", nargs="+", type=Path, help="case files or folders"
    )
    parser.add_argument("--today", metavar="DATE", help="as if it were that day (default: today)")
    parser.add_argument(
        "--tools", metavar="FILE", type=Path, help="tools of today, JSON, as tools/list answers"
    )
    parser.add_argument("--store", metavar="DIR", help="folder with recorded trials (run --record)")
    add_json(parser)

"""Flags of `workbench activate CASE --by NAME`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["WORK", "add_arguments"]

WORK: Final = "workbench.cli.activate"


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    parser.add_argument("case", metavar="CASE", type=Path, help="case file")
    parser.add_argument("--by", metavar="NAME", required=True, help="who says so")

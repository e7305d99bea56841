"""Flags of `workbench report DRAFT|CASE -o FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["WORK", "add_arguments"]

WORK: Final = "workbench.cli.report"


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    parser.add_argument("draft", metavar="DRAFT", help="draft, or a *.case.yaml file")
    parser.add_argument(
        "-o", "--out", metavar="FILE", type=Path, required=True, help="HTML file to write"
    )

"""Flags of `workbench judge RUN --contract C`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.cli.flags.shared import add_json, add_run

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["WORK", "add_arguments"]

WORK: Final = "workbench.cli.judge"


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    add_run(parser)
    parser.add_argument("--contract", metavar="C", type=Path, required=True, help="contract file")
    add_json(parser)

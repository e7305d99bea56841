"""Flags of `workbench diagnose RUN`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.cli.flags.shared import add_json, add_run

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["WORK", "add_arguments"]

WORK: Final = "workbench.cli.diagnose"


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    add_run(parser)
    parser.add_argument(
        "--write",
        metavar="FILE",
        type=Path,
        help="contract file to write: the surest suggestion, for --contract (mode 0600: it may "
        "quote the trace)",
    )
    add_json(parser)

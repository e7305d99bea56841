"""Flags of `workbench make RUN -o CASES`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.cli.flags.details import add_details
from workbench.cli.flags.redact import add_redaction
from workbench.cli.flags.shared import add_json, add_run

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["WORK", "add_arguments"]

WORK: Final = "workbench.cli.make"


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    add_run(parser)
    parser.add_argument(
        "--contract", metavar="C", type=Path, help="contract file (default: the surest suggestion)"
    )
    add_redaction(parser)
    add_details(parser)
    add_json(parser)

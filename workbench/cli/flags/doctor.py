"""Flags of `workbench doctor RUN|FILE`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.cli.flags.shared import add_json, add_run

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["WORK", "add_arguments"]

WORK: Final = "workbench.cli.doctor"


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    add_run(parser)
    parser.add_argument(
        "--format", default="auto", metavar="FORMAT", help="of the file (default: by its content)"
    )
    add_json(parser)

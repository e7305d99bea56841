"""Flags of `workbench show RUN`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.cli.flags.shared import add_json, add_run

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["WORK", "add_arguments"]

WORK: Final = "workbench.cli.show"


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    add_run(parser)
    parser.add_argument("--reveal", action="store_true", help="show values; they may be personal")
    add_json(parser)

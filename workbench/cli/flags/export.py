"""Flags of `workbench export DRAFT -o CASE`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.cli.flags.details import add_details
from workbench.cli.flags.shared import add_json, add_ner

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["WORK", "add_arguments"]

WORK: Final = "workbench.cli.export"


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    parser.add_argument("draft", metavar="DRAFT", help="draft that `redact` or `shrink` wrote")
    add_details(parser)
    add_ner(parser)
    add_json(parser)

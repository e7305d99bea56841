"""Flags that say where `run` reports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.flags.shared import add_store

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["add_report_arguments"]


def add_report_arguments(parser: ArgumentParser) -> None:
    """State the flags of reports."""
    parser.add_argument("--junit", metavar="F", type=Path, help="write JUnit XML here")
    parser.add_argument("--markdown", metavar="F", type=Path, help="write a step summary here")
    parser.add_argument("--results", metavar="F", type=Path, help="write results.json here")
    parser.add_argument("--traces", metavar="DIR", type=Path, help="write each trial as trace/1")
    parser.add_argument("--record", action="store_true", help="append the trials to the store")
    add_store(parser)

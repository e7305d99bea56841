"""Flags of `workbench runs`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.cli.flags.shared import add_json, add_store

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["WORK", "add_arguments"]

WORK: Final = "workbench.cli.runs"


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    parser.add_argument(
        "--failed", action="store_true", help="only runs that their recorder or label calls failed"
    )
    parser.add_argument(
        "--since",
        metavar="DATE",
        help="only runs that started on this day or later, e.g. 2026-11-30",
    )
    parser.add_argument(
        "--tag", metavar="T", help="only runs with this tag, or this label: NAME=VALUE"
    )
    parser.add_argument(
        "--search", metavar="TEXT", help="only runs whose raw record holds this text"
    )
    parser.add_argument(
        "--group", action="store_true", help="failed runs by how they failed, the most first"
    )
    add_store(parser)
    add_json(parser)

"""Flags of `workbench store verify|head`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.cli.flags.shared import add_json, add_store

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["WORK", "add_arguments"]

WORK: Final = "workbench.cli.store"


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    actions = parser.add_subparsers(dest="action", required=True)
    verify = actions.add_parser("verify", help="replay the log and compare every file")
    verify.add_argument("--deep", action="store_true", help="read every event as well")
    verify.add_argument(
        "--head", metavar="HEAD", help="a head kept elsewhere, as a case carries it"
    )
    head = actions.add_parser("head", help="print version and digest of the newest entry")
    for action in (verify, head):
        add_store(action)
        add_json(action)

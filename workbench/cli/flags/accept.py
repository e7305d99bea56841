"""Flags of `workbench accept CASE FROM|--repair`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.cli.flags.shared import add_json, add_ner, add_store, add_tools

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["WORK", "add_arguments"]

WORK: Final = "workbench.cli.accept"


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    parser.add_argument("case", metavar="CASE", type=Path, help="case file")
    parser.add_argument(
        "run",
        metavar="FROM",
        nargs="?",
        help="a run of the mended agent: run id, FILE or FILE#RUN_ID; or a trial of this case: "
        "RESULTS#RUN_ID of a `run --results --traces`",
    )
    parser.add_argument(
        "--repair", action="store_true", help="propose a path by mending the recorded one"
    )
    parser.add_argument(
        "--name", metavar="N", help="name of the path (default: accepted, or repaired)"
    )
    parser.add_argument("--by", metavar="NAME", help="who accepts it (default: the case's owner)")
    parser.add_argument(
        "--policy", metavar="P", type=Path, help="redaction.yaml, as for the incident"
    )
    parser.add_argument(
        "--key-file",
        metavar="F",
        type=Path,
        help="the key that the draft was redacted with, where that was given by hand",
    )
    add_ner(parser)
    add_tools(parser)
    add_store(parser)
    add_json(parser)

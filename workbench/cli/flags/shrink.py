"""Flags of `workbench shrink DRAFT|RUN -o DRAFT`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.cli.flags.shared import add_json, add_run, count
from workbench.model.case import Stimulus

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["ORACLES", "STIMULUS", "WORK", "add_arguments"]

ORACLES: Final = ("recorded", "replay")
"""The words of `review.shrink.OracleKind`."""
WORK: Final = "workbench.cli.shrink"

STIMULUS: Final = {"flow": Stimulus.KEPT_BY_FLOW, "live": Stimulus.LIVE}


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    add_run(parser)
    parser.add_argument(
        "--contract", metavar="C", type=Path, help="contract file; a DRAFT brings its own"
    )
    parser.add_argument(
        "--oracle",
        choices=ORACLES,
        default="recorded",
        help="who says that it still fails",
    )
    parser.add_argument(
        "--lock", metavar="PATH", action="append", default=[], help="a place that must stay"
    )
    parser.add_argument(
        "--budget-calls",
        metavar="N",
        type=count,
        default=500,
        help="oracle calls (default: 500)",
    )
    parser.add_argument(
        "--jobs", metavar="N", type=count, default=1, help="processes that judge ahead"
    )
    parser.add_argument(
        "--journal", metavar="F", type=Path, help="file from which an interrupted search goes on"
    )
    parser.add_argument(
        "--texts", action="store_true", help="cut words of what the agent told people, too"
    )
    parser.add_argument(
        "--stimulus",
        choices=list(STIMULUS),
        default="flow",
        help="what decides how much of what the model saw is kept (default: flow)",
    )
    parser.add_argument(
        "-o", "--out", metavar="DRAFT", type=Path, required=True, help="draft file to write"
    )
    add_json(parser)

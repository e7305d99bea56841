"""Flags of `workbench run CASES... --agent SPEC`."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.cli.flags.reporting import add_report_arguments
from workbench.cli.flags.shared import add_json, count
from workbench.replay.isolation.levels import Level

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["LAYERS", "WORK", "add_arguments"]

LAYERS: Final = ("scripted", "live")
"""As `runner.trials` calls them."""
WORK: Final = "workbench.cli.run"


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    parser.add_argument(
        "cases", metavar="CASES", nargs="+", type=Path, help="case files or folders"
    )
    parser.add_argument(
        "--agent",
        metavar="SPEC",
        help="python:package.module:callable, cmd:COMMAND, worker:COMMAND or mcp:COMMAND",
    )
    parser.add_argument("--layer", choices=LAYERS, default=LAYERS[0])
    parser.add_argument(
        "--trials", metavar="N", type=count, help="live trials of cases that state none"
    )
    parser.add_argument(
        "--select", metavar="EXPR", help="e.g. 'severity<=S1 and tag:billing', or not state==muted"
    )
    parser.add_argument(
        "--executor", metavar="SPEC", help="processes:N, dask://HOST:PORT or dask://local"
    )
    parser.add_argument("--isolate", metavar="L", default="auto", help=f"auto, {', '.join(Level)}")
    parser.add_argument(
        "--gate-proposed", action="store_true", help="let proposed cases gate as well"
    )
    _add_baseline(parser)
    _add_budget(parser)
    add_report_arguments(parser)
    add_json(parser)


def _add_baseline(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--baseline", metavar="F", type=Path, help="what was accepted; only worse fails"
    )
    parser.add_argument(
        "--update-baseline",
        metavar="REASON",
        type=_reason,
        help="accept this run, print what changes (default file: cases/baseline.json)",
    )
    parser.add_argument(
        "--gate-cost", action="store_true", help="let calls, tokens or time that doubled fail"
    )


def _add_budget(parser: ArgumentParser) -> None:
    parser.add_argument("--budget-usd", metavar="X", type=_amount, help="stop at this cost")
    parser.add_argument("--budget-tokens", metavar="N", type=count, help="stop at so many tokens")
    parser.add_argument("--budget-minutes", metavar="M", type=_amount, help="stop after so long")


def _amount(text: str) -> float:
    try:
        amount = float(text)
    except ValueError:
        amount = math.nan
    if not 0 < amount < math.inf:
        message = f"{text!r} is no number above 0"
        raise ArgumentTypeError(message)
    return amount


def _reason(text: str) -> str:
    if not text.strip():
        message = "says nothing; expected a reason that a reviewer can judge"
        raise ArgumentTypeError(message)
    return text.strip()

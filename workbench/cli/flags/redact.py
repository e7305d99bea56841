"""Flags of `workbench redact RUN --contract C -o DRAFT`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.cli.flags.shared import add_json, add_ner, add_run

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["WORK", "add_arguments", "add_redaction"]

WORK: Final = "workbench.cli.redact"


def add_redaction(parser: ArgumentParser) -> None:
    """Add what steers a redaction; `make` has it too."""
    parser.add_argument(
        "--policy", metavar="P", type=Path, help="redaction.yaml: fields, decisions, ..."
    )
    parser.add_argument(
        "--trigger",
        metavar="PATH",
        action="append",
        default=[],
        help="a place that makes the failure happen, e.g. #17.args.account_id",
    )
    add_ner(parser)


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    add_run(parser)
    parser.add_argument(
        "--contract", metavar="C", type=Path, help="contract file; a DRAFT brings its own"
    )
    parser.add_argument("--incident", metavar="REF", help="reference in the incident tracker")
    parser.add_argument(
        "--key-file",
        metavar="F",
        type=Path,
        help="32 bytes, or 64 hex digits; instead of a new key",
    )
    parser.add_argument("-o", "--out", metavar="DRAFT", type=Path, help="draft file to write")
    parser.add_argument(
        "--forget-key", action="store_true", help="delete the key of the draft RUN for good"
    )
    add_redaction(parser)
    add_json(parser)

"""Flags that `export` and `make` share: what a case says that no trace can."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.model.case import Severity
from workbench.model.contract import FixPlace

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["WHY_KEYS", "add_details"]

WHY_KEYS: Final = ("summary", "impact", "cause", "mend")


def add_details(parser: ArgumentParser) -> None:
    """Add owner, review date and the rest."""
    parser.add_argument(
        "--owner", metavar="O", required=True, help="team or person that owns the case"
    )
    parser.add_argument(
        "--review-date", metavar="D", required=True, help="day of the next review, e.g. 2027-02-28"
    )
    parser.add_argument("--id", metavar="I", help="of the case (default: from the first violation)")
    parser.add_argument("--title", metavar="T", help="(default: the first violation's sentence)")
    parser.add_argument("--severity", choices=[s.value for s in Severity], default="S2")
    parser.add_argument(
        "--fix", choices=[f.value for f in FixPlace], help="where it can be prevented"
    )
    parser.add_argument(
        "--why",
        metavar="KEY=TEXT",
        action="append",
        default=[],
        help=f"KEY is one of {', '.join(WHY_KEYS)}",
    )
    parser.add_argument("--incident", metavar="REF", help="reference in the incident tracker")
    parser.add_argument(
        "-o",
        "--out",
        metavar="CASE",
        type=Path,
        required=True,
        help="folder, or a *.case.yaml file",
    )

"""`workbench activate CASE --by NAME`: a proven case starts to gate."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from workbench.casefile.case import load_case
from workbench.cli.options import relative
from workbench.review.edit import rewrite_case
from workbench.runner.activate import activate

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["execute"]


def execute(options: Namespace) -> int:
    """Activate; 1 with the reasons when it is not red, green, killable and reviewed."""
    today = datetime.now(tz=UTC).date().isoformat()  # noqa: TID251  the command line is the clock
    was = load_case(options.case)
    case = activate(was, by=options.by, date=today)
    rewrite_case(options.case, case, was=was)
    print(f"{relative(options.case)} is {case.state.value}")
    return 0

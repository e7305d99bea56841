"""`workbench report DRAFT|CASE -o FILE`: a page for the post-mortem."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.casefile.case import load_case
from workbench.casefile.files import require_target, write_over
from workbench.cli.drafts import draft_in
from workbench.cli.export import today
from workbench.cli.options import relative
from workbench.review.report import report_of_case, report_of_draft
from workbench.review.report_page import report_page

if TYPE_CHECKING:
    from argparse import Namespace

    from workbench.review.report import Report

__all__ = ["execute"]


def execute(options: Namespace) -> int:
    """Write the page: values masked, no script, nothing fetched."""
    if options.out.parent.exists():
        require_target(options.out)
    report = _report(options.draft)
    write_over(options.out, report_page(report))
    events = len(report.trace.events)
    print(f"{relative(options.out)}: {events} events, values masked; open it in any browser")
    return 0


def _report(reference: str) -> Report:
    file = shlex.quote(relative(Path(reference)))
    draft = draft_in(reference)
    if draft is not None:
        return report_of_draft(draft, file=file, date=today())
    return report_of_case(load_case(reference), file=file)

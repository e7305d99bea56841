"""`workbench due CASES...`: which cases need a decision, the worst first.

It lists and gates nothing: an overdue case is annotated by `run`, and decided by people. So it
returns 0 however many are due, 4 when a case could not be read, and 5 when there was none.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from workbench.casefile.case_checks import is_date
from workbench.casefile.codec import encode
from workbench.cli.export import today
from workbench.cli.options import complain, print_json, settings_of
from workbench.errors import InputError
from workbench.ingest.reader import offered_tools
from workbench.review.owners import find_owners
from workbench.review.stale import due_cases
from workbench.runner.reports.harmless import harmless
from workbench.runner.reports.text import red, table
from workbench.store.handle import open_store

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence

    from workbench.model.jsonvalue import JsonMap
    from workbench.review.owners import Owners
    from workbench.review.stale import DueCase
    from workbench.store.records import TrialResult

__all__ = ["execute"]

_INVALID = 4
_NONE = 5


def execute(options: Namespace) -> int:
    """Print the table; 4 when a case could not be read, 5 when there was none."""
    settings = settings_of()
    day = _day(options.today)
    owners = find_owners(Path.cwd(), listed=settings.review.owners)
    lead = settings.review.lead_days
    tools = None if options.tools is None else offered_tools(options.tools)
    trials = (
        _no_trials if options.store is None else open_store(options.store, create=False).results
    )
    rows = due_cases(
        options.cases, today=day, lead_days=lead, owners=owners, tools=tools, trials=trials
    )
    if options.json:
        print_json(_document(rows, day, lead, owners))
    elif rows:
        print("\n".join(_lines(rows, owners)))
    if not rows:
        complain("workbench: no *.case.yaml in what was given\n  Fix: check the path")
        return _NONE
    for row in rows:
        if not row.is_readable:
            complain(f"workbench: {row.signs[0].sentence}\n  Fix: {row.signs[0].fix}")
    return 0 if all(row.is_readable for row in rows) else _INVALID


def _no_trials(_: str) -> tuple[TrialResult, ...]:
    return ()


def _day(given: str | None) -> str:
    if given is None:
        return today()
    if not is_date(given):
        message = "is no day of the calendar; expected YYYY-MM-DD"
        raise InputError(message, place="--today", fix="write a day as 2027-02-28")
    return given


def _document(rows: Sequence[DueCase], day: str, lead: int, owners: Owners) -> JsonMap:
    return {
        "today": day,
        "lead_days": lead,
        "owners_from": [*owners.sources],
        "due": sum(row.is_due for row in rows),
        "cases": [
            {
                "path": row.place,
                "id": row.id,
                "title": row.title,
                "owner": row.owner,
                "severity": row.severity,
                "state": None if row.state is None else row.state.value,
                "review_date": row.review_date,
                "days_left": row.days_left,
                "schema": row.schema,
                "proven": row.proven,
                "signs": [encode(sign) for sign in row.signs],
                "trials": [one.verdict for one in row.trials],
            }
            for row in rows
        ],
    }


def _lines(rows: Sequence[DueCase], owners: Owners) -> Iterator[str]:
    due = [row for row in rows if row.is_due]
    if due:
        yield from _table_lines(due)
        yield ""
    quiet = len(rows) - len(due)
    yield f"{len(due)} of {len(rows)} cases need a decision; {quiet} do not"
    if not owners.sources:
        yield "owners were not checked: there is no CODEOWNERS, owners.yaml or [review] owners"


def _table_lines(due: Sequence[DueCase]) -> Iterator[str]:
    head = ("case", "sev", "state", "owner", "review", "days")
    text = table([tuple(map(harmless, _cells(row))) for row in due], head=head)
    first, *lines = text.split("\n")
    yield first
    for row, line in zip(due, lines, strict=True):
        late = row.days_left is None or row.days_left < 0
        yield red(line) if late else line
        for sign in row.signs:
            yield harmless(f"    {sign.kind.value}: {sign.sentence}")


def _cells(row: DueCase) -> tuple[str, ...]:
    state = "unreadable" if row.state is None else row.state.value
    days = "" if row.days_left is None else str(row.days_left)
    name = row.id or row.place
    return name, row.severity or "", state, row.owner or "", row.review_date or "", days

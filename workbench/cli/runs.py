"""`workbench runs`: list the runs of the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.cli.options import add_json, add_store, print_json, settings_of, store_of
from workbench.model.trace import Grade
from workbench.review.timeline import word_or_mask
from workbench.runner.reports.harmless import harmless
from workbench.runner.reports.text import cut, table
from workbench.store.handle import open_store
from workbench.store.read import plain_rows
from workbench.store.rows import losses_of

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["add_arguments", "execute"]

_SHOWN = 50


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
    parser.add_argument("--tag", metavar="T", help="only runs with this tag")
    parser.add_argument(
        "--search", metavar="TEXT", help="only runs whose raw record holds this text"
    )
    add_store(parser)
    add_json(parser)


def execute(options: Namespace) -> int:
    """List runs, newest first; on a terminal at most 50, and how many there are."""
    store = open_store(store_of(options, settings_of()), create=False)
    rows = plain_rows(
        store.runs(
            failed=options.failed, since=options.since, tag=options.tag, search=options.search
        )
    )
    for row in rows:
        if isinstance(error := row.get("error"), str):
            row["error"] = word_or_mask(error)
        row["losses"] = _lost(row)
    if options.json:
        print_json({"runs": [*rows], "total": len(rows)})
        return 0
    print(_listing(rows))
    print(f"{min(len(rows), _SHOWN)} of {len(rows)} runs")
    return 0


def _lost(row: JsonMap) -> list[Json]:
    """Return the kinds of losses of a run: those that lower its grade first."""
    items = losses_of(str(row["losses"])).items
    order = list(Grade)
    return [loss.kind for loss in sorted(items, key=lambda loss: -order.index(loss.caps))]


def _listing(rows: list[JsonMap]) -> str:
    columns = ("run_id", "status", "grade", "n_events", "start", "agent", "model", "losses")
    cells = [tuple(_cell(row.get(name)) for name in columns) for row in rows[:_SHOWN]]
    return table(cells, head=columns)


def _cell(value: Json) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return "" if value is None else cut(harmless(text), 48)

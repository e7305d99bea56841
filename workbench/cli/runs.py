"""`workbench runs`: list the runs of the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.cli.options import complain, print_json, settings_of, store_of
from workbench.model.trace import Grade, RunStatus
from workbench.model.wording import counted
from workbench.review.groups import group_runs, way_of
from workbench.review.source import outcome_rules
from workbench.review.timeline import word_or_mask
from workbench.runner.reports.harmless import harmless
from workbench.runner.reports.text import cut, table
from workbench.store.handle import open_store
from workbench.store.read import plain_rows
from workbench.store.rows import losses_of

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.review.groups import RunGroup
    from workbench.store.handle import Store

__all__ = ["execute"]

_SHOWN = 50


def execute(options: Namespace) -> int:
    """List runs, newest first; on a terminal at most 50, and how many there are."""
    settings = settings_of()
    store = open_store(
        store_of(options, settings),
        create=False,
        effects=settings.effects,
        rules=outcome_rules(settings),
    )
    found = store.runs(
        failed=options.failed or options.group,
        since=options.since,
        tag=options.tag,
        search=options.search,
    )
    rows = plain_rows(found)
    if waiting := len(store.waiting()):
        complain(
            f"workbench: records of {counted(waiting, 'run')} came late and are not in this list yet; "
            "`workbench show RUN` has them, or says that they stand apart; `workbench collect` joins "
            "what makes one run"
        )
    if options.failed or options.group:
        _say_unjudged(options, store)
    if options.group:
        return _grouped(store, [str(row["run_id"]) for row in rows], as_json=options.json)
    for row in rows:
        if isinstance(error := row.get("error"), str):
            row["error"] = word_or_mask(error)
        row["losses"] = _lost(row)
    if options.json:
        print_json({"runs": [*rows], "total": len(rows)})
        return 0
    print(_listing(rows))
    shown = f"{min(len(rows), _SHOWN)} of {len(rows)}"
    print(f"{shown} failed runs" if options.failed else f"{shown} runs")
    return 0


def _say_unjudged(options: Namespace, store: Store) -> None:
    """Say how many runs are in no list of failed ones because nobody recorded how they ended."""
    found = store.runs(since=options.since, tag=options.tag, search=options.search)
    unknown = found["status"].to_pylist().count(RunStatus.UNKNOWN.value)
    if unknown:
        complain(
            f"workbench: of {counted(len(found), 'run')} the status of {unknown} is unknown: their "
            "recorder did not say how they ended\n"
            "  Fix: `workbench runs` lists them all; `workbench diagnose RUN` looks for what went "
            "wrong in one"
        )


def _grouped(store: Store, run_ids: list[str], *, as_json: bool) -> int:
    """Print groups of runs; a run that is kept raw only never counts as failed."""
    ways = {run_id: way_of(store.fetch(run_id)) for run_id in run_ids}
    groups = group_runs(ways)
    if as_json:
        print_json({"groups": [_group_document(group) for group in groups], "total": len(ways)})
        return 0
    for group in groups[:_SHOWN]:
        print("\n".join(_group_lines(group)))
    print(f"{len(groups)} groups of {len(ways)} failed runs")
    return 0


def _group_document(group: RunGroup) -> JsonMap:
    return {
        "size": group.size,
        "signature": [*group.way.signature],
        "path": [*group.way.path],
        "representatives": [*group.representatives],
        "run_ids": [*group.run_ids],
    }


def _group_lines(group: RunGroup) -> Iterator[str]:
    yield f"{group.size} runs: {cut(harmless('; '.join(group.way.signature)), 160) or 'no sign'}"
    yield f"  {cut(harmless(' > '.join(group.way.path)), 160) or 'no calls'}"
    yield f"  look at {harmless(', '.join(group.representatives))}"


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

"""Which run is reviewed: the store's runs, chosen, sorted and paged; the pick is kept in the store."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from workbench.model.trace import Grade
from workbench.review.checkup import MEANINGS, loss_lines
from workbench.review.incident import open_draft
from workbench.store.handle import Store, open_store
from workbench.store.listing import Listing, Query

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from workbench.model.jsonvalue import JsonMap
    from workbench.model.settings import Settings
    from workbench.review.incident import Incident

__all__ = ["PAGE", "Picker"]

PAGE: Final = 50
"""Runs on a page."""
_DESK: Final = "desk"
"""Files the picks, which belong to no run."""
_PICKED: Final = "picked"


class Picker:
    """A list of runs from which one is picked."""

    def __init__(
        self,
        store: str | os.PathLike[str] | Store,
        *,
        reviewer: str,
        run: str | None = None,
        settings: Settings | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open the list; `run` is picked at once, else the run that was picked last.

        Raises:
            InputError: there is no such store or run, or nobody is named.
        """
        self.lock = RLock()
        self.store = store if isinstance(store, Store) else open_store(store, create=False)
        self.reviewer = reviewer
        self.query = Query()
        self.offset = 0
        self.incident: Incident | None = None
        self._settings = settings
        self._clock = clock
        self._watchers: list[Callable[[Incident], None]] = []
        self.listing = Listing(self.store.runs())
        self.listing.ask(self.query)
        wanted = run or self._picked_before()
        if wanted is not None:
            self._show(self._opened(wanted))

    # --- the list ---------------------------------------------------------------

    def find(self, query: Query, *, inside: str = "") -> None:
        """Ask for other runs; `inside` is looked for in their raw records.

        Raises:
            InputError: there is no such column to sort by.
        """
        ids = None
        if inside:
            ids = frozenset(hit.run_id for hit in self.store.search(inside))
        self.listing.ask(replace(query, run_ids=ids))
        self.query = query
        self.offset = 0

    def turn_to(self, offset: int) -> None:
        """Go to the page that holds the run at a position."""
        last = max(0, self.listing.found - 1)
        self.offset = min(max(0, offset), last) // PAGE * PAGE

    def reload(self) -> None:
        """Read the store again: runs may have come in."""
        self.listing = Listing(self.store.runs())
        self.listing.ask(self.query)
        self.turn_to(self.offset)

    def page(self) -> JsonMap:
        """Return what the browser draws: texts of runs are in it, so it goes by message only."""
        rows = self.listing.page(self.offset, PAGE)
        return {
            "rows": [_row(row) for row in rows],
            "offset": self.offset,
            "found": self.listing.found,
            "total": self.listing.total,
            "size": PAGE,
            "sort": self.query.sort,
            "descending": self.query.descending,
            "picked": None if self.incident is None else self.incident.run.trace.run_id,
        }

    def choices(self) -> JsonMap:
        """Return the values of the columns that are chosen from, with how many runs have each."""
        return {name: dict(self.listing.counts(name)) for name in ("status", "grade")}

    # --- the pick -----------------------------------------------------------------

    def watch(self, act: Callable[[Incident], None]) -> None:
        """Have the run that is picked, now and later."""
        self._watchers.append(act)
        if self.incident is not None:
            act(self.incident)

    def pick(self, run_id: str) -> Incident:
        """Open the review of a run and keep that it was picked.

        Raises:
            InputError: there is no such run, or it cannot be read.
        """
        incident = self._opened(run_id)
        at = datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="milliseconds")
        self.store.decide(
            _DESK, at=at, actor=self.reviewer, kind=_PICKED, payload={"run_id": run_id}
        )
        self._show(incident)  # after it was kept: what shows it may fail
        return incident

    def _opened(self, run_id: str) -> Incident:
        return open_draft(
            run_id,
            store=self.store,
            reviewer=self.reviewer,
            settings=self._settings,
            clock=self._clock,
        )

    def _show(self, incident: Incident) -> None:
        self.incident = incident
        for act in self._watchers:
            act(incident)

    def _picked_before(self) -> str | None:
        """Return the run that this reviewer picked last, if it is still to be read."""
        picks = [d for d in self.store.decisions(_DESK) if d.actor == self.reviewer]
        for decision in reversed(picks):
            run_id = decision.payload.get("run_id")
            if isinstance(run_id, str) and self.listing.position(run_id) is not None:
                return run_id
        return None

    def lost(self) -> JsonMap | None:
        """Return what the picked run's recorder did not keep, if a case suffers from it; else None.

        Returns:
            The `grade`, what it `means`, whether a case of it `can_be_exported`, and the `losses` that count,
            a list of lines each: what is missing, and what would bring it back.
        """
        if self.incident is None or self.incident.run.grade is Grade.REPLAYABLE:
            return None
        run = self.incident.run
        capping = [loss for loss in run.losses.items if loss.caps is not Grade.REPLAYABLE]
        return {
            "run_id": run.trace.run_id,
            "grade": run.grade.value,
            "means": MEANINGS[run.grade],
            "can_be_exported": run.grade is Grade.NEEDS_FIXTURES,
            "losses": [[line.strip() for line in loss_lines(loss)] for loss in capping],
        }

    def summary(self) -> str:
        """Say in one line where the step stands, without values of the trace."""
        if self.incident is None:
            total = self.listing.total
            runs = "1 run is" if total == 1 else f"{total:,} runs are"
            return f"No run is picked yet; {runs} in the store."
        run, lost = self.incident.run, self.lost()
        fit = "" if lost is None or lost["can_be_exported"] else " and can never be exported"
        return (
            f"Picked: review {self.incident.id}, {run.trace.status.value}, "
            f"{len(run.trace.events):,} events, {run.grade.value}{fit}; "
            f"1 of {self.listing.total:,} run{'' if self.listing.total == 1 else 's'}."
        )


def _row(row: dict[str, Any]) -> JsonMap:
    """Return a run as the browser shows it."""
    names = ("run_id", "status", "grade", "start", "n_events", "agent", "model", "error")
    shown: JsonMap = {name: row[name] for name in names}
    shown["tags"] = list(row["tags"] or ())
    shown["ms"] = _length_ms(row["start"], row["end"])
    return shown


def _length_ms(start: str | None, end: str | None) -> float | None:
    if start is None or end is None:
        return None
    try:
        length = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    except ValueError:
        return None
    return length.total_seconds() * 1000

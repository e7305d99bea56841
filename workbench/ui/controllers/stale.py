"""The quarterly review: the table, one decision a case, and the record of the meeting.

Decisions are in the case files at each click, so the record can be written again by another
kernel: it is read off their histories.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from threading import RLock
from typing import TYPE_CHECKING, Final

from workbench.casefile.codec import encode
from workbench.casefile.migrations import CURRENT
from workbench.errors import InputError, RefusedError
from workbench.model.wording import counted
from workbench.review.agenda import (
    Action,
    StaleDecision,
    decide_case,
    meeting_record,
    store_decision,
    taken_on,
)
from workbench.review.stale import due_cases

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Tool
    from workbench.review.agenda import Taken
    from workbench.review.owners import Owners
    from workbench.review.stale import DueCase
    from workbench.store.handle import Store
    from workbench.store.records import TrialResult

__all__ = ["StaleTable"]

_LAST: Final = 40
"""Trials that are drawn one by one."""


class StaleTable:
    """One meeting over a folder of cases."""

    def __init__(  # noqa: PLR0913  what a meeting knows, keyword-only
        self,
        cases: Path,
        *,
        today: str,
        reviewer: str,
        lead_days: int = 14,
        owners: Owners | None = None,
        store: Store | None = None,
        tools: Sequence[Tool] | None = None,
    ) -> None:
        """Read the cases.

        Args:
            cases: folder, or one file.
            today: ISO date of the meeting.
            reviewer: who decides from now on.
            lead_days: a review date this near is a sign already.
            owners: who may own a case; None: anybody.
            store: also keeps the decisions, and has the verdicts of trials; None: there is none.
            tools: of today; None: nobody knows.
        """
        self.lock = RLock()
        self.reviewer = reviewer.strip()
        self._cases, self._today, self._lead_days = cases, today, lead_days
        self._owners, self._store, self._tools = owners, store, tools
        self._rows: tuple[DueCase, ...] = ()
        self.refresh()

    # --- what is shown -----------------------------------------------------------

    def refresh(self) -> None:
        """Read the cases again, as they are now."""
        store = self._store
        self._rows = due_cases(
            [self._cases],
            today=self._today,
            lead_days=self._lead_days,
            owners=self._owners,
            tools=self._tools,
            trials=(lambda _: ()) if store is None else store.results,
        )

    @property
    def due(self) -> int:
        """How many cases need a decision."""
        return sum(row.is_due for row in self._rows)

    def rows(self) -> list[Json]:
        """Return every case, the worst first, with its signs and what was decided today."""
        decided: dict[str, Json] = {one.place: _shown(one) for one in self._taken()}
        return [self._row(row, decided.get(row.place)) for row in self._rows]

    @property
    def has_decided(self) -> bool:
        """Whether a decision was made today."""
        return bool(self._taken())

    def record(self, *, people: Sequence[str] = ()) -> str:
        """Return the record of the meeting as Markdown."""
        return meeting_record(self._rows, self._taken(), date=self._today, people=people)

    def summary(self) -> str:
        """Say in one line where the meeting stands."""
        decided = counted(len(self._taken()), "decision")
        return f"{self.due} of {counted(len(self._rows), 'case')} to decide, {decided} made today"

    def compared(self) -> str:
        """Say in one line whether the tools of today are known, without which no drift shows."""
        if self._tools is None:
            return "tools were not compared: none are named"
        return f"compared with {counted(len(self._tools), 'tool')} of today"

    # --- what people do ----------------------------------------------------------

    def decide(
        self,
        place: str,
        *,
        action: str,
        reason: str,
        until: str | None = None,
        seal: str | None = None,
    ) -> Taken:
        """Write a decision into a case file, and read the table again.

        Args:
            place: of the case, as its row shows it.
            action: `keep`, `fix`, `mute` or `archive`.
            reason: why.
            until: a date, as the action needs it.
            seal: of the case as the person saw it, from its row; None: as it is in the table.

        Raises:
            RefusedError: somebody changed the case meanwhile; the table is up to date now.
            InputError: no such row or action, a part of the decision is missing, or the file was
                changed meanwhile; it is unchanged.
        """
        row = next((row for row in self._rows if row.place == place), None)
        if row is None:
            raise InputError("is not in the table", key="place", fix="refresh it")
        if action not in [one.value for one in Action]:
            message = f"is none of {', '.join(Action)}"
            raise InputError(message, key="action", fix="choose one of them")
        decision = StaleDecision(
            action=Action(action), by=self.reviewer, reason=reason, until=until or None
        )
        try:
            taken = decide_case(row.path, decision, today=self._today, seal=seal or row.seal)
        except RefusedError:
            self.refresh()
            raise
        if self._store is not None:
            at = datetime.fromtimestamp(self._store.clock(), UTC).isoformat(timespec="seconds")
            store_decision(self._store, taken, at=at)
        self.refresh()
        return taken

    # --- inside -------------------------------------------------------------------

    def _taken(self) -> tuple[Taken, ...]:
        return taken_on([row.path for row in self._rows if row.schema == CURRENT], date=self._today)

    def _row(self, row: DueCase, decided: Json) -> JsonMap:
        return {
            "place": row.place,
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
            "seal": row.seal,
            "trials": _trials_shown(row),
            "decided": decided,
        }


def _trials_shown(row: DueCase) -> JsonMap:
    """Return how many recorded trials had each verdict, and the last ones, oldest first."""
    counts = Counter(trial.verdict for trial in row.trials)
    return {
        "counts": dict(sorted(counts.items())),
        "last": [[one.verdict, one.version, _day(one)] for one in row.trials[-_LAST:]],
    }


def _day(trial: TrialResult) -> str | None:
    when = trial.recorded_ms
    return None if when is None else datetime.fromtimestamp(when / 1000, UTC).date().isoformat()


def _shown(taken: Taken) -> JsonMap:
    decision = taken.decision
    return {
        "action": decision.action.value,
        "by": decision.by,
        "reason": decision.reason,
        "until": decision.until,
    }

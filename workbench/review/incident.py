"""One review of one run: the steps as state, in the store, without widgets.

Every click is a row of the store's `decisions` before it is shown as done, so a restarted kernel
loses nothing and two windows see each other. What is taken back stays in the table, followed by a
row that says so. The draft on its way to a case lies beside the tables, readable by its owner alone.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from workbench.casefile.draft import load_draft, save_draft
from workbench.errors import InputError, RefusedError
from workbench.model.settings import Settings
from workbench.review.onewriter import only_writer
from workbench.review.source import Lookup, find_run
from workbench.store.handle import Store, open_store

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from pathlib import Path

    from workbench.model.draft import Draft
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.review.source import LoadedRun
    from workbench.store.records import Decision

__all__ = ["UNDO", "Incident", "open_draft", "review_id"]

UNDO: Final = "undo"
"""Kind of the decision that takes another one back; `seq` says which."""
MARKED: Final = "trigger_marked"
UNMARKED: Final = "trigger_unmarked"


def review_id(run_id: str) -> str:
    """Return `r-` and 12 hex digits: what the decisions on a run are filed under."""
    return "r-" + hashlib.sha256(run_id.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def open_draft(
    run_id: str,
    *,
    store: str | os.PathLike[str] | Store,
    reviewer: str,
    settings: Settings | None = None,
    clock: Callable[[], float] = time.time,
) -> Incident:
    """Open the review of a run, where it was left.

    Args:
        run_id: a run of the store.
        store: its folder, or the open store.
        reviewer: who decides from now on; others' decisions keep their names.
        settings: what `workbench.toml` says.
        clock: seconds since 1970.

    Raises:
        InputError: nobody is named, or there is no such run or store.
    """
    if not reviewer.strip():
        raise InputError("is empty; expected a name", key="reviewer", fix="say who decides")
    opened = store if isinstance(store, Store) else open_store(store, create=False)
    lookup = Lookup(store=str(opened.root), settings=settings or Settings())
    incident = Incident(
        id=review_id(run_id),
        run=find_run(run_id, lookup),
        store=opened,
        reviewer=reviewer,
        clock=clock,
    )
    incident.refresh()
    return incident


@dataclass(slots=True, kw_only=True)
class Incident:
    """A run under review; what was decided is read from the store and written to it at once."""

    id: str
    """Files its decisions; see `review_id`."""
    run: LoadedRun
    store: Store
    reviewer: str
    clock: Callable[[], float]
    _decisions: tuple[Decision, ...] = ()
    _seal: str | None = field(default=None, repr=False)
    """Digest of the draft's file as it was last read or written; None: there was none."""

    # --- decisions --------------------------------------------------------------

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """All that was decided, in order, what was taken back included."""
        return self._decisions

    @property
    def standing(self) -> tuple[Decision, ...]:
        """What was decided and not taken back."""
        undone = {d.payload.get("seq") for d in self._decisions if d.kind == UNDO}
        return tuple(d for d in self._decisions if d.kind != UNDO and d.seq not in undone)

    def last(self, kind: str) -> Decision | None:
        """Return the newest standing decision of a kind."""
        return next((d for d in reversed(self.standing) if d.kind == kind), None)

    def refresh(self) -> int:
        """Read what was decided anew and return how many decisions others have added."""
        known = len(self._decisions)
        self._decisions = self.store.decisions(self.id)
        return len(self._decisions) - known

    def record(self, kind: str, payload: JsonMap, *, after: int | None = None) -> Decision:
        """Write a decision and return it.

        Args:
            kind: of the decision.
            payload: what was decided, JSON.
            after: how many decisions the person had seen; None: it holds whatever others decided.

        Raises:
            RefusedError: others decided in the meantime; nothing was written, and `decisions` is fresh.
            StoreError: nothing was written.
        """
        with only_writer(self.store.root):
            self.refresh()
            added = 0 if after is None else len(self._decisions) - after
            if added:
                message = f"{added} decisions were added in another window since this one was drawn"
                raise RefusedError(message, fix="look at them, and decide again")
            at = datetime.fromtimestamp(self.clock(), UTC).isoformat(timespec="milliseconds")
            made = self.store.decide(
                self.id, at=at, actor=self.reviewer, kind=kind, payload=payload
            )
        self._decisions = (*self._decisions, made)
        return made

    def undo(self, *, after: int | None = None) -> Decision:
        """Take the last standing decision back and return it.

        Raises:
            InputError: there is none.
            RefusedError: as `record`.
        """
        standing = self.standing
        if not standing:
            message = "there is no decision to take back"
            raise InputError(message, key="decisions", fix="go on; every decision was taken back")
        self.record(UNDO, {"seq": standing[-1].seq}, after=after)
        return standing[-1]

    # --- the trigger --------------------------------------------------------------

    @property
    def trigger(self) -> tuple[str, ...]:
        """Places that a person marked as what makes the failure happen, e.g. `#17.args`."""
        marked: dict[str, None] = {}
        for decision in self.standing:
            place: Json = decision.payload.get("place")
            if decision.kind == MARKED and isinstance(place, str):
                marked[place] = None
            elif decision.kind == UNMARKED and isinstance(place, str):
                marked.pop(place, None)
        return tuple(marked)

    def mark(self, place: str) -> Decision:
        """Mark a place as trigger, or take the mark away if it is there."""
        kind = UNMARKED if place in self.trigger else MARKED
        return self.record(kind, {"place": place})

    # --- the draft ------------------------------------------------------------------

    @property
    def draft_path(self) -> Path:
        """Where the draft lies; it need not be there."""
        return self.store.root / "drafts" / f"{self.id}.json"

    def draft(self) -> Draft | None:
        """Return the draft as it was left; None: there is none yet.

        Raises:
            InputError: its file is damaged.
        """
        self._seal = self._seal_now()
        return None if self._seal is None else load_draft(self.draft_path)

    def keep_draft(self, draft: Draft) -> None:
        """Write the draft, unless another window has written it since it was last read here.

        Raises:
            RefusedError: it has; nothing was written.
            InputError: it cannot be written.
        """
        folder = self.draft_path.parent
        folder.mkdir(mode=0o700, exist_ok=True)
        with only_writer(folder):
            if self._seal_now() != self._seal:
                message = "the draft was changed in another window since it was read here"
                raise RefusedError(message, fix="read it again, and decide again")
            save_draft(draft, self.draft_path)
            self._seal = self._seal_now()

    def _seal_now(self) -> str | None:
        try:
            return hashlib.sha256(self.draft_path.read_bytes()).hexdigest()
        except FileNotFoundError:
            return None
        except OSError as error:
            message = f"the draft cannot be read ({error.strerror})"
            raise InputError(message, place=self.draft_path.name, fix="check your rights") from None

"""One review of one run: the steps as state, in the store, without widgets.

Every click is a row of the store's `decisions` before it is shown as done, so a restarted kernel
loses nothing and two windows see each other. What is taken back stays in the table, followed by a
row that says so. The draft on its way to a case lies beside the tables, readable by its owner alone.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, Final

from workbench.casefile.draft import load_draft, save_draft
from workbench.errors import InputError, RefusedError
from workbench.model.settings import Settings
from workbench.review.decision_log import DecisionLog
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

__all__ = ["Incident", "open_draft", "review_id"]

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
        clock: seconds since 1970; an open store has its own.

    Raises:
        InputError: nobody is named, or there is no such run or store.
    """
    if not reviewer.strip():
        raise InputError("is empty; expected a name", key="reviewer", fix="say who decides")
    opened = store if isinstance(store, Store) else open_store(store, create=False, clock=clock)
    lookup = Lookup(store=str(opened.root), settings=settings or Settings())
    run = find_run(run_id, lookup)
    return Incident(id=review_id(run_id), run=run, store=opened, reviewer=reviewer)


class Incident:
    """A run under review; what was decided is read from the store and written to it at once."""

    def __init__(self, *, id: str, run: LoadedRun, store: Store, reviewer: str) -> None:  # noqa: A002  its name in every table
        """Read what was decided.

        Args:
            id: files its decisions; see `review_id`.
            run: with outcomes derived.
            store: keeps the decisions.
            reviewer: who decides from now on.
        """
        self.id, self.run, self.store, self.reviewer = id, run, store, reviewer
        self.log = DecisionLog(store, id)
        self._seal: str | None = None
        """Digest of the draft's file as it was last read or written; None: there was none."""

    # --- decisions --------------------------------------------------------------

    def record(self, kind: str, payload: JsonMap) -> Decision:
        """Write a decision that holds whatever others decided."""
        return self.log.write(kind, payload, by=self.reviewer)

    def undo(self) -> Decision:
        """Take the reviewer's last standing decision back and return it.

        Raises:
            InputError: there is none.
        """
        return self.log.undo(by=self.reviewer)

    # --- the trigger --------------------------------------------------------------

    @property
    def trigger(self) -> tuple[str, ...]:
        """Places that a person marked as what makes the failure happen, e.g. `#17.args`."""
        marked: dict[str, None] = {}
        for decision in self.log.standing(MARKED, UNMARKED):
            place: Json = decision.payload.get("place")
            if decision.kind == MARKED and isinstance(place, str):
                marked[place] = None
            elif isinstance(place, str):
                marked.pop(place, None)
        return tuple(marked)

    def mark(self, place: str) -> Decision:
        """Mark a place as trigger, or take the mark away if it is there.

        Raises:
            RefusedError: another window did since this one was drawn; `trigger` is fresh now.
        """
        kind = UNMARKED if place in self.trigger else MARKED
        payload: JsonMap = {"place": place}

        def is_same(other: Decision) -> bool:
            return other.kind in (MARKED, UNMARKED) and other.payload == payload

        return self.log.write(kind, payload, by=self.reviewer, unless=is_same)

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

"""Shrinking under review: a search on a thread that can be stopped, locked against, and resumed.

What was judged is in a journal, so that a search that was stopped, or whose kernel went away, goes
on where it was. Locks are in the store at each click; another set of locks is another search.
"""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event, RLock
from typing import TYPE_CHECKING, Final

from workbench.casefile.draft import draft_document, load_draft, save_draft
from workbench.errors import InputError
from workbench.model.canonical import canonical_json
from workbench.review.decision_log import UNDO, DecisionLog
from workbench.review.shrink import OracleKind, shrink_draft
from workbench.shrink import Budget, Texts
from workbench.shrink.places import locks_of
from workbench.ui.controllers.kept import event_rows, reasons
from workbench.ui.controllers.worker import Stopped, Worker, leaving, said_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from workbench.check.oracle import Oracle
    from workbench.model.draft import Draft
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Trace
    from workbench.model.verdict import Verdict
    from workbench.review.decision_log import Add
    from workbench.shrink import Shrunk, Step
    from workbench.store.handle import Store
    from workbench.store.records import Decision

__all__ = ["ShrinkReview"]

TOPIC: Final = "shrink"
_LOCK: Final = "lock"
_JOURNAL: Final = 3
"""Edition of the journals; those of another one are another search's."""
_ENDED: Final = "the search was left here; it can go on"


class ShrinkReview:
    """One draft's search for the least that still fails."""

    def __init__(  # noqa: PLR0913  what a review needs, keyword-only
        self,
        draft: Draft,
        *,
        store: Store,
        out: Path,
        journals: Path,
        kind: OracleKind = OracleKind.RECORDED,
        texts: Texts = Texts.WHOLE,
        budget_calls: int = 500,
        reviewer: str = "",
    ) -> None:
        """Open the review; what an earlier search has judged is shown at once.

        Args:
            draft: redacted, not shrunk.
            store: keeps the locks.
            out: file of the shrunk draft.
            journals: folder for the searches' journals.
            kind: who says that it still fails.
            texts: whether claims may lose words.
            budget_calls: candidates judged before it stops by itself.
            reviewer: who locks.
        """
        if draft.shrink is not None:
            message = "was shrunk already"
            raise InputError(message, place=draft.draft, fix="review the draft that `redact` wrote")
        self.lock = RLock()
        self.reviewer = reviewer.strip()
        self.out = out
        self.failure: str | None = None
        self.steps: list[Step] = []
        """Of the search that is shown, one a judged candidate."""
        self.on_change: list[Callable[[], None]] = []
        self._draft = draft
        self._digest = hashlib.sha256(canonical_json(draft_document(draft))).hexdigest()
        self._journals, self._kind, self._texts = journals, kind, texts
        self._budget_calls = budget_calls
        self._log = DecisionLog(store, draft.draft, topic=TOPIC)
        self._shrunk: Shrunk | None = None
        self._small: Draft | None = None
        self._searched: tuple[str, ...] | None = None
        """The locks of the search that is shown."""
        self._is_stopping, self._is_recalled = False, False
        self._searches = ThreadPoolExecutor(1, thread_name_prefix="workbench-search")
        """One after the other: a search that was left before it began still has the journal."""
        self._worker = Worker(self.lock, on_failure=self._failed, on_rest=self._changed)
        if self._journal().is_file():
            self._worker.ask("recall", self._recall)

    # --- what is shown ---------------------------------------------------------

    @property
    def is_working(self) -> bool:
        """Whether a search is under way."""
        return self._worker.is_working

    @property
    def locks(self) -> tuple[str, ...]:
        """Places that must stay, as they were locked."""
        return tuple(dict.fromkeys(str(entry.payload["at"]) for entry in self._locked()))

    @property
    def phase(self) -> str:
        """`ready`, `working`, `stopping`, `stopped`, `done`, `changed` (locks) or `failed`."""
        if self.is_working:
            return "stopping" if self._is_stopping else "working"
        if self.failure is not None:
            return "failed"
        if self._shrunk is None:
            return "ready"
        if self._searched != self.locks:
            return "changed"
        return "done" if self._shrunk.minimal.behaviour else "stopped"

    @property
    def is_written(self) -> bool:
        """Whether the file holds what is shown."""
        return self._small is not None and self.out.is_file()

    def events(self) -> list[Json]:
        """Return a line an event of the draft."""
        return event_rows(self._draft)

    def state(self) -> JsonMap:
        """Return all that changes while it works."""
        events = len(self._draft.trace.events)
        state: JsonMap = {
            "phase": self.phase,
            "failure": self.failure,
            "draft": self._draft.draft,
            "redacted": self._draft.redaction is not None,
            "events": events,
            "now": self.steps[-1].events if self.steps else events,
            "calls": self.steps[-1].calls if self.steps else 0,
            "budget": self._budget_calls,
            "oracle": self._kind.value,
            "locks": [*self.locks],
            "by": {str(e.payload["at"]): e.actor for e in self._locked()},
            "reviewer": self.reviewer,
            "written": self.is_written,
            "out": self.out.name,
        }
        return state | self._result()

    def _result(self) -> JsonMap:
        shrunk = self._shrunk
        if shrunk is None or self.is_working:
            return {"kept": None}
        places = [note.at for note in self._draft.trigger]
        return {
            "kept": reasons(shrunk.trace, shrunk.verdict, locked=self.locks, trigger=places),
            "now": len(shrunk.trace.events),
            "calls": shrunk.calls,
            "minimal": shrunk.minimal.behaviour,
            "why_stopped": _ENDED if self._is_recalled else shrunk.why_stopped,
            "also_seen": len(shrunk.also_seen),
            "unresolved": shrunk.unresolved,
            "says": [v.sentence for v in shrunk.verdict.violations[:3]],
        }

    def curve(self, since: int = 0) -> list[Json]:
        """Return the steps from one on: calls, events, what was tried, whether it was adopted."""
        return [[s.calls, s.events, s.trying, s.adopted] for s in self.steps[since:]]

    def summary(self) -> str:
        """Say in one line where the shrinking stands."""
        state = self.state()
        line = (
            f"shrink of {self._draft.draft}: {state['events']} -> {state['now']} events,"
            f" {state['calls']} oracle calls, {len(self.locks)} locks; {self.phase}"
        )
        return f"{line}, written to {self.out.name}" if self.is_written else line

    # --- what people do --------------------------------------------------------

    def name_reviewer(self, name: str) -> None:
        """Say who locks from now on."""
        self.reviewer = " ".join(name.split())[:80]

    def start(self) -> None:
        """Search, or go on with a search that was stopped; returns at once."""
        if not self.is_working:
            self._log.look()
            self._is_stopping = False
            self._worker.ask("shrink", self._shrink)

    def stop(self) -> None:
        """Ask the search to end with what it has; returns at once."""
        if self.is_working:
            self._is_stopping = True
            self._worker.stop()

    def keep(self, event: int, *, seen: int | None = None) -> None:
        """Lock an event: shrinking must not remove it.

        Args:
            event: its `seq`.
            seen: how much of the log the person had seen; None: as much as this controller.

        Raises:
            InputError: it is no event of the trace, nobody is named, or a search is under way.
            RefusedError: somebody else locked or unlocked it meanwhile.
        """
        self._require_rest()
        place = f"#{event}"
        locks_of(self._draft.trace, [place])
        with self._turn(place, seen) as add:
            if place not in self.locks:
                add(_LOCK, {"at": place})

    def free(self, event: int, *, seen: int | None = None) -> None:
        """Unlock an event.

        Raises:
            InputError: nobody is named, or a search is under way.
            RefusedError: somebody else locked or unlocked it meanwhile.
        """
        self._require_rest()
        place = f"#{event}"
        with self._turn(place, seen) as add:
            for entry in self._locked():
                if entry.payload["at"] == place:
                    add(UNDO, {"seq": entry.seq})

    def _turn(self, place: str, seen: int | None) -> AbstractContextManager[Add]:
        return self._log.turn(
            by=self.reviewer, seen=seen, unless=lambda entry: entry.payload.get("at") == place
        )

    def look_again(self) -> None:
        """Take what others locked meanwhile."""
        self._log.look()

    @property
    def seen(self) -> int:
        """How much of the log `state` tells."""
        return self._log.seen

    def wait(self, timeout_s: float = 60) -> None:
        """Wait for the end of the search; for scripts."""
        self._worker.wait(timeout_s)

    def _require_rest(self) -> None:
        if self.is_working:
            message = "a search is under way; another set of locks is another search"
            raise InputError(message, fix="press Stop first")

    def _locked(self) -> tuple[Decision, ...]:
        return self._log.standing(_LOCK)

    # --- beside ----------------------------------------------------------------

    def _journal(self) -> Path:
        """Return the file of this search: trace, locks, oracle and texts make it what it is."""
        options: list[Json] = [*sorted(self.locks), self._kind.value, self._texts.value, _JOURNAL]
        what: list[Json] = [self._digest, *options]
        name = hashlib.sha256(canonical_json(what)).hexdigest()[:16]
        return self._journals / f"{self._draft.draft}-{name}.journal"

    def _recall(self, stop: Event) -> None:
        """Show what the journal knows; nothing is judged anew."""
        small = self._search(stop, Budget(calls=0, seconds=None))
        there = load_draft(self.out) if self.out.is_file() else None
        with self.lock:
            self._is_recalled = True
            self._small = None if there is None or there.trace != small.trace else small

    def _shrink(self, stop: Event) -> None:
        small = self._search(stop, Budget(calls=self._budget_calls, seconds=None))
        save_draft(small, self.out)
        with self.lock:
            self._small = small

    def _search(self, stop: Event, budget: Budget) -> Draft:
        with self.lock:
            locks = self.locks
            before = self.steps, self._small
            self.steps, self.failure, self._small = [], None, None
            self._is_recalled = False
        begun = Event()
        shrink = partial(self._shrunk_by, stop=stop, begun=begun, locks=locks)
        try:
            small, shrunk = leaving(shrink, stop, self._searches, heeded=begun)(budget)
        except Stopped:  # before the whole trace was judged: what was reached before stands
            with self.lock:
                self.steps, self._small = before
            raise
        with self.lock:
            self._shrunk, self._searched = shrunk, locks
        return small

    def _shrunk_by(
        self, budget: Budget, *, stop: Event, begun: Event, locks: tuple[str, ...]
    ) -> tuple[Draft, Shrunk]:
        """Shrink the draft; from its first question or answer on, it heeds Stop itself."""

        def on_step(step: Step) -> None:
            with self.lock:
                if stop.is_set() and not begun.is_set():
                    raise Stopped  # nobody waits any more
                begun.set()
                self.steps.append(step)
            self._changed()
            if stop.is_set():
                raise Stopped

        def heeding(oracle: Oracle) -> Oracle:
            asked = leaving(oracle, stop, pool)

            def first(trace: Trace) -> Verdict:
                begun.set()
                return asked(trace)

            return first

        self._journals.mkdir(mode=0o700, parents=True, exist_ok=True)
        pool = ThreadPoolExecutor(1, thread_name_prefix="workbench-oracle")
        try:
            return shrink_draft(
                self._draft,
                kind=self._kind,
                lock=locks,
                budget=budget,
                journal=self._journal(),
                on_step=on_step,
                texts=self._texts,
                around=heeding,
            )
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _failed(self, error: Exception) -> None:
        with self.lock:
            self.failure = said_of(error)

    def _changed(self) -> None:
        with self.lock:
            for told in self.on_change:
                told()

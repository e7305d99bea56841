"""What people decide about one thing under review, kept in the store at each click.

The log only grows: taking back is an entry too. Several tabs and kernels may write to one log, so
a decision says how much of it its maker had seen: if somebody else decided the same thing after
that, nothing is written and the maker is told. Decisions about other things do not get in the way.
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, TypeAlias

from workbench.errors import InputError, RefusedError
from workbench.review.onewriter import only_writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from workbench.model.jsonvalue import JsonMap
    from workbench.store.handle import Store
    from workbench.store.records import Decision

__all__ = ["UNDO", "Add", "DecisionLog"]

UNDO: Final = "undo"
"""Kind of the entry that takes another one back; its `seq` says which."""
Add: TypeAlias = "Callable[[str, JsonMap], Decision]"
"""Adds an entry: its kind, and what was decided."""


def _never(_: Decision) -> bool:
    """Refuse nothing."""
    return False


class DecisionLog:
    """The decisions on a draft or a run, or those of one topic of it, e.g. `redaction`."""

    def __init__(self, store: Store, subject: str, *, topic: str = "") -> None:
        """Read the log.

        Args:
            store: keeps it.
            subject: what it is about, e.g. a draft's id.
            topic: kinds are written with it and a dot before them, others are not read; empty: all are.
        """
        self._store, self._subject = store, subject
        self._prefix = f"{topic}." if topic else ""
        self._everything: tuple[Decision, ...] = ()
        self.look()

    # --- what was decided ----------------------------------------------------------

    @property
    def entries(self) -> tuple[Decision, ...]:
        """All of the topic as of the last look, what was taken back included."""
        return self._of_topic(self._everything)

    @property
    def seen(self) -> int:
        """How much of the log was read at the last look: a decision made now was made with it."""
        return len(self._everything)

    def look(self) -> tuple[Decision, ...]:
        """Read the log again; return what is new."""
        known = self.seen
        self._everything = self._store.decisions(self._subject)
        return self._of_topic(self._everything[known:])

    def kind_of(self, entry: Decision) -> str:
        """Return an entry's kind without the topic."""
        return entry.kind.removeprefix(self._prefix)

    def standing(self, *kinds: str, before: int | None = None) -> tuple[Decision, ...]:
        """Return the entries that nobody took back, oldest first.

        Args:
            kinds: without their topic; none: of every kind.
            before: as they stood when so much of the log had been seen; None: as of the last look.
        """
        entries = self._of_topic(self._everything[:before])
        gone = {e.payload.get("seq") for e in entries if self.kind_of(e) == UNDO}
        found = (e for e in entries if self.kind_of(e) != UNDO and e.seq not in gone)
        return tuple(e for e in found if not kinds or self.kind_of(e) in kinds)

    def last(self, *kinds: str) -> Decision | None:
        """Return the newest entry of some kinds that nobody took back."""
        return next(reversed(self.standing(*kinds)), None)

    # --- deciding --------------------------------------------------------------------

    def write(
        self,
        kind: str,
        payload: JsonMap,
        *,
        by: str,
        seen: int | None = None,
        unless: Callable[[Decision], bool] = _never,
    ) -> Decision:
        """Add an entry; see `turn`."""
        return self.write_together(kind, (payload,), by=by, seen=seen, unless=unless)[0]

    def write_together(
        self,
        kind: str,
        payloads: Sequence[JsonMap],
        *,
        by: str,
        seen: int | None = None,
        unless: Callable[[Decision], bool] = _never,
    ) -> tuple[Decision, ...]:
        """Add several entries, at least one: all of them or none; see `turn`."""
        with self._alone(by=by, seen=seen, unless=unless):
            return self._add(kind, payloads, by)

    @contextmanager
    def turn(
        self,
        *,
        by: str,
        seen: int | None = None,
        unless: Callable[[Decision], bool] = _never,
    ) -> Iterator[Add]:
        """Let nobody else decide while something is done and written down; yield what adds an entry.

        Args:
            by: who decides.
            seen: how much of the log that person had seen; None: as much as at the last look.
            unless: nothing is done if it holds for a decision made, or taken back, after that.

        Raises:
            InputError: nobody is named.
            RefusedError: it did hold; the log is up to date now.
            StoreError: it could not be written; then nothing was.
        """
        with self._alone(by=by, seen=seen, unless=unless):
            yield lambda kind, payload: self._add(kind, (payload,), by)[0]

    def take_back(self, *entries: Decision, by: str) -> tuple[Decision, ...]:
        """Add entries that take other ones back, at least one: all of them or none."""
        return self.write_together(UNDO, [{"seq": entry.seq} for entry in entries], by=by)

    def last_of(self, *kinds: str, by: str) -> Decision:
        """Return a person's last decision that stands, as of now.

        Raises:
            InputError: there is none.
        """
        self.look()
        mine = [entry for entry in self.standing(*kinds) if entry.actor == by]
        if not mine:
            message = f"{by or 'nobody'} has decided nothing that stands"
            raise InputError(message, key="by", fix="give the name of whoever decided")
        return mine[-1]

    def undo(self, *kinds: str, by: str) -> Decision:
        """Take back a person's last decision that stands, and return it.

        Raises:
            InputError: there is none.
        """
        last = self.last_of(*kinds, by=by)
        self.take_back(last, by=by)
        return last

    # --- inside ----------------------------------------------------------------------

    @contextmanager
    def _alone(
        self, *, by: str, seen: int | None, unless: Callable[[Decision], bool]
    ) -> Iterator[None]:
        """Be the only writer, if nobody decided meanwhile; see `turn`."""
        if not by.strip():
            raise InputError("nobody is named for the decision", key="by", fix="give a name")
        seen = self.seen if seen is None else seen
        with only_writer(self._store.root):
            self.look()
            fresh = self._of_topic(self._everything[max(0, seen) :])
            others = [entry.actor for entry in fresh if unless(self._about(entry))]
            if others:
                message = f"{others[-1]} decided on this meanwhile; nothing was changed"
                raise RefusedError(message, fix="look at it again; decide again to change it")
            yield

    def _add(self, kind: str, payloads: Sequence[JsonMap], by: str) -> tuple[Decision, ...]:
        """Add entries while nobody else writes."""
        at = datetime.fromtimestamp(self._store.clock(), UTC).isoformat(timespec="milliseconds")
        kind = f"{self._prefix}{kind}"
        added = self._store.decide_together(
            self._subject, at=at, actor=by, kind=kind, payloads=payloads
        )
        self.look()
        return added

    def _about(self, entry: Decision) -> Decision:
        """Return what an entry took back, or the entry."""
        if self.kind_of(entry) != UNDO:
            return entry
        return next((e for e in self._everything if e.seq == entry.payload.get("seq")), entry)

    def _of_topic(self, entries: tuple[Decision, ...]) -> tuple[Decision, ...]:
        return tuple(entry for entry in entries if entry.kind.startswith(self._prefix))

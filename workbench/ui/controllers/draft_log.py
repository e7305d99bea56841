"""What people decided about a draft, kept in the store at each click.

The log only grows: taking back is an entry too. Several tabs and kernels may write to one draft;
whoever writes learns what others wrote since they last looked.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from workbench.errors import RefusedError
from workbench.review.onewriter import only_writer

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.model.jsonvalue import JsonMap
    from workbench.store.handle import Store
    from workbench.store.records import Decision

__all__ = ["DraftLog", "standing"]

_UNDO: Final = "undo"


def _never(_: Decision) -> bool:
    """Refuse nothing."""
    return False


class DraftLog:
    """The entries of one topic of one draft, e.g. `redaction`."""

    def __init__(self, store: Store, draft: str, topic: str) -> None:
        self._store = store
        self._draft = draft
        self._topic = topic
        self.entries: tuple[Decision, ...] = ()
        """As of the last look."""
        self._length = 0
        self.look()

    def look(self) -> tuple[Decision, ...]:
        """Read the log again; return what is new."""
        everything = self._store.decisions(self._draft)
        fresh = self._of_topic(everything[self._length :])
        self._length = len(everything)
        self.entries = (*self.entries, *fresh)
        return fresh

    def write(
        self,
        kind: str,
        payload: JsonMap,
        *,
        by: str,
        unless: Callable[[Decision], bool] = _never,
    ) -> Decision:
        """Add an entry; others wait meanwhile.

        Args:
            kind: without the topic.
            payload: what was decided.
            by: who.
            unless: nothing is written if it holds for an entry that came after the last look.

        Raises:
            RefusedError: it did; the entries are up to date now.
            StoreError: it could not be written; then nothing was.
        """
        with only_writer(self._store.root):
            others = [entry for entry in self.look() if unless(entry)]
            if others:
                message = f"{others[-1].actor} decided on this meanwhile; nothing was changed"
                raise RefusedError(message, fix="look at it again; decide again to change it")
            at = datetime.fromtimestamp(self._store.clock(), UTC).isoformat(timespec="seconds")
            entry = self._store.decide(
                self._draft, at=at, actor=by, kind=f"{self._topic}.{kind}", payload=payload
            )
        self.look()
        return entry

    def take_back(self, entry: Decision, *, by: str) -> Decision:
        """Add an entry that takes another one back."""
        return self.write(_UNDO, {"seq": entry.seq}, by=by)

    def _of_topic(self, entries: tuple[Decision, ...]) -> tuple[Decision, ...]:
        return tuple(e for e in entries if e.kind.partition(".")[0] == self._topic)


def standing(entries: tuple[Decision, ...], *kinds: str) -> tuple[Decision, ...]:
    """Return the entries of some kinds (without their topic) that nobody took back."""
    gone = {e.payload.get("seq") for e in entries if e.kind.partition(".")[2] == _UNDO}
    return tuple(e for e in entries if e.kind.partition(".")[2] in kinds and e.seq not in gone)

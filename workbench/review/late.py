"""Records of a run that come when it is stored already, and when to store it as a whole again.

They are stored alone, at once, and wait. The run is put together anew when what waits is as
large as what is stored, or when nothing came for a while; that while doubles each time, until
the run has doubled. So the bytes stored of a run grow with its records, not with their square,
whether they come quickly or at an hour's pace. Whoever reads a run meanwhile reads all of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from workbench.ingest.received import RECEIVED, run_of
from workbench.store.append import SourceFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from workbench.model.trace import Imported, Losses, Trace
    from workbench.store.append import Commit
    from workbench.store.handle import Store

__all__ = ["Patience", "latest", "put_together"]

_QUIET_S: Final = 2.0
_BATCH_BYTES: Final = 32 << 20


def latest(store: Store, run_id: str) -> tuple[Trace, Losses, bytes]:
    """Return a run as `Store.imported` does, with the records that wait to be joined to it.

    Raises:
        RunNotFound: there is no such run.
        StoreCorrupt: its rows are damaged.
        TraceFormatError: it could not be parsed when it was stored.
    """
    if run_id in store.waiting():
        run = run_of(store.pieces(run_id))
        if run.trace is not None:
            return run.trace, run.losses, run.raw
    return store.imported(run_id)


def put_together(
    store: Store, run_ids: Iterable[str], *, seen: Callable[[Imported], Imported]
) -> Commit:
    """Store runs as a whole, with the records that wait for them.

    Args:
        store: where they are.
        run_ids: at least one; each has records that wait.
        seen: is shown each run and returns what is stored.

    Raises:
        StoreError: nothing was added.
    """
    names = sorted(run_ids)
    head = store.head()
    digest = sha256("\n".join((str(head), *names)).encode(errors="replace")).hexdigest()
    runs = (seen(replace(run_of(store.pieces(name)), run_id=name)) for name in names)
    return store.append(runs, source=SourceFile(name=RECEIVED, format="otlp", digest=digest))


@dataclass(slots=True)
class _State:
    stored_bytes: int
    waiting_bytes: int = 0
    quiet_s: float = _QUIET_S
    due: float = 0.0


@dataclass(slots=True)
class Patience:
    """Says which runs are to be put together now; used by one thread."""

    clock: Callable[[], float]
    """Seconds, from any start."""
    _runs: dict[str, _State] = field(default_factory=dict)
    _waiting: dict[str, None] = field(default_factory=dict)

    def stored(self, run_id: str, size_bytes: int) -> None:
        """Learn that a run is stored as a whole."""
        before = self._runs.get(run_id)
        state = _State(stored_bytes=size_bytes)
        if before is not None and size_bytes < 2 * before.stored_bytes:
            state.quiet_s = 2 * before.quiet_s
        self._runs[run_id] = state
        self._waiting.pop(run_id, None)

    def came_late(self, run_id: str, size_bytes: int) -> None:
        """Learn that records of a run wait; of a run that is not known the size is taken as 0."""
        state = self._runs.setdefault(run_id, _State(stored_bytes=0))
        state.waiting_bytes += size_bytes
        state.due = self.clock() + state.quiet_s
        self._waiting[run_id] = None

    def postpone(self, run_ids: Iterable[str]) -> None:
        """Try these again later: they could not be put together."""
        for run_id in run_ids:
            state = self._runs[run_id]
            state.quiet_s *= 2
            state.stored_bytes += state.waiting_bytes
            state.due = self.clock() + state.quiet_s

    def due(self, *, all_of_them: bool = False) -> Iterator[list[str]]:
        """Yield runs that are to be put together, as many at once as make one batch."""
        now = self.clock()
        group: list[str] = []
        size = 0
        for run_id in list(self._waiting):
            state = self._runs[run_id]
            grown = state.waiting_bytes >= state.stored_bytes
            if all_of_them or grown or now >= state.due:
                group.append(run_id)
                size += state.stored_bytes + state.waiting_bytes
            if size >= _BATCH_BYTES:
                yield group
                group, size = [], 0
        if group:
            yield group

    def wait_s(self) -> float | None:
        """Return how long it is until a run is due; None: none waits."""
        moments = [self._runs[run_id].due for run_id in self._waiting]
        return max(0.0, min(moments) - self.clock()) if moments else None

"""Records of a run that come when it is stored already, and when to store it as a whole again.

They are stored alone, at once, and wait. The run is put together anew when what waits is as
large as what is stored, or when nothing came for a while; that while doubles each time, until
the run has doubled. So the bytes stored of a run grow with its records, not with their square,
whether they come quickly or at an hour's pace.

Records of another kind than the stored run (spans beside a run in our own form) make no run with
it. A file of them becomes the run's next version unless it tells less than what is stored; what is
received never does while that can be read. Else they wait, and `latest` says so.

`latest` reads a run with what waits, and so do all commands that take one run. The store itself
lists and fetches what was put together; its search finds what waits, too.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Final, TypeVar

from workbench.errors import StoreError, TraceFormatError
from workbench.ingest.joined import (
    APART,
    are_of,
    is_joinable,
    joined,
    whole_of,
    with_apart,
    with_loss,
)
from workbench.ingest.otlp.read import FORMAT
from workbench.ingest.received import RECEIVED
from workbench.model.trace import Grade, Loss, Losses
from workbench.review.declared import with_tools
from workbench.store.append import SourceFile
from workbench.store.batches import LateRecords
from workbench.store.errors import RunsChanged

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

    from workbench.model.trace import Imported, Trace
    from workbench.store.append import Commit
    from workbench.store.batches import Kept
    from workbench.store.handle import Store

__all__ = [
    "CannotJoin",
    "Patience",
    "again",
    "as_received",
    "latest",
    "put_together",
    "with_earlier",
]

_T = TypeVar("_T")

_TRIES: Final = 8
_WAITS: Final = Loss(
    kind="late_records_apart",
    note="records of this run came late and do not make a run with what came before; they are "
    "kept, and no part of what is shown",
    fix="`workbench ingest` a file of all its spans: it takes the run's place unless it tells less",
)
_OTHER: Final = "it has records of another kind"
_QUIET_S: Final = 2.0
_BATCH_BYTES: Final = 32 << 20


class CannotJoin(StoreError):  # noqa: N818
    """Records that came late do not make a run with what is stored of it; they wait on."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"holds late records that do not make a run with what came before: {reason}",
            place="store",
            fix="`workbench show RUN` shows the run without them, and names them",
        )


def again(attempt: Callable[[], _T]) -> _T:
    """Return what an attempt returns; it looks again where another writer came first.

    Raises:
        RunsChanged: another came first every time.
    """
    for _ in range(_TRIES - 1):
        with suppress(RunsChanged):
            return attempt()
    return attempt()


def latest(store: Store, run_id: str) -> tuple[Trace, Losses, bytes]:
    """Return a run as `Store.imported` does, with the records that wait to be joined to it.

    Raises:
        RunNotFound: there is no such run.
        StoreCorrupt: its rows are damaged.
        TraceFormatError: it could not be parsed when it was stored.
    """
    if run_id not in store.waiting():
        return store.imported(run_id)
    try:
        run = _together(store, run_id)
    except CannotJoin:
        trace, losses, raw = store.imported(run_id)
        return trace, Losses(items=(*losses.items, _WAITS)), raw
    if run.trace is None:
        return store.imported(run_id)
    return run.trace, run.losses, run.raw


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

    def attempt() -> Commit:
        digest = sha256("\n".join((str(store.head()), *names)).encode(errors="replace"))
        source = SourceFile(name=RECEIVED, format=FORMAT.name, digest=digest.hexdigest())
        return store.append((seen(_together(store, name)) for name in names), source=source)

    return again(attempt)


def with_earlier(store: Store, run: Imported, *, known: Container[str]) -> Imported | LateRecords:
    """Return a run of a file with what is stored of it.

    Late records alone are returned where the whole could not be read, but what is stored can.

    Args:
        store: where to look.
        run: as it was read.
        known: ids of stored runs.
    """
    if not is_joinable(run):
        return run
    if run.run_id not in known:
        return replace(run, made_of=())
    kept = store.kept(run.run_id)
    whole = joined(run, *kept.parts)
    try:
        if whole is None:
            return _in_its_place(store, joined(run, *kept.late.values()), run.run_id, kept)
        return _carried(store, replace(whole, run_id=run.run_id), kept)
    except CannotJoin:
        return LateRecords(run_id=run.run_id, raw=run.raw)


def as_received(
    store: Store, run: Imported, *, known: Container[str], alike: Container[str]
) -> Imported | LateRecords:
    """Return what is to be stored of a run that was received: late records, or the run.

    Args:
        store: where to look.
        run: as it was received.
        known: ids of stored runs.
        alike: ids of those whose records were received, too.
    """
    if not is_joinable(run):
        return run
    if run.run_id not in known:
        return replace(run, made_of=())
    late = LateRecords(run_id=run.run_id, raw=run.raw)
    if run.run_id in alike or are_of(FORMAT.name, store.kept(run.run_id).whole):
        return late
    return (
        late
        if _stored_rank(store, run.run_id) is not None
        else replace(with_apart(run), made_of=())
    )


def _together(store: Store, run_id: str) -> Imported:
    """Return a run with all records that wait for it.

    Raises:
        CannotJoin: they are of another kind, or the whole cannot be read.
    """
    kept = store.kept(run_id)
    run = whole_of(FORMAT.name, *kept.parts, file=RECEIVED)
    if run is None:
        raise CannotJoin(_OTHER)
    return _carried(store, replace(run, run_id=run_id), kept)


def _in_its_place(store: Store, run: Imported | None, run_id: str, kept: Kept) -> Imported:
    """Return a run of records of another kind than what is stored under its id.

    Raises:
        CannotJoin: they tell less than what is stored, or are of several kinds themselves.
    """
    stored = _stored_rank(store, run_id)
    if run is None or (stored is not None and _tells_less(run, stored)):
        raise CannotJoin(_OTHER)
    return replace(with_apart(run), run_id=run_id, made_of=tuple(kept.late))


def _stored_rank(store: Store, run_id: str) -> tuple[int, int] | None:
    """Return how much a stored run tells; None: it cannot be read."""
    try:
        trace, losses, _ = store.imported(run_id)
    except TraceFormatError:
        return None
    return _rank(trace, losses)


def _tells_less(run: Imported, stored: tuple[int, int]) -> bool:
    """Whether a run has a worse grade than the stored one, or as good a one and fewer events."""
    return run.trace is None or _rank(run.trace, run.losses) > stored


def _rank(trace: Trace, losses: Losses) -> tuple[int, int]:
    """Return what sorts the most telling first."""
    return tuple(Grade).index(losses.grade), -len(trace.events)


def _carried(store: Store, run: Imported, kept: Kept) -> Imported:
    """Return a run that was put together with what its records do not say, but the stored run."""
    try:
        trace, losses, _ = store.imported(run.run_id)
    except TraceFormatError:
        return replace(run, made_of=tuple(kept.late))
    if run.trace is None:
        raise CannotJoin(run.parse_error or "")
    known = with_tools(run.trace, trace.tools)
    for loss in losses.items:
        if loss.kind == APART:
            run = with_loss(run, loss)
    names = {tool.name for tool in known.tools}
    tools = (*known.tools, *(tool for tool in trace.tools if tool.name not in names))
    return replace(run, trace=replace(known, tools=tools), made_of=tuple(kept.late))


@dataclass(slots=True)
class _State:
    stored_bytes: int
    waiting_bytes: int = 0
    quiet_s: float = _QUIET_S
    due: float = 0.0
    postponed: bool = False
    """It could not be put together: however much comes, it is not tried before it is due."""


@dataclass(slots=True)
class Patience:
    """Says which runs are to be put together now; used by one thread."""

    clock: Callable[[], float]
    """Seconds, from any start."""
    remembered: int = 100_000
    """Runs for which nothing waits of which it is known how often they were put together."""
    _resting: dict[str, _State] = field(default_factory=dict)
    _waiting: dict[str, _State] = field(default_factory=dict)

    def stored(self, run_id: str, size_bytes: int) -> None:
        """Learn that a run is stored as a whole."""
        before = self._waiting.pop(run_id, None) or self._resting.pop(run_id, None)
        state = _State(stored_bytes=size_bytes)
        if before is not None and size_bytes < 2 * before.stored_bytes:
            state.quiet_s = 2 * before.quiet_s
        self._resting[run_id] = state
        if len(self._resting) > self.remembered:
            del self._resting[next(iter(self._resting))]

    def came_late(self, run_id: str, size_bytes: int) -> None:
        """Learn that records of a run wait; of a run that is not known the size is taken as 0."""
        state = self._waiting.get(run_id) or self._resting.pop(run_id, _State(stored_bytes=0))
        state.waiting_bytes += size_bytes
        if not state.postponed:
            state.due = self.clock() + state.quiet_s
        self._waiting[run_id] = state

    def postpone(self, run_ids: Iterable[str]) -> None:
        """Try these again later: they could not be put together."""
        for run_id in run_ids:
            state = self._waiting[run_id]
            state.quiet_s *= 2
            state.due = self.clock() + state.quiet_s
            state.postponed = True

    def due(self, *, all_of_them: bool = False) -> Iterator[list[str]]:
        """Yield runs that are to be put together, as many at once as make one batch."""
        now = self.clock()
        group: list[str] = []
        size = 0
        for run_id, state in list(self._waiting.items()):
            grown = state.waiting_bytes >= state.stored_bytes and not state.postponed
            if all_of_them or grown or now >= state.due:
                state.postponed = False
                group.append(run_id)
                size += state.stored_bytes + state.waiting_bytes
            if size >= _BATCH_BYTES:
                yield group
                group, size = [], 0
        if group:
            yield group

    def wait_s(self) -> float | None:
        """Return how long it is until a run is due; None: none waits."""
        moments = [state.due for state in self._waiting.values()]
        return max(0.0, min(moments) - self.clock()) if moments else None

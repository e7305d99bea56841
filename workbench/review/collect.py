"""What exporters send goes into the store; they are told that it was taken once it is there.

Requests wait in one queue of limited size; one writer takes all that wait, makes one batch of
them and commits it. A queue that is full says so, and the exporter sends again later. Spans that
come late are stored alone and put together with their run later, see `review.late`.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from workbench.errors import StoreError
from workbench.ingest.received import RECEIVED, runs_of
from workbench.model.wording import counted
from workbench.review.checkup import Checkup
from workbench.review.declared import with_tools_of
from workbench.review.late import CannotJoin, Patience, again, as_received, put_together
from workbench.review.refusals import Refusal, has_fix, render_refusal
from workbench.store.append import SourceFile
from workbench.store.batches import LateRecords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from workbench.ingest.records.piece import Piece
    from workbench.model.trace import Imported, Tool
    from workbench.store.handle import Store

__all__ = ["Answer", "Collector", "Tally"]

_BATCH_BYTES: Final = 32 << 20
"""A batch ends with the request that reaches this size."""


class Answer(StrEnum):
    """What became of a request."""

    STORED = "stored"
    BUSY = "busy"
    """Nothing was taken: too much waits already."""
    STOPPING = "stopping"
    """Nothing was taken: the receiver ends."""
    STORE_FAILED = "store_failed"
    """Nothing was stored; the same request may succeed later."""
    FAILED = "failed"
    """Nothing was stored, and sending again will not help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    pieces: tuple[Piece, ...]
    digest: str
    size_bytes: int
    done: Future[Answer] = field(default_factory=Future)


@dataclass(slots=True, kw_only=True)
class Tally:
    """What was received so far."""

    requests: int = 0
    """That were stored."""
    records: int = 0
    batches: int = 0
    refusals: Counter[Refusal] = field(default_factory=Counter)
    """Requests that were not stored, by reason."""
    checkup: Checkup = field(default_factory=Checkup)
    """Of the runs as they were stored; one that was put together anew counts again."""
    run_ids: set[str] = field(default_factory=set)

    @property
    def refused(self) -> int:
        """Requests that were not stored, for whatever reason."""
        return self.refusals.total()


class Collector:
    """Stores requests that come from many threads.

    `work` is to be run in one thread, which owns the store; it ends after `stop`, once all that
    was taken is stored.
    """

    def __init__(
        self,
        store: Store,
        *,
        tools: Sequence[Tool] = (),
        limit_bytes: int,
        on_failure: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Make a collector.

        Args:
            store: where to.
            tools: what a person declared of tools.
            limit_bytes: how much may wait, in bytes of request bodies.
            on_failure: is told, in a sentence, that the store or an importer failed, and of the first
                refusal of each kind.
            clock: seconds, from any start.
        """
        self.tally = Tally()
        self._store = store
        self._tools = tools
        self._limit_bytes = limit_bytes
        self._on_failure = on_failure
        self._late = Patience(clock=clock)
        self._waiting: deque[_Request] = deque()
        self._held_bytes = 0
        self._stopping = False
        self._changed = threading.Condition()

    # --- from any thread --------------------------------------------------------

    def reserve(self, size_bytes: int, *, held: int) -> Answer | None:
        """Take room for a body, or some of it; None: it is reserved, until `release`.

        One request always has room, however large, when no other is there.

        Args:
            size_bytes: how much more.
            held: what the same request has reserved before.
        """
        with self._changed:
            if self._stopping:
                return Answer.STOPPING
            alone = self._held_bytes == held
            if not alone and self._held_bytes + size_bytes > self._limit_bytes:
                return Answer.BUSY
            self._held_bytes += size_bytes
            return None

    def release(self, size_bytes: int) -> None:
        """Give the room of a body back."""
        with self._changed:
            self._held_bytes -= size_bytes

    def deliver(self, pieces: tuple[Piece, ...], body: bytes) -> Answer:
        """Hand over a request and wait until it is stored, or is not."""
        request = _Request(pieces=pieces, digest=sha256(body).hexdigest(), size_bytes=len(body))
        with self._changed:
            if self._stopping:
                return Answer.STOPPING
            self._waiting.append(request)
            self._changed.notify_all()
        return request.done.result()

    def failed(self, error: Exception, size_bytes: int) -> Answer:
        """Say that a request ended in a bug of ours; return what it is answered."""
        kind = type(error).__name__
        self._on_failure(f"a request of {size_bytes} bytes ended in {kind}; it was not stored")
        return Answer.FAILED

    def refused(self, refusal: Refusal) -> None:
        """Count a request that is answered with a refusal; the first of a kind is said."""
        with self._changed:
            self.tally.refusals[refusal] += 1
            is_first = self.tally.refusals[refusal] == 1
        if is_first and has_fix(refusal):
            self._on_failure(render_refusal(refusal))

    def stop(self) -> None:
        """Take no more requests; those that were taken are stored."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()

    # --- the writer -------------------------------------------------------------

    def work(self) -> None:
        """Store what comes, until `stop` and an empty queue."""
        try:
            self._take_up()
            while (batch := self._next_batch()) is not None:
                if batch:
                    self._settle(batch)
                self._put_together()
            self._put_together(at_the_end=True)
        finally:
            self.stop()
            for request in self._waiting:
                request.done.set_result(Answer.STOPPING)

    def _take_up(self) -> None:
        """Put together what a receiver that was killed left waiting."""
        try:
            waiting = self._store.waiting()
        except StoreError as error:
            self._on_failure(str(error))
            return
        for run_id in waiting:
            self._late.came_late(run_id, 0)

    def _next_batch(self) -> list[_Request] | None:
        """Return what waits; none: a run is to be put together; None: nothing comes any more."""
        with self._changed:
            while not self._waiting and not self._stopping:
                if not self._changed.wait(self._late.wait_s()):
                    return []
            if not self._waiting:
                return None
            batch: list[_Request] = []
            size = 0
            while self._waiting and size < _BATCH_BYTES:
                batch.append(self._waiting.popleft())
                size += batch[-1].size_bytes
            return batch

    def _settle(self, batch: list[_Request]) -> None:
        """Store a batch and answer each request; where it fails as a whole, each is tried alone."""
        answer = self._try(batch)
        if answer is Answer.FAILED and len(batch) > 1:
            for request in batch:
                self._settle([request])
            return
        for request in batch:
            request.done.set_result(answer)

    def _try(self, batch: list[_Request]) -> Answer:
        try:
            self._append(batch)
        except StoreError as error:
            self._on_failure(str(error))
            return Answer.STORE_FAILED
        except Exception as error:  # noqa: BLE001  one bad request must not end the receiver
            return Answer.FAILED if len(batch) > 1 else self.failed(error, batch[0].size_bytes)
        return Answer.STORED

    def _append(self, batch: list[_Request]) -> None:
        digests = [request.digest for request in batch]
        digest = digests[0] if len(batch) == 1 else sha256("".join(digests).encode()).hexdigest()
        pieces = [piece for request in batch for piece in request.pieces]
        runs = list(runs_of(pieces))
        source = SourceFile(name=RECEIVED, format="otlp", digest=digest)
        found = again(lambda: self._store_runs(runs, source))
        self.tally.requests += len(batch)
        self.tally.records += len(pieces)
        self.tally.batches += 1
        self.tally.run_ids |= {run.run_id for run in runs}
        self.tally.checkup.merge(found)

    def _store_runs(self, runs: Sequence[Imported], source: SourceFile) -> Checkup:
        """Store runs, or late records of them; return what the runs lost."""
        found = Checkup(tools=self._tools)
        late: set[str] = set()

        def rows() -> Iterator[Imported | LateRecords]:
            known = self._store.run_ids()
            for run in runs:
                row = as_received(self._store, run, known=known, alike=self.tally.run_ids)
                if isinstance(row, LateRecords):
                    late.add(row.run_id)
                    yield row
                else:
                    yield self._seen(row, found)

        if not self._store.append(rows(), source=source).repeated:
            for run in runs:
                note = self._late.came_late if run.run_id in late else self._late.stored
                note(run.run_id, len(run.raw))
        return found

    def _seen(self, run: Imported, found: Checkup) -> Imported:
        found.add(run.run_id, run.trace, run.losses, reason=run.parse_error)
        return with_tools_of(run, self._tools)

    def _put_together(self, *, at_the_end: bool = False) -> None:
        """Store as a whole the runs whose time has come; all that came is stored already.

        What could not be joined is said once for all runs of a reason; that records are of another
        kind, which may change as long as more come, at the end.
        """
        failures: Counter[str] = Counter()
        for run_ids in self._late.due(all_of_them=at_the_end):
            for error in self._failures_of(run_ids):
                if at_the_end or not isinstance(error, CannotJoin):
                    failures[_reason(error)] += 1
        for reason, count in failures.items():
            runs = counted(count, "run")
            self._on_failure(f"late records of {runs} are stored, and not joined yet: {reason}")

    def _failures_of(self, run_ids: list[str]) -> list[Exception]:
        """Put runs together, one by one where they fail together; return an error a run."""
        error = self._together(run_ids)
        if error is None or len(run_ids) == 1:
            return [] if error is None else [error]
        return [error for run_id in run_ids if (error := self._together([run_id])) is not None]

    def _together(self, run_ids: list[str]) -> Exception | None:
        """Put runs together; return what failed."""
        found = Checkup(tools=self._tools)
        sizes: dict[str, int] = {}

        def seen(run: Imported) -> Imported:
            sizes[run.run_id] = len(run.raw)
            return self._seen(run, found)

        try:
            put_together(self._store, run_ids, seen=seen)
        except Exception as error:  # noqa: BLE001  what came is stored: the receiver goes on
            if len(run_ids) == 1:
                self._late.postpone(run_ids)
            return error
        for run_id, size in sizes.items():
            self._late.stored(run_id, size)
        self.tally.checkup.merge(found)
        return None


def _reason(error: Exception) -> str:
    """Return what may be said of a failure; what a bug of ours says may be of a trace."""
    return str(error) if isinstance(error, StoreError) else type(error).__name__

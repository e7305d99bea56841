"""Records that come late: stored at once, joined when it is read, written anew rarely."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from tests.ingest.otlp.spans import TRACE, a_billing_run, a_document
from tests.ingest.samples import kinds
from workbench.ingest.received import pieces_of_json, runs_of
from workbench.model.settings import Settings
from workbench.review.collect import Answer, Collector
from workbench.review.late import Patience, latest, put_together
from workbench.review.source import Lookup, find_run
from workbench.store.append import SourceFile
from workbench.store.batches import LateRecords
from workbench.store.errors import StoreFull
from workbench.store.handle import open_store
from workbench.store.tables import EVENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from workbench.store.handle import Store

pytestmark = pytest.mark.desk

SPANS = a_billing_run()


def a_body(*spans: Any, trace: str = TRACE) -> bytes:  # noqa: ANN401
    """A request in JSON."""
    return json.dumps(a_document(*({**span, "traceId": trace} for span in spans))).encode()


def filler(number: int, *, size: int = 200) -> dict[str, Any]:
    """A span that says nothing of the run."""
    text = {"key": "note", "value": {"stringValue": f"{number}".rjust(size)}}
    return {**SPANS[0], "spanId": f"{number + 1000:016x}", "name": "work", "attributes": [text]}


class Clock:
    """Stands still unless it is told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def collecting(store: Store, *, clock: Clock | None = None) -> Iterator[Collector]:
    """A collector at work; at the end it is stopped as by Ctrl-C."""
    said: list[str] = []
    collector = Collector(
        store, limit_bytes=1 << 20, on_failure=said.append, clock=clock or Clock()
    )
    thread = threading.Thread(target=collector.work)
    thread.start()
    try:
        yield collector
    finally:
        collector.stop()
        thread.join()
    assert said == []


def send(collector: Collector, body: bytes) -> None:
    """Deliver a request that must be stored."""
    assert collector.deliver(pieces_of_json(body), body) is Answer.STORED


def stored_bytes(folder: Path) -> int:
    """How many raw bytes lie in the store, every version of them."""
    parts = (folder / "store/traces/record=event").rglob("*.parquet")
    return sum(
        len(raw.as_py()) for part in parts for raw in pq.read_table(part, columns=["raw"])["raw"]
    )


def append(store: Store, rows: Sequence[Any], name: str) -> None:
    """Store rows as a batch of this name."""
    digest = sha256(name.encode()).hexdigest()
    store.append(rows, source=SourceFile(name=name, format="otlp", digest=digest))


def test_late_records_are_stored_once_and_read_with_their_run(tmp_path: Path) -> None:
    """The acknowledged record is on the disk, and whoever shows the run sees it."""
    with open_store(tmp_path / "store") as store, collecting(store) as collector:
        send(collector, a_body(*SPANS[:2], filler(1, size=9000)))
        before = store.fetch(TRACE)
        send(collector, a_body(*SPANS[2:]))
        waiting = store.waiting()
        shown = find_run(TRACE, Lookup(store=str(tmp_path / "store"), settings=Settings()))
        listed = store.fetch(TRACE)

    assert waiting == {TRACE}
    assert listed == before
    assert kinds(shown.trace).count("tool_result") == 1
    with open_store(tmp_path / "store") as store:  # the end put it together
        assert store.waiting() == frozenset()
        assert kinds(store.fetch(TRACE)) == kinds(shown.trace)
        assert store.verify(deep=True).damages == ()


def test_the_whole_is_what_one_request_would_have_given(tmp_path: Path) -> None:
    """In any order, and with records that come twice."""
    late = [*SPANS[1:], *SPANS[:2]]
    with open_store(tmp_path / "store") as store:
        with collecting(store) as collector:
            send(collector, a_body(SPANS[0]))
            for span in reversed(late):
                send(collector, a_body(span))
        found = store.fetch(TRACE)
    (whole,) = runs_of(pieces_of_json(a_body(*SPANS)))

    assert whole.trace is not None
    assert kinds(found) == kinds(whole.trace)


def test_bytes_grow_with_the_records_and_not_with_their_square(tmp_path: Path) -> None:
    """A run in many batches costs a few times its bytes."""
    batches = 32
    size = sum(len(a_body(filler(number))) for number in range(batches))
    with open_store(tmp_path / "store") as store, collecting(store) as collector:
        send(collector, a_body(*SPANS))
        for number in range(batches):
            send(collector, a_body(filler(number)))

    assert stored_bytes(tmp_path) < 5 * size  # each time anew would be 16 times
    with open_store(tmp_path / "store") as store:
        assert len(store.raw(TRACE)) > size


@pytest.mark.parametrize("step_s", [0.0, 1.0, 2.5, 10.0, 60.0, 3600.0])
def test_no_pace_of_batches_makes_bytes_grow_with_their_square(step_s: float) -> None:
    """A thousand batches of one size, seconds or hours apart: the whole each time would be 500."""
    clock = Clock()
    patience = Patience(clock=clock)
    patience.stored("r", 1)
    written = 0
    for number in range(1, 1001):
        patience.came_late("r", 1)
        clock.now += step_s
        for _ in patience.due():
            written += number
            patience.stored("r", number)

    assert written / 1000 < 25


def test_a_run_that_is_quiet_is_put_together(tmp_path: Path) -> None:
    """Nobody has to end the receiver to list what came."""
    clock = Clock()
    with open_store(tmp_path / "store") as store, collecting(store, clock=clock) as collector:
        send(collector, a_body(*SPANS))
        send(collector, a_body(filler(1)))
        early = store.waiting()
        clock.now = 3.0
        send(collector, a_body(filler(2), trace="e" * 32))
        send(collector, a_body(filler(3), trace="e" * 32))

        assert early == {TRACE}
        assert TRACE not in store.waiting()


def test_what_a_killed_receiver_left_is_taken_up(tmp_path: Path) -> None:
    """Between the answer and the joining the process may end."""
    (first,) = runs_of(pieces_of_json(a_body(*SPANS[:2])))
    with open_store(tmp_path / "store") as store:
        append(store, [first], "one")
        append(store, [LateRecords(run_id=TRACE, raw=a_body(*SPANS[2:]))], "two")
        assert kinds(latest(store, TRACE)[0]).count("tool_result") == 1
        assert kinds(store.fetch(TRACE)).count("tool_result") == 0

        with collecting(store):
            pass

        assert store.waiting() == frozenset()
        assert kinds(store.fetch(TRACE)).count("tool_result") == 1


def test_what_came_while_a_run_was_put_together_still_waits(tmp_path: Path) -> None:
    """Another receiver writes into the same store: its records must not be lost."""
    (first,) = runs_of(pieces_of_json(a_body(SPANS[0])))
    with open_store(tmp_path / "store") as store, open_store(tmp_path / "store") as other:
        append(store, [first], "one")
        append(store, [LateRecords(run_id=TRACE, raw=a_body(SPANS[1]))], "two")

        def seen(run: Any) -> Any:  # noqa: ANN401
            append(other, [LateRecords(run_id=TRACE, raw=a_body(*SPANS[2:]))], "three")
            return run

        put_together(store, [TRACE], seen=seen)

        assert store.waiting() == {TRACE}
        assert len(store.pieces(TRACE)) == 2
        assert kinds(latest(store, TRACE)[0]).count("tool_result") == 1
        assert store.verify(deep=True).damages == ()


def test_two_that_put_a_run_together_agree(tmp_path: Path) -> None:
    """The second finds it done, byte for byte."""
    (first,) = runs_of(pieces_of_json(a_body(*SPANS[:2])))
    with open_store(tmp_path / "store") as store:
        append(store, [first], "one")
        append(store, [LateRecords(run_id=TRACE, raw=a_body(*SPANS[2:]))], "two")

        one = put_together(store, [TRACE], seen=lambda run: run)
        two = put_together(store, [TRACE], seen=lambda run: run)

    assert (one.runs, two.runs, two.duplicates) == (1, 0, 1)


def test_a_later_file_joins_what_waits(tmp_path: Path) -> None:
    """`ingest` of a file with spans of the run reads all that is stored of it."""
    from workbench.review.intake import take_file

    (first,) = runs_of(pieces_of_json(a_body(SPANS[0])))
    file = tmp_path / "late.json"
    file.write_bytes(a_body(*SPANS[2:]))
    with open_store(tmp_path / "store") as store:
        append(store, [first], "one")
        append(store, [LateRecords(run_id=TRACE, raw=a_body(SPANS[1]))], "two")

        take_file(store, file)

        assert store.waiting() == frozenset()
        assert kinds(store.fetch(TRACE)).count("tool_result") == 1


def test_a_store_that_is_full_when_runs_are_put_together_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came is stored; the next start takes it up."""
    said: list[str] = []

    def full(*_: object, **__: object) -> None:
        raise StoreFull

    with open_store(tmp_path / "store") as store:
        collector = Collector(store, limit_bytes=1 << 20, on_failure=said.append, clock=Clock())
        thread = threading.Thread(target=collector.work)
        thread.start()
        for trace in ("d" * 32, "e" * 32):
            send(collector, a_body(*SPANS[:2], trace=trace))
            send(collector, a_body(SPANS[2], trace=trace))
        monkeypatch.setattr("workbench.review.collect.put_together", full)
        collector.stop()
        thread.join()

        assert len(store.waiting()) == 2
        assert len(said) == 3  # both together, then each alone
        assert "stored, and not joined yet" in said[0]
        monkeypatch.undo()
        with collecting(store):
            pass
        assert store.waiting() == frozenset()


def test_damaged_late_rows_are_named(tmp_path: Path) -> None:
    """A late row has no row of a run to check it against, but its own digest and the log."""
    (first,) = runs_of(pieces_of_json(a_body(*SPANS[:2])))
    with open_store(tmp_path / "store") as store:
        append(store, [first], "one")
        before = set((tmp_path / "store").rglob("record=event/**/*.parquet"))
        append(store, [LateRecords(run_id=TRACE, raw=a_body(*SPANS[2:]))], "two")
        (part,) = set((tmp_path / "store").rglob("record=event/**/*.parquet")) - before
        table = pq.read_table(part)
        assert table.schema.names == EVENT.schema.names
        part.unlink()

        assert not store.verify(deep=True).ok


def test_patience_doubles_until_the_run_has() -> None:
    """A slow run is written anew a few times for each doubling."""
    clock = Clock()
    patience = Patience(clock=clock)
    patience.stored("r", 1000)
    times = 0
    for _ in range(100):
        patience.came_late("r", 1)
        clock.now += 10
        for (run_id,) in patience.due():
            times += 1
            patience.stored(run_id, 1000 + times)

    assert times == 3  # after 2, 4 and 8 quiet seconds; then 16
    assert patience.wait_s() == 6.0
    patience.postpone(["r"])
    assert patience.wait_s() == 32.0
    assert [*patience.due(all_of_them=True)] == [["r"]]


def test_large_runs_are_put_together_one_by_one() -> None:
    """At the end thousands may wait; they must not all be held at once."""
    patience = Patience(clock=Clock())
    for name in "abc":
        patience.stored(name, 20 << 20)
        patience.came_late(name, 1)

    assert [*patience.due()] == []
    assert [*patience.due(all_of_them=True)] == [["a", "b"], ["c"]]

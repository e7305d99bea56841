"""Records that come late: stored at once, joined when it is read, written anew rarely."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from tests.ingest.otlp.spans import TRACE, a_billing_run, a_document
from tests.ingest.samples import kinds
from workbench.casefile.trace import trace_document
from workbench.errors import TraceFormatError
from workbench.ingest.received import pieces_of_json, runs_of
from workbench.model.settings import Settings
from workbench.model.trace import Effect, Imported, Tool
from workbench.review.collect import Answer, Collector
from workbench.review.intake import take_file
from workbench.review.late import CannotJoin, Patience, again, as_received, latest, put_together
from workbench.review.source import Lookup, find_run
from workbench.store.append import SourceFile
from workbench.store.batches import LateRecords
from workbench.store.errors import RunsChanged, StoreFull
from workbench.store.handle import open_store
from workbench.store.parts import sync_folders
from workbench.store.tables import EVENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from workbench.model.trace import Losses, Trace
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
        assert len(said) == 1
        assert "late records of 2 runs are stored, and not joined yet" in said[0]
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


def half_waits(store: Store) -> None:
    """Store a part of the run; the rest comes late and waits."""
    (first,) = runs_of(pieces_of_json(a_body(*SPANS[:2])))
    append(store, [first], "one")
    append(store, [LateRecords(run_id=TRACE, raw=a_body(*SPANS[2:]))], "two")


def as_ours(folder: Path, trace: Trace) -> Path:
    """A run as our own format writes it."""
    file = folder / "ours.json"
    file.write_text(json.dumps(trace_document(trace)))
    return file


def loss_kinds(losses: Losses) -> set[str]:
    """What is named as lost."""
    return {loss.kind for loss in losses.items}


def only_run(body: bytes) -> Imported:
    """The one run of a request."""
    (run,) = runs_of(pieces_of_json(body))
    return run


def broken(_: object, *, file: str, tools: object) -> Imported:
    """An importer that cannot read a run."""
    return Imported(run_id=TRACE, raw=b"whole", parse_error="a bug of the importer")


def test_a_stray_span_beside_a_run_of_another_kind_waits_and_is_named(tmp_path: Path) -> None:
    """One span must not stand for a whole run: that one is shown still, and says what waits."""
    (whole,) = runs_of(pieces_of_json(a_body(*SPANS)))
    assert whole.trace is not None
    stray = tmp_path / "stray.json"
    stray.write_bytes(a_body(filler(1)))
    with open_store(tmp_path / "store") as store:
        take_file(store, as_ours(tmp_path, replace(whole.trace, source=None)))
        before = store.fetch(TRACE)
        batch = sha256(a_body(SPANS[0])).hexdigest()
        row = as_received(store, only_run(a_body(SPANS[0])), known={TRACE}, alike=())
        store.append([row], source=SourceFile(name="stray", format="otlp", digest=batch))
        taken = take_file(store, stray)

        assert store.fetch(TRACE) == before
        assert TRACE in taken.checkup.unreadable
        assert store.waiting() == {TRACE}
        shown, losses, _ = latest(store, TRACE)
        assert kinds(shown) == kinds(whole.trace)
        assert "late_records_apart" in loss_kinds(losses)
        assert "earlier_version_apart" not in loss_kinds(losses)
        assert b"".join(store.pieces(TRACE)).count(a_body(SPANS[0])) == 1
        assert store.verify(deep=True).damages == ()


def test_spans_that_are_received_never_replace_a_run_of_another_kind(tmp_path: Path) -> None:
    """What somebody gave as a file stays; the collector says once, at its end, what waits."""
    whole = only_run(a_body(*SPANS))
    assert whole.trace is not None
    said: list[str] = []
    with open_store(tmp_path / "store") as store:
        take_file(store, as_ours(tmp_path, replace(whole.trace, source=None)))
        collector = Collector(store, limit_bytes=1 << 20, on_failure=said.append, clock=Clock())
        thread = threading.Thread(target=collector.work)
        thread.start()
        for number in range(6):
            send(collector, a_body(*SPANS, filler(number)))
        told_before_the_end = list(said)
        collector.stop()
        thread.join()

        assert told_before_the_end == []
        assert len(said) == 1
        assert "records of another kind" in said[0]
        assert "earlier_version_apart" not in loss_kinds(store.losses(TRACE))
        assert "late_records_apart" in loss_kinds(latest(store, TRACE)[1])
        assert len(store.pieces(TRACE)) == 7


def test_what_could_not_be_joined_is_said_once_for_all_runs(tmp_path: Path) -> None:
    """A line a run, and again when the receiver ends, would hide what else was said."""
    whole = only_run(a_body(*SPANS))
    assert whole.trace is not None
    said: list[str] = []
    ids = [f"{number:032x}" for number in range(1, 4)]
    with open_store(tmp_path / "store") as store:
        for run_id in ids:
            ours = replace(whole.trace, source=None, run_id=run_id)
            file = tmp_path / f"{run_id}.json"
            file.write_text(json.dumps(trace_document(ours)))
            take_file(store, file)
        collector = Collector(store, limit_bytes=1 << 20, on_failure=said.append, clock=Clock())
        bodies = [a_body(filler(1), trace=run_id) for run_id in ids]
        collector.stop()
        late = [as_received(store, only_run(b), known=set(ids), alike=()) for b in bodies]
        append(store, late, "late")
        collector.work()

    assert len(said) == 1
    assert said[0].startswith("late records of 3 runs are stored, and not joined yet: ")


def test_a_run_that_could_not_be_read_gives_way_to_spans(tmp_path: Path) -> None:
    """What nobody can read is worth less than any span that can be read."""
    unread = Imported(run_id=TRACE, raw=b"{", parse_error="ends in the middle")
    with open_store(tmp_path / "store") as store:
        append(store, [unread], "unread")
        with collecting(store) as collector:
            send(collector, a_body(*SPANS))

        assert only_run(a_body(*SPANS)).trace is not None
        assert "model_reply" in kinds(store.fetch(TRACE))
        assert store.waiting() == frozenset()


@pytest.mark.parametrize("source_is_kept", ["yes", "no"])
def test_what_a_run_is_not_made_of_waits_on(tmp_path: Path, source_is_kept: str) -> None:
    """A file in our format brings the run without its late records: they are not let go."""
    with open_store(tmp_path / "store") as store:
        half_waits(store)
        trace = store.fetch(TRACE)
        trace = trace if source_is_kept == "yes" else replace(trace, source=None)
        take_file(store, as_ours(tmp_path, trace))

        assert store.waiting() == {TRACE}
        shown, losses, _ = latest(store, TRACE)
        assert kinds(shown) == kinds(trace)
        assert "late_records_apart" in loss_kinds(losses)
        with pytest.raises(CannotJoin, match="of another kind"):
            put_together(store, [TRACE], seen=lambda run: run)
        assert b"".join(store.pieces(TRACE)).endswith(a_body(*SPANS[2:]))


def test_records_that_break_the_importer_leave_the_run_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What could be read must stay readable, and what came is kept."""
    file = tmp_path / "late.json"
    file.write_bytes(a_body(filler(1)))
    with open_store(tmp_path / "store") as store:
        half_waits(store)
        before = store.fetch(TRACE)
        monkeypatch.setattr("workbench.ingest.joined.imported", broken)

        with pytest.raises(CannotJoin, match="a bug of the importer"):
            put_together(store, [TRACE], seen=lambda run: run)
        taken = take_file(store, file, explain_run=TRACE)

        assert store.fetch(TRACE) == before
        assert TRACE in taken.checkup.unreadable
        assert taken.explained is not None
        assert TRACE in taken.explained.unreadable
        assert len(store.pieces(TRACE)) == 3
        assert "late_records_apart" in loss_kinds(latest(store, TRACE)[1])
        monkeypatch.undo()
        put_together(store, [TRACE], seen=lambda run: run)
        assert store.waiting() == frozenset()
        assert kinds(store.fetch(TRACE)).count("tool_result") == 1


def test_declared_tools_stay_when_late_records_are_joined(tmp_path: Path) -> None:
    """What a tool may do was said once, when the run was stored, of tools that wait for a call too."""
    declared = [Tool(name="pause", effect=Effect.WRITE), Tool(name="billing.x", effect=Effect.READ)]
    (first,) = runs_of(pieces_of_json(a_body(*SPANS[:2])), tools=declared)
    with open_store(tmp_path / "store") as store:
        append(store, [first], "one")
        append(store, [LateRecords(run_id=TRACE, raw=a_body(*SPANS[2:]))], "two")
        stored = store.imported(TRACE)[0].tools

        waiting = latest(store, TRACE)[0].tools
        put_together(store, [TRACE], seen=lambda run: run)

        effects = {tool.name: tool.effect for tool in stored}
        assert effects == {"pause": Effect.WRITE, "billing.x": Effect.READ}
        assert {tool.name: tool.effect for tool in waiting} == effects
        assert store.imported(TRACE)[0].tools == waiting


def test_a_run_that_is_stored_while_a_file_is_read_is_joined(tmp_path: Path) -> None:
    """Between reading what is stored and the commit another writer may bring the same run."""
    (half,) = runs_of(pieces_of_json(a_body(*SPANS[2:])))
    (whole,) = runs_of(pieces_of_json(a_body(*SPANS)))
    file = tmp_path / "early.json"
    file.write_bytes(a_body(*SPANS[:2]))
    told: list[int] = []
    with open_store(tmp_path / "store") as store, open_store(tmp_path / "store") as other:

        def on_progress(_: int, __: int) -> None:
            told.append(store.head().version)
            if len(told) == 1:
                append(other, [replace(half, made_of=())], "collector")

        taken = take_file(store, file, on_progress=on_progress)

        assert taken.runs == 1
        assert taken.checkup.runs == 1
        assert whole.trace is not None
        assert kinds(store.fetch(TRACE)) == kinds(whole.trace)


def test_a_run_that_another_receiver_stores_at_the_same_moment_is_joined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two receivers of one store: neither may put its part in the place of the other's."""
    (half,) = runs_of(pieces_of_json(a_body(*SPANS[:2])))
    (whole,) = runs_of(pieces_of_json(a_body(*SPANS)))
    with open_store(tmp_path / "store") as store, open_store(tmp_path / "store") as other:
        once = [replace(half, made_of=())]

        def meanwhile(*args: Any) -> None:  # noqa: ANN401
            sync_folders(*args)
            if once:
                append(other, [once.pop()], "other")

        monkeypatch.setattr("workbench.store.delta.sync_folders", meanwhile)
        with collecting(store) as collector:
            send(collector, a_body(*SPANS[2:]))
            assert store.waiting() == {TRACE}

        assert whole.trace is not None
        assert kinds(store.fetch(TRACE)) == kinds(whole.trace)
        assert store.verify(deep=True).damages == ()


def test_what_always_comes_too_late_is_refused_in_the_end() -> None:
    """Others who never rest must not hold a writer for ever."""
    tries: list[int] = []

    def attempt() -> None:
        tries.append(1)
        raise RunsChanged(1)

    with pytest.raises(RunsChanged, match="1 runs that another writer changed"):
        again(attempt)
    assert len(tries) == 8


def test_a_search_finds_what_waits(tmp_path: Path) -> None:
    """Whoever looks for a text must not be told that it never came."""
    with open_store(tmp_path / "store") as store:
        half_waits(store)
        raw = a_body(filler(4711))
        append(store, [LateRecords(run_id=TRACE, raw=raw)], "three")

        assert [hit.run_id for hit in store.search("4711")] == [TRACE]
        put_together(store, [TRACE], seen=lambda run: run)
        assert [hit.run_id for hit in store.search("4711")] == [TRACE]


def test_what_cannot_be_put_together_is_tried_more_and_more_rarely() -> None:
    """Also after a restart, when no size is known, and however much comes meanwhile."""
    clock = Clock()
    patience = Patience(clock=clock)
    patience.came_late("r", 0)
    tried = []
    for second in range(100):
        clock.now = float(second)
        patience.came_late("r", 1)
        for run_ids in patience.due():
            tried.append(second)
            patience.postpone(run_ids)

    assert tried == [0, 4, 12, 28, 60]


def test_runs_for_which_nothing_waits_are_forgotten_in_the_end() -> None:
    """A receiver that runs for months sees millions of runs."""
    patience = Patience(clock=Clock(), remembered=2)
    for number in range(5):
        patience.stored(f"r{number}", 10)
    patience.came_late("r3", 5)
    patience.came_late("r0", 5)

    assert [*patience.due()] == [["r0"]]
    assert len(patience._resting) == 1


def test_a_file_beside_a_run_of_another_kind_says_so(tmp_path: Path) -> None:
    """What is stored in another form is no part of what the file brings."""
    (whole,) = runs_of(pieces_of_json(a_body(*SPANS)))
    assert whole.trace is not None
    file = tmp_path / "later.json"
    file.write_bytes(a_body(*SPANS))
    with open_store(tmp_path / "store") as store:
        take_file(store, as_ours(tmp_path, whole.trace))
        taken = take_file(store, file)

        assert [loss.kind for loss, _ in taken.checkup.losses].count("earlier_version_apart") == 1
        assert kinds(store.fetch(TRACE)) == kinds(whole.trace)
        assert "earlier_version_apart" in loss_kinds(store.losses(TRACE))


def test_late_records_may_make_a_run_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that could not be read alone may be whole with what comes late."""
    alone = Imported(run_id=TRACE, raw=a_body(*SPANS[:2]), parse_error="is half a run")
    with open_store(tmp_path / "store") as store:
        append(store, [alone], "one")
        append(store, [LateRecords(run_id=TRACE, raw=a_body(*SPANS[2:]))], "two")

        with monkeypatch.context() as patch:
            patch.setattr("workbench.ingest.joined.imported", broken)
            with pytest.raises(TraceFormatError, match="is half a run"):
                latest(store, TRACE)

        assert kinds(latest(store, TRACE)[0]).count("tool_result") == 1
        put_together(store, [TRACE], seen=lambda run: run)
        assert latest(store, TRACE)[0] == store.imported(TRACE)[0]


def test_runs_without_an_id_of_their_own_are_joined_to_nothing(tmp_path: Path) -> None:
    """Log records without a trace id get an id of their bytes: no other file can add to it."""
    log = {"timeUnixNano": "1", "body": {"stringValue": "x"}}
    body = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [log]}]}]}).encode()
    with open_store(tmp_path / "store") as store:
        with collecting(store) as collector:
            send(collector, body)
            send(collector, body + b" ")

        assert len(store.run_ids()) == 1
        assert store.waiting() == frozenset()

"""Several processes at once, and processes that die: nothing acknowledged is lost, nothing is half."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.store.runs import a_run, a_source
from workbench.store import CommitContention, Store, TrialResult, open_store
from workbench.store.delta import DeltaFolder
from workbench.store.tables import PROPERTIES

if TYPE_CHECKING:
    from collections.abc import Callable


_REPO = Path(__file__).parents[2]

_WRITER = """
import sys
from tests.store.runs import a_run, a_source
from workbench.store import open_store
folder, name, count, width = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
with open_store(folder) as store:
    for batch in range(count):
        runs = [a_run(f"{name}-{batch}-{nth}") for nth in range(width)]
        store.append(runs, source=a_source(f"{name}-{batch}"))
        print(batch, flush=True)
"""


def _writer(folder: Path, name: str, *, count: int, width: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(folder), name, str(count), str(width)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=_REPO,
    )


def _run_ids(store: Store) -> set[str]:
    return {str(run_id) for run_id in store.runs().column("run_id").to_pylist()}


@pytest.mark.slow
def test_writers_that_begin_at_once_lose_nothing(tmp_path: Path) -> None:
    """They even make the store at once, and the chain has one line."""
    folder = tmp_path / "store"
    writers = [_writer(folder, name, count=6, width=2) for name in "ab"]

    codes = [writer.wait(timeout=120) for writer in writers]
    said = [writer.communicate()[0].split() for writer in writers]

    assert codes == [0, 0]
    assert said == [[str(batch) for batch in range(6)]] * 2
    with open_store(folder) as store:
        want = {f"{name}-{batch}-{nth}" for name in "ab" for batch in range(6) for nth in range(2)}
        assert _run_ids(store) == want
        found = store.verify(deep=True)
        assert found.ok
        assert (found.entries, found.orphans) == (13, 0)


@pytest.mark.slow
def test_the_same_source_from_two_processes_is_stored_once(tmp_path: Path) -> None:
    """Both are told that it is there."""
    folder = tmp_path / "store"
    writers = [_writer(folder, "same", count=4, width=3) for _ in range(2)]

    assert [writer.wait(timeout=120) for writer in writers] == [0, 0]
    for writer in writers:
        writer.communicate()

    with open_store(folder) as store:
        found = store.verify(deep=True)
        assert found.ok
        assert (found.entries, found.rows, found.orphans) == (5, 12, 0)


@pytest.mark.slow
def test_a_writer_that_is_killed_leaves_whole_batches(tmp_path: Path) -> None:
    """What it was told is stored is stored; what it had begun is there whole or not at all."""
    chance = random.Random(7)  # noqa: S311  a repeatable sample
    folder = tmp_path / "store"
    acknowledged: set[str] = set()
    for nth in range(6):
        writer = _writer(folder, f"w{nth}", count=1000, width=5)
        assert writer.stdout is not None
        first = writer.stdout.readline()
        time.sleep(chance.uniform(0.0, 0.15))
        writer.send_signal(signal.SIGKILL)
        batches = (first + writer.communicate()[0]).split()
        acknowledged |= {f"w{nth}-{batch}" for batch in batches}

    with open_store(folder) as store:
        stored = _run_ids(store)
        whole = {run_id.rpartition("-")[0] for run_id in stored}
        assert len(acknowledged) >= 6
        assert acknowledged <= whole
        assert stored == {f"{batch}-{place}" for batch in whole for place in range(5)}
        assert store.verify(deep=True).ok
        assert store.append([a_run("after")], source=a_source("after")).runs == 1


class _Rival:
    """A clock that lets another handle act first, each time a commit looks at it."""

    def __init__(self, folder: Path, act: Callable[[Store, int], object], *, times: int) -> None:
        self.store = open_store(folder)
        self.act = act
        self.left = times

    def __call__(self) -> float:
        if self.left:
            self.left -= 1
            self.act(self.store, self.left)
        return 1_800_000_000.0


def _other_run(rival: Store, nth: int) -> None:
    rival.append([a_run(f"other-{nth}")], source=a_source(f"other-{nth}"))


def _same_run(rival: Store, _: int) -> None:
    rival.append([a_run("mine")], source=a_source("mine"))


def _decision(rival: Store, _: int) -> None:
    rival.decide("d-1", at="2026-05-31", actor="b", kind="retain")


def test_a_version_that_is_lost_is_tried_again(store: Store) -> None:
    """The chain extends the entry that won."""
    with open_store(store.root, clock=_Rival(store.root, _other_run, times=2)) as late:
        commit = late.append([a_run("mine")], source=a_source("mine"))

    assert commit.version == 3
    assert _run_ids(store) == {"mine", "other-0", "other-1"}
    assert store.verify(deep=True).ok


def test_the_same_source_that_wins_meanwhile_is_the_answer(store: Store) -> None:
    """Our own parts go; the other's commit is what is returned."""
    with open_store(store.root, clock=_Rival(store.root, _same_run, times=1)) as late:
        commit = late.append([a_run("mine")], source=a_source("mine"))

    assert commit.repeated
    assert (commit.version, commit.duplicates) == (1, 1)
    assert store.verify(deep=True).orphans == 0
    assert store.runs().num_rows == 1


def test_a_run_that_two_writers_bring_at_once_is_shown_once(store: Store) -> None:
    """Each of them looked before the other committed; the copies are equal."""

    def from_another_file(rival: Store, _: int) -> None:
        rival.append([a_run("mine")], source=a_source("theirs"))

    with open_store(store.root, clock=_Rival(store.root, from_another_file, times=1)) as late:
        commit = late.append([a_run("mine")], source=a_source("mine"))

    assert (commit.runs, commit.version) == (1, 2)
    assert store.runs().num_rows == 1
    assert store.fetch("mine") == store.fetch("mine", as_of=1)
    assert store.verify(deep=True).ok


def test_decisions_of_two_processes_are_numbered_without_a_gap(store: Store) -> None:
    """A number that was lost is taken anew."""
    store.decide("d-1", at="2026-05-31", actor="a", kind="retain")

    with open_store(store.root, clock=_Rival(store.root, _decision, times=1)) as late:
        mine = late.decide("d-1", at="2026-05-31", actor="c", kind="lock")

    assert mine.seq == 2
    assert [decision.actor for decision in store.decisions("d-1")] == ["a", "b", "c"]
    assert store.verify().ok
    assert store.verify().orphans == 0


def test_results_of_two_processes_are_all_kept(store: Store) -> None:
    """The order of trials means nothing; none may be lost."""
    result = TrialResult(case_id="c", case_digest="d", verdict="pass")

    def same_result(rival: Store, _: int) -> None:
        rival.record([result])

    with open_store(store.root, clock=_Rival(store.root, same_result, times=1)) as late:
        late.record([result])

    assert store.results("c") == (result, result)
    assert store.verify().ok


def test_a_writer_that_never_wins_gives_up(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an error that says so, and nothing left behind."""
    monkeypatch.setattr("workbench.store.delta.MAX_TRIES", 3)
    monkeypatch.setattr("workbench.store.records.MAX_TRIES", 3)
    result = TrialResult(case_id="c", case_digest="d", verdict="pass")

    store.decide("d-1", at="2026-05-31", actor="a", kind="retain")
    store.record([result])

    def late(act: Callable[[Store, int], object]) -> Store:
        return open_store(store.root, clock=_Rival(store.root, act, times=3))

    with pytest.raises(CommitContention, match="no free version after 3 tries"):
        late(_other_run).append([a_run("mine")], source=a_source("mine"))
    with pytest.raises(CommitContention):
        late(_decision).decide("d-1", at="2026-05-31", actor="c", kind="retain")
    with pytest.raises(CommitContention):
        late(lambda rival, _: rival.record([result])).record([result])

    assert "mine" not in _run_ids(store)
    assert len(store.decisions("d-1")) == len(store.results("c")) == 4
    found = store.verify(deep=True)
    assert found.ok
    assert found.orphans == 0


@pytest.mark.parametrize("damage", ["none", "empty", "gone"])
def test_an_error_after_the_commit_deletes_nothing_that_an_entry_names(
    store: Store, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    """Ctrl-C between the entry and its answer: the batch is there, also for the next try.

    A log that cannot be read afterwards is no reason to delete either.
    """
    entry = store.root / "traces" / "_delta_log" / f"{1:020d}.json"

    def interrupted(*_: object) -> None:
        kept.append(entry.read_bytes())
        if damage == "empty":
            entry.write_bytes(b"")
        elif damage == "gone":
            entry.rename(entry.with_suffix(".away"))
            entry.with_name(f"{2:020d}.json").touch()
        raise KeyboardInterrupt

    kept: list[bytes] = []
    monkeypatch.setattr(DeltaFolder, "_settle", interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.append([a_run()], source=a_source())
    monkeypatch.undo()
    entry.write_bytes(kept[0])
    entry.with_name(f"{2:020d}.json").unlink(missing_ok=True)

    assert store.raw("run-1") == b"raw of run-1"
    assert store.append([], source=a_source()).repeated
    assert store.verify(deep=True).ok


def test_checkpoints_are_made_on_the_way(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines then open a long log at once; verify still replays all of it."""
    monkeypatch.setitem(PROPERTIES, "delta.checkpointInterval", "2")
    with open_store(store.root / "traces" / ".." / ".." / "other") as often:
        for nth in range(5):
            often.append([a_run(f"r{nth}")], source=a_source(str(nth)))

        log = often.root / "traces" / "_delta_log"
        assert len(list(log.glob("*.checkpoint.parquet"))) >= 2
        assert often.verify(deep=True).ok
        assert often.verify().entries == 6
        with open_store(often.root) as again:
            assert again.runs().num_rows == 5

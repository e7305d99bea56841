"""Runs of a source are one commit, or nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from tests.builders import a_trace, a_user
from tests.store.runs import a_run, a_small_trace, a_source, an_import
from workbench.errors import InputError, TraceFormatError
from workbench.model.trace import Losses
from workbench.store import Store, StoreCorrupt, open_store
from workbench.store.append import MAX_OPEN_PARTS
from workbench.store.log import entry_path

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from workbench.model.trace import Imported


def _parts(store: Store) -> list[Path]:
    return sorted((store.root / "traces").glob("record=*/**/*.parquet"))


def _unread(run_id: str) -> Imported:
    raise AssertionError(f"{run_id} was read")


def test_runs_of_a_source_are_one_commit(store: Store) -> None:
    """Both kinds of row, in one entry of the log."""
    commit = store.append([a_run("a"), a_run("b")], source=a_source())

    assert (commit.runs, commit.events, commit.duplicates, commit.repeated) == (2, 12, 0, False)
    assert commit.batch_id == a_source().digest
    assert commit.version == commit.head.version == 1
    assert commit.head == store.head()
    assert {path.parts[-3] for path in _parts(store)} == {"record=event", "record=run"}


def test_the_same_source_again_adds_nothing_and_is_not_read(store: Store) -> None:
    """Ingesting twice is safe, and says so."""
    first = store.append([a_run("a"), a_run("b")], source=a_source())
    parts = _parts(store)

    again = store.append(map(_unread, "ab"), source=a_source())

    assert again == replace(first, duplicates=2, repeated=True)
    assert _parts(store) == parts
    assert store.head() == first.head


def test_a_digest_may_name_its_algorithm(store: Store) -> None:
    """`sha256:` before it makes no second batch."""
    store.append([a_run()], source=a_source())

    again = store.append([], source=replace(a_source(), digest=f"sha256:{a_source().digest}"))

    assert again.repeated


def test_a_digest_that_is_none_is_refused(store: Store) -> None:
    """It would make a batch id that no other run of the file has."""
    with pytest.raises(InputError, match=r"runs\.jsonl: digest is a string of 4 characters"):
        store.append([a_run()], source=replace(a_source(), digest="beef"))


def test_a_run_that_arrives_in_another_file_is_counted_and_not_stored_again(store: Store) -> None:
    """Same id, same bytes."""
    store.append([a_run("a")], source=a_source("one"))

    second = store.append([a_run("a"), a_run("b")], source=a_source("two"))
    third = store.append([a_run("a"), a_run("b")], source=a_source("three"))

    assert (second.runs, second.duplicates) == (1, 1)
    assert (third.runs, third.duplicates, third.version) == (0, 2, 3)
    assert store.append([], source=a_source("two")).duplicates == 2
    assert store.runs().num_rows == 2
    assert store.verify(deep=True).ok


def test_a_run_with_other_contents_is_a_later_version(store: Store) -> None:
    """Late records are normal: the latest version is shown, the first one is kept."""
    early, late = a_small_trace("a"), replace(a_small_trace("a"), tags=("late",))
    store.append([an_import(early, raw=b"early")], source=a_source("one"))

    store.append([an_import(late, raw=b"late")], source=a_source("two"))

    assert store.runs().num_rows == 1
    assert store.imported("a")[::2] == (late, b"late")
    assert store.fetch("a").tags == ("late",)
    assert store.fetch("a", as_of=1).tags == ()


def test_an_old_version_that_arrives_again_stays_a_duplicate(store: Store) -> None:
    """Else the latest view would go back in time."""
    store.append([a_run("a", raw=b"early")], source=a_source("one"))
    store.append([a_run("a", raw=b"late")], source=a_source("two"))

    third = store.append([a_run("a", raw=b"early")], source=a_source("three"))

    assert third.duplicates == 1
    assert store.raw("a") == b"late"


def test_a_run_twice_in_a_source_is_stored_once(store: Store) -> None:
    """Exporters repeat themselves."""
    commit = store.append([a_run("a"), a_run("a")], source=a_source())

    assert (commit.runs, commit.duplicates) == (1, 1)


def test_one_id_with_two_contents_in_a_source_is_refused_whole(store: Store) -> None:
    """Which of them is the run? Nothing is stored half."""
    runs = [a_run("b"), a_run("a", raw=b"1"), a_run("a", raw=b"2")]

    with pytest.raises(TraceFormatError, match=r"holds run 'a' twice.*\n  Fix: ") as caught:
        store.append(runs, source=a_source())

    assert caught.value.place == "runs.jsonl"
    assert _parts(store) == []
    assert store.head().version == 0
    assert store.verify(deep=True).orphans == 0


def test_a_source_without_a_run_is_refused(store: Store) -> None:
    """An empty batch would claim that something was stored."""
    with pytest.raises(TraceFormatError, match="holds no run"):
        store.append([], source=a_source())


def test_an_importer_that_fails_midway_leaves_nothing(store: Store) -> None:
    """Whatever it raises."""

    def failing() -> Iterator[Imported]:
        yield a_run("a")
        yield a_run("b", at="2026-05-31T08:00:00Z")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.append(failing(), source=a_source())

    assert _parts(store) == []
    assert store.append([a_run("a")], source=a_source()).runs == 1


def test_a_run_lies_under_the_day_of_its_first_event(store: Store) -> None:
    """Runs without a time, and of any year, have their place too."""
    runs = [a_run("a", at="2026-05-31T08:00:00Z"), a_run("b"), a_run("c", at="0001-01-01")]

    store.append(runs, source=a_source())

    assert {path.parts[-2] for path in _parts(store)} == {
        "date=2026-05-31",
        "date=__HIVE_DEFAULT_PARTITION__",
        "date=0001-01-01",
    }
    assert [store.raw(run_id) for run_id in "abc"] == [b"raw of a", b"raw of b", b"raw of c"]
    assert store.verify(deep=True).ok


def test_many_days_in_one_source_do_not_stay_open(store: Store) -> None:
    """A year of runs in one file must not hold a year of row groups in memory."""
    days = [f"2026-{1 + nth // 28:02}-{1 + nth % 28:02}" for nth in range(MAX_OPEN_PARTS + 3)]

    store.append([a_run(day, at=day) for day in [*days, days[0]]], source=a_source())

    assert store.runs().num_rows == len(days)
    assert store.verify(deep=True).ok


def test_a_run_longer_than_a_cell_can_be_is_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arrow's offsets end at 2 GB; the error says so before memory does."""
    monkeypatch.setattr("workbench.store.append.MAX_RAW_BYTES", 3)

    with pytest.raises(TraceFormatError, match="holds a run of 8 bytes; expected at most 3"):
        store.append([a_run("a")], source=a_source())


def test_a_part_that_is_full_is_followed_by_another(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run is never split over parts."""
    monkeypatch.setattr("workbench.store.parts.GROUP_BYTES", 10)
    monkeypatch.setattr("workbench.store.parts.PART_BYTES", 100)

    store.append([an_import(a_small_trace(f"r{n}"), rows=4) for n in range(5)], source=a_source())

    parts = [path for path in _parts(store) if "record=event" in path.parts]
    seen = [set(pq.ParquetFile(path).read(["run_id"])["run_id"].to_pylist()) for path in parts]
    assert len(parts) > 2
    assert sum(map(len, seen)) == len(set().union(*seen)) == 5
    assert store.verify(deep=True).ok


def test_row_groups_are_sorted_and_hold_whole_runs(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fetch then reads one group; only a huge run is cut."""
    monkeypatch.setattr("workbench.store.parts.GROUP_BYTES", 100)
    monkeypatch.setattr("workbench.store.parts.RUN_SPLIT_BYTES", 150)
    names = ["d", "b", "c", "a"]
    runs = [an_import(a_small_trace(name), raw=b"x" * 40, rows=2) for name in names]
    huge = an_import(a_small_trace("huge"), raw=b"y" * 200, rows=4)

    store.append([*runs, huge], source=a_source())

    (path,) = (path for path in _parts(store) if "record=event" in path.parts)
    with pq.ParquetFile(path) as part:
        groups = [part.read_row_group(n)["run_id"].to_pylist() for n in range(part.num_row_groups)]
    assert groups[:2] == [["b", "b", "c", "c", "d", "d"], ["a", "a"]]
    assert len(groups) > 3
    assert {name for group in groups[2:] for name in group} == {"huge"}
    assert store.raw("huge") == b"y" * 200


@pytest.mark.slow
def test_a_run_of_twenty_thousand_events_comes_back(store: Store) -> None:
    """An agent that ran all night, a row an event."""
    trace = a_trace(*[a_user(f"message {nth}") for nth in range(20_000)])
    imported = an_import(trace, raw=b"0123456789" * 20_000, rows=20_000)

    store.append([imported], source=a_source())

    assert store.imported(trace.run_id) == (trace, Losses(), imported.raw)


@pytest.mark.slow
@pytest.mark.parametrize("rows", [1, 70])
def test_a_run_of_more_than_64_mb_comes_back(store: Store, rows: int) -> None:
    """In one record, or in many that fill more than one row group."""
    raw = (b"\xff" + bytes(range(200)) * 5) * 66_000
    imported = an_import(a_small_trace(), raw=raw, rows=rows)

    store.append([imported, a_run("small")], source=a_source())

    assert store.raw("run-1") == raw
    assert store.raw("small") == b"raw of small"
    (part,) = (path for path in _parts(store) if "record=event" in path.parts)
    assert pq.ParquetFile(part).num_row_groups == (2 if rows == 1 else 3)
    assert store.verify(deep=True).ok


def test_a_batch_whose_entry_is_gone_is_corrupt(store: Store) -> None:
    """A checkpoint still knows it, so it is neither new nor can it be told what it brought."""
    store.append([a_run("a")], source=a_source("one"))
    store.append([a_run("b")], source=a_source("two"))
    DeltaTable(str(store.root / "traces")).create_checkpoint()
    entry_path(store.root / "traces", 1).unlink()

    with pytest.raises(StoreCorrupt, match="the entry of a batch that engines know"):
        store.append([a_run("a")], source=a_source("one"))


def test_a_second_handle_sees_what_the_first_stored(store: Store) -> None:
    """Every call begins with what has been committed."""
    with open_store(store.root) as other:
        store.append([a_run("a")], source=a_source("one"))
        assert other.raw("a") == b"raw of a"

        other.append([a_run("b")], source=a_source("two"))

    assert store.append([a_run("a"), a_run("b")], source=a_source("three")).duplicates == 2

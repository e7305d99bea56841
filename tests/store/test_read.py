"""What was stored is found, listed and complete, or an error names what is not."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from hypothesis import given, settings

from tests.store.runs import a_run, a_small_trace, a_source, an_import
from tests.store.tampering import edit_entry, forge_part, only_part, with_column
from tests.strategies import hostile_texts
from workbench.check.outcomes import resolve_outcomes
from workbench.errors import InputError, TraceFormatError, UnknownRunError
from workbench.model.event import CallError, Outcome, ToolResult
from workbench.model.trace import Effect, Imported, Loss, Losses, RunStatus, renumbered
from workbench.store import RunNotFound, Store, StoreCorrupt, open_store, plain_rows
from workbench.store.delta import open_table
from workbench.store.query import connect, rows
from workbench.store.tables import TRACES

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa


def _ids(table: pa.Table) -> list[object]:
    return table.column("run_id").to_pylist()


def test_an_imported_run_comes_back_exactly(store: Store) -> None:
    """Trace, losses and bytes."""
    losses = Losses(items=(Loss(kind="task_missing"),))
    imported = an_import(a_small_trace(), raw=b"\xff\xfe{", rows=2, losses=losses)
    store.append([imported], source=a_source())

    assert store.imported("run-1") == (imported.trace, losses, b"\xff\xfe{")
    assert store.losses("run-1") == losses


def test_a_fetched_trace_has_its_outcomes(tmp_path: Path) -> None:
    """They are derived at reading, with the effects of that moment, and never stored."""
    timeout = CallError(type="TimeoutError", message="timed out")
    trace = a_small_trace()
    events = renumbered(
        replace(event, error=timeout) if isinstance(event, ToolResult) else event
        for event in trace.events
    )
    trace = replace(trace, events=events)
    read = {"billing.pause": Effect.READ}
    with open_store(tmp_path / "store", effects=read) as store:
        store.append([an_import(trace)], source=a_source())
        fetched = store.fetch("run-1")
        raw, _, _ = store.imported("run-1")
    with open_store(tmp_path / "store") as again:
        assumed = again.fetch("run-1")

    assert raw == trace
    assert fetched == resolve_outcomes(trace, effects=read)
    assert fetched.events[3].outcome is Outcome.RETRYABLE  # type: ignore[union-attr]
    assert assumed.events[3].outcome is Outcome.UNKNOWN  # type: ignore[union-attr]


def test_an_unknown_run_names_the_nearest(store: Store) -> None:
    """A mistyped id is the usual reason."""
    store.append([a_run("billing-0017"), a_run("other")], source=a_source())

    with pytest.raises(RunNotFound, match="did you mean billing-0017") as caught:
        store.fetch("billing-0071")

    assert isinstance(caught.value, UnknownRunError)
    assert (caught.value.run_id, caught.value.nearest) == ("billing-0071", "billing-0017")
    assert caught.value.exit_code == 4


def test_an_empty_store_answers(store: Store) -> None:
    """Nothing is there, and nothing fails."""
    assert store.runs().num_rows == 0
    assert store.runs(search="x", failed=True).num_rows == 0
    assert store.runs().column_names[:2] == ["run_id", "start"]
    assert store.search("x") == ()
    assert store.head().version == 0
    with pytest.raises(RunNotFound, match="workbench runs"):
        store.fetch("a")
    with pytest.raises(RunNotFound):
        store.losses("a")


def test_a_run_before_it_was_stored_is_not_found(store: Store) -> None:
    """`as_of` looks back."""
    store.append([a_run("a")], source=a_source("one"))
    store.append([a_run("b")], source=a_source("two"))

    with pytest.raises(RunNotFound):
        store.fetch("b", as_of=1)


def test_an_unparsed_run_is_raw_only(store: Store) -> None:
    """Its bytes are kept; there is no trace to fetch."""
    store.append(
        [Imported(run_id="a", raw=b"{", parse_error="the record is cut")], source=a_source()
    )

    assert store.raw("a") == b"{"
    assert store.runs().column("grade").to_pylist() == ["unusable"]
    with pytest.raises(TraceFormatError, match="the record is cut; its raw bytes are kept"):
        store.fetch("a")


def test_runs_are_listed_newest_first_and_filtered(store: Store) -> None:
    """Filters may be combined."""
    runs = [
        a_small_trace("may", at="2026-05-31T08:00:00Z", status=RunStatus.FAILED, tags=("vip",)),
        a_small_trace("june", at="2026-06-01T00:00:00Z", tags=("vip", "x")),
        a_small_trace("never", status=RunStatus.FAILED),
    ]
    store.append([an_import(trace) for trace in runs], source=a_source())

    assert _ids(store.runs()) == ["june", "may", "never"]
    assert _ids(store.runs(failed=True)) == ["may", "never"]
    assert _ids(store.runs(tag="vip")) == ["june", "may"]
    assert _ids(store.runs(since="2026-06-01")) == ["june"]
    assert _ids(store.runs(since="2026-05-31T08:00:00Z")) == ["june", "may"]
    assert _ids(store.runs(since=date(2026, 6, 1))) == ["june"]
    assert _ids(store.runs(since=datetime(2026, 6, 1, tzinfo=UTC))) == ["june"]
    assert _ids(store.runs(search="of may")) == ["may"]
    assert _ids(store.runs(failed=True, tag="vip", since="2026-05-01", search="raw")) == ["may"]


def test_a_listing_becomes_plain_rows(store: Store) -> None:
    """For a terminal or JSON; nothing about a run is lost."""
    store.append([a_run("a", at="2026-05-31T10:00:00+02:00"), a_run("b")], source=a_source())

    first, second = plain_rows(store.runs())

    assert first["start"] == first["end"] == "2026-05-31T08:00:00.000000Z"
    assert second["start"] is None
    assert (second["run_id"], second["tags"], second["n_events"]) == ("b", [], 6)
    assert [*first] == store.runs().column_names


def test_a_day_that_is_none_is_refused(store: Store) -> None:
    """The value may hold anything, so only its length is shown."""
    with pytest.raises(InputError, match=r"since is a string of 9 characters.*\n  Fix: ") as caught:
        store.runs(since="yesterday")

    assert caught.value.key == "since"


def test_the_failed_count_follows_the_latest_version(store: Store) -> None:
    """A run that was running, then failed, then was mended by a late record, is not failed."""
    for nth, status in enumerate([RunStatus.UNKNOWN, RunStatus.FAILED, RunStatus.OK]):
        run = an_import(a_small_trace("a", status=status), raw=status.encode())
        store.append([run], source=a_source(str(nth)))
        assert store.runs(failed=True).num_rows == (status is RunStatus.FAILED)

    assert store.runs().column("status").to_pylist() == ["ok"]


@given(name=hostile_texts())
@settings(max_examples=15)
def test_any_run_id_and_tag_can_be_looked_up(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Ids come from sources and may hold quotes, NUL or nothing at all."""
    trace = replace(a_small_trace(name, tags=(name,)), session=name)
    with open_store(tmp_path_factory.mktemp("any")) as store:
        store.append([an_import(trace), a_run("other")], source=a_source())

        assert store.imported(name)[0] == trace
        assert _ids(store.runs(tag=name)) == [name]


def test_lone_surrogates_in_ids_can_be_looked_up(store: Store) -> None:
    """JSON can say them; the column holds their escape."""
    trace = a_small_trace("r\ud800", tags=("t\udfff",))

    store.append([an_import(trace, raw=b"x")], source=a_source())

    assert store.imported("r\ud800")[0] == trace
    assert store.runs(tag="t\udfff").num_rows == 1
    assert store.append([an_import(trace, raw=b"x")], source=a_source("two")).duplicates == 1


def test_a_very_long_run_id_is_found(store: Store) -> None:
    """It is left out of the log's statistics, not out of the store."""
    store.append([a_run("x" * 10_000), a_run("b")], source=a_source())

    assert store.raw("x" * 10_000) == b"raw of " + b"x" * 10_000
    assert store.raw("b") == b"raw of b"
    log = store.root / "traces" / "_delta_log" / "00000000000000000001.json"
    assert log.stat().st_size < 10_000


@pytest.mark.parametrize(
    ("record", "column", "value", "want"),
    [
        ("run", "header", "{", "rows that hold a trace"),
        ("run", "header", '{"run_id": 1}', "rows that hold a trace"),
        ("run", "losses", "[", "a loss report"),
        ("event", "body", "[]", "6 events of a run"),
        ("event", "body", "{}", "rows that hold a trace"),
        ("event", "raw", b"other", "the 8 bytes of a run"),
        ("event", "run_id", "b", "6 events of a run"),
    ],
)
def test_forged_rows_are_not_handed_out(
    store: Store, record: str, column: str, value: object, want: str
) -> None:
    """Also where the log was mended to fit them."""
    store.append([a_run("a")], source=a_source())
    table = store.root / "traces"
    forge_part(table, only_part(table, record), with_column(column, [value]))

    with open_store(store.root) as again, pytest.raises(StoreCorrupt) as caught:
        again.imported("a")

    assert caught.value.want == want


def test_a_run_without_event_parts_is_corrupt(store: Store) -> None:
    """Its row says that there were some."""
    store.append([a_run("a")], source=a_source())

    def hide(action: str, body: dict[str, Any]) -> None:
        if action == "add" and "record=event" in body["path"]:
            body["partitionValues"]["record"] = "lost"

    edit_entry(store.root / "traces", 1, hide, rechain=True)

    with open_store(store.root) as again, pytest.raises(StoreCorrupt):
        again.fetch("a")


def test_an_error_in_a_query_of_ours_is_not_blamed_on_a_file(store: Store) -> None:
    """It is a bug, and says so."""
    store.append([a_run("a")], source=a_source())
    table = open_table(store.root, TRACES)

    with pytest.raises(duckdb.ParserException):
        rows(connect(), table, table.files(("record", "=", "run")), "selec 1 from {parts}")


@pytest.mark.parametrize("record", ["run", "event"])
def test_a_part_that_is_gone_is_named(store: Store, record: str) -> None:
    """A reader who gets half a run would not know."""
    store.append([a_run("a")], source=a_source())
    (part,) = (store.root / "traces").glob(f"record={record}/*/*.parquet")
    part.unlink()

    with pytest.raises(StoreCorrupt, match=r"nothing: it is gone.*\n  Fix: ") as caught:
        store.fetch("a")

    assert caught.value.path == part.relative_to(store.root).as_posix()
    assert caught.value.want == "a Parquet file"


@pytest.mark.parametrize("record", ["run", "event"])
def test_a_part_that_is_damaged_is_named_without_its_cells(store: Store, record: str) -> None:
    """DuckDB's own message may quote what it read."""
    store.append([a_run("secret")], source=a_source())
    (part,) = (store.root / "traces").glob(f"record={record}/*/*.parquet")
    part.write_bytes(b"PAR1secret" + b"\0" * 100)

    with pytest.raises(StoreCorrupt, match="a file that cannot be read") as caught:
        store.raw("secret")

    assert caught.value.path == part.relative_to(store.root).as_posix()
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_one_damaged_part_among_many_is_said_to_be_one_of_them(store: Store) -> None:
    """DuckDB does not tell which; verify does."""
    store.append([a_run("a")], source=a_source("one"))
    store.append([a_run("b")], source=a_source("two"))
    for part in (store.root / "traces").glob("record=run/*/*.parquet"):
        part.write_bytes(b"PAR1")

    with pytest.raises(StoreCorrupt, match="or one of 1 beside it does"):
        store.runs()

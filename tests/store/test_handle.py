"""Opening a store, or saying why there is none to open."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from tests.store.runs import a_run, a_source
from tests.store.tampering import edit_entry
from workbench.errors import StoreError
from workbench.store import (
    ChainBroken,
    SchemaTooNew,
    StoreCorrupt,
    open_store,
)
from workbench.store.log import entry_path
from workbench.store.tables import PROPERTIES, TRACES

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from workbench.store import Store


_REPO = Path(__file__).parents[2]


def _without_dac_override(script: str, *args: str) -> str:
    """Run Python where even root may not write to what is read-only; return its output."""
    drop = "import ctypes, os, sys; ctypes.CDLL(None).prctl(24, 1, 0, 0, 0); "
    return _said(
        drop + "os.execv(sys.executable, [sys.executable, '-c', *sys.argv[1:]])", script, *args
    )


def _said(*args: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", *args], capture_output=True, text=True, check=False, cwd=_REPO
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    "name", ["with space", "ü漢字", "a[1]*?{x}", "it's", "100%", "a#b;c&d", "plain"]
)
def test_a_folder_of_any_name_may_hold_a_store(tmp_path: Path, name: str) -> None:
    """Paths go through Delta Lake's URLs and DuckDB's globs."""
    with open_store(tmp_path / name / "deep") as store:
        store.append([a_run()], source=a_source())

        assert store.raw("run-1") == b"raw of run-1"
        assert store.runs().num_rows == 1
        assert store.search("raw of")
        assert store.verify(deep=True).ok


def test_a_name_that_delta_lake_would_decode_is_refused(tmp_path: Path) -> None:
    """The table would be made in another folder than its parts."""
    with pytest.raises(StoreError, match=r"has a % and two hexadecimal digits.*\n  Fix: "):
        open_store(tmp_path / "a%20b")

    assert list(tmp_path.iterdir()) == []


def test_a_relative_path_or_a_file_url_names_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The handle stays on its folder when the process moves."""
    monkeypatch.chdir(tmp_path)
    with open_store("here") as store:
        monkeypatch.chdir("/")
        store.append([a_run()], source=a_source())

    with open_store((tmp_path / "here").as_uri()) as again:
        assert again.runs().num_rows == 1


def test_an_object_store_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a folder named `s3:` is made for it."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(StoreError, match="is a s3 URL; expected a folder"):
        open_store("s3://bucket/store")

    assert list(tmp_path.iterdir()) == []


def test_a_store_is_made_beside_a_readme(tmp_path: Path) -> None:
    """The default folder of a repository holds one."""
    (tmp_path / "README.md").write_text("about")
    (tmp_path / ".gitkeep").touch()

    with open_store(tmp_path) as store:
        assert store.head().version == 0


def test_a_folder_with_other_things_is_refused(tmp_path: Path) -> None:
    """A mistyped --store must not fill somebody's folder."""
    (tmp_path / "thesis.doc").touch()

    with pytest.raises(StoreError, match="holds 1 other files or folders and no store"):
        open_store(tmp_path)

    assert not (tmp_path / "traces").exists()


def test_a_file_is_refused(tmp_path: Path) -> None:
    """It is no folder."""
    (tmp_path / "f").touch()

    with pytest.raises(StoreError, match="is a file; expected a folder"):
        open_store(tmp_path / "f")


def test_a_file_in_the_place_of_a_table_is_refused(tmp_path: Path) -> None:
    """Nothing can be made there."""
    (tmp_path / "traces").touch()

    with pytest.raises(StoreError, match="traces: cannot be made a Delta table"):
        open_store(tmp_path)


@pytest.mark.parametrize("exists", [False, True])
def test_reading_makes_no_store(tmp_path: Path, exists: bool) -> None:  # noqa: FBT001
    """`runs` in the wrong folder says so and leaves it as it was."""
    folder = tmp_path / "store"
    if exists:
        folder.mkdir()

    with pytest.raises(StoreError, match="holds no store"):
        open_store(folder, create=False)

    assert folder.exists() == exists


def test_a_delta_table_of_somebody_else_is_refused(tmp_path: Path) -> None:
    """Its folder may be called `traces` as well."""
    write_deltalake(str(tmp_path / "traces"), pa.table({"x": [1]}))

    with pytest.raises(StoreError, match="is a Delta table, but no table of a store"):
        open_store(tmp_path)


def _newer_format(_: str, body: dict[str, Any]) -> None:
    if "configuration" in body:
        body["configuration"]["workbench.format"] = "2"


def _newer_protocol(_: str, body: dict[str, Any]) -> None:
    if "minReaderVersion" in body:
        body |= {"minReaderVersion": 99, "minWriterVersion": 99}


def _unknown_feature(_: str, body: dict[str, Any]) -> None:
    if "minReaderVersion" in body:
        body |= {"minReaderVersion": 3, "minWriterVersion": 7}
        body |= {"readerFeatures": ["fromTheFuture"], "writerFeatures": ["fromTheFuture"]}


@pytest.mark.parametrize("change", [_newer_format, _newer_protocol, _unknown_feature])
def test_a_store_of_a_newer_workbench_is_refused(
    store: Store, change: Callable[[str, dict[str, Any]], None]
) -> None:
    """It may hold what this one would misread."""
    edit_entry(store.root / "traces", 0, change, rechain=False)

    with pytest.raises(SchemaTooNew, match="update incident-workbench"):
        open_store(store.root)


@pytest.mark.parametrize("data", [b"", b'{"commitInfo":{'])
def test_nothing_is_added_after_a_damaged_entry(store: Store, data: bytes) -> None:
    """The chain would start anew there, and the damage would look like history."""
    store.append([a_run("a")], source=a_source("one"))
    entry_path(store.root / "traces", 1).write_bytes(data)

    with pytest.raises(ChainBroken, match=r"traces/_delta_log/0+1\.json: is ") as caught:
        open_store(store.root).append([a_run("b")], source=a_source("two"))

    assert caught.value.version == 1
    assert len(list((store.root / "traces").glob("record=event/*/*"))) == 1


def test_an_open_handle_notices_a_torn_entry(store: Store) -> None:
    """Somebody else's disk was full."""
    entry_path(store.root / "traces", 1).write_bytes(b'{"commitInfo":{')

    with pytest.raises(ChainBroken, match="is torn or no JSON"):
        store.runs()


def test_an_open_handle_notices_a_log_that_does_not_open(store: Store) -> None:
    """The newest entry is sound, and still no engine reads the table."""
    wb = json.dumps({"prev": store.head().digest})
    text = json.dumps({"commitInfo": {"wb": wb}, "add": {"path": 7}})
    entry_path(store.root / "traces", 1).write_text(text)

    with pytest.raises(StoreCorrupt, match="a damaged log"):
        store.runs()


def test_a_rewritten_entry_stops_the_next_one(store: Store) -> None:
    """Only the newest link is checked at each append; verify checks all."""
    store.append([a_run("a")], source=a_source("one"))
    path = entry_path(store.root / "traces", 0)
    path.write_bytes(path.read_bytes() + b"\n")

    with pytest.raises(ChainBroken, match="does not extend the entry before it"):
        store.append([a_run("b")], source=a_source("two"))

    assert len(list((store.root / "traces").glob("record=event/*/*"))) == 1


def test_an_entry_that_is_gone_stops_the_next_one(store: Store) -> None:
    """The link cannot be checked."""
    store.append([a_run("a")], source=a_source("one"))
    DeltaTable(str(store.root / "traces")).create_checkpoint()
    entry_path(store.root / "traces", 0).unlink()

    with pytest.raises(ChainBroken, match="is gone"):
        store.head()


def test_a_cut_checkpoint_is_corrupt(store: Store) -> None:
    """No engine opens the table; the log is still whole."""
    DeltaTable(str(store.root / "traces")).create_checkpoint()
    (path,) = (store.root / "traces" / "_delta_log").glob("*.checkpoint.parquet")
    path.write_bytes(path.read_bytes()[:100])

    with pytest.raises(StoreCorrupt, match="a damaged log or checkpoint"):
        open_store(store.root)


@pytest.mark.slow
def test_a_read_only_store_is_read_and_not_written(store: Store) -> None:
    """A store on a share, or in another's home."""
    store.append([a_run("a")], source=a_source("one"))
    folders = [store.root, *(path for path in store.root.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    script = """
import sys
from tests.store.runs import a_run, a_source
from workbench.store import StoreReadOnly, open_store
store = open_store(sys.argv[1])
assert store.raw("a") == b"raw of a" and store.verify(deep=True).ok
for write in (
    lambda: store.append([a_run("b")], source=a_source("two")),
    lambda: store.decide("d", at="", actor="", kind=""),
    lambda: open_store(sys.argv[1] + "/new"),
):
    try:
        write()
    except StoreReadOnly as error:
        print("refused", error.exit_code)
"""

    said = _without_dac_override(script, str(store.root))
    for folder in folders:
        folder.chmod(0o755)

    assert said.splitlines() == ["refused 4"] * 3
    assert store.verify().orphans == 0


@pytest.mark.slow
@pytest.mark.parametrize("room", [1_000, 20_000])
def test_a_full_disk_adds_nothing(store: Store, room: int) -> None:
    """Whether the part or the log entry does not fit."""
    store.append([a_run("a")], source=a_source("one"))
    script = f"""
import resource, sys
from dataclasses import replace
from tests.store.runs import a_run, a_source
from workbench.store import StoreFull, open_store
store = open_store(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))
runs = [a_run("r%d" % n, at="20%02d-01-01" % n) for n in range(40)]
try:
    store.append(runs, source=a_source("two"))
except StoreFull as error:
    print("refused", error.exit_code)
"""

    assert _said(script, str(store.root)) == "refused 4\n"
    found = store.verify(deep=True)
    assert found.ok
    assert (found.orphans, store.head().version) == (0, 1)
    assert store.append([a_run("b")], source=a_source("two")).runs == 1


def test_the_properties_that_keep_the_log_are_set(store: Store) -> None:
    """Delta Lake's defaults drop log entries after 30 days, and the chain with them."""
    found = DeltaTable(str(store.root / "traces")).metadata().configuration

    assert found == PROPERTIES
    assert found["delta.appendOnly"] == "true"
    assert found["delta.enableExpiredLogCleanup"] == "false"
    assert found["delta.logRetentionDuration"] == "interval 36500 days"


def test_another_engine_reads_the_table(store: Store) -> None:
    """The store is Delta Lake and Parquet, nothing of ours is needed to read it."""
    store.append([a_run("a", at="2026-05-31T08:00:00Z"), a_run("b")], source=a_source())

    rows = DeltaTable(str(store.root / "traces")).to_pyarrow_table()

    assert rows.column("run_id").to_pylist().count("a") == 2
    assert set(rows.column("record").to_pylist()) == {"event", "run"}
    assert set(rows.schema.names) == set(TRACES.schema.names)

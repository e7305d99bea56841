"""Every kind of tampering is named, and none of them stops the check."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake

from tests.store.runs import a_run, a_small_trace, a_source, an_import
from tests.store.tampering import edit_entry, flip_byte, forge_part, only_part, with_column
from workbench.model.trace import Imported
from workbench.store import DamageKind, Head, Store, TrialResult
from workbench.store.log import entry_path

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_OTHER_RAW = [b"other of a"]


@pytest.fixture
def filled(store: Store) -> Store:
    """Three commits: a run each, the last one with a run that could not be parsed beside it."""
    store.append([a_run("a")], source=a_source("one"))
    store.append([a_run("b")], source=a_source("two"))
    broken = Imported(run_id="d", raw=b"{", parse_error="cut")
    store.append([an_import(a_small_trace("c"), rows=3), broken], source=a_source("three"))
    return store


# --- what somebody does to the folder `traces` -------------------------------------


def _entry_gone(table: Path) -> None:
    entry_path(table, 2).unlink()


def _entry_torn(table: Path) -> None:
    path = entry_path(table, 3)
    path.write_bytes(path.read_bytes()[:-20])


def _entry_empty(table: Path) -> None:
    entry_path(table, 3).write_bytes(b"")


def _entry_no_action(table: Path) -> None:
    entry_path(table, 2).write_bytes(b"[1]\n")


def _entry_edited(table: Path) -> None:
    edit_entry(table, 1, lambda _, body: body.pop("engineInfo", None), rechain=False)


def _appended_by_another_tool(table: Path) -> None:
    row = {"record": "run", "run_id": "z", "status": "ok"}
    columns: dict[str, pa.Array[Any]] = {
        name: pa.array([value], pa.string()) for name, value in row.items()
    }
    columns["date"] = pa.array([None], pa.date32())
    write_deltalake(str(table), pa.table(columns), mode="append", schema_mode="merge")


def _restored(table: Path) -> None:
    DeltaTable(str(table)).restore(2)


def _restored_and_back(table: Path) -> None:
    DeltaTable(str(table)).restore(2)
    DeltaTable(str(table)).restore(3)


def _entry_far_ahead(table: Path) -> None:
    shutil.copy(entry_path(table, 3), entry_path(table, 5))


def _deleted(table: Path) -> None:
    DeltaTable(str(table)).alter.set_table_properties({"delta.appendOnly": "false"})
    DeltaTable(str(table)).delete("run_id = 'a'")


def _rows_marked_deleted(table: Path) -> None:
    def mark(action: str, body: dict[str, Any]) -> None:
        if action == "add":
            body["deletionVector"] = {"storageType": "i", "cardinality": 1}

    edit_entry(table, 2, mark, rechain=True)


def _properties_altered(table: Path) -> None:
    DeltaTable(str(table)).alter.set_table_properties(
        {"delta.logRetentionDuration": "interval 1 days"}
    )


def _made_without_properties(table: Path) -> None:
    def change(action: str, body: dict[str, Any]) -> None:
        if action == "metaData":
            del body["configuration"]["delta.appendOnly"]

    edit_entry(table, 0, change, rechain=True)


def _file_gone(table: Path) -> None:
    only_part(table, "event").unlink()


def _repaired_after_loss(table: Path) -> None:
    only_part(table, "event").unlink()
    DeltaTable(str(table)).repair()


def _file_changed(table: Path) -> None:
    flip_byte(only_part(table, "event"))


def _file_longer(table: Path) -> None:
    path = only_part(table, "run")
    path.write_bytes(path.read_bytes() + b"x")


def _checkpoint_cut(table: Path) -> None:
    DeltaTable(str(table)).create_checkpoint()
    (path,) = (table / "_delta_log").glob("*.checkpoint.parquet")
    path.write_bytes(path.read_bytes()[:100])


def _checkpoint_forged(table: Path) -> None:
    DeltaTable(str(table)).create_checkpoint()
    (path,) = (table / "_delta_log").glob("*.checkpoint.parquet")
    rows = pq.ParquetFile(path).read()
    hidden = only_part(table, "event").name
    kept = [
        nth
        for nth, add in enumerate(rows.column("add").to_pylist())
        if add is None or not add["path"].endswith(hidden)
    ]
    pq.write_table(rows.take(kept), path)


def _event_forged(table: Path) -> None:
    forge_part(table, only_part(table, "event"), with_column("raw", _OTHER_RAW))


def _event_forged_with_its_digest(table: Path) -> None:
    digests = [sha256(raw).digest() for raw in _OTHER_RAW]

    def change(rows: pa.Table) -> pa.Table:
        return with_column("digest", digests)(with_column("raw", _OTHER_RAW)(rows))

    forge_part(table, only_part(table, "event"), change)


def _rows_swapped(table: Path) -> None:
    part = only_part(table, "event", nth=2)
    forge_part(table, part, lambda rows: rows.take([1, 0, 2, 3]))


def _row_dropped(table: Path) -> None:
    part = only_part(table, "event", nth=2)
    forge_part(table, part, lambda rows: rows.take([0, 2, 3]))


def _last_row_dropped(table: Path) -> None:
    part = only_part(table, "event", nth=2)
    forge_part(table, part, lambda rows: rows.take([0, 1, 3]))


def _body_forged(table: Path) -> None:
    forge_part(table, only_part(table, "event"), with_column("body", ['[{"kind": "claim"}]']))


def _body_without_events(table: Path) -> None:
    forge_part(table, only_part(table, "event"), with_column("body", ["[]"]))


def _body_numbered_anew(table: Path) -> None:
    body = json.dumps([{"seq": 7, "kind": "user_message", "text": "x"}])
    forge_part(table, only_part(table, "event"), with_column("body", [body]))


def _body_no_json(table: Path) -> None:
    forge_part(table, only_part(table, "event"), with_column("body", ["{"]))


def _run_row_renamed(table: Path) -> None:
    forge_part(table, only_part(table, "run"), with_column("run_id", ["x"]))


K = DamageKind
SHALLOW: list[tuple[Callable[[Path], None], set[DamageKind]]] = [
    (_entry_gone, {K.ENTRY_MISSING, K.ENGINE_REFUSES}),
    (_entry_torn, {K.ENTRY_UNREADABLE, K.ENGINE_REFUSES}),
    (_entry_empty, {K.ENTRY_UNREADABLE}),
    (_entry_no_action, {K.ENTRY_UNREADABLE, K.CHAIN_BROKEN, K.ENGINE_REFUSES}),
    (_entry_edited, {K.CHAIN_BROKEN}),
    (_appended_by_another_tool, {K.FOREIGN_COMMIT, K.FILE_WITHOUT_DIGEST, K.FILE_CHANGED}),
    (_restored, {K.FOREIGN_COMMIT, K.ROWS_REMOVED, K.PROPERTIES_CHANGED}),
    (_restored_and_back, {K.FOREIGN_COMMIT, K.ROWS_REMOVED, K.PROPERTIES_CHANGED}),
    (_entry_far_ahead, {K.ENTRY_MISSING, K.ENGINE_REFUSES}),
    (_deleted, {K.FOREIGN_COMMIT, K.ROWS_REMOVED, K.PROPERTIES_CHANGED}),
    (_rows_marked_deleted, {K.ROWS_REMOVED, K.ENGINE_REFUSES}),
    (_properties_altered, {K.FOREIGN_COMMIT, K.PROPERTIES_CHANGED}),
    (_made_without_properties, {K.PROPERTIES_CHANGED}),
    (_file_gone, {K.FILE_MISSING}),
    (_repaired_after_loss, {K.FOREIGN_COMMIT, K.ROWS_REMOVED}),
    (_file_changed, {K.FILE_CHANGED}),
    (_file_longer, {K.FILE_CHANGED}),
    (_checkpoint_cut, {K.ENGINE_REFUSES}),
    (_checkpoint_forged, {K.ENGINE_DIFFERS}),
]
DEEP: list[tuple[Callable[[Path], None], set[DamageKind]]] = [
    (_event_forged, {K.EVENT_CHANGED, K.RUN_CHANGED}),
    (_event_forged_with_its_digest, {K.RUN_CHANGED}),
    (_rows_swapped, {K.EVENT_CHANGED, K.BODY_UNREADABLE, K.RUN_CHANGED}),
    (_row_dropped, {K.EVENT_CHANGED, K.BODY_UNREADABLE, K.RUN_CHANGED}),
    (_last_row_dropped, {K.RUN_CHANGED}),
    (_body_forged, {K.BODY_UNREADABLE, K.RUN_CHANGED}),
    (_body_without_events, {K.RUN_CHANGED}),
    (_body_numbered_anew, {K.BODY_UNREADABLE, K.RUN_CHANGED}),
    (_body_no_json, {K.BODY_UNREADABLE, K.RUN_CHANGED}),
    (_run_row_renamed, {K.RUN_CHANGED}),
]


def _kinds(store: Store, *, deep: bool = False, head: Head | None = None) -> set[DamageKind]:
    return {damage.kind for damage in store.verify(deep=deep, head=head).damages}


@pytest.mark.parametrize(("harm", "want"), SHALLOW, ids=lambda item: getattr(item, "__name__", ""))
def test_harm_to_log_and_files_is_named(
    filled: Store, harm: Callable[[Path], None], want: set[DamageKind]
) -> None:
    """Neither snapshot nor checkpoint is trusted, and the check goes on to the end."""
    harm(filled.root / "traces")

    assert _kinds(filled) == want
    assert want <= _kinds(filled, deep=True)


@pytest.mark.parametrize(("harm", "want"), DEEP, ids=lambda item: getattr(item, "__name__", ""))
def test_harm_by_someone_who_mends_the_log_shows_in_the_rows(
    filled: Store, harm: Callable[[Path], None], want: set[DamageKind]
) -> None:
    """File digests and chain all fit again; `deep` looks into every row."""
    harm(filled.root / "traces")

    assert _kinds(filled) == set()
    assert _kinds(filled, deep=True) == want


def test_a_sound_store_is_sound(filled: Store) -> None:
    """Counts say what was looked at."""
    filled.record([TrialResult(case_id="c", case_digest="d", verdict="pass")])
    filled.decide("d-1", at="2026-05-31", actor="me", kind="retain")

    found = filled.verify(deep=True, head=filled.head())

    assert found.ok
    assert (found.entries, found.files, found.rows, found.orphans) == (4 + 2 + 2, 6 + 1 + 1, 6, 0)


def test_a_cut_tail_shows_against_a_head_kept_elsewhere(filled: Store) -> None:
    """Without one it cannot show: the rest is a sound store."""
    head = filled.head()
    entry_path(filled.root / "traces", 3).unlink()

    assert _kinds(filled) == set()
    assert _kinds(filled, head=head) == {K.TAIL_CUT}


def test_a_log_computed_anew_shows_against_a_head_kept_elsewhere(filled: Store) -> None:
    """Also when the head was not the newest entry of today."""
    head = Head.parse(str(filled.head()))
    filled.append([a_run("e")], source=a_source("four"))
    digests = [sha256(raw).digest() for raw in _OTHER_RAW]
    table = filled.root / "traces"
    forge_part(table, only_part(table, "event"), with_column("raw", _OTHER_RAW))
    forge_part(table, only_part(table, "event"), with_column("digest", digests))
    forge_part(table, only_part(table, "run"), with_column("digest", digests))

    assert _kinds(filled, deep=True) == set()
    assert _kinds(filled, deep=True, head=head) == {K.HEAD_DIFFERS}


def test_a_missing_entry_that_was_the_head_is_said_once(filled: Store) -> None:
    """It is missing; that it also differs would add nothing."""
    head = filled.head()
    filled.append([a_run("e")], source=a_source("four"))
    entry_path(filled.root / "traces", 3).unlink()

    assert [d.kind for d in filled.verify(head=head).damages].count(K.ENTRY_MISSING) == 1
    assert K.HEAD_DIFFERS not in _kinds(filled, head=head)


def test_damage_says_where(filled: Store) -> None:
    """A person looks there next; nothing of the rows is shown."""
    table = filled.root / "traces"
    forge_part(table, only_part(table, "event"), with_column("raw", _OTHER_RAW))

    (event, run) = filled.verify(deep=True).damages

    assert event.path == only_part(table, "event").relative_to(filled.root).as_posix()
    assert event.sentence == "row 0 of the part does not have its digest"
    assert event.version == 1
    assert str(event) == f"{event.path}: {event.sentence} (event_changed)"
    assert run.path == only_part(table, "run").relative_to(filled.root).as_posix()
    assert run.sentence == "the run of row 0 does not concatenate to the bytes that were stored"


def test_harm_to_the_other_tables_is_named_too(filled: Store) -> None:
    """Decisions are evidence as well."""
    filled.decide("d-1", at="2026-05-31", actor="me", kind="retain")
    (part,) = (filled.root / "decisions").glob("*.parquet")
    flip_byte(part)

    (damage,) = filled.verify().damages

    assert (damage.kind, damage.path) == (K.FILE_CHANGED, f"decisions/{part.name}")


def test_left_over_parts_are_counted_and_no_damage(filled: Store) -> None:
    """A killed process leaves them; no entry names them, no reader reads them."""
    part = only_part(filled.root / "traces", "event")
    shutil.copy(part, part.with_name("left.parquet"))

    found = filled.verify(deep=True)

    assert found.ok
    assert found.orphans == 1


def test_parts_may_be_checked_at_once(filled: Store) -> None:
    """The unit of work is one part."""
    with ThreadPoolExecutor(2) as executor:
        found = filled.verify(deep=True, executor=executor)

    assert found.ok
    assert found.rows == 6

"""A text is found wherever the raw bytes hold it."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.store.runs import a_run, a_small_trace, a_source, an_import
from workbench.errors import InputError
from workbench.store import Hit, Store, StoreCorrupt
from workbench.store.search import needles

_TEXT = 'say "päuse"\n'


@pytest.mark.parametrize("depth", [0, 1, 2])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_a_text_is_found_as_json_writes_it(store: Store, depth: int, ascii_only: bool) -> None:  # noqa: FBT001
    """Records hold JSON in JSON strings, with or without escapes for letters."""
    raw = _TEXT
    for _ in range(depth):
        raw = json.dumps(raw, ensure_ascii=ascii_only)
    store.append([a_run("a", raw=raw.encode()), a_run("b")], source=a_source())

    assert store.search(_TEXT) == (Hit(run_id="a", seq=0),)


@pytest.mark.parametrize("beside", [b"plain", b"not UTF-8: \xff"])
def test_rows_are_found_also_beside_bytes_that_are_no_text(store: Store, beside: bytes) -> None:
    """DuckDB refuses a part whose raw is not UTF-8; nothing may be missed for it."""
    cut = an_import(a_small_trace("a"), raw=b"needle--needle\xff-nothing", rows=3)
    store.append([cut, a_run("b", raw=beside), a_run("c", raw=b"")], source=a_source())

    assert store.search("needle") == (Hit(run_id="a", seq=0), Hit(run_id="a", seq=1))
    assert store.search("absent") == ()


def test_only_the_latest_version_is_found(store: Store) -> None:
    """What a later version no longer says is not what the run says."""
    store.append([a_run("a", raw=b"old words")], source=a_source("one"))
    store.append([a_run("a", raw=b"new words")], source=a_source("two"))

    assert store.search("old") == ()
    assert store.search("new") == store.search("words") == (Hit(run_id="a", seq=0),)


def test_parts_may_be_searched_at_once(store: Store) -> None:
    """The unit of work is one part."""
    for nth in range(3):
        store.append([a_run(f"r{nth}")], source=a_source(str(nth)))

    with ThreadPoolExecutor(2) as executor:
        found = store.search("raw of", executor=executor)

    assert [hit.run_id for hit in found] == ["r0", "r1", "r2"]


def test_an_empty_text_is_refused(store: Store) -> None:
    """It would find everything."""
    with pytest.raises(InputError, match="search is empty"):
        store.search("")


def test_a_damaged_part_is_named(store: Store) -> None:
    """Neither engine reads it."""
    store.append([a_run("a")], source=a_source())
    (part,) = (store.root / "traces").glob("record=event/*/*.parquet")
    part.write_bytes(b"PAR1")

    with pytest.raises(StoreCorrupt) as caught:
        store.search("raw")

    assert caught.value.path == part.relative_to(store.root).as_posix()


def test_a_lone_surrogate_can_be_looked_for() -> None:
    """As JSON escapes it, which is all that bytes can hold."""
    assert "\\ud800" in needles("\ud800")

"""Log entries are read without the engine, damaged ones too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from workbench.store import Head
from workbench.store.log import entry_path, newest_version, read_entry

if TYPE_CHECKING:
    from pathlib import Path


def _entry(table: Path, data: bytes) -> None:
    path = entry_path(table, 0)
    path.parent.mkdir()
    path.write_bytes(data)


def test_a_head_is_written_and_read() -> None:
    """It goes into a case as one word."""
    head = Head(version=12, digest="ab")

    assert str(head) == "12-ab"
    assert Head.parse("12-ab") == head
    with pytest.raises(ValueError, match="invalid literal"):
        Head.parse("ab")


@pytest.mark.parametrize(
    "data",
    [
        b"{",
        b"[]\n",
        b'"x"',
        b'{"add": 1}\n{',
        b"\xff",
        b"[" * 100000,
        b'{"commitInfo": 1}',
        b'{"commitInfo": {"wb": "{"}}',
    ],
)
def test_a_torn_entry_has_a_problem(tmp_path: Path, data: bytes) -> None:
    """Whatever is in it."""
    _entry(tmp_path, data)

    assert read_entry(tmp_path, 0).problem == "is torn or no JSON"


def test_an_empty_entry_has_a_problem(tmp_path: Path) -> None:
    """Delta Lake opens it without a word."""
    _entry(tmp_path, b"\n")

    assert read_entry(tmp_path, 0).problem == "is empty"


@pytest.mark.parametrize("wb", ["[1]", "null"])
def test_metadata_that_is_not_ours_is_foreign(tmp_path: Path, wb: str) -> None:
    """Another tool may use the same key."""
    _entry(tmp_path, b'{"commitInfo": {"operation": "WRITE", "wb": "%s"}}' % wb.encode())

    entry = read_entry(tmp_path, 0)

    assert (entry.wb, entry.kind, entry.prev, entry.files) == (None, None, None, {})
    assert entry.operation == "WRITE"


def test_other_files_beside_the_log_are_no_entries(tmp_path: Path) -> None:
    """Checkpoints, temporary files, and whatever a person put there."""
    assert newest_version(tmp_path) == -1
    _entry(tmp_path, b"{}")
    for name in ("_last_checkpoint", "00000000000000000009.checkpoint.parquet", "x" * 20 + ".json"):
        (tmp_path / "_delta_log" / name).touch()

    assert newest_version(tmp_path) == 0

"""Files are read whole, named in errors, and never half written."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.casefile.files import as_document, load_mapping, read_bytes, shown_path, write_new
from workbench.errors import CaseFormatError


def test_paths_are_shown_relative_or_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An absolute path names a person's home."""
    monkeypatch.chdir(tmp_path)

    assert shown_path(tmp_path / "a" / "b.yaml") == "a/b.yaml"
    assert shown_path(Path("a/b.yaml")) == "a/b.yaml"
    assert shown_path(tmp_path.parent / "x.yaml") == "x.yaml"


def test_a_file_beyond_the_limit_is_not_read(tmp_path: Path) -> None:
    """A log of a gigabyte is no case."""
    (tmp_path / "x").write_bytes(b"12345")

    assert read_bytes(tmp_path / "x") == b"12345"
    with pytest.raises(CaseFormatError, match="is 5 bytes long; expected at most 4"):
        read_bytes(tmp_path / "x", limit=4)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    """Whatever the system says becomes one line."""
    with pytest.raises(CaseFormatError, match="cannot be read: is a directory"):
        read_bytes(tmp_path)


def test_a_document_is_a_mapping(tmp_path: Path) -> None:
    """A text or a list is another kind of file."""
    (tmp_path / "x.yaml").write_text("just text")

    with pytest.raises(CaseFormatError, match="is a string of 9 characters; expected a mapping"):
        load_mapping(tmp_path / "x.yaml")


def test_a_callers_mapping_becomes_plain_json_of_our_own() -> None:
    """Later changes of the caller's must not change a value of ours."""
    items = [1]

    document, _ = as_document({"a": items, "b": (1, 2)}, name="x")  # type: ignore[dict-item]
    items.append(2)

    assert document == {"a": [1], "b": [1, 2]}


def test_a_new_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """Also when two write it at once."""
    write_new(tmp_path / "a" / "x", "one")

    with pytest.raises(CaseFormatError, match="exists already"):
        write_new(tmp_path / "a" / "x", "two")
    with pytest.raises(CaseFormatError, match="cannot be written"):
        write_new(tmp_path / "a" / "x" / "y", "three")

    assert (tmp_path / "a" / "x").read_text() == "one"
    assert [entry.name for entry in (tmp_path / "a").iterdir()] == ["x"]


def test_a_failed_write_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk in the middle."""

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)

    with pytest.raises(CaseFormatError, match="cannot be written: no space left on device"):
        write_new(tmp_path / "x", "one")

    assert list(tmp_path.iterdir()) == []

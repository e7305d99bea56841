"""Files are read whole, named in errors, and never half written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from workbench.casefile.files import (
    as_document,
    load_mapping,
    read_bytes,
    require_room,
    require_target,
    shown_path,
    write_new,
    write_over,
    write_private,
)
from workbench.errors import CaseFormatError

if TYPE_CHECKING:
    from collections.abc import Callable


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
    with pytest.raises(CaseFormatError, match=r"is a folder; expected a file\n  Fix: "):
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


@pytest.mark.parametrize("name", ["pipe", "/dev/zero", "/dev/full"])
def test_what_never_ends_is_not_read(tmp_path: Path, name: str) -> None:
    """A pipe that nobody writes to, or a device, would hold the command for ever."""
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(CaseFormatError, match=r"is a (pipe|device or socket); expected a file\n"):
        read_bytes(tmp_path / name)


def test_a_path_that_is_none_is_an_error_of_the_caller(tmp_path: Path) -> None:
    """Whatever the system says to a name becomes one line with what to do."""
    (tmp_path / "loop").symlink_to("loop")

    for name in ("loop", "x" * 300, "nul\0"):
        with pytest.raises(CaseFormatError, match=r"cannot be read: .*\n  Fix: "):
            read_bytes(tmp_path / name)


@pytest.mark.parametrize("write", [write_private, require_target])
def test_a_device_stays_a_device(tmp_path: Path, write: Callable[..., None]) -> None:
    """`-o /dev/null` is how people throw a result away; as root it would replace the device."""
    os.mkfifo(tmp_path / "pipe")
    given: tuple[object, ...] = ({},) if write is write_private else ()

    for path in (tmp_path / "pipe", Path("/dev/null"), tmp_path):
        with pytest.raises(CaseFormatError, match=r"cannot be written: is a .*\n  Fix: "):
            write(path, *given)

    assert Path("/dev/null").is_char_device()
    assert (tmp_path / "pipe").is_fifo()


def test_a_target_is_tried_before_the_work(tmp_path: Path) -> None:
    """Ten minutes of work whose result cannot be written are ten minutes lost."""
    require_target(tmp_path / "new.json")
    (tmp_path / "old.json").write_text("old")
    require_target(tmp_path / "old.json")

    with pytest.raises(CaseFormatError, match=r"(?s)no such file or directory\n  Fix: make the fo"):
        require_target(tmp_path / "missing" / "x.json")

    assert (tmp_path / "old.json").read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["old.json"]


def test_a_file_is_written_over_whole_or_not_at_all(tmp_path: Path) -> None:
    """A job that is killed while it writes its results leaves the last ones."""
    write_over(tmp_path / "new" / "x.json", "one")
    write_over(tmp_path / "new" / "x.json", "two")

    assert (tmp_path / "new" / "x.json").read_text() == "two"
    assert [entry.name for entry in (tmp_path / "new").iterdir()] == ["x.json"]
    with pytest.raises(CaseFormatError, match="cannot be written: "):
        write_over(tmp_path / "new" / "x.json" / "y.json", "three")


def test_a_folder_that_will_take_a_file_is_left_as_it_is(tmp_path):
    """Folders are made when there is something to put into them."""
    (tmp_path / "file").write_text("", "utf-8")

    require_room(tmp_path)
    require_room(tmp_path / "a" / "b")

    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(CaseFormatError, match="cannot be written: not a directory"):
            require_room(folder)

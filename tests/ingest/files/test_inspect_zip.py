"""Inspect's `.eval` files: samples of a zip archive, and what is refused."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from tests.ingest.importers.test_inspect_log import a_sample
from tests.ingest.samples import dumped, read, write_file
from workbench.errors import TraceFormatError
from workbench.ingest.files import inspect_zip
from workbench.ingest.files.inspect_zip import is_zip, samples_of

if sys.version_info >= (3, 14):
    import zipfile
else:
    from backports.zstd import zipfile

if TYPE_CHECKING:
    from pathlib import Path

HEADER = dumped({"status": "success", "eval": {"run_id": "r1", "task": "ctf"}, "plan": {}})


def an_archive(*, packed: int = zipfile.ZIP_DEFLATED, **files: bytes) -> bytes:
    """A zip archive; `__` in a name stands for `/`."""
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", packed) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "/") + ".json", data)
    return found.getvalue()


def test_each_sample_is_a_run_with_its_bytes(tmp_path: Path) -> None:
    """What the log says once travels with each."""
    first, second = dumped(a_sample()), dumped(a_sample(uuid="u2"))
    data = an_archive(header=HEADER, samples__1_epoch_1=first, samples__1_epoch_2=second)

    runs = read(write_file(tmp_path / "log.eval", data))

    assert [run.run_id for run in runs] == ["u1", "u2"]
    assert [run.raw for run in runs] == [first, second]
    assert runs[0].trace is not None
    assert runs[0].trace.session == "r1"
    assert runs[0].trace.source is not None
    assert runs[0].trace.source.place == "record 1"


def test_a_log_may_be_packed_with_zstd() -> None:
    """Inspect's default since 2026; a damaged one is refused like others."""
    sample = dumped(a_sample()) * 50
    data = an_archive(packed=zipfile.ZIP_ZSTANDARD, header=HEADER, samples__1_epoch_1=sample)

    (piece,) = samples_of(data)

    assert piece.raw == sample
    at = data.index(b"samples/1_epoch_1.json") + 60
    with pytest.raises(TraceFormatError, match="is a damaged zip archive"):
        list(samples_of(data[:at] + bytes(40) + data[at + 40 :]))


def test_an_unfinished_log_has_a_journal() -> None:
    """Its header is written at the end only."""
    data = an_archive(_journal__start=HEADER, samples__1_epoch_1=dumped(a_sample()))

    (piece,) = samples_of(data)

    assert piece.shared == {"status": "success", "eval": {"run_id": "r1", "task": "ctf"}}


def test_a_sample_that_cannot_be_read_says_why() -> None:
    """The others are read all the same."""
    data = an_archive(
        header=HEADER, samples__1=b"\xff", samples__2=b"{", samples__3=dumped(a_sample())
    )

    first, second, third = samples_of(data)

    assert first.error == "is not UTF-8 text: byte 0 of 1 is unreadable"
    assert second.error is not None
    assert third.error is None


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (an_archive(other=b"{}"), "is a zip archive without a log"),
        (an_archive(header=HEADER), "is a log without samples"),
        (an_archive(header=HEADER, samples__1=b""), "has a file that is empty or larger than"),
        (b"PK\x03\x04 and no more", "is a damaged zip archive"),
    ],
)
def test_other_archives_are_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    """The error names the file and the way out."""
    path = write_file(tmp_path / "log.eval", data)

    with pytest.raises(TraceFormatError, match=rf"log\.eval: {reason}") as caught:
        read(path)
    assert "inspect log convert" in str(caught.value)


def test_a_damaged_or_encrypted_file_in_it_is_refused() -> None:
    """Neither ends in a crash."""
    data = an_archive(header=HEADER, samples__1=dumped(a_sample()) * 50)
    at = data.index(b"samples/1.json") + 60
    with pytest.raises(TraceFormatError, match="is a damaged zip archive"):
        list(samples_of(data[:at] + bytes(20) + data[at + 20 :]))

    locked = bytearray(data)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = 0
        while (start := locked.find(mark, start)) >= 0:
            locked[start + offset] |= 1
            start += 4
    with pytest.raises(TraceFormatError, match="is packed in a way that cannot be read here"):
        list(samples_of(bytes(locked)))


def test_sizes_are_limited_before_anything_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small archive can claim to hold gigabytes."""
    monkeypatch.setattr(inspect_zip, "_LIMIT_BYTES", 1000)
    data = an_archive(header=HEADER, samples__1=b" " * 100_000)

    with pytest.raises(TraceFormatError, match="has a file that is empty or larger"):
        list(samples_of(data))


def test_what_begins_as_a_zip_archive() -> None:
    """Only the first bytes decide."""
    assert is_zip(an_archive(header=HEADER)[:4096])
    assert not is_zip(b"{}")

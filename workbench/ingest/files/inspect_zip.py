"""Inspect's `.eval` files: a zip archive with one JSON file a sample.

What the log says once of all its samples stands in `header.json`, or in the journal of a log that
was not finished. Sizes are limited before anything is unpacked, since an archive of a few
kilobytes can claim to hold gigabytes. Newer logs are packed with zstd.

Source:
    inspect_ai 0.3 to 0.3.285, `log/_recorders/eval.py`.
"""

from __future__ import annotations

import io
import sys
import zlib
from typing import TYPE_CHECKING, Final

from workbench.errors import TraceFormatError
from workbench.ingest.records.jsontext import DEPTH_LIMIT
from workbench.ingest.records.parts import read_value
from workbench.ingest.records.piece import Piece
from workbench.ingest.records.shapes import map_in

if sys.version_info >= (3, 14):
    import zipfile

    from compression.zstd import ZstdError
else:
    from backports.zstd import ZstdError, zipfile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.model.jsonvalue import JsonMap

__all__ = ["is_zip", "samples_of"]

_MARK: Final = b"PK\x03\x04"
_HEADS: Final = ("header.json", "_journal/start.json")
_SHARED: Final = ("eval", "status")
_SAMPLES: Final = "samples/"
_LIMIT_BYTES: Final = 512 << 20
_FIX: Final = "give an `.eval` log, or convert it: `inspect log convert --to json`"


def is_zip(head: bytes) -> bool:
    """Whether data begin as a zip archive does."""
    return head.startswith(_MARK)


def samples_of(data: bytes) -> Iterator[Piece]:
    """Yield the samples of a log, each as the exact bytes of its file.

    Raises:
        TraceFormatError: it is no log of Inspect, is damaged, or is packed in an unknown way.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield from _samples(archive)
    except (
        *(zipfile.BadZipFile, zlib.error, ZstdError, EOFError, RuntimeError, NotImplementedError),
    ) as error:
        reason = (
            "is packed in a way that cannot be read here"
            if isinstance(error, RuntimeError)
            else "is a damaged zip archive"
        )
        raise TraceFormatError(reason, fix=_FIX) from None


def _samples(archive: zipfile.ZipFile) -> Iterator[Piece]:
    names = set(archive.namelist())
    head = next((name for name in _HEADS if name in names), None)
    samples = [name for name in archive.namelist() if name.startswith(_SAMPLES)]
    if head is None:
        raise TraceFormatError(
            "is a zip archive without a log; expected one of Inspect (`.eval`)", fix=_FIX
        )
    if not samples:
        raise TraceFormatError("is a log without samples; expected at least one", fix=_FIX)
    shared = _shared(archive, head)
    for n, name in enumerate(samples):
        yield _sample(_unpacked(archive, name), shared, place=f"record {n + 1}")


def _shared(archive: zipfile.ZipFile, head: str) -> JsonMap:
    found = _sample(_unpacked(archive, head), {}, place=None)
    return {key: map_in(found.value)[key] for key in _SHARED if key in map_in(found.value)}


def _unpacked(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return a file of the archive; the size it claims is checked, and so is what comes out."""
    with archive.open(name) as file:
        raw = b"" if archive.getinfo(name).file_size > _LIMIT_BYTES else file.read(_LIMIT_BYTES + 1)
    if not raw or len(raw) > _LIMIT_BYTES:
        raise TraceFormatError(
            f"has a file that is empty or larger than {_LIMIT_BYTES >> 20} MiB", fix=_FIX
        )
    return raw


def _sample(raw: bytes, shared: JsonMap, *, place: str | None) -> Piece:
    try:
        value = read_value(raw, depth=DEPTH_LIMIT)
    except UnicodeDecodeError as error:
        reason = f"is not UTF-8 text: byte {error.start} of {len(raw)} is unreadable"
        return Piece(raw=raw, place=place, error=reason, shared=shared)
    except TraceFormatError as error:
        return Piece(raw=raw, place=place, error=str(error), shared=shared)
    return Piece(raw=raw, place=place, value=value, shared=shared)

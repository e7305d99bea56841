"""Bytes of a source file, unpacked if they are gzip, as records in their order.

A file is JSON Lines if its first line is a whole JSON value and more follows; it is then read
line by line and never held as a whole. Otherwise it is one JSON document, which holds one record or
many, or binary data that a decoder knows. Neither its name nor its ending matters.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BufferedReader, BytesIO, FileIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, cast

from msgspec import structs

from workbench.casefile.files import require_file, shown_path
from workbench.errors import InputError, TraceFormatError
from workbench.ingest.files.containers import readable, records_of, records_of_line
from workbench.ingest.files.decoders import Decoder, decoder_of
from workbench.ingest.records.jsontext import CUT_OFF, DEPTH_LIMIT, FIX_CUT, texts_in
from workbench.ingest.records.parts import read_value
from workbench.ingest.records.piece import Piece

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

__all__ = [
    "SourceText",
    "document_of",
    "file_digest",
    "open_source",
    "pieces_in",
    "pieces_of",
]

_LIMIT_BYTES: Final = 512 << 20
_HEAD_BYTES: Final = 4096
_BUFFER_BYTES: Final = 1 << 18
"""Records are long lines, and a line longer than the buffer is put together from pieces."""
_PART_BYTES: Final = 1 << 20
_GZIP: Final = b"\x1f\x8b"
_BOM: Final = b"\xef\xbb\xbf"
_KNOWN: Final = (
    (b"PK\x03\x04", "a zip archive"),
    (b"PAR1", "a Parquet file"),
    (b"SQLite format 3", "a SQLite database"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ", "xz data"),
    (b"\xff\xfe", "UTF-16 text"),
    (b"\xfe\xff", "UTF-16 text"),
)
_FIX_BINARY: Final = "give JSON or JSON Lines in UTF-8, plain or gzip"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """A file whose form is known."""

    path: Path
    shown: str
    """Its path for messages; never absolute."""
    lines: bool
    """Whether it is JSON Lines."""
    error: str | None = None
    """Why it is no JSON document, where its first line was no JSON value either."""
    decoder: Decoder | None = None
    """What reads it when it is binary."""
    document: Piece | None = None
    """The one JSON document that it is; reading it showed that it is no JSON Lines."""
    first: Piece | None = None
    """The first line of JSON Lines, which was read to find that out."""
    whole: bytes | None = field(default=None, repr=False)
    """All bytes of small JSON Lines."""


def open_source(path: str | os.PathLike[str]) -> SourceText:
    """Find out whether a file is JSON Lines or one JSON document.

    Raises:
        TraceFormatError: it is empty, binary, no JSON at all, or a damaged gzip file.
        InputError: it cannot be opened.
    """
    found = Path(path)
    shown = shown_path(found)
    with _unpacked(found, shown) as (stream, file):
        room = min(found.stat().st_size, _PART_BYTES) if stream is file else _HEAD_BYTES
        head = stream.read(room + 1)
        decoder = decoder_of(head[:_HEAD_BYTES])
        if decoder is not None:
            return SourceText(path=found, shown=shown, lines=False, decoder=decoder)
        whole = head if len(head) <= room else None
        stream.seek(0)
        first, second = _first_lines(stream, whole, shown)
    piece = _parsed(first, depth=None)
    if piece.error is None and second:
        return SourceText(path=found, shown=shown, lines=True, first=piece, whole=whole)
    if piece.error is None:
        return SourceText(path=found, shown=shown, lines=False, document=piece)
    if not second:
        fix = FIX_CUT if piece.error.startswith(CUT_OFF) else _FIX_BINARY
        raise TraceFormatError(piece.error, place=shown, fix=fix)
    piece = _parsed(whole or _whole(found, shown), depth=None)
    if piece.error is None:
        return SourceText(path=found, shown=shown, lines=False, document=piece)
    return SourceText(path=found, shown=shown, lines=True, error=piece.error)


def pieces_of(source: SourceText, *, on_bytes: Callable[[int], None]) -> Iterator[Piece]:
    """Yield the records of a file in their order.

    Args:
        source: from `open_source`.
        on_bytes: is told how many bytes of the file were read so far.
    """
    if source.lines:
        yield from _lines(source, on_bytes)
        return
    on_bytes(source.path.stat().st_size)
    if source.decoder is not None:
        yield from _decoded(source, source.decoder, _whole(source.path, source.shown))
    else:
        assert source.document is not None  # noqa: S101  only lines and binary data have none
        yield from records_of(source.document)


def document_of(data: bytes) -> Piece:
    """Return one JSON document, before it is cut into records.

    Raises:
        TraceFormatError: it is none; it says no place.
    """
    piece = _parsed(data, depth=None)
    if piece.error is not None:
        raise TraceFormatError(piece.error)
    return piece


def pieces_in(raw: bytes) -> Iterator[Piece]:
    """Yield the records of the bytes that were kept of a grouped run.

    Raises:
        TraceFormatError: they are binary and damaged.
    """
    decoder = decoder_of(raw[:_HEAD_BYTES])
    if decoder is not None:
        yield from decoder.pieces(raw)
        return
    for text in texts_in(raw.decode(errors="replace")):
        yield from records_of_line(_parsed(text.encode()))


def _decoded(source: SourceText, decoder: Decoder, data: bytes) -> Iterator[Piece]:
    try:
        yield from decoder.pieces(data)
    except TraceFormatError as error:
        reason = str(error).partition("\n")[0]
        raise TraceFormatError(reason, place=source.shown, fix=error.fix) from None


def file_digest(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file's bytes in hex.

    Raises:
        InputError: it cannot be read.
    """
    found = Path(path)
    with _file(found, shown_path(found)) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _file(path: Path, shown: str) -> Iterator[BufferedReader[FileIO]]:
    """Open a file; what goes wrong while it is read is an error about the file."""
    try:
        require_file(path, shown)
        with BufferedReader(path.open("rb", buffering=0), _BUFFER_BYTES) as file:
            yield file
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise InputError(
            f"cannot be read: {reason}", place=shown, fix="check the path and its permissions"
        ) from None


@contextmanager
def _unpacked(path: Path, shown: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Open a file; yield its unpacked stream and the file below it."""
    with _file(path, shown) as file:
        packed = file.read(2) == _GZIP
        file.seek(0)
        try:
            yield (cast("IO[bytes]", gzip.GzipFile(fileobj=file)) if packed else file), file
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise TraceFormatError(
                "is a damaged gzip file: its data end early or do not fit its checksum",
                place=shown,
                fix="copy the file again; `gzip -dc` unpacks what is left",
            ) from None


def _first_lines(stream: IO[bytes], whole: bytes | None, shown: str) -> tuple[bytes, bytes]:
    """Return the first two lines that are not blank; the second is empty where there is only one.

    Args:
        stream: at its start.
        whole: all of it, where that is little; one line is then not copied.
        shown: path for messages.
    """
    if whole is not None:
        end = whole.find(b"\n")
        if end < 0 or whole[end:].isspace():
            _refuse_binary(whole, shown)
            return whole, b""
        stream = BytesIO(whole)
    first = _next_line(stream, shown)
    _refuse_binary(first, shown)
    return first, _next_line(stream, shown)


def _next_line(stream: IO[bytes], shown: str) -> bytes:
    """Return the next line that is not blank; empty at the end."""
    while line := stream.readline(_LIMIT_BYTES + 1):
        if len(line) > _LIMIT_BYTES:
            raise _too_large(shown)
        if not line.isspace():
            return line
    return b""


def _too_large(shown: str) -> TraceFormatError:
    return TraceFormatError(
        f"has a record of more than {_LIMIT_BYTES >> 20} MiB",
        place=shown,
        fix="write one run a line (JSON Lines)",
    )


def _refuse_binary(first: bytes, shown: str) -> None:
    text = first.removeprefix(_BOM)
    if not text or text.isspace():
        raise TraceFormatError(
            "is empty; expected at least one trace", place=shown, fix="record a run first"
        )
    kind = next((name for mark, name in _KNOWN if first.startswith(mark)), None)
    if kind is None and b"\x00" in first[:4096]:
        kind = "binary"
    if kind is not None:
        raise TraceFormatError(f"is {kind}; expected JSON text", place=shown, fix=_FIX_BINARY)


def _whole(path: Path, shown: str) -> bytes:
    parts: list[bytes] = []
    left = _LIMIT_BYTES
    with _unpacked(path, shown) as (stream, _):
        while part := stream.read(_PART_BYTES):  # a larger one is laid out whole before it is read
            parts.append(part)
            left -= len(part)
            if left < 0:
                raise _too_large(shown)
    return b"".join(parts)


@contextmanager
def _stream_of(source: SourceText) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Yield the unpacked bytes of JSON Lines and where they are read from, as `_unpacked` does."""
    if source.whole is not None:
        held = BytesIO(source.whole)
        yield held, held
        return
    with _unpacked(source.path, source.shown) as streams:
        yield streams


def _lines(source: SourceText, on_bytes: Callable[[int], None]) -> Iterator[Piece]:
    with _stream_of(source) as (stream, file):
        number, known = 0, source.first
        while line := stream.readline(_LIMIT_BYTES + 1):
            number += 1
            if len(line) > _LIMIT_BYTES:
                raise _too_large(source.shown)
            if not line.isspace():
                place = f"line {number}"
                piece = (
                    readable(structs.replace(known, place=place))
                    if known
                    else _parsed(line, place=place)
                )
                known = None
                yield from records_of_line(piece)
            on_bytes(file.tell())


def _parsed(data: bytes, *, depth: int | None = DEPTH_LIMIT, place: str | None = None) -> Piece:
    """Return the JSON value of a line or document, or why there is none."""
    raw = data.removeprefix(_BOM).strip(b" \t\r\n")
    try:
        value = read_value(raw, depth=depth)
    except UnicodeDecodeError as error:
        reason = f"is not UTF-8 text: byte {error.start} of {len(raw)} is unreadable"
        if error.reason == "unexpected end of data":
            reason = f"{CUT_OFF}: it is cut off in the middle of a character after {len(raw)} bytes"
        return Piece(raw=raw, place=place, error=reason)
    except TraceFormatError as error:
        return Piece(raw=raw, place=place, error=str(error))
    return Piece(raw=raw, place=place, value=value)

"""OTLP as protobuf: a request of an exporter, or a file of them, each behind its length.

The messages are turned into the JSON encoding, so that one reader serves both. `raw` of a record
is a message of its own again, written by the same library: with all fields that were sent, also
those that this version does not know.

Source:
    opentelemetry-proto 1.10; the file exporter of the OpenTelemetry collector, which writes a
    length of four bytes, big-endian, before each message.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from workbench.errors import MissingExtraError, TraceFormatError
from workbench.ingest.records.piece import Piece

if TYPE_CHECKING:
    from collections.abc import Iterator

    from google.protobuf.message import Message

    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["is_otlp", "otlp_records", "signals_of"]

_RESOURCE: Final = b"\x0a"
_INNER: Final = (b"\x0a", b"\x12", b"\x1a")
_NAMES: Final = (
    ("resourceSpans", "scopeSpans", "spans"),
    ("resourceLogs", "scopeLogs", "logRecords"),
)
_FIX: Final = "export OTLP as protobuf or JSON, uncompressed or gzip"


def is_otlp(head: bytes) -> bool:
    """Whether data may be OTLP: a first field with a length, and fields of a resource in it."""
    return _is_message(head) or (len(head) > 4 and head[:1] == b"\0" and _is_message(head[4:]))


def _is_message(head: bytes) -> bool:
    if head[:1] != _RESOURCE or head.lstrip()[:1] in (b"{", b"["):
        return False
    at = 1
    while at < len(head) and head[at] & 0x80 and at < 11:
        at += 1
    return head[at + 1 : at + 2] in _INNER and head[at] != 0


def otlp_records(data: bytes) -> Iterator[Piece]:
    """Yield the spans and log records of a file.

    Raises:
        TraceFormatError: it is damaged, or holds other signals; it says no place.
    """
    number = 0
    for message in _messages(data):
        for piece in signals_of(message):
            number += 1
            yield Piece(raw=piece.raw, value=piece.value, text=piece.text, place=f"record {number}")


def _messages(data: bytes) -> Iterator[bytes]:
    if data[:1] != b"\0":
        yield data
        return
    at = 0
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        if len(data) < at + 4 + size or size == 0:
            raise TraceFormatError(
                f"is no whole OTLP file: a message at byte {at} ends after the file", fix=_FIX
            )
        yield data[at + 4 : at + 4 + size]
        at += 4 + size


def signals_of(message: bytes) -> Iterator[Piece]:
    """Yield the spans or log records of one message.

    Raises:
        TraceFormatError: it is neither a message of spans nor one of log records.
    """
    found = _parsed(message)
    if found is None:
        raise TraceFormatError(
            f"is no OTLP message of spans or log records: {len(message)} bytes", fix=_FIX
        )
    document, names = found
    for outer in getattr(document, _snake(names[0])):
        head = _shell(outer, names[1])
        for inner in getattr(outer, _snake(names[1])):
            around = _shell(inner, names[2])
            for item in getattr(inner, _snake(names[2])):
                yield _piece(type(document)(), (head, around, item), names)


def _shell(message: Message, without: str) -> Message:
    """Return a copy of a message without the items of one field."""
    shell = type(message)()
    shell.MergeFrom(message)
    shell.ClearField(_snake(without))
    return shell


def _piece(
    document: Message, parts: tuple[Message, Message, Message], names: tuple[str, str, str]
) -> Piece:
    """Return one item as a document of its own."""
    value: Json = None
    at = document
    for name, part in zip(names, parts, strict=True):
        at = getattr(at, _snake(name)).add()
        at.MergeFrom(part)
    for name, part in reversed([*zip(names, parts, strict=True)]):
        around = _as_json(part)
        value = {name: [around if value is None else {**around, **_as_map(value)}]}
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Piece(raw=document.SerializeToString(), value=value, text=text)


def _as_json(message: Message) -> JsonMap:
    from google.protobuf.json_format import MessageToDict  # noqa: PLC0415  only for such files

    found: JsonMap = MessageToDict(message)
    return found


def _as_map(value: Json) -> JsonMap:
    assert isinstance(value, dict)  # noqa: S101  made above
    return value


def _snake(name: str) -> str:
    return re.sub(r"([A-Z])", r"_\1", name).lower()


def _parsed(message: bytes) -> tuple[Message, tuple[str, str, str]] | None:
    """Return the message as the kind whose items it has; spans and logs have one outer form."""
    try:
        from google.protobuf.message import DecodeError  # noqa: PLC0415  only for such files
        from opentelemetry.proto.logs.v1 import logs_pb2  # noqa: PLC0415
        from opentelemetry.proto.trace.v1 import trace_pb2  # noqa: PLC0415
    except ImportError:
        raise MissingExtraError(
            "opentelemetry-proto", needed_for="OTLP as protobuf", extra="desk"
        ) from None
    for kind, names, is_item in (
        (trace_pb2.TracesData, _NAMES[0], _is_span),
        (logs_pb2.LogsData, _NAMES[1], _is_log),
    ):
        try:
            document = kind.FromString(message)
        except DecodeError:
            continue
        if all(map(is_item, _items(document, names))):
            return document, names
    return None


def _items(document: Message, names: tuple[str, str, str]) -> Iterator[Any]:
    for outer in getattr(document, _snake(names[0])):
        for inner in getattr(outer, _snake(names[1])):
            yield from getattr(inner, _snake(names[2]))


def _is_span(item: Any) -> bool:  # noqa: ANN401  a message of the library
    return len(item.trace_id) == 16 and len(item.span_id) == 8


def _is_log(item: Any) -> bool:  # noqa: ANN401  a message of the library
    """Whether an item is a log record: metrics have the same outer form, and no time there."""
    timed = item.time_unix_nano or item.observed_time_unix_nano
    return bool(timed) and len(item.trace_id) in (0, 16) and len(item.span_id) in (0, 8)

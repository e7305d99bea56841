"""Cassettes in YAML, as VCR writes them: a decoder that makes them records in JSON.

Read from libyaml's events, so that no tag builds an object and no alias can blow a document up.
A body in binary, which may be gzip, becomes its text; only what is no UTF-8 text is left out.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import yaml

from workbench.errors import TraceFormatError
from workbench.ingest.records.jsontext import DEPTH_LIMIT
from workbench.ingest.records.piece import Piece

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.model.jsonvalue import Json

__all__ = ["is_cassette_yaml", "pieces_of_cassette"]

_START: Final = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:(?:#[^\n]*|---|version: *\d+)?\r?\n)*interactions:"
)
_NODES_LIMIT: Final = 2_000_000
_UNPACKED_LIMIT_BYTES: Final = 64 << 20
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(\.[0-9]+)?(?:[eE][-+]?[0-9]{1,2})?")
_WORDS: Final[dict[str, Json]] = {"true": True, "false": False, "null": None, "~": None, "": None}
_BINARY: Final = "tag:yaml.org,2002:binary"
_FIX: Final = "give the cassette as its recorder wrote it"


def is_cassette_yaml(head: bytes) -> bool:
    """Whether data that begin so are a cassette in YAML."""
    return _START.match(head) is not None


def pieces_of_cassette(data: bytes) -> Iterator[Piece]:
    """Yield the cassette as one record.

    Raises:
        TraceFormatError: it is no YAML, has aliases, or is too large; it says no place.
    """
    try:
        value = _read(data.decode())
    except UnicodeDecodeError as error:
        raise TraceFormatError(f"is not UTF-8 text: byte {error.start} is unreadable") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = "" if mark is None else f" at line {mark.line + 1}"
        raise TraceFormatError(f"is not YAML{where}", fix=_FIX) from None
    yield Piece(raw=data, value=value, text=json.dumps(value, ensure_ascii=False))


@dataclass(slots=True)
class _Open:
    """A collection that is being read."""

    value: dict[str, Json] | list[Json]
    key: str | None = None


@dataclass(slots=True)
class _Reader:
    """Builds the value of the first document."""

    stack: list[_Open] = field(default_factory=list)
    root: Json = None
    nodes: int = 0

    def take(self, event: yaml.Event) -> None:
        """Take one event."""
        match event:
            case yaml.AliasEvent():
                raise TraceFormatError("has YAML aliases, which cassettes do not need", fix=_FIX)
            case yaml.ScalarEvent():
                self._scalar(event)
            case yaml.MappingStartEvent():
                self._open({})
            case yaml.SequenceStartEvent():
                self._open([])
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self.stack.pop()
            case _:
                return

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        top = self.stack[-1] if self.stack else None
        if top is not None and isinstance(top.value, dict) and top.key is None:
            top.key = event.value
            return
        self._put(_value_of(event))

    def _open(self, value: dict[str, Json] | list[Json]) -> None:
        self._put(value)
        self.stack.append(_Open(value=value))
        if len(self.stack) > DEPTH_LIMIT:
            raise TraceFormatError(f"nests deeper than {DEPTH_LIMIT} levels")

    def _put(self, value: Json) -> None:
        self.nodes += 1
        if self.nodes > _NODES_LIMIT:
            raise TraceFormatError(f"has more than {_NODES_LIMIT} values")
        if not self.stack:
            self.root = value
            return
        top = self.stack[-1]
        if isinstance(top.value, list):
            top.value.append(value)
        elif top.key is None:
            raise TraceFormatError("has a key that is no text", fix=_FIX)
        else:
            top.value[top.key] = value
            top.key = None


def _read(text: str) -> Json:
    reader = _Reader()
    documents = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        documents += isinstance(event, yaml.DocumentStartEvent)
        if documents > 1:
            raise TraceFormatError("has several YAML documents; expected one", fix=_FIX)
        reader.take(event)
    return reader.root


def _value_of(event: yaml.ScalarEvent) -> Json:
    text: str = event.value
    if event.tag == _BINARY:
        return _binary(text)
    if event.style not in (None, "") or event.tag is not None:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _NUMBER.fullmatch(text) is None:
        return text
    number = json.loads(text)
    assert isinstance(number, int | float)  # noqa: S101  the pattern says so
    return number


def _binary(text: str) -> Json:
    try:
        data = base64.b64decode(text, validate=False)
    except (binascii.Error, ValueError):
        return None
    if data.startswith(b"\x1f\x8b"):
        data = _unpacked(data)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _unpacked(data: bytes) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        found = unpacker.decompress(data, _UNPACKED_LIMIT_BYTES)
    except zlib.error:
        return b"\xff"
    return found if unpacker.eof else b"\xff"

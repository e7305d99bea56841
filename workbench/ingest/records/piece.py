"""One record of a file, before anybody knows which format it has."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.ingest.records.parts import PartMap
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["Piece", "digest_of", "together"]


class Piece(Struct, frozen=True, kw_only=True):
    """One record of a file."""

    raw: bytes
    """Its exact bytes, without white space around it."""
    place: str | None = None
    """`line 17`, `record 3`; None: it is the whole file."""
    value: Json = None
    error: str | None = None
    """Why there is no value."""
    shared: JsonMap | None = None
    """What the file says once of all its records."""
    text: str | None = None
    """What a decoder writes for `raw` that is no JSON text itself: the JSON of `value`."""
    parts: PartMap | None = None
    """Where the parts of `raw` stand, if somebody asked already."""


def digest_of(raw: bytes) -> str:
    """Return the SHA-256 of a record in hex."""
    return hashlib.sha256(raw).hexdigest()


def together(pieces: Sequence[Piece]) -> list[Piece]:
    """Return records whose bytes can stand in one file: as text, unless all are of one kind.

    Binary spans and log records behind one another would be one damaged message.
    """
    if len({_kind(piece) for piece in pieces}) < 2:
        return list(pieces)
    return [
        piece if piece.text is None else replace(piece, raw=piece.text.encode(), text=None)
        for piece in pieces
    ]


def _kind(piece: Piece) -> str | None:
    """Return what a binary message is of: the one name at its top; None: it is text."""
    if piece.text is None:
        return None
    return next(iter(piece.value), "") if isinstance(piece.value, dict) else ""

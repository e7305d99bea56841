"""One record of a file, before anybody knows which format it has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.model.quick_init import quick_init

if TYPE_CHECKING:
    from workbench.ingest.records.parts import PartMap
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["Piece"]


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
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

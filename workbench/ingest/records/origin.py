"""Where a record comes from, as every importer is told."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from workbench.errors import TraceFormatError
from workbench.ingest.records.piece import digest_of
from workbench.model.trace import Source

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json

__all__ = ["Origin", "usable_id"]

_ID_LIMIT_CHARS: Final = 300
_MARKS: Final = {"line": ":", "record": "#"}


class Origin(Struct, frozen=True, kw_only=True):
    """The place of one record."""

    format: str
    """Name of the format that it is read as."""
    raw: bytes
    """Its exact bytes."""
    file: str | None = None
    """Name of its file, without the folder."""
    place: str | None = None
    """Record in the file, e.g. `line 17`; None: the file is the record."""

    def __repr__(self) -> str:
        """Say where it is and no text of it."""
        return f"Origin({self.where})"

    @property
    def source(self) -> Source:
        """As the trace carries it."""
        return Source(format=self.format, file=self.file, place=self.place)

    @property
    def digest(self) -> str:
        """SHA-256 of its exact bytes, in hex; most records have an id of their own and need none."""
        return digest_of(self.raw)

    def run_id(self, own: Json) -> str:
        """Return the source's own id where it has a usable one, else one made of the content."""
        return usable_id(own) or f"{self.format}-{self.digest[:12]}"

    @property
    def where(self) -> str:
        """The place for errors: `file:17`, or `file#3` for the third record of a document."""
        kind, _, number = (self.place or "").partition(" ")
        return f"{self.file or ''}{_MARKS.get(kind, '')}{number}"

    def error(self, key: str, message: str) -> TraceFormatError:
        """Return the error of the value at `key` in the record."""
        return TraceFormatError(message, place=self.where, key=key)


def usable_id(own: Json) -> str | None:
    r"""Return `own` if it can serve as a run id: printable, not blank, not too long.

    >>> usable_id("run-7"), usable_id(7), usable_id("a\nb")
    ('run-7', None, None)
    """
    if not isinstance(own, str) or not own.strip() or len(own) > _ID_LIMIT_CHARS:
        return None
    if own.isprintable():
        return own
    if any(unicodedata.category(char).startswith("C") for char in own):
        return None
    return own

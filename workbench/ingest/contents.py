"""Which content each run id of a file has: one, or nobody could say which run is meant.

Records are held as long as the first reading holds them anyway, and compared; of a large file their
digests are noted, as numbers: these take half the memory of texts, and a file may have millions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from workbench.errors import TraceFormatError
from workbench.ingest.records.piece import digest_of

if TYPE_CHECKING:
    from workbench.ingest.records.piece import Piece

__all__ = ["Contents"]

_ID_BYTES: Final = 16
_CONTENT_BYTES: Final = 12
_PLACE_BITS: Final = 48
_PLACES: Final = ("the file", "line", "record")


@dataclass(slots=True)
class Contents:
    """The contents of run ids so far."""

    _held: dict[str, Piece] | None = field(default_factory=dict)
    """Run id -> the first record that has it; None: they are too many to be held."""
    _noted: dict[int, int] = field(default_factory=dict)
    """Digest of a run id -> digest of the record that has it, and its place in the last bits."""

    def add(self, run_id: str, piece: Piece) -> None:
        """Take a record.

        Raises:
            TraceFormatError: its run id has another content than before; it says no file.
        """
        if self._held is None:
            self._note(run_id, piece)
            return
        first = self._held.setdefault(run_id, piece)
        if first.raw != piece.raw:
            raise _two_contents(first.place or _PLACES[0], piece.place or _PLACES[0])

    def let_go(self) -> None:
        """Hold no record any more, nor those that come."""
        held, self._held = self._held or {}, None
        for run_id, piece in held.items():
            self._note(run_id, piece)

    def _note(self, run_id: str, piece: Piece) -> None:
        kind, _, number = (piece.place or _PLACES[0]).partition(" ")
        place = _PLACES.index(kind) + len(_PLACES) * int(number) if piece.place else 0
        here = int(digest_of(piece.raw)[: 2 * _CONTENT_BYTES], 16) << _PLACE_BITS | place
        key = int(digest_of(run_id.encode(errors="surrogatepass"))[: 2 * _ID_BYTES], 16)
        before = self._noted.setdefault(key, here)
        if before >> _PLACE_BITS != here >> _PLACE_BITS:
            raise _two_contents(_place_of(before), _place_of(here))


def _place_of(noted: int) -> str:
    number, kind = divmod(noted & ((1 << _PLACE_BITS) - 1), len(_PLACES))
    return f"{_PLACES[kind]} {number}" if kind else _PLACES[kind]


def _two_contents(first: str, second: str) -> TraceFormatError:
    return TraceFormatError(f"uses one run id for two contents: {first} and {second}")

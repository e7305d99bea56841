"""The first reading of a file: what is in it, and whether it can be taken at all."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from workbench.casefile.place import describe
from workbench.errors import TraceFormatError
from workbench.ingest.contents import Contents
from workbench.ingest.files.source import pieces_of
from workbench.ingest.formats import AUTO, candidates, known_formats
from workbench.ingest.records.jsontext import CUT_OFF, FIX_CUT
from workbench.ingest.records.origin import usable_id
from workbench.ingest.run_keys import RunKeys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from workbench.ingest.files.source import SourceText
    from workbench.ingest.records.format import Format
    from workbench.ingest.records.piece import Piece
    from workbench.ingest.run_keys import RunKey
    from workbench.model.jsonvalue import Json

__all__ = ["Survey", "survey"]

_HELD_BYTES: Final = 8 << 20
"""Bytes of records that are held from the first reading, so that the second need not parse."""
_HELP: Final = "`workbench ingest --help` lists them"


@dataclass(slots=True)
class Survey:
    """What the first reading found."""

    wanted: str
    """Name of a format, or `auto`."""
    sure: Counter[str] = field(default_factory=Counter)
    """Format -> records that can only be of it."""
    unsure: Counter[tuple[str, ...]] = field(default_factory=Counter)
    """Candidates -> records that can be of any of them."""
    others: int = 0
    """Records that are no trace."""
    first_other: str = ""
    """What the first of them is."""
    messages: int = 0
    """Records that are a single chat message."""
    _contents: Contents = field(default_factory=Contents)
    _keys: RunKeys = field(default_factory=RunKeys)
    _last: dict[RunKey, int] = field(default_factory=dict)
    """Run of a grouped format -> position of its last record."""
    _keyless: dict[str, int] = field(default_factory=dict)
    """Grouped format -> position of the last record before any that has a key."""
    _records: int = 0
    _held: list[Piece] | None = field(default_factory=list)
    """All records so far; None: they are too many to be held."""
    _held_bytes: int = 0
    _only: str | None = None
    """The format of all records, where they have the same."""

    def candidates_of(self, value: Json) -> tuple[str, ...]:
        """Return the formats that a record may have."""
        return candidates(value, wanted=self.wanted)

    def format_of(self, value: Json) -> str | None:
        """Return the format of a record; None: it has none, or nobody can say which.

        To be asked after the first reading, of records that this reading saw.
        """
        if self._only is not None:
            return self._only
        found = self.candidates_of(value)
        known = found if len(found) == 1 else self._seen(found)
        return known[0] if len(known) == 1 else None

    def again(self, source: SourceText, *, on_bytes: Callable[[int], None]) -> Iterator[Piece]:
        """Yield the records a second time, those of a small file from memory."""
        pieces, self._held = self._held, None
        if pieces is None:
            return pieces_of(source, on_bytes=on_bytes)
        return _handed_over(pieces, source.path.stat().st_size, on_bytes)

    @property
    def keys(self) -> RunKeys:
        """What says which run a record belongs to, for the second reading."""
        return self._keys.again()

    def settle(self) -> None:
        """End the reading: bring runs together whose records turned out to be of one."""
        last: dict[RunKey, int] = {}
        for run, at in self._last.items():
            root = self._keys.root(run)
            last[root] = max(at, last.get(root, at))
        self._last = last
        if len(self.sure) == 1 and not self.unsure and not self.others:
            (self._only,) = self.sure

    @property
    def sole_run(self) -> RunKey | None:
        """The one grouped run that the file holds; None: it holds more, or other formats."""
        if len(self.sure) != 1 or self.unsure:
            return None
        (name,) = self.sure
        if known_formats()[name].run_of is None or len(self._last) > 1:
            return None
        return next(iter(self._last), (name, ""))

    def last_of(self, run: RunKey) -> int | None:
        """Return where the last record of a grouped run stands; None: not known."""
        if self.unsure:
            return None
        return self._last.get(run, self._keyless.get(run[0]))

    def _seen(self, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in names if self.sure[name])

    def ambiguous(self) -> tuple[str, ...]:
        """Return the candidates of records whose format the file's other records do not show."""
        open_ones = (names for names in self.unsure if len(self._seen(names)) != 1)
        return next(iter(open_ones), ())

    def add(self, piece: Piece) -> None:
        """Count one record.

        Raises:
            TraceFormatError: its run id has another content than before; it says no file.
        """
        found = self.candidates_of(piece.value)
        if len(found) == 1:
            self.sure[found[0]] += 1
        elif found:
            self.unsure[found] += 1
        else:
            self.others += 1
            self.first_other = self.first_other or piece.error or f"is {describe(piece.value)}"
            self.messages += isinstance(piece.value, dict) and "role" in piece.value
        entries = [known_formats()[name] for name in found]
        for entry in entries:
            if entry.run_of is not None:
                self._add_to_run(entry, piece.value)
        single = next((entry for entry in entries if entry.run_of is None), None)
        run_id = None if single is None else usable_id(single.own_id(piece.value))
        if run_id is not None:
            self._contents.add(run_id, piece)
        self._hold(piece)
        self._records += 1

    def _hold(self, piece: Piece) -> None:
        if self._held is not None:
            self._held.append(piece)
            self._held_bytes += len(piece.raw)
            if self._held_bytes > _HELD_BYTES:
                self._held = None
                self._contents.let_go()

    def _add_to_run(self, entry: Format, value: Json) -> None:
        run = self._keys.of(entry, value)
        if run is None:
            self._keyless[entry.name] = self._records
        else:
            self._keys.first.setdefault(*run)
            self._last[run] = self._records


def _handed_over(
    pieces: list[Piece], size: int, on_bytes: Callable[[int], None]
) -> Iterator[Piece]:
    """Yield records and let go of each; tell which part of a file of `size` bytes is done."""
    total = sum(len(piece.raw) for piece in pieces)
    done = 0
    pieces.reverse()
    while pieces:
        piece = pieces.pop()
        yield piece
        done += len(piece.raw)
        on_bytes(size * done // max(1, total))


def survey(source: SourceText, *, wanted: str, on_bytes: Callable[[int], None]) -> Survey:
    """Read a file once, to its end.

    Args:
        source: the file.
        wanted: name of a format, or `auto`.
        on_bytes: is told how many bytes were read.

    Raises:
        TraceFormatError: the file is damaged, no record is a trace, its format is ambiguous, or
            one run id has two contents.
    """
    found = Survey(wanted=wanted)
    try:
        for piece in pieces_of(source, on_bytes=on_bytes):
            found.add(piece)
    except TraceFormatError as error:
        if error.place:
            raise
        fix = "give each run its own id, or remove the ids: they are then made from the content"
        raise TraceFormatError(str(error), place=source.shown, fix=fix) from None
    found.settle()
    if not found.sure and not found.unsure:
        raise _no_trace(found, source)
    names = found.ambiguous()
    if names:
        raise TraceFormatError(
            f"can be read as {' or as '.join(names)}, and nothing in it decides",
            place=source.shown,
            fix=" or ".join(f"--format {name}" for name in names),
        )
    return found


def _no_trace(found: Survey, source: SourceText) -> TraceFormatError:
    total = found.others
    if source.error is not None:
        what = f"is neither JSON nor JSON Lines: as one document it {source.error}"
    elif total == 0:
        what = "is an empty list; expected at least one trace"
    elif total == 1:
        what = f"holds no trace: its one record {found.first_other}"
    else:
        what = f"holds no trace among its {total} records; the first {found.first_other}"
    if found.wanted != AUTO:
        what = f"{what}; expected {found.wanted}"
    if total > 1 and found.messages == total:
        fix = "its lines are messages of one run: put them into one list, as `jq -s .` does"
    elif source.error is not None and source.error.startswith(CUT_OFF):
        fix = FIX_CUT
    else:
        fix = (
            f"check the file, or name one of {len(known_formats())} formats with --format: {_HELP}"
        )
    return TraceFormatError(what, place=source.shown, fix=fix)

"""A progress bar on stderr for long work; silent where nobody watches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self, TextIO

__all__ = ["Progress"]

_CELLS: Final = 20


class Progress:
    """Call it with (done, total); it redraws one line of a terminal when there is news."""

    def __init__(self, label: str, *, stream: TextIO) -> None:
        self._label = label
        self._stream = stream
        self._shown: tuple[int, str] | None = None
        self._watched = stream.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._watched and self._shown is not None:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()

    def __call__(self, done: int, total: int, *, note: str = "") -> None:
        """Draw `done` of `total`, in any one unit.

        Args:
            done: at least 0; more than `total` counts as all of it.
            total: 0: there is nothing to do.
            note: what else to say; text of ours.
        """
        per_cent = 100 if total <= 0 else min(100, done * 100 // total)
        if self._watched and (per_cent, note) != self._shown:
            self._shown = (per_cent, note)
            full = per_cent * _CELLS // 100
            bar = "#" * full + "." * (_CELLS - full)
            more = f", {note}" if note else ""
            self._stream.write(f"\r{self._label}: [{bar}] {per_cent} %{more}")
            self._stream.flush()

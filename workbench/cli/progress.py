"""A progress line on stderr for long work; silent where nobody watches."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self, TextIO

__all__ = ["Progress"]


class Progress:
    """Call it with (done, total); it redraws one line of a terminal at each new per cent."""

    def __init__(self, label: str, *, stream: TextIO) -> None:
        self._label = label
        self._stream = stream
        self._shown = -1
        self._watched = stream.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._watched and self._shown >= 0:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()

    def __call__(self, done: int, total: int) -> None:
        """Draw `done` of `total`, in any one unit."""
        per_cent = 100 if total <= 0 else min(100, done * 100 // total)
        if self._watched and per_cent != self._shown:
            self._shown = per_cent
            self._stream.write(f"\r{self._label}: {per_cent} %")
            self._stream.flush()

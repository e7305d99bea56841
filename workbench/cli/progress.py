"""How far long work is, on stderr: a bar where somebody watches, a line a step in a log.

Every text is ours, or a path that was typed; never one of a trace.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self, TextIO

    from workbench.shrink import Step

__all__ = ["PATIENCE_S", "Progress", "redaction_progress", "search_progress"]

PATIENCE_S: Final = 2.0
"""Seconds of work after which a log is told the steps; quick work leaves nothing in it."""
_CELLS: Final = 20


class Progress:
    """Redraws one line of a terminal when there is news, and removes it at the end.

    Where nobody watches, `step` and `say` write a step's name, once, as soon as the work has taken
    longer than `PATIENCE_S`; a bar alone stays silent there.
    """

    def __init__(
        self, label: str = "", *, stream: TextIO, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._label = label
        self._stream = stream
        self._clock = clock
        self._start = clock()
        self._shown: tuple[int, str] | None = None
        self._length = 0
        self._named = False
        self._watched = stream.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._length:
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
            self._draw(f"{self._label}: [{bar}] {per_cent} %{more}")

    def step(self, label: str, done: int = 0, total: int = 0, *, unit: str = "") -> None:
        """Say which step the work is in, and how far that is.

        Args:
            label: of the step; another one than before begins it.
            done: as for the bar.
            total: 0: nobody knows.
            unit: of both, in the plural; empty: too many to read.
        """
        self._begin(label)
        if total <= 0:
            self.say("")
            return
        self._name()
        at = self._shown
        if at is None or at[0] != min(100, done * 100 // total):  # a text a write would be slow
            self(done, total, note=f"{done:,} of {total:,} {unit}" if unit else "")

    def say(self, note: str) -> None:
        """Say how far a step is whose end nobody knows.

        Args:
            note: text of ours; empty: nothing is known.
        """
        self._name()
        if self._watched and (0, note) != self._shown:
            self._shown = (0, note)
            self._draw(f"{self._label}: {note}" if note else f"{self._label} ...")

    def _begin(self, label: str) -> None:
        if label != self._label:
            self._label, self._shown, self._named = label, None, False

    def _name(self) -> None:
        if self._watched or self._named or self._clock() - self._start < PATIENCE_S:
            return
        self._named = True
        self._stream.write(f"{self._label} ...\n")
        self._stream.flush()

    def _draw(self, text: str) -> None:
        rest = "\x1b[K" if len(text) < self._length else ""
        self._length = len(text)
        self._stream.write(f"\r{text}{rest}")
        self._stream.flush()


def redaction_progress(progress: Progress) -> Callable[[str, int, int], None]:
    """Return what a redaction tells how far it is."""

    def tell(step: str, done: int, total: int) -> None:
        progress.step(f"redacting: {step}", done, total, unit="texts")

    return tell


def search_progress(progress: Progress) -> Callable[[Step], None]:
    """Return what a search for the smallest trace tells each candidate that was judged."""

    def tell(step: Step) -> None:
        progress.step("shrinking")
        progress.say(f"{step.calls:,} calls, {step.events:,} events left, trying {step.trying}")

    return tell

"""The search for the least that still fails, while it runs."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from workbench.ui.bridge import View, module, stylesheet

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.ui.controllers.shrink import ShrinkReview

__all__ = ["ShrinkView"]

_PAUSE_S: Final = 0.1
"""Between two messages while it works; a browser draws no faster than people look."""


class ShrinkView(View):
    """Shows a `ShrinkReview`."""

    _esm: ClassVar[str] = module("shrink")
    _css: ClassVar[str] = stylesheet("shrink")

    def __init__(self, controller: ShrinkReview) -> None:
        self.review = review = controller
        super().__init__(controller)
        self._told_at = 0.0
        self._told_steps = 0
        self.hear("start", self._start)
        self.hear("stop", self._stop)
        self.hear("keep", partial(self._lock, review.keep), seq=int, seen=int)
        self.hear("free", partial(self._lock, review.free), seq=int, seen=int)
        self.hear("reviewer", self._reviewer, by=str)
        self.hear("sync", self._sync)
        review.on_change.append(self._changed)

    def ready(self) -> None:
        """Tell a browser the events, the steps so far, and where the search stands."""
        self.tell("events", events=self.review.events())
        self._progress(since=0)

    def _progress(self, *, since: int) -> None:
        steps = self.review.curve(since)
        self._told_steps = since + len(steps)
        self._told_at = time.monotonic()
        state, seen = self.review.state(), self.review.seen
        self.tell("progress", state=state, since=since, steps=steps, seen=seen)

    def _changed(self) -> None:
        """Hear from the thread beside; the controller's lock is held."""
        is_soon = time.monotonic() - self._told_at < _PAUSE_S
        if self.review.is_working and is_soon:
            return
        started_anew = len(self.review.steps) < self._told_steps
        self._progress(since=0 if started_anew else self._told_steps)

    def _start(self) -> None:
        self.review.start()
        self._progress(since=0)

    def _stop(self) -> None:
        self.review.stop()
        self._progress(since=self._told_steps)

    def _lock(self, act: Callable[..., None], *, seq: int, seen: int) -> None:
        try:
            act(seq, seen=seen)
        finally:
            self._progress(since=self._told_steps)  # also when somebody else was first

    def _reviewer(self, *, by: str) -> None:
        self.review.name_reviewer(by)
        self._progress(since=self._told_steps)

    def _sync(self) -> None:
        self.review.look_again()
        self._progress(since=self._told_steps)

"""What happened in a run, or in two: a waterfall with details."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from workbench.ui.bridge import View, module, stylesheet

if TYPE_CHECKING:
    from workbench.ui.controllers.timeline import Timeline

__all__ = ["TimelineView"]

_SIDES: Final = frozenset({"this", "other"})


class TimelineView(View):
    """Shows a `Timeline`."""

    _esm: ClassVar[str] = module("timeline")
    _css: ClassVar[str] = stylesheet("timeline")

    def __init__(self, controller: Timeline) -> None:
        self.timeline = controller
        super().__init__(controller)
        self.hear("select", self._select, seq=int, side=_SIDES)
        self.hear("search", self._search, text=str)
        self.hear("mask", self._mask, on=bool)
        self.hear("trigger", self._trigger, seq=int)
        self.hear("compare", self._compare, run_id=str)
        controller.watch(self._changed)

    def ready(self) -> None:
        """Tell a browser the rows, chunk by chunk."""
        timeline = self.timeline
        if timeline.incident is None:
            self.tell("nothing")
            return
        parting = timeline.divergence()
        for side in ("this",) if parting is None else ("this", "other"):
            self.tell("head", side=side, head=timeline.head(side), parting=parting)
            for chunk in timeline.rows(side):
                self.tell("rows", side=side, rows=chunk)

    def _changed(self) -> None:
        """Tell the rows again, and what a person looks at: marks may be new."""
        self.ready()
        selected = self.timeline.selected
        if selected is not None:
            self._select(seq=selected, side="this")

    def go(self, seq: int) -> None:
        """Show the row of an event to whoever looks."""
        self.tell("go", seq=seq)

    def _select(self, *, seq: int, side: str) -> None:
        self.tell("detail", **self.timeline.select(seq, side))

    def _search(self, *, text: str) -> None:
        self.tell("found", text=text, seqs=[*self.timeline.search_long(text)])

    def _mask(self, *, on: bool) -> None:
        self.timeline.masks = on
        self._changed()

    def _trigger(self, *, seq: int) -> None:
        self.timeline.mark_trigger(seq)
        self.ready()
        self._select(seq=seq, side="this")

    def _compare(self, *, run_id: str) -> None:
        self.timeline.compare_with(run_id)

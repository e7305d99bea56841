"""The list of runs, of which one is picked."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from workbench.store.listing import SORTABLE, Query
from workbench.ui.bridge import View, module, stylesheet

if TYPE_CHECKING:
    from workbench.ui.controllers.picker import Picker

__all__ = ["PickerView"]

_SORTABLE: Final = frozenset(SORTABLE)


class PickerView(View):
    """Shows a `Picker`."""

    _esm: ClassVar[str] = module("picker")
    _css: ClassVar[str] = stylesheet("picker")

    def __init__(self, controller: Picker) -> None:
        self.picker = controller
        super().__init__(controller)
        self.hear(
            "find",
            self._find,
            text=str,
            status=str,
            grade=str,
            inside=str,
            sort=_SORTABLE,
            descending=bool,
        )
        self.hear("turn", self._turn, offset=int)
        self.hear("pick", self._pick, run_id=str)
        self.hear("reload", self._reload)

    def ready(self) -> None:
        """Tell a browser what it may choose from, and the page."""
        self.tell("choices", **self.picker.choices())
        self._page()
        self.tell("lost", lost=self.picker.lost())

    def _page(self) -> None:
        self.tell("page", **self.picker.page())

    def _find(
        self, *, text: str, status: str, grade: str, inside: str, sort: str, descending: bool
    ) -> None:
        query = Query(
            text=text,
            status=status or None,
            grade=grade or None,
            sort=sort,
            descending=descending,
        )
        self.picker.find(query, inside=inside)
        self._page()

    def _turn(self, *, offset: int) -> None:
        self.picker.turn_to(offset)
        self._page()

    def _pick(self, *, run_id: str) -> None:
        self.picker.pick(run_id)
        self.tell("picked", run_id=run_id, summary=self.picker.summary())
        self.tell("lost", lost=self.picker.lost())

    def _reload(self) -> None:
        self.picker.reload()
        self.ready()

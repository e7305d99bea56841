"""The table of stale cases, with one decision a case."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from workbench.review.agenda import Action
from workbench.ui.bridge import View, module, stylesheet

if TYPE_CHECKING:
    from workbench.ui.controllers.stale import StaleTable

__all__ = ["StaleView"]

_ACTIONS: Final = frozenset(action.value for action in Action)


class StaleView(View):
    """Shows a `StaleTable`."""

    _esm: ClassVar[str] = module("stale")
    _css: ClassVar[str] = stylesheet("form")

    def __init__(self, controller: StaleTable) -> None:
        self.table = controller
        super().__init__(controller)
        self.hear(
            "decide", self._decide, place=str, seal=str, action=_ACTIONS, reason=str, until=str
        )
        self.hear("reviewer", self._reviewer, by=str)
        self.hear("refresh", self._refresh)

    def ready(self) -> None:
        """Tell a browser every case, the worst first, and the record so far."""
        self.tell(
            "rows",
            rows=self.table.rows(),
            summary=self.table.summary(),
            record=self.table.record(),
            reviewer=self.table.reviewer,
        )

    def _decide(self, *, place: str, seal: str, action: str, reason: str, until: str) -> None:
        try:
            self.table.decide(place, action=action, reason=reason, until=until, seal=seal)
            self.tell("decided", place=place, action=action)
        finally:
            self.ready()  # also when somebody else was first

    def _reviewer(self, *, by: str) -> None:
        self.table.reviewer = by.strip()

    def _refresh(self) -> None:
        self.table.refresh()
        self.ready()

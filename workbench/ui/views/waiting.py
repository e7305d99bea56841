"""A step that cannot begin yet: what is missing, and a button that looks again."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from workbench.ui.bridge import View, module, stylesheet

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.ui.controllers.session import Missing

__all__ = ["WaitingView"]


class WaitingView(View):
    """Shows what is `Missing`."""

    _esm: ClassVar[str] = module("waiting")
    _css: ClassVar[str] = stylesheet()

    def __init__(self, controller: Missing, *, look_again: Callable[[], None]) -> None:
        self.missing = controller
        super().__init__(controller)
        self._look_again = look_again
        self.hear("again", self._again)

    def ready(self) -> None:
        """Tell a browser what is missing."""
        self.tell("missing", title=self.missing.title, detail=self.missing.detail)

    def _again(self) -> None:
        self._look_again()
        self.ready()

"""One step of a notebook: its view, and below it a line that stays when the kernel is gone.

The view is another one when the step is: what is missing, then the step itself. The line is a
plain output, so a notebook that is opened again still says what was decided; it holds no value of
a trace, as no summary does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from IPython.display import display
from ipywidgets import VBox

from workbench.ui.edge import at_the_edge

if TYPE_CHECKING:
    from collections.abc import Callable

    from IPython.display import DisplayHandle

    from workbench.ui.bridge import View

__all__ = ["Said", "Step"]


class Said:
    """A text below a cell that is written again when there is more to say."""

    def __init__(self, say: Callable[[], str]) -> None:
        self._say = say
        self._text = ""
        self._place: DisplayHandle | None = None

    def __repr__(self) -> str:
        return self._text

    def show(self) -> None:
        """Write it here."""
        self._text = self._say()
        self._place = display(self, display_id=True)  # type: ignore[no-untyped-call]

    def renew(self) -> None:
        """Write it again if it says something else now."""
        if self._place is not None and (said := self._say()) != self._text:
            self._text = said
            self._place.update(self)  # type: ignore[no-untyped-call]


class Step:
    """A view that may become another one."""

    def __init__(self, *, on_heard: Callable[[], None] | None = None) -> None:
        """Make a step without a view.

        Args:
            on_heard: called after each message that a view of it understood; None: its line is
                written again.
        """
        self.view: View | None = None
        """What is shown now."""
        self.line = Said(self.summary)
        self._on_heard = on_heard or self.line.renew
        self._box = VBox()

    def become(self, view: View) -> None:
        """Show another view from now on."""
        self.view = view
        view.on_heard.append(self._on_heard)
        self._box.children = (view,)
        self.line.renew()

    def summary(self) -> str:
        """Say in one line where the step stands, without values of the trace."""
        return "" if self.view is None else self.view.summary()

    @at_the_edge
    def show(self) -> None:
        """Draw the step here, with its line below."""
        display(self._box)  # type: ignore[no-untyped-call]
        self.line.show()

"""One step of a notebook: its view, and below it a line that stays when the kernel is gone.

The view is another one when the step is: what is missing, then the step itself. The line is a
plain output, so a notebook that is opened again still says what was decided; it holds no value of
a trace, as no summary does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from IPython.display import display
from ipywidgets import VBox

if TYPE_CHECKING:
    from IPython.display import DisplayHandle

    from workbench.ui.bridge import View

__all__ = ["Step"]


class _Line:
    """A text that is printed as it is."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


class Step:
    """A view that may become another one."""

    def __init__(self) -> None:
        self.view: View | None = None
        """What is shown now."""
        self._box = VBox()
        self._line: DisplayHandle | None = None
        self._said = ""

    def become(self, view: View) -> None:
        """Show another view from now on."""
        self.view = view
        view.on_heard.append(self._say)
        self._box.children = (view,)
        self._say()

    def summary(self) -> str:
        """Say in one line where the step stands, without values of the trace."""
        return "" if self.view is None else self.view.summary()

    def show(self) -> None:
        """Draw the step here, with its line below."""
        display(self._box)  # type: ignore[no-untyped-call]
        self._said = self.summary()
        self._line = display(_Line(self._said), display_id=True)  # type: ignore[no-untyped-call]

    def _say(self) -> None:
        """Write the line again if it says something else."""
        said = self.summary()
        if self._line is not None and said != self._said:
            self._said = said
            self._line.update(_Line(said))  # type: ignore[no-untyped-call]

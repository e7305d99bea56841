"""The base of every view: what reaches a notebook file, and what does not.

Whatever a synced trait, a repr or an exception holds is written to notebook files, checkpoints and
reports. So a view syncs nothing but its code; trace text goes to the browser by custom message
only, which no writer saves; and an error says where it happened, never what it was about.

Source:
    design page 08, rules 1 to 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

import anywidget

from workbench.errors import WorkbenchError
from workbench.ui.edge import place_of
from workbench.ui.messages import arguments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from threading import RLock

    from workbench.model.jsonvalue import Json
    from workbench.ui.messages import Shape

__all__ = ["SYNCED", "Controller", "Heard", "View", "module", "stylesheet"]

_STATIC: Final = Path(__file__).parent / "static"
_EXPORT: Final = "export default"

SYNCED: Final = frozenset(
    {
        *("_anywidget_id", "_css", "_dom_classes", "_esm"),
        *("_model_module", "_model_module_version", "_model_name", "_view_count"),
        *("_view_module", "_view_module_version", "_view_name", "layout", "tabbable", "tooltip"),
    }
)
"""Names of all traits that a view may sync: none of them holds a text of a trace."""


def module(name: str) -> str:
    """Return a view's ES module with the helper that makes its DOM.

    The view's part is in a scope of its own: a name that the helper has too would make the whole a
    syntax error, which no browser says where it is seen.
    """
    helper, own = ((_STATIC / part).read_text("utf-8") for part in ("dom.js", f"{name}.js"))
    before, found, exported = own.partition(f"\n{_EXPORT} ")
    assert found, name  # noqa: S101  a broken invariant of ours
    return f"{helper}\n{_EXPORT} (() => {{\n{before}\nreturn {exported}\n}})();\n"


def stylesheet(name: str | None = None) -> str:
    """Return the design tokens, the shared styles, and those of one view."""
    parts = ("tokens", "workbench") if name is None else ("tokens", "workbench", name)
    return "\n".join((_STATIC / f"{part}.css").read_text("utf-8") for part in parts)


class Controller(Protocol):
    """What a view needs of its controller."""

    @property
    def lock(self) -> RLock:
        """Held during each callback: they come on another thread under some kernels."""

    def summary(self) -> str:
        """Say in one line where the step stands, without values of the trace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One kind of message from the browser."""

    shapes: Mapping[str, Shape]
    callback: Callable[..., None]


class View(anywidget.AnyWidget):
    """A widget that shows a controller; a subclass states `_esm` and `_css` and what it hears."""

    _esm: ClassVar[str]
    _css: ClassVar[str]

    def __init__(self, controller: Controller) -> None:
        self.controller = controller
        self.heard: dict[str, Heard] = {}
        self.ignored = 0
        """Messages that were not understood."""
        self.on_heard: list[Callable[[], None]] = []
        """Called after each message that was."""
        super().__init__()
        self.hear("ready", self.ready)
        self.on_msg(self._receive)

    def __repr__(self) -> str:
        return type(self).__name__

    def summary(self) -> str:
        """Say in one line where the step stands, without values of the trace."""
        with self.controller.lock:
            return self.controller.summary()

    def ready(self) -> None:
        """Tell a browser that has just drawn the view all that it shows."""
        raise NotImplementedError

    def hear(self, kind: str, callback: Callable[..., None], **shapes: Shape) -> None:
        """Take messages of a kind: the fields that they must have are the callback's arguments."""
        self.heard[kind] = Heard(shapes=shapes, callback=callback)

    def tell(self, kind: str, **payload: Json) -> None:
        """Send a message to every browser that shows the view; it is saved nowhere."""
        self.send({"kind": kind, **payload})

    def _receive(self, _widget: object, content: object, _buffers: object) -> None:
        given = self._understood(content)
        if given is None:
            self.ignored += 1
            return
        heard, fields = given
        with self.controller.lock:
            self._do(partial(heard.callback, **fields))
        for act in tuple(self.on_heard):
            self._do(act)

    def _do(self, act: Callable[[], None]) -> None:
        """Do something; what it raises is told, as an output it would be saved."""
        try:
            act()
        except WorkbenchError as error:
            self.tell("refused", message=str(error))
        except Exception as error:  # noqa: BLE001  its text may be of the trace, so it ends here
            self.tell("broken", error=type(error).__name__, place=place_of(error))

    def _understood(self, content: object) -> tuple[Heard, dict[str, Any]] | None:
        if not isinstance(content, dict) or not isinstance(content.get("kind"), str):
            return None
        heard = self.heard.get(content["kind"])
        if heard is None:
            return None
        fields = arguments(content, heard.shapes)
        return None if fields is None else (heard, fields)

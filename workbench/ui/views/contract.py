"""The contract as a form: suggestions with evidence, a preset, and a text that is judged as typed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

from workbench.ui.bridge import View, module, stylesheet
from workbench.ui.controllers.clauses import PRESET

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.ui.controllers.contract import ContractForm
    from workbench.ui.messages import Shape

__all__ = ["ContractView"]

T = TypeVar("T")
_PARTS: Final[dict[str, Shape]] = dict.fromkeys(PRESET, str)


class ContractView(View):
    """Shows a `ContractForm`."""

    _esm: ClassVar[str] = module("contract")
    _css: ClassVar[str] = stylesheet("form")

    def __init__(self, controller: ContractForm) -> None:
        self.form = controller
        super().__init__(controller)
        self.hear("check", self._check, text=str)
        self.hear("parts", self._parts, **_PARTS)
        self.hear("keep", self._keep, text=str, seen=int)
        self.hear("use", self._use, number=int, text=str, seen=int)
        self.hear("preset", self._preset, **_PARTS, text=str, seen=int)
        self.hear("state", self._state, text=str, seen=int)
        self.hear("undo", self._undo)
        self.hear("sync", self._sync)

    def ready(self) -> None:
        """Tell a browser the suggestions, the text, and what is wrong with it."""
        self.form.look_again()
        self.tell("suggestions", suggestions=self.form.suggestions())
        self._text()

    def _text(self) -> None:
        form = self.form
        self.tell("text", text=form.text, by=form.author, summary=form.summary(), seen=form.seen)

    def _check(self, *, text: str) -> None:
        self.tell("checked", text=text, **self.form.check(text))

    def _parts(self, **parts: str) -> None:
        self.tell("parts", **self.form.check_preset(parts))

    def _sync(self) -> None:
        self.form.look_again()
        self._text()

    def _keep(self, *, text: str, seen: int) -> None:
        self._decide(partial(self.form.keep, text, seen=seen))

    def _use(self, *, number: int, text: str, seen: int) -> None:
        self._add(partial(self.form.use, number, text=text, seen=seen))

    def _preset(self, *, text: str, seen: int, **parts: str) -> None:
        self._add(partial(self.form.use_preset, **parts, text=text, seen=seen))

    def _undo(self) -> None:
        self._add(self.form.undo)

    def _add(self, act: Callable[[], str]) -> None:
        self.tell("added", text=self._decide(act))

    def _state(self, *, text: str, seen: int) -> None:
        self._decide(partial(self.form.state, text, seen=seen))
        self.tell("stated", summary=self.form.summary())

    def _decide(self, act: Callable[[], T]) -> T:
        """Do it; tell what stands, also when somebody else was first."""
        try:
            return act()
        finally:
            self._text()

"""The contract as a form: suggestions with evidence, a preset, and a text that is judged as typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from workbench.ui.bridge import View, module, stylesheet

if TYPE_CHECKING:
    from workbench.ui.controllers.contract import ContractForm

__all__ = ["ContractView"]


class ContractView(View):
    """Shows a `ContractForm`."""

    _esm: ClassVar[str] = module("contract")
    _css: ClassVar[str] = stylesheet("form")

    def __init__(self, controller: ContractForm) -> None:
        self.form = controller
        super().__init__(controller)
        self.hear("check", self._check, text=str)
        self.hear("keep", self._keep, text=str)
        self.hear("use", self._use, number=int)
        self.hear("preset", self._preset, forbidden=str, evidence=str, final=str)
        self.hear("state", self._state, text=str)

    def ready(self) -> None:
        """Tell a browser the suggestions, the text, and what is wrong with it."""
        self.tell("suggestions", suggestions=self.form.suggestions())
        self._text(self.form.text)

    def _text(self, text: str) -> None:
        self.tell("text", text=text, summary=self.form.summary())
        self._check(text=text)

    def _check(self, *, text: str) -> None:
        self.tell("checked", text=text, **self.form.check(text))

    def _keep(self, *, text: str) -> None:
        self.form.keep(text)

    def _use(self, *, number: int) -> None:
        self._text(self.form.use(number))

    def _preset(self, *, forbidden: str, evidence: str, final: str) -> None:
        self._text(self.form.use_preset(forbidden=forbidden, evidence=evidence, final=final))

    def _state(self, *, text: str) -> None:
        self.form.state(text)
        self.tell("stated", summary=self.form.summary())

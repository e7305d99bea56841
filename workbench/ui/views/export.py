"""The case as a form: its fields, the file that would be written, and its proof."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, ClassVar

from workbench.ui.bridge import View, module, stylesheet
from workbench.ui.controllers.export import CaseFields

if TYPE_CHECKING:
    from workbench.ui.controllers.export import CaseForm
    from workbench.ui.messages import Shape

__all__ = ["CaseView"]


class CaseView(View):
    """Shows a `CaseForm`."""

    _esm: ClassVar[str] = module("export")
    _css: ClassVar[str] = stylesheet("form")

    def __init__(self, controller: CaseForm) -> None:
        self.form = controller
        super().__init__(controller)
        filled: dict[str, Shape] = {field.name: str for field in fields(CaseFields)}
        self.hear("check", self._check, **filled)
        self.hear("fill", self._fill, **filled)
        self.hear("export", self._export, **filled)
        self.hear("accept", self._accept)
        self.hear("activate", self._activate)

    def ready(self) -> None:
        """Tell a browser what is filled in, what is wrong with it, and the proof of the case."""
        filled = self.form.fields
        self.tell("fields", **asdict(filled))
        self.tell("checked", **self.form.check(filled))
        self._proof()

    def _proof(self) -> None:
        self.tell("proof", proof=self.form.proof(), summary=self.form.summary())

    def _check(self, **filled: str) -> None:
        self.tell("checked", **self.form.check(CaseFields(**filled)))

    def _fill(self, **filled: str) -> None:
        self.form.fill(CaseFields(**filled))

    def _export(self, **filled: str) -> None:
        self.form.export(CaseFields(**filled))
        self._proof()

    def _accept(self) -> None:
        self.form.accept()
        self._proof()

    def _activate(self) -> None:
        self.form.activate()
        self._proof()

"""The case as a form: its fields, the file that would be written, and its proof."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from workbench.ui.bridge import View, module, stylesheet
from workbench.ui.controllers.case_fields import LIMITS, CaseFields

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.ui.controllers.export import CaseForm
    from workbench.ui.messages import Shape

__all__ = ["CaseView"]


class CaseView(View):
    """Shows a `CaseForm`."""

    _esm: ClassVar[str] = module("export")
    _css: ClassVar[str] = stylesheet("form")

    def __init__(self, controller: CaseForm) -> None:
        self.form = controller
        self._edition: str | None = None
        super().__init__(controller)
        filled: dict[str, Shape] = dict.fromkeys(LIMITS, str)
        self.hear("check", self._check, **filled)
        self.hear("fill", self._fill, **filled, seen=int)
        self.hear("export", self._export, **filled, seen=int)
        self.hear("accept", partial(self._step, self.form.accept))
        self.hear("accept_run", self._accept_run, run=str)
        self.hear("activate", partial(self._step, self.form.activate))
        self.hear("sync", self._sync)
        controller.on_change.append(self._rested)

    def ready(self) -> None:
        """Tell a browser what is filled in, what is wrong with it, and the proof of the case."""
        self.form.look_again()
        self.tell("limits", limits={**LIMITS}, fix=self.form.fix_of_contract.value)
        self._fields()
        self._proof()

    def _fields(self) -> None:
        self.tell("fields", fields=asdict(self.form.fields), seen=self.form.seen)

    def _proof(self) -> None:
        self._edition = self.form.edition
        form = self.form
        self.tell("proof", proof=form.proof(), summary=form.summary(), is_working=form.is_working)

    def _rested(self) -> None:
        """Tell what became of a run; called from the thread that tried it."""
        self._proof()
        if self.form.failure is not None:
            self.tell("refused", message=self.form.failure)

    def _accept_run(self, *, run: str) -> None:
        self._step(partial(self.form.accept_run, run))

    def _check(self, **filled: str) -> None:
        self.tell("checked", **self.form.check(CaseFields(**filled)))

    def _sync(self) -> None:
        self.form.look_again()
        self._fields()
        if self.form.edition != self._edition:
            self._proof()

    def _fill(self, *, seen: int, **filled: str) -> None:
        try:
            self.form.fill(CaseFields(**filled), seen=seen)
        finally:
            self._fields()  # also when somebody else was first

    def _export(self, *, seen: int, **filled: str) -> None:
        try:
            self.form.export(CaseFields(**filled), seen=seen)
        finally:
            self._fields()
            self._proof()

    def _step(self, act: Callable[[], object]) -> None:
        try:
            act()
        finally:
            self._proof()

"""The redaction of a draft: findings in their contexts, one decision a key."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from workbench.redact.policy import Strategy
from workbench.ui.bridge import View, module, stylesheet

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.ui.controllers.redaction import RedactionReview

__all__ = ["RedactionView"]

_STRATEGIES: Final = frozenset(strategy.value for strategy in Strategy)


class RedactionView(View):
    """Shows a `RedactionReview`."""

    _esm: ClassVar[str] = module("redaction")
    _css: ClassVar[str] = stylesheet("redaction")

    def __init__(self, controller: RedactionReview) -> None:
        self.review = review = controller
        super().__init__(controller)
        self._edition = -1
        self.hear("open", self._open, name=str, start=int)
        self.hear("accept", partial(self._decide, review.accept), name=str, seen=int)
        self.hear("reject", partial(self._decide, review.reject), name=str, seen=int)
        self.hear("see", partial(self._decide, review.see), name=str, seen=int)
        self.hear("retain", self._retain, name=str, reason=str, seen=int)
        self.hear("draw", self._draw, name=str, strategy=_STRATEGIES, seen=int)
        self.hear("undo", partial(self._undo, review.undo))
        self.hear("undo_one", partial(self._undo, review.undo_one))
        self.hear("reveal", self._reveal, name=str)
        self.hear("group", self._group, name=str)
        self.hear("together", self._together, name=str, members=[str], seen=int)
        self.hear("reveal_group", self._reveal_group, name=str)
        self.hear("reviewer", self._reviewer, by=str)
        self.hear("sync", self._sync)
        self.hear("write", self._write)
        review.on_change.append(self._changed)

    def ready(self) -> None:
        """Tell a browser everything that is known so far."""
        self._list()

    def _list(self) -> None:
        review = self.review
        self._edition = review.edition
        self.tell(
            "list",
            state=review.state(),
            rows=review.rows(),
            groups=review.groups(),
            seen=review.seen,
        )

    def _state(self) -> None:
        self.tell("state", state=self.review.state())

    def _changed(self) -> None:
        """Hear from the thread beside; the controller's lock is held."""
        if self.review.edition == self._edition:
            self._state()
        else:
            self._list()

    def _open(self, *, name: str, start: int) -> None:
        self.tell("detail", detail=self.review.detail(name, start=max(0, start)))

    def _decide(self, act: Callable[..., None], *, name: str, seen: int) -> None:
        try:
            act(name, seen=seen)
        finally:
            self._list()  # also when somebody else was first

    def _retain(self, *, name: str, reason: str, seen: int) -> None:
        self._decide(partial(self.review.retain, reason=reason), name=name, seen=seen)

    def _draw(self, *, name: str, strategy: str, seen: int) -> None:
        drawn = partial(self.review.accept, strategy=Strategy(strategy))
        self._decide(drawn, name=name, seen=seen)

    def _group(self, *, name: str) -> None:
        self.tell("detail", detail=self.review.group_detail(name))

    def _together(self, *, name: str, members: list[str], seen: int) -> None:
        try:
            self.review.decide_together(name, members, seen=seen)
        finally:
            self._list()  # also when somebody else was first

    def _undo(self, act: Callable[[], str | None]) -> None:
        about = act()
        self._list()
        self.tell("undone", name=about)

    def _reveal(self, *, name: str) -> None:
        self.tell("raw", name=name, values=self.review.reveal(name))

    def _reveal_group(self, *, name: str) -> None:
        self.tell("raw", name=name, values=self.review.reveal_group(name))

    def _reviewer(self, *, by: str) -> None:
        self.review.name_reviewer(by)
        self._state()

    def _sync(self) -> None:
        self.review.look_again()
        self._state()

    def _write(self) -> None:
        self.review.write()
        self._state()

"""A tab of a browser: it hears what a view tells, and says how much it had seen when it decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.ui.bridge import View

__all__ = ["Tab"]


class Tab:
    """One tab on a view, as `frame` of `dom.js` connects it."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.told: list[dict[str, Any]] = []
        self.seen = 0
        view.send = self._hear
        self.say("ready")

    def say(self, kind: str, **fields: object) -> None:
        """Say something as the browser does."""
        if "seen" in self.view.heard[kind].shapes:
            fields.setdefault("seen", self.seen)
        self.view._receive(self.view, {"kind": kind, **fields}, [])

    def kinds(self) -> list[str]:
        """Return what was told, by kind."""
        return [message["kind"] for message in self.told]

    def last(self, kind: str) -> dict[str, Any]:
        """Return what was told last of a kind."""
        return next(message for message in reversed(self.told) if message["kind"] == kind)

    def _hear(self, message: dict[str, Any]) -> None:
        self.told.append(message)
        self.seen = message.get("seen", self.seen)

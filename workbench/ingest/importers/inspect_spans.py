"""Which span an event of Inspect stands in: whose act it is, and whether a scorer's.

New logs name each event's span, and spans their parents; old ones bracket events by steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from workbench.ingest.records.shapes import text_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.model.jsonvalue import JsonMap

__all__ = ["Spans"]

_SCORERS: Final = frozenset({"scorer", "scorers"})


@dataclass(slots=True)
class Spans:
    """The spans so far."""

    _open: dict[str, tuple[str | None, str | None, str | None]] = field(default_factory=dict)
    """Id -> type, name and parent."""
    _steps: list[str | None] = field(default_factory=list)
    """Types of the steps that are open."""

    def pass_by(self, event: JsonMap) -> None:
        """Note the begin or end of a span or step."""
        kind = event.get("event")
        if kind == "span_begin":
            given = text_in(event, "id")
            if given is not None:
                parent = text_in(event, "parent_id")
                self._open[given] = text_in(event, "type"), text_in(event, "name"), parent
        elif kind == "step":
            if event.get("action") == "begin":
                self._steps.append(text_in(event, "type"))
            elif self._steps:
                self._steps.pop()

    def in_scorer(self, event: JsonMap) -> bool:
        """Whether a scorer caused an event."""
        return any(step in _SCORERS for step in self._steps) or any(
            kind in _SCORERS for kind, _ in self._around(event)
        )

    def agent(self, event: JsonMap) -> str | None:
        """Return the innermost agent around an event; None: the solver itself acts."""
        return next((name for kind, name in self._around(event) if kind == "agent"), None)

    def _around(self, event: JsonMap) -> Iterator[tuple[str | None, str | None]]:
        at, passed = text_in(event, "span_id"), set[str]()
        while at is not None and at in self._open and at not in passed:
            passed.add(at)
            kind, name, parent = self._open[at]
            yield kind, name
            at = parent

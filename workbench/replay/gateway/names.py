"""By which of its names a tool is called: the one under which the agent offers it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.casefile.build import wire_name
from workbench.replay.matching import wire_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from workbench.model.case import Case

__all__ = ["api_name", "plain_name"]


def plain_name(case: Case, tool: str, offered: Collection[str]) -> str:
    """Return the name for `POST /model`: the case's own unless only the wire name is offered."""
    if tool in offered or not offered:
        return tool
    wire = _wire(case, tool)
    return wire if wire in offered else tool


def api_name(case: Case, tool: str, offered: Collection[str]) -> str:
    """Return the name for a model API, which takes no dots, so its own is the wire name."""
    return tool if tool in offered else _wire(case, tool)


def _wire(case: Case, tool: str) -> str:
    known = (wire_of(found) for found in case.tools if found.name == tool)
    return next(known, None) or wire_name(tool, ())

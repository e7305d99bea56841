"""Which calls a selector chooses, and how far each call came.

*Requested*: the model asked. *Attempted*: it reached the tool boundary, so every call but a
denied one. *Executed*: something answered. *Completed*: executed with outcome `ok`. A class in
the selector (`#denied`, `#any`, ...) replaces the stage that the clause itself asks for.

Source:
    design page 03, "Stages of a call" and `sel`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from workbench.check.globs import glob_matches
from workbench.check.outcomes import value_of
from workbench.check.predicates import holds
from workbench.model.event import Outcome
from workbench.model.jsonvalue import ABSENT, Absent, Json

if TYPE_CHECKING:
    from workbench.model.contract import Selector
    from workbench.model.trace import Call

__all__ = ["Stage", "args_of", "at_stage", "concerns", "selects"]


class Stage(StrEnum):
    """How far a call came."""

    REQUESTED = "requested"
    ATTEMPTED = "attempted"
    EXECUTED = "executed"
    COMPLETED = "completed"


_NEVER_EXECUTED: Final = frozenset(
    {Outcome.DENIED, Outcome.BLOCKED, Outcome.MISSING_FIXTURE, Outcome.MISSING}
)
_SHORT_OF: Final[dict[Stage, frozenset[Outcome]]] = {
    Stage.REQUESTED: frozenset(),
    Stage.ATTEMPTED: frozenset({Outcome.DENIED}),
    Stage.EXECUTED: _NEVER_EXECUTED,
    Stage.COMPLETED: frozenset(Outcome) - {Outcome.OK},
}
"""Stage -> outcomes of the calls that did not come as far."""


def at_stage(call: Call, stage: Stage) -> bool:
    """Whether a call came as far as a stage."""
    return call.outcome not in _SHORT_OF[stage]


def selects(selector: Selector, call: Call, stage: Stage) -> bool:
    """Whether a selector chooses a call; `stage` is what the clause asks for by itself."""
    came = (
        any(_is_of_class(call, word) for word in selector.classes)
        if selector.classes
        else at_stage(call, stage)
    )
    return came and concerns(selector, call) and _result_fits(selector, call)


def concerns(selector: Selector, call: Call) -> bool:
    """Whether a call is one that the selector is about, however it ended."""
    return (
        selector.by in (call.request.requestor, "any")
        and glob_matches(selector.tool, call.tool)
        and (selector.agent is None or glob_matches(selector.agent, call.request.agent or ""))
        and (not selector.where or _where_fits(selector, call))
    )


def args_of(call: Call) -> Json | Absent:
    """Return a call's arguments; their exact text when they are not JSON."""
    return call.request.args_raw if _has_raw_only(call) else call.args


def _has_raw_only(call: Call) -> bool:
    return call.args is ABSENT and call.request.args_raw is not None


def _where_fits(selector: Selector, call: Call) -> bool:
    args = args_of(call)
    return all(holds(predicate, args) for predicate in selector.where)


def _result_fits(selector: Selector, call: Call) -> bool:
    if not selector.result:
        return True
    result = value_of(call.result)
    return all(holds(predicate, result) for predicate in selector.result)


def _is_of_class(call: Call, word: str) -> bool:
    if word == "any":
        return True
    if word == "executed":
        return at_stage(call, Stage.EXECUTED)
    return word in (call.outcome, call.detail)

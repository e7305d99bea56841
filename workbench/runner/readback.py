"""Calls that a mended path makes and the incident did not, and what they are answered.

An answer that was recorded is preferred; else one is declared, for a person to review.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from workbench.check.globs import glob_matches
from workbench.check.predicates import holds
from workbench.model.case import Case, CaseTool, Fixture, PathBasis
from workbench.model.contract import Operator, Predicate, SuccessRequires
from workbench.model.event import Outcome, ToolCall, ToolResult
from workbench.model.jsonvalue import Absent, Json, JsonMap
from workbench.model.trace import Effect
from workbench.replay.matching import result_value
from workbench.runner.satisfy import satisfying

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.model.contract import Evidence, Selector
    from workbench.model.trace import Trace

__all__ = ["declared_call", "evidence_call"]

_ID: Final = "declared"
_PENDING: Final = "pending"
_OPERATION_ID: Final = "operation_id"


def declared_call(case: Case, selector: Selector, trace: Trace, before: int) -> Fixture | None:
    """Return the fixture of a call that a selector selects; None: no tool or value fits.

    It answers what was recorded for such a call, else something that proves no success: a
    read-back of an operation whose end nobody knows.

    Args:
        case: the case.
        selector: what the call has to be.
        trace: the path as replayed so far.
        before: position in it; what was seen earlier is used for arguments.
    """
    for tool in _tools(case, selector.tool):
        recorded = _recorded(case, tool.name, selector)
        if recorded is not None:
            return recorded
        open_end = _open_end(case, tool.name)
        found = _fixture(
            tool, trace, before, where=selector.where, result=selector.result, start=open_end
        )
        if found is not None:
            return found
    return None


def evidence_call(case: Case, evidence: Evidence, trace: Trace, before: int) -> Fixture | None:
    """Return the fixture of a call whose result is the evidence asked for; None: none fits."""
    meant = _meant(case, evidence)
    if meant is None:
        return None
    name, predicate = meant
    for tool in _tools(case, name):
        found = _fixture(tool, trace, before, where=evidence.args, result=(predicate,))
        if found is not None:
            return found
    return None


def _tools(case: Case, glob: str) -> Iterator[CaseTool]:
    """Yield the tools that a glob means; a full name that the case does not list may write."""
    found = [tool for tool in case.tools if glob_matches(glob, tool.name)]
    if not found and "*" not in glob:
        found = [CaseTool(name=glob, effect=Effect.WRITE)]
    yield from found


def _recorded(case: Case, tool: str, selector: Selector) -> Fixture | None:
    """Return a recorded answer of a tool that fits the selector."""
    for fixture in case.fixtures:
        if (
            fixture.tool != tool
            or fixture.outcome is not Outcome.OK
            or isinstance(fixture.args, Absent)
        ):
            continue
        args_fit = satisfying(selector.where, start=fixture.args) == fixture.args
        result = result_value(fixture)
        shown: Json = None if isinstance(result, Absent) else result
        if args_fit and (not selector.result or satisfying(selector.result, start=shown) == shown):
            return replace(fixture, times=1, match={}, must_use=False, only=())
    return None


def _fixture(
    tool: CaseTool,
    trace: Trace,
    before: int,
    *,
    where: Sequence[Predicate],
    result: Sequence[Predicate],
    start: Json = None,
) -> Fixture | None:
    seen = _seen(trace, before)
    args = satisfying(where, start=_likely_args(tool, seen))
    value = satisfying(result, start=start)
    if isinstance(args, Absent) or isinstance(value, Absent):
        return None
    operation = seen.get(_OPERATION_ID)
    return Fixture(
        id=_ID,
        tool=tool.name,
        args=args,
        outcome=Outcome.OK,
        result=value,
        operation_id=operation if isinstance(operation, str) else None,
        basis=PathBasis.DECLARED,
    )


def _likely_args(tool: CaseTool, seen: JsonMap) -> JsonMap:
    """Fill the tool's parameters with what the path has seen under the same name."""
    properties = (tool.schema or {}).get("properties")
    names = (
        list(properties) if isinstance(properties, dict) else list(seen.keys() & {_OPERATION_ID})
    )
    return {name: seen[name] for name in names if name in seen}


def _seen(trace: Trace, before: int) -> JsonMap:
    """Return values by name from arguments and results up to a position; later ones win."""
    seen: JsonMap = {}
    for event in trace.events[: before + 1]:
        if isinstance(event, ToolCall) and isinstance(event.args, dict):
            seen.update(event.args)
        if isinstance(event, ToolResult):
            if isinstance(event.result, dict):
                seen.update(event.result)
            if event.operation_id is not None:
                seen[_OPERATION_ID] = event.operation_id
    return seen


def _open_end(case: Case, tool: str) -> Json:
    """Return a result that shows the evidence's path with a value that is not the evidence."""
    for clause in case.contract.clauses:
        meant = _meant(case, clause.evidence) if isinstance(clause, SuccessRequires) else None
        if meant is None or meant[0] != tool:
            continue
        exists = replace(meant[1], operator=Operator.EQ, literal=_PENDING)
        shown = satisfying((exists,))
        if not isinstance(shown, Absent) and not holds(meant[1], shown):
            return shown
    return None


def _meant(case: Case, evidence: Evidence) -> tuple[str, Predicate] | None:
    """Return the tool (or its glob) and the predicate on its result; None: no tool is meant."""
    if evidence.tool is not None:
        return evidence.tool, evidence.predicate
    path = evidence.predicate.path
    names = {tool.name for tool in case.tools}
    for length in range(len(path), 0, -1):
        name = ".".join(str(step) for step in path[:length])
        if name in names:
            return name, replace(evidence.predicate, path=path[length:])
    return None

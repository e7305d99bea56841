"""An accepted path from a run that did it right: pure, and refused unless it is green."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.casefile.build import build_case
from workbench.check.outcomes import resolve_outcomes
from workbench.model.case import Case, Expectation, Header, Path, PathBasis
from workbench.runner.additions import with_path
from workbench.runner.repair import repair

if TYPE_CHECKING:
    from workbench.model.trace import Trace

__all__ = ["accept_trace", "repair"]


def accept_trace(case: Case, trace: Trace, *, name: str, by: str) -> Case:
    """Return the case with the run's way through it as an accepted path.

    Calls that the incident never made bring fixtures declared by `by`; where an equal call has
    another result already, they answer in this path only.

    Args:
        case: as it is.
        trace: of the run, redacted with the case's pseudonyms.
        name: of the new path.
        by: who accepts it.

    Raises:
        InputError: a path of that name is there, or the trace cannot be carried by a case.
        RefusedError: the path is not green.
    """
    effects = {tool.name: tool.effect for tool in case.tools}
    known = resolve_outcomes(trace, effects=effects)
    built = build_case(known, case.contract, header=_header(case))
    path = Path(
        name=name,
        expect=Expectation.PASS,
        basis=PathBasis.RECORDED,
        by=by,
        turns=built.recorded.turns,
    )
    return with_path(case, path, built.fixtures, by=by, tools=built.tools, expected=known)


def _header(case: Case) -> Header:
    return Header(
        id=case.id,
        title=case.title,
        owner=case.owner,
        review_date=case.review_date,
        fix=case.fix,
        source=case.source,
        signature=case.signature,
        unproven=case.unproven,
    )

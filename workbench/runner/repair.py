"""Mends the recorded path into an accepted one: a proposal that a person reviews.

The path is cut at its first violation and ends unresolved, or gets the read-back that was
missing; then it is replayed and judged, and the next violation is mended, until nothing is
violated. What cannot be mended this way is refused with the reasons.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from workbench.check.judge import judge
from workbench.errors import RefusedError
from workbench.model.case import Case, Expectation, Fixture, Path, PathBasis
from workbench.replay.scripted import replay_path
from workbench.runner.additions import free_name, with_path
from workbench.runner.mending import Way, mends

if TYPE_CHECKING:
    from workbench.model.trace import Trace
    from workbench.model.verdict import Verdict

__all__ = ["repair"]

_TRIED: Final = 60
_MOST_ADDED: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    path: Path
    case: Case
    trace: Trace
    verdict: Verdict


def repair(case: Case, *, name: str = "repaired", by: str | None = None) -> Case:
    """Return the case with the mended recorded path as an accepted one.

    Args:
        case: as it is.
        name: of the new path.
        by: who proposes it; None: the case's owner.

    Raises:
        InputError: a path of that name is there.
        RefusedError: no way that is tried gives a green path.
    """
    who = by or case.owner
    start = Way(turns=case.recorded.turns)
    longest = len(start.turns) + _MOST_ADDED
    waiting: deque[Way] = deque([start])
    seen = [start]
    reasons: tuple[str, ...] = ()
    while waiting and len(seen) <= _TRIED:
        way = waiting.popleft()
        judged = _judged(case, way, name=name, by=who)
        if not judged.verdict.violations:
            try:
                return with_path(case, judged.path, way.fixtures, by=who)
            except RefusedError as error:
                reasons = error.reasons
            continue
        first = min(judged.verdict.violations, key=lambda found: (found.seq, found.clause))
        reasons = reasons or (f"{first.clause}: {first.sentence}",)
        for mended in mends(judged.case, judged.path, judged.trace, first, way=way):
            if mended not in seen and len(mended.turns) <= longest:
                seen.append(mended)
                waiting.append(mended)
    raise RefusedError(
        f"{case.id} cannot be repaired by cutting or by a read-back",
        reasons=reasons,
        fix="record a run of the mended agent and pass it: workbench accept CASE RUN",
    )


def _judged(case: Case, way: Way, *, name: str, by: str) -> _Judged:
    path = Path(
        name=name, expect=Expectation.PASS, basis=PathBasis.DECLARED, by=by, turns=way.turns
    )
    grown = replace(
        case, paths=(*case.paths, path), fixtures=(*_numbered(case, way.fixtures), *case.fixtures)
    )
    trace = replay_path(grown, path)
    return _Judged(path=path, case=grown, trace=trace, verdict=judge(trace, case.contract))


def _numbered(case: Case, fixtures: tuple[Fixture, ...]) -> tuple[Fixture, ...]:
    names = {fixture.id for fixture in case.fixtures}
    return tuple(
        replace(fixture, id=free_name(f"declared-{nth}", names))
        for nth, fixture in enumerate(fixtures, start=1)
    )

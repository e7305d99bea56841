"""Failures that are one failure: trials that first part from their path in the same way.

Source:
    design page 09, "Gates" and "First divergence".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.runner.outcome import Group

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from workbench.model.jsonvalue import JsonMap
    from workbench.runner.outcome import TrialResult

__all__ = ["group_failures", "merge_groups"]

_POSITION: Final = re.compile(r" at \d+\b")


def group_failures(
    case_id: str, failures: Sequence[tuple[TrialResult, JsonMap | None]]
) -> tuple[Group, ...]:
    """Return the failed trials of one case by their cause, the most frequent first.

    Args:
        case_id: of the case.
        failures: each failed trial, and where it parts from its path; None: nowhere.
    """
    found: dict[str, list[str]] = {}
    for trial, parting in failures:
        found.setdefault(_cause(trial, parting), []).append(trial.run_id)
    groups = (
        Group(cause=cause, count=len(ids), of=len(failures), cases=(case_id,), run_ids=tuple(ids))
        for cause, ids in found.items()
    )
    return _ordered(groups)


def _cause(trial: TrialResult, parting: JsonMap | None) -> str:
    """Name what happened without its position, which may differ between trials and cases."""
    if parting is not None:
        return _POSITION.sub("", str(parting["sentence"]))
    broken = ", ".join(sorted({found.clause for found in trial.violations}))
    return f"goes the way of path {trial.path} and breaks {broken}"


def merge_groups(groups: Iterable[Group]) -> tuple[Group, ...]:
    """Return the groups of several cases by cause, the most frequent first."""
    found: dict[str, list[Group]] = {}
    for group in groups:
        found.setdefault(group.cause, []).append(group)
    of = sum(group.count for same in found.values() for group in same)
    return _ordered(
        Group(
            cause=cause,
            count=sum(group.count for group in same),
            of=of,
            cases=tuple(dict.fromkeys(name for group in same for name in group.cases)),
            run_ids=tuple(run_id for group in same for run_id in group.run_ids),
        )
        for cause, same in found.items()
    )


def _ordered(groups: Iterable[Group]) -> tuple[Group, ...]:
    return tuple(sorted(groups, key=lambda group: -group.count))

"""Runs that failed in one way, so that a thousand tickets about one fault become one case.

Two runs are of one group if the same suggestions and the same failed calls come out of them, and
their calls took nearly the same way: pairs of calls, each with its outcome, as sets. Equal ways are
compared once, so exact sets are fast enough where sketches of them would do.

Source:
    design page 10, "Choosing what becomes a case"; the share of common pairs is Jaccard's index.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from workbench.check.diagnose import diagnose
from workbench.model.event import Outcome
from workbench.model.trace import calls_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from workbench.model.trace import Trace

__all__ = ["RunGroup", "Way", "group_runs", "way_of"]

_ALIKE: Final = 0.6
_REPRESENTATIVES: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How a run failed."""

    signature: tuple[str, ...]
    """Detectors with the clauses that they suggest, and failed calls; sorted, each once."""
    path: tuple[str, ...]
    """Its calls in order, each `tool#outcome`."""

    @property
    def shingles(self) -> frozenset[tuple[str, str]]:
        """Pairs of calls that follow one another, with the start and the end of the run."""
        return frozenset(pairwise(("", *self.path, "")))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunGroup:
    """Runs that failed in one way."""

    way: Way
    """Of the most frequent kind."""
    run_ids: tuple[str, ...]
    """All of them, in the order in which they were given."""
    representatives: tuple[str, ...]
    """At most ten to look at: one of each way, the most frequent first, then the first given."""

    @property
    def size(self) -> int:
        """How many runs."""
        return len(self.run_ids)


def way_of(trace: Trace) -> Way:
    """Return how a run failed; its outcomes are derived."""
    calls = calls_of(trace)
    path = tuple(f"{call.tool}#{call.outcome.value}" for call in calls)
    failed = {step for step, call in zip(path, calls, strict=True) if call.outcome != Outcome.OK}
    found = {f"{one.detector}: {one.clause}" for one in diagnose(trace)}
    return Way(signature=(*sorted(found), *sorted(failed)), path=path)


def group_runs(ways: Mapping[str, Way]) -> tuple[RunGroup, ...]:
    """Return the groups, the largest first.

    Args:
        ways: run id -> how it failed, in the order in which representatives are chosen.
    """
    by_signature: dict[tuple[str, ...], dict[Way, list[str]]] = defaultdict(dict)
    for run_id, way in ways.items():
        by_signature[way.signature].setdefault(way, []).append(run_id)
    groups = [
        _group(members)
        for found in by_signature.values()
        for members in _clusters(sorted(found.items(), key=lambda item: -len(item[1])))
    ]
    order = {run_id: at for at, run_id in enumerate(ways)}
    ordered = (_in_order(group, order) for group in groups)
    return tuple(sorted(ordered, key=lambda group: (-group.size, order[group.run_ids[0]])))


_Members = list[tuple[Way, list[str]]]


def _clusters(found: Sequence[tuple[Way, list[str]]]) -> Iterable[_Members]:
    """Put each way to the first group whose most frequent way is like it."""
    groups: list[tuple[frozenset[tuple[str, str]], _Members]] = []
    for way, run_ids in found:
        shingles = way.shingles
        home = next((members for leader, members in groups if _alike(leader, shingles)), None)
        if home is None:
            home = []
            groups.append((shingles, home))
        home.append((way, run_ids))
    return [members for _, members in groups]


def _alike(one: frozenset[tuple[str, str]], other: frozenset[tuple[str, str]]) -> bool:
    return len(one & other) >= _ALIKE * len(one | other)


def _group(members: _Members) -> RunGroup:
    first = [run_ids[0] for _, run_ids in members]
    rest = [run_id for _, run_ids in members for run_id in run_ids[1:]]
    return RunGroup(
        way=members[0][0],
        run_ids=(*first, *rest),
        representatives=(*first, *rest)[:_REPRESENTATIVES],
    )


def _in_order(group: RunGroup, order: Mapping[str, int]) -> RunGroup:
    return RunGroup(
        way=group.way,
        run_ids=tuple(sorted(group.run_ids, key=lambda run_id: order[run_id])),
        representatives=group.representatives,
    )

"""Which recorded result answers a call; nothing else ever answers one.

The first fixture in recorded order that matches and has uses left answers. A call without one is
refused and changes nothing: `blocked` when its tool may write, else `missing_fixture`.

Source:
    design page 04, "Matching of fixtures".
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from workbench.casefile.build import wire_name
from workbench.casefile.place import nearest
from workbench.model.case import ANY_TIMES, Case, CaseTool, Fixture
from workbench.model.event import Outcome
from workbench.model.jsonvalue import ABSENT, Absent, Json, parse_text, same_json
from workbench.model.trace import Effect
from workbench.replay.compare import (
    Matcher,
    Path,
    differences,
    parse_matchers,
    parse_path,
    value_at,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Answered", "FixtureTable", "Miss", "canonical_tool", "result_value", "wire_of"]

_SHOWN: Final = 5
_COUNTED: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A fixture that answers a call."""

    fixture: Fixture
    position: int
    """Place of the fixture in the case, which is the recorded order of completion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Miss:
    """A call that no fixture answers."""

    tool: str
    outcome: Outcome
    """`blocked` or `missing_fixture`."""
    nearest: str | None = None
    """Id of the fixture that differs least."""
    differs_at: tuple[str, ...] = ()
    """At most five paths of arguments; names only."""
    explanation: str
    """One sentence without any value of the call."""


def canonical_tool(case: Case, name: str) -> str:
    """Return the case's name of a tool that is given by that name or by its wire name."""
    for tool in case.tools:
        if name == tool.name:
            return name
    return next((tool.name for tool in case.tools if name == wire_of(tool)), name)


def wire_of(tool: CaseTool) -> str:
    """Return a tool's name on a model API, which takes no dots: the stated one, or made of it."""
    return tool.wire or wire_name(tool.name, ())


def result_value(fixture: Fixture) -> Json | Absent:
    """Return what a fixture answers as JSON; a text is read as the importer read it."""
    return parse_text(fixture.result).value if isinstance(fixture.result, str) else fixture.result


class FixtureTable:
    """The fixtures of one path of one case and their uses left; one a trial, not thread-safe.

    Args:
        case: the case.
        path_name: of the path that runs; None: a live model runs, which keeps to no path. Every
            fixture may answer it, those of one path alone last.
    """

    def __init__(self, case: Case, path_name: str | None) -> None:
        self._effects = {tool.name: tool.effect for tool in case.tools}
        self._fixtures = case.fixtures
        self._rules: list[dict[Path, Matcher]] = [
            parse_matchers(fixture.match, key=f"fixtures.{at}.match")
            for at, fixture in enumerate(case.fixtures)
        ]
        self._uses: Counter[int] = Counter()
        self._order = _order(case.fixtures, path_name)
        self._places_of: dict[str, list[int]] = {}
        for at in self._order:
            self._places_of.setdefault(case.fixtures[at].tool, []).append(at)
        self._places = {fixture.id: at for at, fixture in enumerate(case.fixtures)}

    def answer(self, tool: str, args: Json | Absent, *, behind: int = 0) -> Answered | Miss:
        """Answer one call and use a fixture up.

        Args:
            tool: canonical name.
            args: parsed arguments; the text of arguments that are not JSON.
            behind: equal calls of the same turn that stand before this one and are still to
                come: the uses that are theirs are left to them, while there are others.
        """
        first = None
        for at in self._candidates(tool):
            left = self._left(at)
            if not left or not self._matches(at, args):
                continue
            first = at if first is None else first
            if behind < left:
                return self._use(at)
            behind -= int(left)
        return self._miss(tool, args) if first is None else self._use(first)

    def _use(self, at: int) -> Answered:
        self._uses[at] += 1
        return Answered(fixture=self._fixtures[at], position=at)

    def unused(self) -> tuple[Fixture, ...]:
        """Return the fixtures of this path that no call has used."""
        return tuple(self._fixtures[at] for at in sorted(self._order) if not self._used(at))

    def used(self) -> tuple[Fixture, ...]:
        """Return the fixtures that answered at least once, in recorded order."""
        return tuple(self._fixtures[at] for at in sorted(self._order) if self._used(at))

    def _used(self, at: int) -> bool:
        return self._uses[at] > 0

    def _candidates(self, tool: str) -> Sequence[int]:
        return self._places_of.get(tool, ())

    def _left(self, at: int) -> float:
        """Return how many uses are left."""
        times = self._fixtures[at].times
        return math.inf if times == ANY_TIMES else times - self._uses[at]

    def _matches(self, at: int, args: Json | Absent) -> bool:
        if not self._rules[at]:  # most have none, and a long script asks very often
            return same_json(self._fixtures[at].args, args)
        return not self._differs(at, args, limit=1)

    def _differs(self, at: int, args: Json | Absent, *, limit: int) -> list[str]:
        found = differences(self._fixtures[at].args, args, self._rules[at], lookup=self._returned)
        return list(islice(found, limit))

    def _returned(self, place: str) -> Json | Absent:
        """Find `f1.result.path` among what answered in this trial."""
        name, _, rest = place.partition(".result")
        at = self._places.get(name)
        if at is None or not self._uses[at]:
            return ABSENT
        return value_at(result_value(self._fixtures[at]), parse_path(rest[1:]) if rest else ())

    def _miss(self, tool: str, args: Json | Absent) -> Miss:
        effect = self._effects.get(tool, Effect.WRITE)
        outcome = Outcome.BLOCKED if effect is Effect.WRITE else Outcome.MISSING_FIXTURE
        candidates = self._candidates(tool)
        if not candidates:
            return Miss(tool=tool, outcome=outcome, explanation=self._no_fixture(tool))
        found = {at: self._differs(at, args, limit=_COUNTED) for at in candidates}
        best = min(candidates, key=lambda at: (len(found[at]), not self._left(at)))
        name = self._fixtures[best].id
        paths = tuple(found[best][:_SHOWN])
        reason = (
            f"no fixture for this call of {tool}; nearest is {name}, "
            f"which differs at {', '.join(paths)}"
            if paths
            else f"all matching fixtures consumed for {tool}; the last is {name}"
        )
        return Miss(tool=tool, outcome=outcome, nearest=name, differs_at=paths, explanation=reason)

    def _no_fixture(self, tool: str) -> str:
        if tool not in self._effects:
            near = nearest(tool, self._effects)
            hint = "" if near is None else f"; nearest is {near}"
            return f"the case has no tool of this name of {len(tool)} characters{hint}"
        return f"no fixture for any call of {tool} in this path"


def _order(fixtures: Iterable[Fixture], path_name: str | None) -> list[int]:
    """Return places of the fixtures of a path, those of this path alone first; see the class."""
    found = [
        (bool(fixture.only) is (path_name is None), at)
        for at, fixture in enumerate(fixtures)
        if not fixture.only or path_name is None or path_name in fixture.only
    ]
    return [at for _, at in sorted(found)]

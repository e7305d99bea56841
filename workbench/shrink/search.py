"""Makes a failing trace smaller: evidence first, then chunks, single units and fields.

At any moment the current trace is known to fail as the original does. A round tries everything
on it; the search ends when a round changes nothing, so the result is a fixed point: shrinking it
again finds nothing, and no unit of it can be left out alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from workbench.shrink.evidence import Evidence
from workbench.shrink.passes import (
    argument_cuts,
    by_shape,
    chunk_sizes,
    metadata_cuts,
    parts_of,
    topmost,
    word_cuts,
)
from workbench.shrink.space import Candidate, Cut, Selection, Space
from workbench.shrink.trials import Answer, Judged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from workbench.model.verdict import Verdict
    from workbench.shrink.court import Court

__all__ = ["Search", "Step", "Texts"]

Part = TypeVar("Part")
State: TypeAlias = "tuple[Candidate, Verdict]"

_REPAIRS = 3
_FEW = 8
"""Units that are tried one by one rather than by what was read of them."""


class Texts(StrEnum):
    """What may become of a text that was shown to a person."""

    WHOLE = "whole"
    """It stays as it is, or goes with its claim."""
    WORDS = "words"
    """It may lose words that the failure does not need."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one candidate did; for progress."""

    calls: int
    """Candidates judged so far."""
    trying: str
    """`evidence`, `reads`, `chunks`, `units`, `arguments`, `metadata`, `texts`."""
    events: int
    """Events of the smallest trace that fails the same way, so far."""
    adopted: bool
    """Whether this candidate became it."""


class Search:
    """One search: the space of candidates, the oracle, and the smallest failing trace so far."""

    def __init__(
        self,
        space: Space,
        court: Court,
        verdict: Verdict,
        on_step: Callable[[Step], None] | None = None,
        *,
        texts: Texts = Texts.WHOLE,
    ) -> None:
        self._space = space
        self._texts = texts
        self.original = space.trace
        self.on_adopt: Callable[[State], State] | None = None
        """Takes each state that is reached; returns the one to go on from."""
        self._court = court
        self._evidence = Evidence(space)
        self._on_step = on_step
        units = frozenset(range(len(space.layout.units)))
        self.current = Candidate(
            selection=Selection(units=units),
            trace=space.trace,
            kept=tuple(range(len(space.trace.events))),
        )
        self.verdict = verdict
        self._adopted = 0
        self._were_read = False
        self.errors_last_round: list[str] = []

    def run(self) -> None:
        """Reduce until a round changes nothing.

        Raises:
            OutOfBudgetError: the current trace is what was reached.
        """
        while True:
            before = self._adopted
            self.errors_last_round = []
            explained = self._by_evidence()
            if self.current.trace is self._space.trace:
                self._tidy()
            if not explained:
                self._by_reads()
                self._by_chunks()
            self._fields()
            self._single_units()
            if self._texts is Texts.WORDS:
                self._words()
            if self._adopted == before:
                return

    @property
    def state(self) -> State:
        """The smallest trace so far that fails the same way, with its verdict."""
        return self.current, self.verdict

    def return_to(self, state: State) -> bool:
        """Go on from another state; say whether it is another one."""
        if state[0] is self.current:
            return False
        self.current, self.verdict = state
        self._court.drop_ahead()
        return True

    # --- passes ---------------------------------------------------------------

    def _by_evidence(self) -> bool:
        """Keep what the verdict names; say whether that is all that fails."""
        units = self._evidence.violated(self.current, self.verdict)
        for _ in range(1 + _REPAIRS):
            candidate = self._with_units(units)
            if candidate is None:
                return bool(self.verdict.violations)
            judged = self._court.judge(candidate)
            if self._adopt(candidate, judged, "evidence"):
                return True
            if judged.verdict is None:
                return False
            missed = self._evidence.missed(self._court.target, judged.verdict)
            wider = units | self._evidence.of_clauses(self.current, self.verdict, missed)
            if wider == units:
                return False
            units = wider
        return False

    def _by_reads(self) -> None:
        """Keep what the signature names; then that and what was read more than the rest."""
        if self._were_read or len(self._loose_units()) < _FEW:
            return
        self._were_read = True
        named = self._evidence.named(self._court.target.signature)
        if named and self._keep(named):
            return
        slices = self._court.watch(self.original).slices
        any(self._keep(named | self._evidence.at(positions)) for positions in slices)

    def _keep(self, units: frozenset[int]) -> bool:
        candidate = self._with_units(units)
        if candidate is None:
            return False
        return self._adopt(candidate, self._court.judge(candidate), "reads")

    def _tidy(self) -> None:
        """Leave out what no unit needs, such as messages after the last one."""
        candidate = self._space.candidate(self.current.selection)
        if candidate.trace != self._space.trace:
            self._adopt(candidate, self._court.judge(candidate), "chunks")

    def _by_chunks(self) -> None:
        for size in chunk_sizes(len(self._loose_units())):
            self._drop_units(parts_of(self._loose_units(), size), "chunks")

    def _single_units(self) -> None:
        self._drop_units(parts_of(self._loose_units(), 1), "units")

    def _fields(self) -> None:
        arguments = topmost(self._argument_cuts())
        metadata = metadata_cuts(self._space, self.current)
        if arguments and metadata and self._cut([frozenset((*arguments, *metadata))], "arguments"):
            return
        if metadata and not self._cut([frozenset(metadata)], "metadata"):
            self._cut(_by_field(metadata), "metadata")
        tried: set[Cut] = set()
        while arguments:
            if not self._cut([frozenset(arguments)], "arguments"):
                self._cut(by_shape(self._space, arguments), "arguments")
                self._cut([frozenset({node}) for node in reversed(arguments)], "arguments")
            tried.update(arguments)
            arguments = topmost([node for node in self._argument_cuts() if node not in tried])

    def _words(self) -> None:
        """Cut words of claims, first in runs, then one by one, the last ones first."""
        words = word_cuts(self._space, self.current, self._core())
        for size in (len(words), *chunk_sizes(len(words)), 1):
            left = [word for word in words if word not in self.current.selection.cuts]
            if left:
                self._cut(parts_of(left, size), "texts")

    # --- candidates -----------------------------------------------------------

    def _held(self) -> frozenset[int]:
        return self._space.pinned_units | self._evidence.held(self.current, self.verdict)

    def _loose_units(self) -> list[int]:
        """Return the kept units that may be left out, in order."""
        return sorted(self.current.selection.units - self._held())

    def _core(self) -> list[int]:
        """Return the kept units that no other one needs: what the agent did, not what it saw."""
        used = self._uses()
        stimulus = self._evidence.held(self.current, self.verdict)
        units = sorted(self.current.selection.units - stimulus)
        return [unit for unit in units if not used[unit]]

    def _uses(self) -> Counter[int]:
        return Counter(
            source
            for unit in self.current.selection.units
            for source in self._space.flow.providers(unit)
        )

    def _argument_cuts(self) -> list[Cut]:
        return argument_cuts(self._space, self.current, self._core())

    def _with_units(self, units: frozenset[int]) -> Candidate | None:
        """Return the candidate that keeps these of the current units; None: it is no smaller.

        What the violation of now needs may have been left out under another one. Taking it back
        for nothing would go back and forth for ever.
        """
        current = self.current.selection
        closed = self._space.closed((units & current.units) | self._held())
        if not closed or len(closed) >= len(current.units):
            return None
        return self._candidate(closed, current.cuts)

    def _candidate(self, units: frozenset[int], cuts: frozenset[Cut]) -> Candidate:
        """Build a candidate; cuts of events that are gone are forgotten."""
        candidate = self._space.candidate(Selection(units=units, cuts=cuts))
        kept = {-1, *candidate.kept}
        alive = frozenset(cut for cut in cuts if cut[0] in kept)
        if alive == cuts:
            return candidate
        return self._space.candidate(Selection(units=units, cuts=alive))

    # --- trying ---------------------------------------------------------------

    def _drop_units(self, parts: Sequence[frozenset[int]], trying: str) -> None:
        uses = (self.current, self._uses())

        def without(part: frozenset[int]) -> Candidate | None:
            nonlocal uses
            if uses[0] is not self.current:
                uses = (self.current, self._uses())
            if len(part) == 1 and uses[1][min(part)]:
                return None  # another unit needs it
            return self._with_units(self.current.selection.units - part)

        self._try_parts(parts, without, trying)

    def _cut(self, parts: Sequence[frozenset[Cut]], trying: str) -> bool:
        def without(part: frozenset[Cut]) -> Candidate | None:
            current = self.current.selection
            cuts = _outermost(current.cuts | part)
            if cuts == current.cuts or self._space.is_mute(current.units, cuts):
                return None
            return self._candidate(current.units, cuts)

        return self._try_parts(parts, without, trying)

    def _try_parts(
        self,
        parts: Sequence[frozenset[Part]],
        without: Callable[[frozenset[Part]], Candidate | None],
        trying: str,
    ) -> bool:
        """Leave out part after part; after a success the rest is tried on what is left."""
        start, adopted = 0, False
        while start < len(parts):
            places: list[int] = []

            def candidates(first: int, places: list[int]) -> Iterator[Candidate]:
                for place in range(first, len(parts)):
                    candidate = without(parts[place])
                    if candidate is not None:
                        places.append(place)
                        yield candidate

            for turn, (candidate, judged) in enumerate(
                self._court.in_order(candidates(start, places))
            ):
                if self._adopt(candidate, judged, trying):
                    self._court.drop_ahead()
                    start, adopted = places[turn] + 1, True
                    break
            else:
                return adopted
        return adopted

    def _adopt(self, candidate: Candidate, judged: Judged, trying: str) -> bool:
        """Make a candidate the current trace if it fails the same way and holds its stimulus."""
        settled = self._settled(candidate, judged)
        if settled is not None:
            self._adopted += 1
            self.current, self.verdict = settled
            if self.on_adopt is not None:
                self.return_to(self.on_adopt(settled))
        if self._on_step is not None:
            self._on_step(
                Step(
                    calls=self._court.calls,
                    trying=trying,
                    events=len(self.current.kept),
                    adopted=settled is not None,
                )
            )
        return settled is not None

    def _settled(self, candidate: Candidate, judged: Judged) -> tuple[Candidate, Verdict] | None:
        """Return a candidate that fails the same way, with what was read before its violation.

        When another event became the first offender, what the model had read before that one is
        added if the whole is still smaller and fails the same way.
        """
        if judged.answer is Answer.UNRESOLVED and not judged.refused:
            self.errors_last_round.append(judged.error or "unresolved")
        if judged.answer is not Answer.SAME or judged.verdict is None:
            return None
        units = candidate.selection.units
        wider = self._space.closed(
            units | self._evidence.read_originally(candidate, judged.verdict)
        )
        if wider != units and len(wider) < len(self.current.selection.units):
            larger = self._candidate(wider, candidate.selection.cuts)
            again = self._court.judge(larger)
            if again.answer is Answer.SAME and again.verdict is not None:
                return larger, again.verdict
        return candidate, judged.verdict


def _outermost(cuts: frozenset[Cut]) -> frozenset[Cut]:
    """Forget cuts inside of what is cut anyway, so that equal traces have equal selections."""
    return frozenset(
        (at, path)
        for at, path in cuts
        if not any((at, path[:end]) in cuts for end in range(1, len(path)))
    )


def _by_field(cuts: Sequence[Cut]) -> list[frozenset[Cut]]:
    fields = sorted({path for _, path in cuts})
    return [frozenset(cut for cut in cuts if cut[1] == path) for path in fields]

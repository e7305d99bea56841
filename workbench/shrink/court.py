"""Asks the oracle about candidates, in order, within a budget, and remembers the answers.

With an executor the next candidates are judged ahead, as if all before them were rejected.
Answers are used in the order of the candidates, so the result is the same for any number of
workers; what was judged ahead in vain is neither counted nor used.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Final, Protocol

from workbench.model.verdict import Signature, Verdict
from workbench.shrink.reads import deep_first, watched
from workbench.shrink.trials import Answer, Judged, Once, Oracle, Policy, Target, run_policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Executor, Future

    from workbench.model.trace import Trace
    from workbench.shrink.space import Candidate, Selection

__all__ = ["Budget", "Court", "Memory", "OutOfBudgetError"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """When to stop; None: no limit."""

    calls: int | None = 500
    """Judged candidates, the original included; what a journal knows costs nothing."""
    seconds: float | None = 60
    trials: int | None = None
    """Runs of the oracle; differs from `calls` for a policy that asks more than once."""


class OutOfBudgetError(Exception):
    """The budget does not allow another call; `str` of it says which part ran out."""


class Memory(Protocol):
    """Where answers are kept between two searches."""

    def get(self, key: str) -> Judged | None:
        """Return an answer that is known."""
        ...

    def add(self, key: str, judged: Judged) -> None:
        """Keep an answer."""
        ...


class _Forgetful:
    """No memory."""

    def get(self, key: str) -> Judged | None:  # noqa: ARG002  the interface has it
        return None

    def add(self, key: str, judged: Judged) -> None:
        pass


class Court:
    """The oracle with everything that is counted about it."""

    def __init__(
        self,
        oracle: Oracle,
        policy: Policy,
        *,
        budget: Budget,
        clock: Callable[[], float],
        executor: Executor | None = None,
        width: int = 1,
    ) -> None:
        self._oracle = oracle
        self._policy = policy
        self._budget = budget
        self._clock = clock
        self._started = clock()
        self._executor = executor
        self._width = width if executor is not None else 1
        self._answers: dict[Selection, Judged] = {}
        self._overruled: set[Selection] = set()
        self._stage = ""
        self._trial = 0
        self._is_recording = False
        self._ahead: dict[Selection, Future[Judged]] = {}
        self.memory: Memory = _Forgetful()
        self.target = Target(signature=Signature())
        self._fresh_calls = 0
        self._fresh_trials = 0
        self.calls = 0
        self.trials = 0
        self.unresolved = 0
        self.also_seen: dict[Signature, None] = {}

    def sign(self, original: Trace) -> Verdict:
        """Judge the original, which sets the target; what the oracle raises comes through."""
        known = self.memory.get(_ORIGINAL)
        verdict = None if known is None else known.verdict
        if verdict is None:
            verdict = self._oracle(original)
            self._fresh_calls += 1
            self._fresh_trials += 1
        self.calls += 1
        self.trials += 1
        return verdict

    def remember(self, memory: Memory, verdict: Verdict, tried: Sequence[Judged] = ()) -> None:
        """Keep all answers in `memory` from now on, and those about the original."""
        self.memory, self._is_recording = memory, True
        for number, judged in enumerate(tried, start=1):
            memory.add(_trial_key(number), judged)
        if not tried:
            memory.add(_ORIGINAL, Judged(answer=Answer.SAME, verdict=verdict))

    def trial(self, trace: Trace) -> Judged:
        """Run the oracle once more on a trace, however often it was asked about it before.

        Raises:
            OutOfBudgetError: another trial is not allowed.
        """
        self._trial += 1
        key = _trial_key(self._trial)
        judged = self.memory.get(key)
        if judged is None:
            self._check_spent()
            judged = run_policy(Once(), self._oracle, trace, self.target)
            self._fresh_trials += 1
        self.trials += 1
        if self._is_recording:
            self.memory.add(key, judged)
        return judged

    def watch(self, trace: Trace) -> Judged:
        """Run the oracle once on the original and see what it reads; counted as a call.

        Raises:
            OutOfBudgetError: another call is not allowed.
        """
        judged = self.memory.get(_READS)
        if judged is None:
            self._check_calls()
            seen, reads = watched(trace)
            judged = run_policy(Once(), self._oracle, seen, self.target)
            judged = replace(judged, slices=deep_first(trace, reads))
            self._fresh_calls += 1
            self._fresh_trials += 1
        self.calls += 1
        self.trials += 1
        self.memory.add(_READS, judged)
        return judged

    def change_policy(self, policy: Policy) -> None:
        """Judge by another policy from now on; what the old one answered is not believed."""
        self._policy = policy
        self._stage = f"{policy} "
        self._answers.clear()
        self.drop_ahead()

    def overrule(self, candidate: Candidate) -> None:
        """Reject a candidate whatever was or will be answered about it."""
        self._overruled.add(candidate.selection)

    def judge(self, candidate: Candidate) -> Judged:
        """Judge one candidate.

        Raises:
            OutOfBudgetError: another call is not allowed.
        """
        if candidate.selection in self._overruled:
            return Judged(answer=Answer.OTHER)
        known = self._answers.get(candidate.selection)
        if known is not None:
            return known
        self._check_budget(candidate)
        self._submit(candidate)
        judged = self._collect(candidate)
        self._count(candidate, judged)
        return judged

    def in_order(self, candidates: Iterable[Candidate]) -> Iterator[tuple[Candidate, Judged]]:
        """Judge candidates lazily, in their order; some are judged ahead of their turn."""
        source = iter(candidates)
        waiting = list(islice(source, self._width))
        for candidate in waiting:
            self._submit_ahead(candidate)
        while waiting:
            candidate = waiting.pop(0)
            yield candidate, self.judge(candidate)
            for following in islice(source, 1):
                waiting.append(following)
                self._submit_ahead(following)

    def drop_ahead(self) -> None:
        """Forget what was judged ahead; called when the search goes another way."""
        for future in self._ahead.values():
            future.cancel()
        self._ahead.clear()

    def _check_budget(self, candidate: Candidate) -> None:
        if self.memory.get(self._key(candidate)) is None:
            self._check_calls()

    def _check_calls(self) -> None:
        budget = self._budget
        if budget.calls is not None and self._fresh_calls >= budget.calls:
            raise OutOfBudgetError(f"budget of {budget.calls} calls used up")
        self._check_spent()

    def _check_spent(self) -> None:
        budget = self._budget
        if budget.trials is not None and self._fresh_trials >= budget.trials:
            raise OutOfBudgetError(f"budget of {budget.trials} trials used up")
        if budget.seconds is not None and self._clock() - self._started >= budget.seconds:
            raise OutOfBudgetError(f"budget of {budget.seconds:g} seconds used up")

    def _submit_ahead(self, candidate: Candidate) -> None:
        if self._executor is not None and candidate.selection not in self._answers:
            self._submit(candidate)

    def _submit(self, candidate: Candidate) -> None:
        if (
            self._executor is not None
            and candidate.selection not in self._ahead
            and self.memory.get(self._key(candidate)) is None
        ):
            self._ahead[candidate.selection] = self._executor.submit(
                run_policy, self._policy, self._oracle, candidate.trace, self.target
            )

    def _collect(self, candidate: Candidate) -> Judged:
        known = self.memory.get(self._key(candidate))
        if known is not None:
            return known
        if self._executor is None:
            judged = run_policy(self._policy, self._oracle, candidate.trace, self.target)
        else:
            judged = self._ahead.pop(candidate.selection).result()
        self._fresh_calls += 1
        self._fresh_trials += judged.trials
        return judged

    def _count(self, candidate: Candidate, judged: Judged) -> None:
        self.calls += 1
        self.trials += judged.trials
        self._answers[candidate.selection] = judged
        self.memory.add(self._key(candidate), judged)
        self.unresolved += judged.answer is Answer.UNRESOLVED
        signature = judged.verdict.signature if judged.verdict is not None else Signature()
        if signature and signature != self.target.signature:
            self.also_seen.setdefault(signature)

    def _key(self, candidate: Candidate) -> str:
        """Return a name of a question that is the same in every process."""
        selection = candidate.selection
        text = repr((sorted(selection.units), sorted(map(repr, selection.cuts))))
        return hashlib.sha256(f"{self._stage}{text}".encode("utf-8", "surrogatepass")).hexdigest()


_ORIGINAL: Final = "original"
_READS: Final = "reads"


def _trial_key(number: int) -> str:
    return f"trial/{number}"

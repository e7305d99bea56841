"""Shrinking a failure that does not show every time, so that it shows as often afterwards.

The original is tried first. One that fails ten times of ten is taken for certain, asked once a
candidate, and confirmed at the end; the confirmation may show that it is not. One that fails too
seldom is refused. Any other has a rate, and each candidate is tested against it. Tests err now
and then, so the current trace is re-checked after some steps, and the steps that lost the rate
are taken back.

Source:
    design page 06, "Guarantees".
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from workbench.errors import InputError, RefusedError
from workbench.model.verdict import Signature, Verdict
from workbench.shrink.rate import Rate, Sequential, wilson
from workbench.shrink.trials import Judged, Oracle, Target, judge_once

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.model.trace import Trace
    from workbench.shrink.court import Court
    from workbench.shrink.space import Candidate

__all__ = ["Flaky", "Rechecks", "signed_by_trials"]

State: TypeAlias = "tuple[Candidate, Verdict]"

_ONE_SIDED_95: Final = 1.645


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaky:
    """Policy for an oracle that may answer otherwise the next time, such as a live model.

    Called as a policy it asks once, which is how a failure that seems certain is searched;
    `shrink_trace` takes a sequential test instead as soon as it knows better.
    """

    calibration: int = 10
    """Trials of the original; all of them failing: certain, until the end says otherwise."""
    measurement: int = 30
    """Trials that give the rate of one that is not, and of each re-check."""
    confirmation: int = 20
    """Fresh trials at the end of one that seems certain."""
    least: float = 0.3
    """Rates below are refused."""
    every: int = 10
    """Steps between two re-checks."""
    cap: int = 60
    """Trials of one candidate."""

    def __call__(self, oracle: Oracle, candidate: Trace, target: Target) -> Judged:
        """Judge one candidate by one run of the oracle."""
        return judge_once(oracle, candidate, target)


def signed_by_trials(
    court: Court, original: Trace, flaky: Flaky, wanted: Signature | None
) -> tuple[Verdict, tuple[Judged, ...]]:
    """Try the original some times.

    Returns:
        A verdict with the signature wanted, or the most common one; and all trials.

    Raises:
        InputError: the oracle fails every time.
    """
    tried = [court.trial(original) for _ in range(flaky.calibration)]
    verdicts = [judged.verdict for judged in tried if judged.verdict is not None]
    if not verdicts:
        raise InputError(
            f"could not be judged ({tried[0].error})", place="trace", fix="mend the oracle"
        )
    if wanted is None:
        seen = Counter(verdict.signature for verdict in verdicts if verdict.signature)
        wanted = seen.most_common(1)[0][0] if seen else Signature()
    return next((v for v in verdicts if v.signature == wanted), verdicts[0]), tuple(tried)


class Rechecks:
    """Keeps the rate of a failure while its trace is made smaller."""

    def __init__(self, court: Court, flaky: Flaky, original: State) -> None:
        self._court = court
        self._flaky = flaky
        self._original = original
        self._good = original
        self._since: list[State] = []
        self._certain = False
        self.rate = Rate(hits=0, trials=1)
        """Of the original."""

    def calibrate(self, tried: Sequence[Judged]) -> None:
        """Take the trials of the original; measure its rate if one of them did not fail.

        Raises:
            RefusedError: it fails too seldom.
        """
        hits = sum(self._is_hit(judged) for judged in tried)
        self.rate = Rate(hits=hits, trials=len(tried))
        self._certain = hits == len(tried)
        if not self._certain:
            self._measure_original()

    def adopted(self, state: State) -> State:
        """Take note of a step; return the state to go on from."""
        self._since.append(state)
        if self._certain or len(self._since) < self._flaky.every:
            return state
        return self.checked()

    def finished(self) -> State:
        """Check the last steps; return another state than the last if the search must go on."""
        if self._certain and self._since:
            final = self._sampled(self._since[-1], self._flaky.confirmation)
            if final.hits == final.trials:
                return self._since[-1]
            self._measure_original()
        return self.checked()

    def checked(self) -> State:
        """Return the last state, or the last before the rate was lost, found by bisection.

        The original is tried again first: a rate that was taken for too low by chance would let
        half of it be lost.
        """
        since = self._since
        if not since:
            return self._good
        more = self._sampled(self._original, self._flaky.measurement)
        self.rate = Rate(hits=self.rate.hits + more.hits, trials=self.rate.trials + more.trials)
        good, bad = (len(since) - 1, len(since)) if self._holds(since[-1]) else (-1, len(since) - 1)
        while bad - good > 1:
            middle = (good + bad) // 2
            if self._holds(since[middle]):
                good = middle
            else:
                bad = middle
        if bad < len(since):
            self._court.overrule(since[bad][0])
        self._good = since[good] if good >= 0 else self._good
        self._since = []
        return self._good

    def final_rate(self, state: State) -> Rate:
        """Return the rate of the result, by trials that decided nothing before."""
        trials = self._flaky.confirmation if self._certain else self._flaky.measurement
        return self._sampled(state, trials)

    def _measure_original(self) -> None:
        self._certain = False
        self.rate = self._sampled(self._original, self._flaky.measurement)
        if self.rate.value < self._flaky.least:
            raise RefusedError(
                "the failure shows too seldom to be shrunk with a live oracle",
                reasons=(f"{self.rate.hits} of {self.rate.trials} trials failed in this way",),
                fix="freeze the model first: shrink with the recorded replies, `--oracle replay`",
            )
        self._court.change_policy(Sequential(rate=self.rate.value, cap=self._flaky.cap))

    def _holds(self, state: State) -> bool:
        found = self._sampled(state, self._flaky.measurement)
        return wilson(found.hits, found.trials, z=_ONE_SIDED_95)[1] >= self.rate.value

    def _sampled(self, state: State, trials: int) -> Rate:
        hits = sum(self._is_hit(self._court.trial(state[0].trace)) for _ in range(trials))
        return Rate(hits=hits, trials=trials)

    def _is_hit(self, judged: Judged) -> bool:
        return judged.verdict is not None and self._court.target.is_met(judged.verdict)

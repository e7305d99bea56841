"""What a run may take, might take and took.

A budget ends a run between two trials: what was measured so far counts, what did not run is
inconclusive. The estimate comes from the usage that the cases record.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.errors import InputError
from workbench.runner.outcome import BudgetResult

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from workbench.model.case import Case
    from workbench.runner.outcome import TrialResult

__all__ = ["Budget", "Estimate", "Meter", "Price", "estimate_run", "recorded_usage"]

_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a provider asks, in US dollars for a million tokens."""

    input_usd: float
    output_usd: float

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """Return the cost of so many tokens.

        >>> Price(input_usd=3, output_usd=15).of(1_000_000, 100_000)
        4.5
        """
        cost = input_tokens * self.input_usd + output_tokens * self.output_usd
        return cost / _MILLION


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits of a whole run; None: no limit."""

    usd: float | None = None
    tokens: int | None = None
    minutes: float | None = None
    price: Price | None = None

    def __post_init__(self) -> None:
        """Refuse a limit that nothing could be held against."""
        limits = {"usd": self.usd, "tokens": self.tokens, "minutes": self.minutes}
        for name, limit in limits.items():
            if limit is not None and not 0 < limit < float("inf"):
                message = f"is {limit}; expected more than 0"
                raise InputError(message, place=f"--budget-{name}", fix="name a limit, or none")
        if self.usd is not None and self.price is None:
            raise InputError(
                "needs the price of the model's tokens",
                place="--budget-usd",
                fix="state usd_per_million_input and usd_per_million_output under [agent] in "
                "workbench.toml, or use --budget-tokens",
            )

    @property
    def is_limited(self) -> bool:
        """Whether there is any limit."""
        return (self.usd, self.tokens, self.minutes) != (None, None, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What the trials of a run might take."""

    trials: int
    input_tokens: int
    output_tokens: int
    unknown: int
    """Cases that record no usage."""
    known: int


def recorded_usage(case: Case) -> tuple[int, int] | None:
    """Return input and output tokens of the longest path that records usage; None: none does."""
    totals = [
        (
            sum(turn.usage.input_tokens or 0 for turn in path.turns if turn.usage is not None),
            sum(turn.usage.output_tokens or 0 for turn in path.turns if turn.usage is not None),
        )
        for path in case.paths
        if any(turn.usage is not None for turn in path.turns)
    ]
    return max(totals, key=sum, default=None)


def estimate_run(cases: Sequence[tuple[Case, int]]) -> Estimate:
    """Return what cases with so many trials each might take."""
    found = [(recorded_usage(case), trials) for case, trials in cases]
    known = [(usage, trials) for usage, trials in found if usage is not None]
    return Estimate(
        trials=sum(trials for _, trials in cases),
        input_tokens=sum(usage[0] * trials for usage, trials in known),
        output_tokens=sum(usage[1] * trials for usage, trials in known),
        unknown=len(found) - len(known),
        known=len(known),
    )


class Meter:
    """What a run has taken so far; mutable, one a run or a job.

    Args:
        budget: the limits.
        clock: seconds, monotonic.
    """

    def __init__(self, budget: Budget, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._budget = budget
        self._clock = clock
        self._started = clock()
        self._input = self._output = 0
        self.stopped: str | None = None
        """Why nothing more may start; None: it may."""

    def spend(self, trial: TrialResult, *, case: Case) -> None:
        """Count a trial; one whose provider counts no tokens takes what its case recorded."""
        usage = (trial.input_tokens, trial.output_tokens)
        if not trial.tokens:
            usage = recorded_usage(case) or usage
        self._input += usage[0]
        self._output += usage[1]

    def may_start(self) -> bool:
        """Whether another trial may start; once it may not, `stopped` says why."""
        if self.stopped is None:
            self.stopped = self._reached()
        return self.stopped is None

    def _reached(self) -> str | None:
        budget = self._budget
        spent = self.result(None)
        for name, limit, taken in (
            ("usd", budget.usd, spent.spent_usd),
            ("tokens", budget.tokens, spent.spent_tokens),
            ("minutes", budget.minutes, spent.spent_minutes),
        ):
            if limit is not None and taken is not None and taken >= limit:
                return f"the budget of {limit:,} {name} is spent"
        return None

    def result(self, estimate: Estimate | None) -> BudgetResult:
        """Return what a report says."""
        budget, price = self._budget, self._budget.price
        known = estimate is not None and estimate.known > 0
        tokens = estimate.input_tokens + estimate.output_tokens if estimate and known else None
        usd = None
        if estimate is not None and known and price is not None:
            usd = price.of(estimate.input_tokens, estimate.output_tokens)
        return BudgetResult(
            trials=0 if estimate is None else estimate.trials,
            estimated_tokens=tokens,
            unestimated=0 if estimate is None else estimate.unknown,
            estimated_usd=usd,
            limit_tokens=budget.tokens,
            limit_usd=budget.usd,
            limit_minutes=budget.minutes,
            spent_tokens=self._input + self._output,
            spent_usd=None if price is None else price.of(self._input, self._output),
            spent_minutes=(self._clock() - self._started) / 60,
            stopped=self.stopped,
        )

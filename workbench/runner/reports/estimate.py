"""One line before a live run: how many trials, and what they might take."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.runner.outcome import BudgetResult

__all__ = ["estimate_line"]


def estimate_line(plan: BudgetResult) -> str:
    """Return the line: planned trials, tokens as the cases record them, cost and limits."""
    parts = [f"{plan.trials} live trial{'' if plan.trials == 1 else 's'}"]
    if plan.estimated_tokens is None:
        parts.append("tokens unknown: no case records usage")
    else:
        cost = "" if plan.estimated_usd is None else f", {plan.estimated_usd:.2f} USD"
        parts.append(f"about {plan.estimated_tokens:,} tokens{cost}")
        if plan.unestimated:
            cases = (
                "1 case that records"
                if plan.unestimated == 1
                else f"{plan.unestimated} cases that record"
            )
            parts.append(f"and those of {cases} no usage")
    limits = [
        f"{limit:,} {unit}"
        for limit, unit in (
            (plan.limit_usd, "USD"),
            (plan.limit_tokens, "tokens"),
            (plan.limit_minutes, "minutes"),
        )
        if limit is not None
    ]
    parts.append(f"stops at {', '.join(limits)}" if limits else "no budget set")
    return "; ".join(parts)

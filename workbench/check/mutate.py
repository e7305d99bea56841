"""Break every clause of a contract on purpose, to show that it can turn red.

For each clause the smallest known changes of a passing trace are judged until one breaks it. A
clause that none breaks is dead: it could never protect anybody.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from workbench.check.call_mutations import (
    break_after,
    break_args,
    break_at_most_after,
    break_before,
    break_forbid_call,
    break_immediately_after,
    break_max_calls,
    break_must_call,
    break_never_between,
    break_only_call,
    break_permissions,
)
from workbench.check.ending_mutations import (
    break_answer,
    break_final_state,
    break_finishes,
    break_limit,
    break_success_requires,
)
from workbench.check.facts import Facts
from workbench.check.judge import CHECKS
from workbench.check.outcomes import resolve_outcomes
from workbench.model.contract import (
    After,
    AnswerRule,
    ArgsSchema,
    AtMostAfter,
    Before,
    Clause,
    Contract,
    FinalState,
    Finishes,
    ForbidCall,
    ImmediatelyAfter,
    Limit,
    MaxCalls,
    MinCalls,
    MustCall,
    NeverBetween,
    OnlyCall,
    PermissionRule,
    SuccessRequires,
)
from workbench.model.verdict import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from workbench.model.trace import Trace

__all__ = ["MUTATIONS", "Mutant", "dead_clauses", "mutate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A trace changed to break one clause."""

    clause: str
    trace: Trace | None
    """The change that broke it, or the last one tried; None: none could be made."""
    killed: bool
    """Whether the clause turned red."""


MUTATIONS: Final[dict[type[Clause], Callable[[Any, Facts], Iterator[Trace]]]] = {
    MustCall: break_must_call,
    MinCalls: break_must_call,
    ForbidCall: break_forbid_call,
    OnlyCall: break_only_call,
    MaxCalls: break_max_calls,
    ArgsSchema: break_args,
    PermissionRule: break_permissions,
    Before: break_before,
    After: break_after,
    NeverBetween: break_never_between,
    AtMostAfter: break_at_most_after,
    ImmediatelyAfter: break_immediately_after,
    SuccessRequires: break_success_requires,
    FinalState: break_final_state,
    Finishes: break_finishes,
    Limit: break_limit,
    AnswerRule: break_answer,
}
"""Kind of clause -> the changes that should break it."""


def mutate(trace: Trace, contract: Contract) -> tuple[Mutant, ...]:
    """Return one mutant for each clause, in the order of the contract.

    Args:
        trace: one that passes.
        contract: that it passes.
    """
    facts = Facts(resolve_outcomes(trace), contract)
    return tuple(_mutant(clause, facts) for clause in contract.clauses)


def dead_clauses(trace: Trace, contract: Contract) -> tuple[str, ...]:
    """Return the ids of the clauses that no mutation turns red."""
    return tuple(mutant.clause for mutant in mutate(trace, contract) if not mutant.killed)


def _mutant(clause: Clause, facts: Facts) -> Mutant:
    last: Trace | None = None
    for changed in MUTATIONS[type(clause)](clause, facts):
        last = changed
        answer = CHECKS[type(clause)](clause, Facts(resolve_outcomes(changed), facts.contract))
        if answer.result is Result.FAIL:
            return Mutant(clause=clause.id, trace=changed, killed=True)
    return Mutant(clause=clause.id, trace=last, killed=False)

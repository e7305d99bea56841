"""Judge a trace by a contract.

Prohibitions are judged first: a blocked call that a clause forbids was refused rightly and is
no gap. Then everything that may stay open because a replay had no answer. A violation already
seen stays; fail goes before inconclusive, and that before pass. A run that left its fixtures is
never a pass.

Source:
    design page 03.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workbench.check.call_clauses import (
    check_args,
    check_forbid_call,
    check_max_calls,
    check_min_calls,
    check_must_call,
    check_only_call,
)
from workbench.check.ending_clauses import check_answer, check_finishes
from workbench.check.evidence_clauses import check_final_state, check_success_requires
from workbench.check.facts import Facts
from workbench.check.limit_clauses import check_limit
from workbench.check.order_clauses import (
    check_after,
    check_at_most_after,
    check_before,
    check_immediately_after,
    check_never_between,
)
from workbench.check.outcomes import resolve_outcomes
from workbench.check.permission_clauses import check_permissions
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
from workbench.model.verdict import (
    ClauseVerdict,
    First,
    Result,
    Signature,
    Verdict,
    Violation,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from workbench.model.trace import Trace

__all__ = ["CHECKS", "judge", "signature_of"]

CHECKS: Final[dict[type[Clause], Callable[[Any, Facts], ClauseVerdict]]] = {
    FinalState: check_final_state,
    ForbidCall: check_forbid_call,
    OnlyCall: check_only_call,
    MaxCalls: check_max_calls,
    ArgsSchema: check_args,
    PermissionRule: check_permissions,
    SuccessRequires: check_success_requires,
    MustCall: check_must_call,
    MinCalls: check_min_calls,
    Before: check_before,
    After: check_after,
    NeverBetween: check_never_between,
    AtMostAfter: check_at_most_after,
    ImmediatelyAfter: check_immediately_after,
    Finishes: check_finishes,
    Limit: check_limit,
    AnswerRule: check_answer,
}
"""Kind of clause -> its check, in the order of importance of their violations."""

_PROHIBITIONS: Final = (
    ForbidCall,
    OnlyCall,
    MaxCalls,
    ArgsSchema,
    NeverBetween,
    AtMostAfter,
    Limit,
)
_IMPORTANCE: Final = {kind: place for place, kind in enumerate(CHECKS)}


def judge(trace: Trace, contract: Contract) -> Verdict:
    """Answer what a contract says of a trace.

    Raises:
        ContractError: a clause that cannot be judged as written.
    """
    facts = Facts(resolve_outcomes(trace), contract)
    answers: dict[int, ClauseVerdict] = {}
    for late in (False, True):
        for place, clause in enumerate(contract.clauses):
            if isinstance(clause, _PROHIBITIONS) is not late:
                answers[place] = CHECKS[type(clause)](clause, facts)
        facts.excuse(
            frozenset(found.seq for answer in answers.values() for found in answer.violations)
        )
    clauses = tuple(answers[place] for place in range(len(contract.clauses)))
    ranks = {
        answers[place].clause: _IMPORTANCE[type(clause)]
        for place, clause in enumerate(contract.clauses)
    }
    violations = sorted(
        (violation for answer in clauses for violation in answer.violations),
        key=lambda found: (ranks[found.clause], found.seq, found.clause),
    )
    return Verdict(
        result=_overall(clauses, facts),
        clauses=clauses,
        violations=tuple(violations),
        signature=signature_of(violations),
    )


def _overall(clauses: Iterable[ClauseVerdict], facts: Facts) -> Result:
    results = {answer.result for answer in clauses}
    if Result.FAIL in results:
        return Result.FAIL
    return Result.INCONCLUSIVE if Result.INCONCLUSIVE in results or facts.gaps else Result.PASS


def signature_of(violations: Iterable[Violation]) -> Signature:
    """Return what makes two failures the same: the broken clauses and the first violation."""
    broken = list(violations)
    if not broken:
        return Signature()
    first = min(broken, key=lambda found: (found.seq, found.clause))
    return Signature(
        clauses=frozenset(violation.clause for violation in broken),
        first=First(clause=first.clause, kind=first.kind, tool=first.tool, outcome=first.outcome),
    )

"""From a finished trial to its verdict: fail before inconclusive before pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.check.judge import judge
from workbench.model.contract import (
    After,
    AnswerRule,
    FinalState,
    Finishes,
    ImmediatelyAfter,
    MinCalls,
    MustCall,
)
from workbench.model.event import ModelReply, ToolCall
from workbench.model.verdict import Result
from workbench.replay.isolation.levels import Level
from workbench.replay.issues import IssueKind
from workbench.runner.outcome import CaseVerdict, Found, Missing, TrialResult

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workbench.model.case import Case
    from workbench.model.trace import Trace
    from workbench.model.verdict import Verdict
    from workbench.replay.adapters.drive import Driven

__all__ = ["result_without", "trial_result"]

_CUT_SHORT: Final = frozenset(
    {
        IssueKind.AGENT_ERROR,
        IssueKind.PROVIDER_ERROR,
        IssueKind.SCRIPT_EXHAUSTED,
        IssueKind.MODEL_CALL_LIMIT,
        IssueKind.TOOL_CALL_LIMIT,
        IssueKind.TIME_LIMIT,
    }
)
"""After these a call or an answer that is not there might still have come."""

_ABSENCES: Final = (
    MustCall,
    MinCalls,
    After,
    ImmediatelyAfter,
    FinalState,
    Finishes,
    AnswerRule,
)
_KERNEL: Final = "kernel"


def result_without(verdict: Verdict, unproven: Iterable[str]) -> Result:
    """Return a verdict's result; a clause that is allowed to be inconclusive does not count."""
    allowed = set(unproven)
    results = {
        clause.result
        for clause in verdict.clauses
        if not (clause.result is Result.INCONCLUSIVE and clause.clause in allowed)
    }
    for result in (Result.FAIL, Result.INCONCLUSIVE):
        if result in results:
            return result
    return Result.PASS


def trial_result(
    case: Case, path: str, driven: Driven, *, number: int = 1, same_replies_as: int | None = None
) -> TrialResult:
    """Judge one trial.

    Args:
        case: the case.
        path: name of the path that ran.
        driven: the finished trial.
        number: its position among the case's trials, from 1.
        same_replies_as: number of the earlier trial whose live replies it got again.
    """
    record = driven.record
    verdict = judge(record.trace, case.contract)
    cut_short = any(issue.kind in _CUT_SHORT for issue in record.issues)
    breaches = [
        Found(clause=issue.kind.value, seq=issue.seq, sentence=issue.sentence)
        for issue in record.issues
        if issue.is_breach
    ]
    violations = (*breaches, *_violations(case, verdict, cut_short=cut_short))
    doubts = tuple(_doubts(case, verdict, driven))
    tokens = _tokens(record.trace)
    outcome = CaseVerdict.INCONCLUSIVE if doubts else CaseVerdict.PASS
    return TrialResult(
        run_id=record.trace.run_id,
        path=path,
        number=number,
        verdict=CaseVerdict.FAIL if violations else outcome,
        violations=violations,
        doubts=doubts,
        missing=tuple(
            Missing(
                tool=miss.tool,
                outcome=miss.outcome.value,
                nearest=miss.nearest,
                differs_at=miss.differs_at,
                explanation=miss.explanation,
            )
            for miss in record.missing
        ),
        calls=sum(isinstance(event, ToolCall) for event in record.trace.events),
        answered=record.answered,
        tokens=sum(tokens),
        input_tokens=tokens[0],
        output_tokens=tokens[1],
        ms=round(record.ms, 1),
        isolation=driven.reached.level.value,
        isolation_note=driven.reached.note,
        replies_left=record.replies_left,
        unused=record.unused,
        same_replies_as=same_replies_as,
        trace=record.trace,
    )


def _violations(case: Case, verdict: Verdict, *, cut_short: bool) -> list[Found]:
    """Return what the contract found; of a trial that was cut short, only what did happen."""
    absences = {clause.id for clause in case.contract.clauses if isinstance(clause, _ABSENCES)}
    return [
        Found(clause=found.clause, seq=found.seq, sentence=found.sentence)
        for found in verdict.violations
        if not (cut_short and found.clause in absences)
    ]


def _doubts(case: Case, verdict: Verdict, driven: Driven) -> Iterable[Found]:
    for issue in driven.record.issues:
        if not issue.is_breach:
            yield Found(clause=issue.kind.value, seq=issue.seq, sentence=issue.sentence)
    allowed = {entry.clause for entry in case.unproven}
    for clause in verdict.clauses:
        if clause.result is Result.INCONCLUSIVE and clause.clause not in allowed:
            yield Found(clause=clause.clause, seq=None, sentence=clause.sentence)
    wanted = case.require_isolation
    if wanted is not None and not driven.reached.level.reaches(_level(wanted)):
        reached = driven.reached
        sentence = f"the case requires isolation {wanted}; reached {reached.level} ({reached.note})"
        yield Found(clause=IssueKind.WEAK_ISOLATION.value, seq=None, sentence=sentence)


def _level(wanted: str) -> Level:
    """Read `require_isolation`; a word that is none of ours asks for the strongest."""
    if wanted == _KERNEL:
        return Level.LANDLOCK
    return Level(wanted) if wanted in {level.value for level in Level} else Level.NETNS


def _tokens(trace: Trace) -> tuple[int, int]:
    """Return input and output tokens of all replies."""
    used = [e.usage for e in trace.events if isinstance(e, ModelReply) and e.usage is not None]
    return (
        sum(usage.input_tokens or 0 for usage in used),
        sum(usage.output_tokens or 0 for usage in used),
    )

"""The rules that turn the verdicts of a case's trials into the case's verdict.

The rules are read before the first trial. n is the planned number of trials, always: one that is
inconclusive, timed out or never ran counts and did not pass. With p passes and i inconclusive
trials a rule is green if its bound holds for (p, n), red if it cannot hold for (p + i, n), else
inconclusive; one violation of a hard clause is red whatever else happened.

Source:
    design page 09, "Gates".
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.casefile.gate_checks import clauses_of_gate
from workbench.errors import InputError
from workbench.replay.issues import BREACHES, IssueKind
from workbench.runner.intervals import CONFIDENCE, fewest_passes, wilson_interval
from workbench.runner.outcome import CaseVerdict, GateResult, RuleKind, RuleResult
from workbench.runner.power import describe_power, describe_rule_power

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.model.case import Case
    from workbench.model.jsonvalue import JsonMap
    from workbench.runner.outcome import TrialResult

__all__ = [
    "CACHED",
    "NOT_RUN",
    "Plan",
    "Rule",
    "evaluate",
    "gate_verdict",
    "plan_live",
    "plan_scripted",
]

CACHED: Final = "cached_replies"
"""Cause of a trial whose model replies are those of an earlier one."""
NOT_RUN: Final = "not_run"
"""Cause of a planned trial that never began."""
_NOT_THE_AGENTS: Final = (IssueKind.PROVIDER_ERROR.value, IssueKind.TIME_LIMIT.value)
_ISSUES: Final = frozenset(kind.value for kind in IssueKind)
_BREACHES: Final = frozenset(kind.value for kind in BREACHES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What is asked of the trials for some clauses."""

    kind: RuleKind
    clauses: tuple[str, ...]
    needed: int
    """Passing trials."""
    lower: float | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The gate of one case, as read before its first trial."""

    trials: int
    rules: tuple[Rule, ...]
    """The hard rule first; it is there even if it lists no clause, for breaches."""
    live: bool


def plan_scripted(case: Case, *, trials: int) -> Plan:
    """Return the gate of the scripted layer: every clause hard, one trial a path."""
    clauses = tuple(clause.id for clause in case.contract.clauses)
    hard = Rule(kind=RuleKind.HARD, clauses=clauses, needed=trials)
    return Plan(trials=trials, rules=(hard,), live=False)


def plan_live(case: Case, *, trials: int | None = None) -> Plan:
    """Return the gate of the live layer, as the case states it.

    Args:
        case: a clause of it that is in no list is hard; without a gate all are, for one trial.
        trials: for a case that states neither trials nor soft rules.

    Raises:
        InputError: another number of trials than the case states, or a bound out of reach.
    """
    live = _mapping((case.gate or {}).get("live"))
    stated = int(str(live.get("trials", 1)))
    fixed = "trials" in live or bool(live.get("soft"))
    if fixed and trials not in (None, stated):
        message = f"states {stated} trials; {trials} were asked for"
        raise InputError(
            message, place=case.id, key="gate.live", fix="leave --trials out, or select other cases"
        )
    n = stated if fixed else trials or stated
    soft = [_soft(case, _mapping(rule), n) for rule in _items(live.get("soft"))]
    tolerant = {clause for rule in soft for clause in rule.clauses}
    strict = tuple(c.id for c in case.contract.clauses if c.id not in tolerant)
    hard = Rule(kind=RuleKind.HARD, clauses=strict, needed=n)
    return Plan(trials=n, rules=(hard, *soft), live=True)


def _soft(case: Case, rule: JsonMap, trials: int) -> Rule:
    names = [str(name) for name in _items(rule.get("clauses"))]
    clauses = tuple(clause for name in names for clause in clauses_of_gate(case, name))
    if "min_passes" in rule:
        needed = int(str(rule["min_passes"]))
        if needed > trials:
            raise _unreachable(case, trials)
        return Rule(kind=RuleKind.MIN_PASSES, clauses=clauses, needed=needed)
    lower = float(str(rule["lower"]))
    confidence = float(str(rule.get("confidence", CONFIDENCE)))
    fewest = fewest_passes(lower, trials, confidence=confidence)
    if fewest is None:
        raise _unreachable(case, trials)
    return Rule(
        kind=RuleKind.LOWER, clauses=clauses, needed=fewest, lower=lower, confidence=confidence
    )


def _unreachable(case: Case, trials: int) -> InputError:
    message = f"asks for more than {trials} trials can show, even if all pass"
    return InputError(message, place=case.id, key="gate.live.soft", fix="plan more trials")


def _mapping(value: object) -> JsonMap:
    return value if isinstance(value, dict) else {}


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


# --- what the trials showed --------------------------------------------------------


def gate_verdict(gate: GateResult) -> CaseVerdict:
    """Return fail before inconclusive before pass of all rules."""
    found = {rule.verdict for rule in gate.rules}
    order = (CaseVerdict.FAIL, CaseVerdict.INCONCLUSIVE)
    return next((verdict for verdict in order if verdict in found), CaseVerdict.PASS)


def evaluate(plan: Plan, trials: Sequence[TrialResult]) -> GateResult:
    """Return what a plan's rules say of the trials that ran.

    Args:
        plan: of the case.
        trials: at most as many as planned; one that is missing is inconclusive.
    """
    tolerated = {clause for rule in plan.rules[1:] for clause in rule.clauses}
    rules = tuple(_judged(rule, plan, trials, tolerated) for rule in plan.rules)
    words = [_counted(trial) for trial in trials]
    passes, failed = words.count(CaseVerdict.PASS), words.count(CaseVerdict.FAIL)
    soft = plan.rules[1:]
    nears = [rule.near for rule in rules if rule.near is not None]
    lowers = [rule.lower for rule in soft if rule.lower is not None]
    return GateResult(
        kind="soft" if soft else "all_hard",
        needed=max((rule.needed for rule in soft), default=plan.trials),
        lower=max(lowers, default=None),
        passes=passes,
        inconclusive=plan.trials - passes - failed,
        trials=plan.trials,
        causes=_causes(plan, trials),
        repeated=sum(trial.same_replies_as is not None for trial in trials),
        near="; ".join(nears) or None,
        power=describe_power(plan.trials) if plan.live else None,
        rules=rules,
    )


def _counted(trial: TrialResult) -> CaseVerdict:
    """Return a trial's verdict; one with an earlier trial's replies shows nothing of its own."""
    return trial.verdict if trial.same_replies_as is None else CaseVerdict.INCONCLUSIVE


def _causes(plan: Plan, trials: Sequence[TrialResult]) -> JsonMap:
    found: Counter[str] = Counter()
    for trial in trials:
        if trial.same_replies_as is not None:
            found[CACHED] += 1
        elif trial.verdict is CaseVerdict.INCONCLUSIVE:
            found[_cause(trial)] += 1
    found[NOT_RUN] = plan.trials - len(trials)
    return {name: count for name, count in found.items() if count}


def _cause(trial: TrialResult) -> str:
    """Return why a trial is inconclusive; an agent's error may come of one that is not its own."""
    doubts = [found.clause for found in trial.doubts]
    return next((word for word in _NOT_THE_AGENTS if word in doubts), doubts[0])


def _judged(
    rule: Rule, plan: Plan, trials: Sequence[TrialResult], tolerated: set[str]
) -> RuleResult:
    words = [_shown(rule, trial, tolerated) for trial in trials]
    n, passes, failed = plan.trials, words.count(CaseVerdict.PASS), words.count(CaseVerdict.FAIL)
    unsure = n - passes - failed
    verdict = CaseVerdict.INCONCLUSIVE
    if passes >= rule.needed:
        verdict = CaseVerdict.PASS
    elif passes + unsure < rule.needed:
        verdict = CaseVerdict.FAIL
    reached = None
    if rule.lower is not None:
        reached = wilson_interval(passes, n, confidence=rule.confidence or CONFIDENCE)[0]
    return RuleResult(
        kind=rule.kind,
        clauses=rule.clauses,
        needed=rule.needed,
        lower=rule.lower,
        confidence=rule.confidence,
        reached=reached,
        passes=passes,
        failed=failed,
        inconclusive=unsure,
        trials=n,
        verdict=verdict,
        near=_near(rule, n, passes, unsure),
        power=describe_rule_power(rule.needed, n) if plan.live else None,
    )


def _shown(rule: Rule, trial: TrialResult, tolerated: set[str]) -> CaseVerdict:
    """Return what one trial shows of one rule's clauses."""
    if trial.same_replies_as is not None:
        return CaseVerdict.INCONCLUSIVE
    broken = {found.clause for found in trial.violations}
    hard = rule.kind is RuleKind.HARD
    if (broken - tolerated) | (broken & _BREACHES) if hard else broken & set(rule.clauses):
        return CaseVerdict.FAIL
    doubted = {found.clause for found in trial.doubts}
    if doubted & (_ISSUES | set(rule.clauses)):
        return CaseVerdict.INCONCLUSIVE
    return CaseVerdict.PASS


def _near(rule: Rule, trials: int, passes: int, unsure: int) -> str | None:
    """Say so when one trial more or less would have turned the rule."""
    if trials == 1:
        return None
    if passes + unsure == rule.needed - 1:
        return f"near: {passes + unsure} of {trials} can have passed, {rule.needed} are needed"
    if passes == rule.needed < trials:
        return f"near: {passes} of {trials} passed, which is just enough"
    return None

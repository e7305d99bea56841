"""What every report says of one case: plain lines, harmless, the most telling first.

Terminal, JUnit, Markdown and pytest show the same lines, so that a reader who moves from one to
another finds what was seen before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.model.case import CaseState, Expectation
from workbench.runner.outcome import CaseVerdict, Relation
from workbench.runner.reports.harmless import harmless
from workbench.runner.reports.side_by_side import side_by_side
from workbench.runner.reports.text import cut
from workbench.runner.strength import strength_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workbench.model.jsonvalue import JsonMap
    from workbench.runner.outcome import (
        CaseResult,
        Comparison,
        Found,
        GateResult,
        Group,
        RuleResult,
        RunReport,
        TrialResult,
    )

__all__ = [
    "LIVE",
    "by_importance",
    "case_lines",
    "case_title",
    "group_line",
    "is_invalid",
    "is_overdue",
    "other_invalid",
    "summary_line",
]

_ORDER: Final = (
    CaseVerdict.FAIL,
    CaseVerdict.INCONCLUSIVE,
    CaseVerdict.NOT_RUN,
    CaseVerdict.PASS,
)
_MOST: Final = 5
_LONGEST: Final = 500
LIVE: Final = "live"
_ABSENT: Final = "absent"


def by_importance(report: RunReport) -> list[CaseResult]:
    """Return the cases: failures first, those that gate before the others."""
    return sorted(report.cases, key=lambda case: (_ORDER.index(case.verdict), not case.gates))


def is_invalid(case: CaseResult) -> bool:
    """Whether a case cannot be run as written; of an archived one nothing is asked."""
    return case.strength is None and case.state not in (CaseState.ARCHIVED.value, _ABSENT)


def other_invalid(report: RunReport) -> tuple[str, ...]:
    """Return the sentences on files that are no case at all, so that `cases` lacks them."""
    listed = {f"{case.path or case.id}: {case.reason}" for case in report.cases if is_invalid(case)}
    return tuple(sentence for sentence in report.summary.invalid if sentence not in listed)


def is_overdue(case: CaseResult, report: RunReport) -> bool:
    """Whether a case's review date had passed when the run started."""
    today = (report.started or "")[:10]
    return case.state != CaseState.ARCHIVED.value and "" < case.review_date < today


def case_title(case: CaseResult) -> str:
    """Return one line that names a case and says whether it counts."""
    state = case.state if case.gates else f"{case.state}, does not gate"
    return f"{harmless(cut(case.id, _LONGEST))} [{state}]"


def summary_line(case: CaseResult) -> str:
    """Return the one sentence on what happened, for a place that has room for one."""
    for found in _all_found(case):
        return cut(f"{harmless(found.clause)}: {harmless(found.sentence)}", _LONGEST)
    if case.reason is not None:
        return cut(harmless(case.reason.partition("\n")[0]), _LONGEST)
    return "every clause held" if case.verdict is CaseVerdict.PASS else "see the results"


def _all_found(case: CaseResult) -> Iterator[Found]:
    for trial in case.trials:
        yield from trial.violations
    for trial in case.trials:
        yield from trial.doubts


def case_lines(case: CaseResult, report: RunReport, *, width: int = 100) -> Iterator[str]:
    """Return what there is to say of a case, without its title.

    Args:
        case: one of the report's.
        report: the run.
        width: columns that two traces side by side may take.
    """
    return (cut(line, _LONGEST) for line in _facts(case, report, width))


def _facts(case: CaseResult, report: RunReport, width: int) -> Iterator[str]:
    if case.reason is not None:
        yield from _lines(case.reason)
    if case.verdict is not CaseVerdict.PASS:
        yield from _found(case)
    if case.divergence is not None:
        yield from _parting(case, report, case.divergence, width)
    elif case.verdict is CaseVerdict.FAIL:
        yield from _repeated(case.trials)
    yield from (group_line(group) for group in case.groups if group.count > 1)
    if case.gate is not None and report.layer == LIVE:
        yield from _gate(case.gate)
    if case.covered_trials is not None and report.layer == LIVE:
        covered, trials = case.covered_trials
        yield f"{covered} of {trials} trials stayed inside the fixtures"
    if case.baseline is not None:
        yield from _baseline(case.baseline)
    if is_overdue(case, report):
        yield f"its review was due on {case.review_date}: ask {harmless(case.owner)}"
    if case.strength is not None:
        yield harmless(strength_line(case.strength))


def _lines(text: str) -> Iterator[str]:
    """Keep the lines of a message of ours, its `Fix:` below it."""
    return (harmless(line.strip()) for line in text.splitlines())


# --- what was found --------------------------------------------------------------------


def _found(case: CaseResult) -> Iterator[str]:
    """Yield one line for each clause and path that some trial broke or left open."""
    lines = [
        f"{_where(case, path, count)}: {_entry(found)}"
        for path, found, count in _merged(case.trials)
    ]
    yield from lines[:_MOST]
    if len(lines) > _MOST:
        yield f"and {len(lines) - _MOST} more, see the results"


def _merged(trials: Iterable[TrialResult]) -> Iterator[tuple[str, Found, int]]:
    """Yield path, the first finding of a clause there, and in how many trials it is."""
    first: dict[tuple[str, str], Found] = {}
    where: dict[tuple[str, str], set[str]] = {}
    for pick in (_violations, _doubts):
        for trial in trials:
            for found in pick(trial):
                key = (trial.path, found.clause)
                first.setdefault(key, found)
                where.setdefault(key, set()).add(trial.run_id)
    for key, found in first.items():
        yield key[0], found, len(where[key])


def _violations(trial: TrialResult) -> tuple[Found, ...]:
    return trial.violations


def _doubts(trial: TrialResult) -> tuple[Found, ...]:
    return () if trial.violations or trial.verdict is CaseVerdict.PASS else trial.doubts


def _where(case: CaseResult, path: str, count: int) -> str:
    trials = sum(trial.path == path for trial in case.trials)
    place = f"path {harmless(path)}"
    return place if trials == 1 else f"{place}, {count} of {trials} trials"


def _entry(found: Found) -> str:
    place = "" if found.seq is None else f" at event {found.seq}"
    return f"{harmless(found.clause)}{place}: {harmless(found.sentence)}"


# --- where it parts --------------------------------------------------------------------


def _parting(case: CaseResult, report: RunReport, document: JsonMap, width: int) -> Iterator[str]:
    whose = "recorded" if document["expect"] == Expectation.FAIL.value else "accepted"
    versions = "".join(_version_change(case, report))
    headline = document.get("headline", document["sentence"])
    yield harmless(f"path {document['path']} parts from the {whose} path: {versions}{headline}")
    yield from side_by_side(document, heads=(f"the {whose} path", "this run"), width=width)


def _repeated(trials: Iterable[TrialResult]) -> Iterator[str]:
    """Say of failed trials that part from no path that they went its whole way."""
    failed = (trial for trial in trials if trial.verdict is CaseVerdict.FAIL)
    for path in dict.fromkeys(trial.path for trial in failed):
        yield f"path {harmless(path)}: the agent went all of it, step by step"


def _version_change(case: CaseResult, report: RunReport) -> Iterator[str]:
    """Say which versions are not those of the incident, e.g. `agent v42 -> v43: `."""
    models = report.versions.get("models")
    model = models[0] if isinstance(models, list) and len(models) == 1 else None
    changed = [
        f"{what} {case.versions[what]} -> {now}"
        for what, now in {**report.versions, "model": model}.items()
        if now is not None and case.versions.get(what) not in (None, now)
    ]
    if changed:
        yield f"{', '.join(changed)}: "


def group_line(group: Group) -> str:
    """Say how many failures have one cause."""
    said = f"{group.count} of {group.of} failed trials share one cause: {harmless(group.cause)}"
    return cut(said, _LONGEST)


# --- gates and baseline ----------------------------------------------------------------


def _gate(gate: GateResult) -> Iterator[str]:
    yield from map(_rule, gate.rules)
    if gate.causes:
        causes = ", ".join(f"{word} {count}" for word, count in gate.causes.items())
        yield harmless(f"inconclusive trials: {causes}")
    if gate.repeated:
        yield f"{gate.repeated} trials repeat a cached reply; each distinct reply counts once"
    yield from (harmless(text) for text in (gate.near, gate.power) if text is not None)


def _rule(rule: RuleResult) -> str:
    names = harmless(", ".join(rule.clauses)) or "every clause"
    need = f"{rule.needed} needed"
    if rule.reached is not None:
        need = f"lower bound {rule.reached:.3f}, {rule.lower} needed"
    counts = f"{rule.passes} of {rule.trials} passed, {need}"
    if rule.inconclusive:
        counts += f", {rule.inconclusive} inconclusive"
    return f"gate {rule.verdict}: {rule.kind} ({names}): {counts}"


def _baseline(found: Comparison) -> Iterator[str]:
    if found.relation is not Relation.SAME or found.drift:
        yield f"baseline: {harmless(found.sentence)}"
    for cost in found.costs:
        yield f"baseline: median {cost.what} doubled, {cost.before:g} -> {cost.now:g}"

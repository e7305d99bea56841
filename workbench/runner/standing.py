"""What a baseline adds to the verdict of a case: it can turn it red, never green."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from workbench.runner.comparison import compare
from workbench.runner.outcome import CaseResult, CaseVerdict, Comparison, Relation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workbench.model.jsonvalue import JsonMap
    from workbench.runner.baseline import Baseline, Entry

__all__ = ["ABSENT", "absent_cases", "beside_baseline"]

ABSENT: Final = "absent"
"""State of a case that only the baseline knows."""
_RED: Final = (Relation.WORSE, Relation.NOT_RUN)
_FIX: Final = "run it, or accept that with --update-baseline REASON"


def beside_baseline(
    result: CaseResult,
    baseline: Baseline | None,
    *,
    layer: str,
    versions: JsonMap,
    gate_cost: bool,
) -> CaseResult:
    """Return a case's result with what the baseline says of it.

    Args:
        result: by its own gate.
        baseline: None: nothing is compared.
        layer: of this run.
        versions: of this run.
        gate_cost: let medians that doubled fail.
    """
    if baseline is None:
        return result
    entry = baseline.cases.get(result.id)
    found = compare(entry, result, layer=layer, versions=versions)
    verdict, reason = _verdict(result, found, gate_cost=gate_cost)
    strength = result.strength
    if strength is not None and entry is not None and found.relation is not Relation.NOT_COMPARABLE:
        strength = replace(
            strength,
            fails=strength.fails or entry.fails,
            passes=strength.passes or entry.passing,
        )
    return replace(
        result,
        verdict=verdict,
        reason=reason,
        gates=result.gates or found.relation is Relation.NOT_RUN,
        strength=strength,
        baseline=found,
    )


def _verdict(
    result: CaseResult, found: Comparison, *, gate_cost: bool
) -> tuple[CaseVerdict, str | None]:
    if found.relation in _RED:
        return CaseVerdict.FAIL, _joined(result.reason, found.sentence)
    if gate_cost and found.costs:
        doubled = ", ".join(f"{c.what} {c.before:g} -> {c.now:g}" for c in found.costs)
        return CaseVerdict.FAIL, _joined(result.reason, f"medians doubled: {doubled}")
    if found.relation is Relation.UNDECIDED and result.verdict is CaseVerdict.PASS:
        return CaseVerdict.INCONCLUSIVE, _joined(result.reason, found.sentence)
    return result.verdict, result.reason


def _joined(first: str | None, second: str) -> str:
    return second if first is None else f"{first}; {second}"


def absent_cases(baseline: Baseline, *, known: Iterable[str]) -> tuple[CaseResult, ...]:
    """Return a failed result for each case of a baseline that was not among the cases given.

    Args:
        baseline: what was accepted.
        known: ids of all cases given, also of those that `--select` left out.
    """
    ids = set(known)
    return tuple(_absent(n, e) for n, e in sorted(baseline.cases.items()) if n not in ids)


def _absent(name: str, entry: Entry) -> CaseResult:
    sentence = "the baseline has it, and no such case was given"
    return CaseResult(
        id=name,
        path=None,
        digest=entry.digest,
        title=entry.title,
        owner=entry.owner,
        severity=entry.severity,
        review_date="",
        state=ABSENT,
        gates=True,
        verdict=CaseVerdict.FAIL,
        reason=f"{sentence}\n  Fix: {_FIX}",
        versions=entry.versions,
        strength=None,
        gate=None,
        coverage=None,
        covered_trials=None,
        baseline=Comparison(
            relation=Relation.NOT_RUN,
            sentence=sentence,
            passes=entry.passes,
            trials=entry.trials,
            drop=None,
            drop_interval=None,
            drift=False,
            costs=(),
        ),
        groups=(),
        violations=(),
        divergence=None,
        missing=(),
        trials=(),
    )

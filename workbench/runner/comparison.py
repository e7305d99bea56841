"""One case beside its entry in the baseline: only worse fails, and only what is comparable.

Source:
    design page 09, "Gates".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.runner.baseline import medians_of
from workbench.runner.intervals import drop_interval
from workbench.runner.outcome import (
    CaseVerdict,
    Comparison,
    CostChange,
    Relation,
    RuleKind,
)

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap
    from workbench.runner.baseline import Entry
    from workbench.runner.outcome import CaseResult, GateResult

__all__ = ["compare"]

_DOUBLED: Final = 2
_LIVE: Final = "live"


def compare(
    entry: Entry | None, result: CaseResult, *, layer: str, versions: JsonMap
) -> Comparison:
    """Set a case's result beside what was accepted.

    Args:
        entry: of the baseline; None: it has none.
        result: of the case, by its own gate.
        layer: of this run.
        versions: of this run.
    """
    if entry is None:
        return _plain(Relation.NEW, "the baseline does not have it")
    gate = result.gate
    if gate is None:
        return _beside(entry, Relation.NOT_RUN, "the baseline has it, and it did not run")
    if entry.digest != result.digest:
        return _beside(entry, Relation.NOT_COMPARABLE, "not comparable: case changed")
    if entry.layer != layer:
        sentence = f"not comparable: the baseline is of the {entry.layer} layer"
        return _beside(entry, Relation.NOT_COMPARABLE, sentence)
    relation, sentence = _relation(entry, gate)
    drift = _is_drift(entry, result, layer, versions)
    if drift:
        sentence += "; same versions, other verdict: provider drift"
    before = (entry.passes, entry.trials)
    now = (gate.passes, gate.trials)
    return Comparison(
        relation=relation,
        sentence=sentence,
        passes=entry.passes,
        trials=entry.trials,
        drop=_rate(before) - _rate(now),
        drop_interval=drop_interval(before, now),
        drift=drift,
        costs=_costs(entry, result, layer),
    )


def _relation(entry: Entry, gate: GateResult) -> tuple[Relation, str]:
    before, now = (entry.passes, entry.trials), (gate.passes, gate.trials)
    at_best = (gate.passes + gate.inconclusive, gate.trials)
    shown = f"{entry.passes}/{entry.trials} -> {gate.passes}/{gate.trials}"
    if any(rule.kind is RuleKind.HARD and rule.failed for rule in gate.rules):
        return Relation.WORSE, f"worse: {shown}, with a hard violation"
    if drop_interval(before, at_best)[0] > 0:
        return Relation.WORSE, f"worse: {shown}, which is no chance"
    if drop_interval(before, now)[0] > 0:
        return Relation.UNDECIDED, f"{shown}: worse, unless inconclusive trials would have passed"
    if _rate(now) > _rate(before):
        return Relation.BETTER, f"better: {shown}"
    chance = "" if _rate(now) == _rate(before) else ", which may be chance"
    return Relation.SAME, f"{shown}{chance}"


def _rate(counts: tuple[int, int]) -> float:
    return counts[0] / counts[1]


def _is_drift(entry: Entry, result: CaseResult, layer: str, versions: JsonMap) -> bool:
    """Whether a live verdict changed although nothing that is ours did."""
    concluded = CaseVerdict.INCONCLUSIVE not in (entry.verdict, result.verdict)
    known = bool(versions.get("agent")) and entry.versions == versions
    return layer == _LIVE and known and concluded and entry.verdict is not result.verdict


def _costs(entry: Entry, result: CaseResult, layer: str) -> tuple[CostChange, ...]:
    """Return medians that doubled; the time of a scripted trial is that of the machine."""
    now = medians_of(result.trials)
    if now is None:
        return ()
    names = ("calls", "tokens", "ms") if layer == _LIVE else ("calls", "tokens")
    found = ((name, getattr(entry.medians, name), getattr(now, name)) for name in names)
    return tuple(
        CostChange(what=name, before=before, now=after)
        for name, before, after in found
        if before > 0 and after >= _DOUBLED * before
    )


def _plain(relation: Relation, sentence: str) -> Comparison:
    return Comparison(
        relation=relation,
        sentence=sentence,
        passes=None,
        trials=None,
        drop=None,
        drop_interval=None,
        drift=False,
        costs=(),
    )


def _beside(entry: Entry, relation: Relation, sentence: str) -> Comparison:
    return Comparison(
        relation=relation,
        sentence=sentence,
        passes=entry.passes,
        trials=entry.trials,
        drop=None,
        drop_interval=None,
        drift=False,
        costs=(),
    )

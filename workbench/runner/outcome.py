"""What a run of cases showed, as values; the fields are those of `results.json`.

No field has a default, so that every one is written.

Source:
    design page 09, "Reports".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from workbench.model.jsonvalue import JsonMap  # noqa: TC001  read at run time by the codec
from workbench.runner.strength import Strength  # noqa: TC001

if TYPE_CHECKING:
    from workbench.model.trace import Trace

__all__ = [
    "BudgetResult",
    "CaseResult",
    "CaseVerdict",
    "Comparison",
    "CostChange",
    "Found",
    "GateResult",
    "Group",
    "Missing",
    "Relation",
    "RuleKind",
    "RuleResult",
    "RunReport",
    "Summary",
    "TrialResult",
    "exit_code",
]

_ORDER: Final = (3, 4, 2, 1, 6, 5, 0)


class CaseVerdict(StrEnum):
    """Of a trial, or of all trials of a case."""

    PASS = "pass"  # noqa: S105  a verdict, not a password
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    NOT_RUN = "not_run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A violation, or a reason why nothing can be concluded."""

    clause: str
    """Id of the clause, or a word of `replay.issues`."""
    seq: int | None
    """Position in the trial's trace."""
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A call that no fixture answered."""

    tool: str
    outcome: str
    nearest: str | None
    differs_at: tuple[str, ...]
    explanation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialResult:
    """One replayed run of one path; in the live layer of the case itself."""

    run_id: str
    path: str
    """Name of the scripted path; `live` in the live layer."""
    number: int
    """Position among the case's trials, from 1."""
    verdict: CaseVerdict
    violations: tuple[Found, ...]
    doubts: tuple[Found, ...]
    missing: tuple[Missing, ...]
    calls: int
    answered: int
    """Calls that a fixture answered."""
    tokens: int
    """Input and output together, as scripted or as the provider counted; 0: nobody said."""
    input_tokens: int
    output_tokens: int
    ms: float
    isolation: str
    isolation_note: str
    replies_left: int
    """Scripted replies that the agent never asked for."""
    unused: tuple[str, ...]
    """Fixtures that no call used."""
    same_replies_as: int | None
    """Number of the earlier trial whose live replies a cache gave again; None: they are its own."""
    trace: Trace


class RuleKind(StrEnum):
    """What a rule asks of the trials."""

    HARD = "hard"
    """One violation in any trial is red; green needs every trial."""
    MIN_PASSES = "min_passes"
    """At least so many trials pass."""
    LOWER = "lower"
    """The lower end of Wilson's two-sided interval of the pass rate reaches a rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleResult:
    """One rule of a gate, and what the trials showed of its clauses."""

    kind: RuleKind
    clauses: tuple[str, ...]
    """Ids; a hard rule also has every breach, whatever clauses it lists."""
    needed: int
    """Passing trials that the rule needs, of `trials`."""
    lower: float | None
    """The rate asked for; None unless `kind` is `lower`."""
    confidence: float | None
    reached: float | None
    """The lower end of the interval that was reached; None unless `kind` is `lower`."""
    passes: int
    failed: int
    inconclusive: int
    trials: int
    """Planned; `passes`, `failed` and `inconclusive` add up to it."""
    verdict: CaseVerdict
    near: str | None
    """A sentence when one trial decided; else None."""
    power: str | None
    """What the rule can miss, in one sentence; None in the scripted layer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """How the trials' verdicts became the case's."""

    kind: str
    """`all_hard`, or `soft` when some rule tolerates failing trials."""
    needed: int
    """Trials that must pass: all of them, or what the strictest soft rule needs."""
    lower: float | None
    """The rate that the strictest soft rule of kind `lower` asks for."""
    passes: int
    """Trials in which every clause passed."""
    inconclusive: int
    """Trials that show no violation and are no proof either; never dropped."""
    trials: int
    """Planned, always."""
    causes: JsonMap
    """Why trials are inconclusive: word of `replay.issues` or clause -> number of trials."""
    repeated: int
    """Trials whose live replies came from a cache; each distinct one counts once."""
    near: str | None
    power: str | None
    """The detection power of the planned trials; None in the scripted layer, which has none."""
    rules: tuple[RuleResult, ...]


class Relation(StrEnum):
    """How a case stands to its entry in the baseline."""

    SAME = "same"
    WORSE = "worse"
    """Gates."""
    BETTER = "better"
    """Reported, never required."""
    NEW = "new"
    """The baseline does not have it."""
    UNDECIDED = "undecided"
    """Worse, unless trials that are inconclusive would have passed: inconclusive."""
    NOT_COMPARABLE = "not_comparable"
    """The case or the layer changed: its own gate alone counts."""
    NOT_RUN = "not_run"
    """The baseline has it and it was not run: gates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostChange:
    """A median that doubled."""

    what: str
    """`calls`, `tokens` or `ms`."""
    before: float
    now: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One case beside its entry in the baseline."""

    relation: Relation
    sentence: str
    passes: int | None
    """Of the baseline."""
    trials: int | None
    """Of the baseline."""
    drop: float | None
    """How far the pass rate fell; negative: it rose."""
    drop_interval: tuple[float, float] | None
    """Newcombe's interval of the drop; above 0: no chance."""
    drift: bool
    """Same versions of everything, another verdict: the provider changed."""
    costs: tuple[CostChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Failed trials that first part from their path in the same way."""

    cause: str
    """No text of a trace but names of tools and clauses."""
    count: int
    of: int
    """Failed trials in all."""
    cases: tuple[str, ...]
    run_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """One case of a run."""

    id: str
    path: str | None
    digest: str
    title: str
    owner: str
    severity: str
    review_date: str
    """ISO day; empty when the case is `absent`."""
    state: str
    """A state of a case; `absent`: only the baseline knows it."""
    gates: bool
    """Whether its verdict counts for the exit code."""
    verdict: CaseVerdict
    reason: str | None
    """Why it was not run, is not what its trials say, or says less than it seems."""
    versions: JsonMap
    """The case's `environment` and its failing and passing version."""
    strength: Strength | None
    gate: GateResult | None
    coverage: tuple[int, int] | None
    """Calls that a fixture answered, of all."""
    covered_trials: tuple[int, int] | None
    """Trials all of whose calls a fixture answered, of all."""
    baseline: Comparison | None
    """None: no baseline was given."""
    groups: tuple[Group, ...]
    violations: tuple[Found, ...]
    divergence: JsonMap | None
    """Where a failed trial first parts from the path that it ran; see `runner.parting`."""
    missing: tuple[Missing, ...]
    trials: tuple[TrialResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Counts of cases."""

    cases: int
    passed: int
    failed: int
    inconclusive: int
    not_run: int
    gating: int
    """Cases that gate and were run."""
    near: int
    """Cases in which one trial decided."""
    deselected: int
    """Cases that `--select` left out."""
    invalid: tuple[str, ...]
    """Files that are no case, one sentence each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetResult:
    """What a run was expected to take, might take and took."""

    trials: int
    """Planned."""
    estimated_tokens: int | None
    """From the usage recorded in the cases; None: no case records any."""
    unestimated: int
    """Cases that record no usage and are not in the estimate."""
    estimated_usd: float | None
    """None: no price is known, or no usage."""
    limit_tokens: int | None
    limit_usd: float | None
    limit_minutes: float | None
    spent_tokens: int
    spent_usd: float | None
    spent_minutes: float
    stopped: str | None
    """Why the run ended before its last trial; None: it did not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """Everything that a run showed."""

    started: str | None
    agent: str
    layer: str
    """`scripted` or `live`."""
    versions: JsonMap
    """Of what was tested: `agent` as `workbench.toml` names it."""
    settings: JsonMap
    isolation: JsonMap
    """Level reached -> what stands behind it."""
    cases: tuple[CaseResult, ...]
    groups: tuple[Group, ...]
    """Failed trials of all cases, by what they share."""
    budget: BudgetResult | None
    """None in the scripted layer, unless a budget was set."""
    summary: Summary
    interrupted: bool
    exit_code: int


def exit_code(cases: tuple[CaseResult, ...], *, invalid: int, interrupted: bool) -> int:
    """Return the exit code of a run; of several that apply, the first of 3 4 2 1 6 5 0."""
    found = {0}
    gating = {case.verdict for case in cases if case.gates}
    if invalid:
        found.add(4)
    if interrupted:
        found.add(2)
    if CaseVerdict.FAIL in gating:
        found.add(1)
    if CaseVerdict.INCONCLUSIVE in gating:
        found.add(6)
    if not gating - {CaseVerdict.NOT_RUN}:
        found.add(5)
    return min(found, key=_ORDER.index)

"""What a run of cases showed, as values; the fields are those of `results.json`.

No field has a default, so that every one is written.

Source:
    design page 09, "Reports".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap
    from workbench.model.trace import Trace
    from workbench.runner.strength import Strength

__all__ = [
    "CaseResult",
    "CaseVerdict",
    "Found",
    "GateResult",
    "Missing",
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
    """One replayed run of one path."""

    run_id: str
    path: str
    verdict: CaseVerdict
    violations: tuple[Found, ...]
    doubts: tuple[Found, ...]
    missing: tuple[Missing, ...]
    calls: int
    answered: int
    """Calls that a fixture answered."""
    tokens: int
    """As scripted; 0 when no turn states its usage."""
    ms: float
    isolation: str
    isolation_note: str
    replies_left: int
    """Scripted replies that the agent never asked for."""
    unused: tuple[str, ...]
    """Fixtures that no call used."""
    trace: Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """How the trials' verdicts became the case's."""

    kind: str
    needed: int
    lower: float | None
    passes: int
    inconclusive: int
    trials: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """One case of a run."""

    id: str
    path: str | None
    digest: str
    state: str
    gates: bool
    """Whether its verdict counts for the exit code."""
    verdict: CaseVerdict
    reason: str | None
    """Why it was not run, or is inconclusive whatever its trials say."""
    strength: Strength | None
    gate: GateResult | None
    coverage: tuple[int, int] | None
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
    invalid: tuple[str, ...]
    """Files that are no case, one sentence each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """Everything that a run showed."""

    started: str | None
    agent: str
    layer: str
    versions: JsonMap
    settings: JsonMap
    isolation: JsonMap
    """Level reached -> what stands behind it."""
    cases: tuple[CaseResult, ...]
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

"""A case: the portable file that protects against one incident, as values.

Source:
    design page 04, `replay-case/1`. `casefile` reads and writes it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from workbench.model.contract import Contract, FixPlace, Unproven
from workbench.model.event import CallError, ClaimOutcome, Outcome, Requestor, Usage
from workbench.model.jsonvalue import ABSENT, Absent, Json, JsonMap
from workbench.model.ledger import RedactionNote, TriggerNote
from workbench.model.trace import Effect, Grade
from workbench.model.verdict import Signature

__all__ = [
    "ANY_TIMES",
    "Case",
    "CaseInput",
    "CaseSource",
    "CaseState",
    "CaseTool",
    "Expectation",
    "Fixture",
    "Header",
    "HistoryEntry",
    "Minimal",
    "Mute",
    "Path",
    "PathBasis",
    "ScriptedCall",
    "Severity",
    "ShrinkNote",
    "SourceKind",
    "Stimulus",
    "Turn",
    "Withdrawal",
]

ANY_TIMES: Final = 0
"""`times: any`: the fixture answers any number of calls."""


class CaseState(StrEnum):
    """Where a case is in its life."""

    PROPOSED = "proposed"
    ACTIVE = "active"
    MUTED = "muted"
    ARCHIVED = "archived"


class Severity(StrEnum):
    """How often the live layer runs the case; S1 < S2 < S3."""

    S1 = "S1"
    S2 = "S2"
    S3 = "S3"


class SourceKind(StrEnum):
    """What a case was made from."""

    INCIDENT = "incident"
    GOOD_RUN = "good_run"
    POLICY = "policy"
    PROTOCOL = "protocol"


class Expectation(StrEnum):
    """The verdict that a path must get."""

    FAIL = "fail"
    PASS = "pass"  # noqa: S105  a verdict, not a password


class PathBasis(StrEnum):
    """How we know of a path or a fixture."""

    RECORDED = "recorded"
    DECLARED = "declared"
    MUTATED = "mutated"


class Stimulus(StrEnum):
    """Why the stimulus side is as large as it is."""

    KEPT_BY_FLOW = "kept_by_flow"
    LIVE = "live"
    PERSON = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedCall:
    """A tool call of a scripted turn."""

    id: str
    name: str
    """Canonical tool name."""
    args: Json | Absent = ABSENT
    args_raw: str | None = None
    """Arguments that are not JSON: passed on unparsed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One entry of a path: a model reply, a user turn, framework calls, or another event."""

    text: str | None = None
    outcome: ClaimOutcome | None = None
    """What `text` claims, when it was shown to a person."""
    structured: bool = False
    """The agent reports the outcome itself; the `claims` patterns need not find it."""
    tool_calls: tuple[ScriptedCall, ...] = ()
    finish_reason: str | None = None
    usage: Usage | None = None
    error: CallError | None = None
    """The model request failed this way."""
    offered: tuple[str, ...] | None = None
    """Tools offered, when not all of the case."""
    user: str | None = None
    """A later user message."""
    by: Requestor | None = None
    """Who made `tool_calls`, when no reply asked for them."""
    permission: JsonMap | None = None
    state_change: JsonMap | None = None
    context_change: JsonMap | None = None
    agent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """One scripted way through a case."""

    name: str
    expect: Expectation
    basis: PathBasis = PathBasis.RECORDED
    by: str | None = None
    turns: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """One recorded tool result with the key that finds it."""

    id: str
    tool: str
    args: Json | Absent = ABSENT
    """As JSON; a string when the recorded arguments were not JSON."""
    match: JsonMap = field(default_factory=dict)
    """Path of an argument -> matcher."""
    outcome: Outcome = Outcome.OK
    detail: str | None = None
    result: Json | Absent = ABSENT
    """A string stands for the exact text that came back, to be read by `parse_text`."""
    error: CallError | None = None
    operation_id: str | None = None
    basis: PathBasis = PathBasis.RECORDED
    by: str | None = None
    times: int = 1
    """Uses; `ANY_TIMES` (written `any`): without limit."""
    only: tuple[str, ...] = ()
    """Names of the paths that it answers in; empty: all."""
    must_use: bool = False
    delay_ms: float | None = None
    real_time: bool = False
    sets: JsonMap = field(default_factory=dict)
    """State path -> value, applied when it answers."""
    file: str | None = field(default=None, metadata={"key": "$file"})
    """`$file`: the result lies in the case's own folder under this name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseInput:
    """What the agent is given."""

    messages: tuple[JsonMap, ...]
    """`{role: system | user | assistant, content}`."""
    state: JsonMap = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseTool:
    """A tool of the case."""

    name: str
    wire: str | None = None
    """Name on a model API, which takes no dots; None: the canonical name."""
    description: str | None = None
    effect: Effect
    schema: JsonMap | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSource:
    """Which run a case was made from."""

    kind: SourceKind
    draft: str | None = None
    run_id: str | None = None
    trace_digest: str | None = None
    """`hmac:` and hex, under the draft's key."""
    store_head: str | None = None
    imported_from: str | None = None
    incident: str | None = None
    grade: Grade | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Minimal:
    """How far a case was reduced."""

    behaviour: bool
    """1-minimal: no kept call or claim can be dropped without losing the failure."""
    stimulus: Stimulus = Stimulus.KEPT_BY_FLOW


@dataclass(frozen=True, slots=True, kw_only=True)
class ShrinkNote:
    """What shrinking did."""

    events: tuple[int, int]
    """Before and after."""
    nodes: tuple[int, int] | None = None
    """JSON nodes of the trace before and after."""
    oracle_calls: int = 0
    minimal: Minimal
    why_stopped: str | None = None
    """Given when `minimal.behaviour` is false."""
    also_seen: tuple[Signature, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """One change in the life of a case."""

    date: str
    by: str
    change: str
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mute:
    """Why a case does not gate, and until when."""

    by: str
    reason: str
    until: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """The source was withdrawn."""

    date: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What `build_case` cannot read off a trace."""

    id: str
    title: str
    owner: str
    review_date: str
    severity: Severity = Severity.S2
    fix: FixPlace = FixPlace.MODEL
    state: CaseState = CaseState.PROPOSED
    source: CaseSource
    signature: Signature
    why: JsonMap | None = None
    tags: tuple[str, ...] = ()
    redaction: RedactionNote | None = None
    shrink: ShrinkNote | None = None
    trigger: tuple[TriggerNote, ...] = ()
    unproven: tuple[Unproven, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One `replay-case/1` file. Fields are in the order of the file."""

    id: str
    title: str
    why: JsonMap | None = None
    state: CaseState
    owner: str
    severity: Severity
    review_date: str
    tags: tuple[str, ...] = ()
    fix: FixPlace
    source: CaseSource
    redaction: RedactionNote | None = None
    shrink: ShrinkNote | None = None
    environment: JsonMap | None = None
    trigger: tuple[TriggerNote, ...] = ()
    input: CaseInput
    tools: tuple[CaseTool, ...] = ()
    paths: tuple[Path, ...]
    fixtures: tuple[Fixture, ...] = ()
    contract: Contract
    """Parsed; written back from `contract.document`. Its `fix` and `unproven` are the case's."""
    gate: JsonMap | None = None
    signature: Signature
    """`expect.signature`."""
    failing_version: str | None = None
    """`expect.failing_version`."""
    passing_version: str | None = None
    history: tuple[HistoryEntry, ...] = ()
    mute: Mute | None = None
    withdrawn: Withdrawal | None = None
    also_covers: tuple[str, ...] = ()
    unproven: tuple[Unproven, ...] = ()
    require_isolation: str | None = None
    local: tuple[str, ...] = ()

    @property
    def recorded(self) -> Path:
        """The path that must fail; a loaded case has exactly one."""
        return next(path for path in self.paths if path.expect is Expectation.FAIL)

    @property
    def accepted(self) -> tuple[Path, ...]:
        """The paths that must pass."""
        return tuple(path for path in self.paths if path.expect is Expectation.PASS)

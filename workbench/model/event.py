"""The ten kinds of event of a trace.

Each class is one kind; `kind` is its name in `trace/1` JSON and its fields are that page's
fields. A field that the recorder did not give is `None` or `ABSENT`, never made up.

Source:
    design page 02, `trace/1`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, TypeAlias

from workbench.model.jsonvalue import ABSENT, Absent, Json, JsonMap
from workbench.model.quick_init import quick_init

__all__ = [
    "EVENT_TYPES",
    "Basis",
    "CallError",
    "CallIdSource",
    "Change",
    "Claim",
    "ClaimBasis",
    "ClaimOutcome",
    "ContextChange",
    "Decision",
    "Event",
    "ModelReply",
    "ModelRequest",
    "Outcome",
    "Permission",
    "Placed",
    "Requestor",
    "StateChange",
    "SystemMessage",
    "ToolCall",
    "ToolResult",
    "Usage",
    "UserMessage",
]


class Outcome(StrEnum):
    """How a tool call ended."""

    OK = "ok"
    RETRYABLE = "retryable"
    PERMANENT = "permanent"
    UNKNOWN = "unknown"
    DENIED = "denied"
    MISSING = "missing"
    """No result in the trace; derived, no importer writes it."""
    BLOCKED = "blocked"
    """A replay refused an unrecorded write; never executed."""
    MISSING_FIXTURE = "missing_fixture"
    """A replay had no recorded answer; never executed."""


class Requestor(StrEnum):
    """Who asked for a tool call."""

    AGENT = "agent"
    USER = "user"
    FRAMEWORK = "framework"


class CallIdSource(StrEnum):
    """Where a call id comes from."""

    GIVEN = "given"
    SYNTHESISED = "synthesised"


class Decision(StrEnum):
    """What a permission event decided."""

    GRANTED = "granted"
    DENIED = "denied"
    ASKED = "asked"


class Basis(StrEnum):
    """How we know of a permission or a state change."""

    RECORDED = "recorded"
    INFERRED = "inferred"
    DECLARED = "declared"


class Change(StrEnum):
    """What happened to the model's context."""

    COMPACTION = "compaction"
    TRUNCATION = "truncation"
    HAND_OFF = "hand_off"


class ClaimOutcome(StrEnum):
    """What a text shown to a person says about the task."""

    SUCCESS = "success"
    FAILURE = "failure"
    UNRESOLVED = "unresolved"
    UNKNOWN = "unknown"


class ClaimBasis(StrEnum):
    """How a claim's outcome is known. Importers write only `structured`, `labelled`, `unknown`."""

    STRUCTURED = "structured"
    SCRIPTED = "scripted"
    PATTERN = "pattern"
    LABELLED = "labelled"
    UNKNOWN = "unknown"


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """What every event has: its place in the trace and where it came from."""

    seq: int = 0
    """Position in the trace, 0-based and gap-free."""

    at: str | None = None
    """RFC 3339 time."""

    agent: str | None = None
    """The (sub-)agent that did it."""

    source_ref: str | None = None
    """Where in the raw record it was read from."""

    origin_seq: int | None = None
    """`seq` in the raw trace, kept through redaction and shrinking; None: `seq` still is it."""

    def __repr__(self) -> str:
        """Say its place and no text: a notebook saves what is shown of a value."""
        return f"{type(self).__name__}(#{self.seq})"


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SystemMessage(Placed):
    """Text that instructs the model."""

    kind: ClassVar[str] = "system_message"
    text: str


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class UserMessage(Placed):
    """Text of a person or a user simulator."""

    kind: ClassVar[str] = "user_message"
    text: str
    actor: str | None = None


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ModelRequest(Placed):
    """One request to a model."""

    kind: ClassVar[str] = "model_request"
    model: str | None = None
    settings: JsonMap = field(default_factory=dict)
    """Temperature, seed, ..."""
    offered_tools: tuple[str, ...] | None = None
    """Names offered in this turn; None: not recorded."""
    prompt: str | None = None
    """Version or digest."""
    n_messages: int | None = None


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one model reply, and what it cost."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    """As the provider or the recorder states it; nothing is computed from prices."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ModelReply(Placed):
    """One reply of a model; its number, from 1, is the `turn` of the calls it asked for."""

    kind: ClassVar[str] = "model_reply"
    text: str = ""
    call_ids: tuple[str, ...] = ()
    """Ids of the calls it asked for, in index order."""
    finish_reason: str | None = None
    usage: Usage | None = None


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ToolCall(Placed):
    """One attempt to use a tool; a retry is a second `ToolCall`."""

    kind: ClassVar[str] = "tool_call"
    call_id: str
    """Unique in the trace."""
    call_id_source: CallIdSource = CallIdSource.GIVEN
    tool: str
    """Name as the agent saw it, e.g. `billing.pause`."""
    args_raw: str | None = None
    """The exact text of the arguments; None once a part of them was dropped."""
    args: Json | Absent = ABSENT
    """Parsed arguments; `ABSENT`: `args_raw` is not JSON."""
    requestor: Requestor = Requestor.AGENT
    turn: int = 0
    """Number of the model reply that asked for it, from 1; 0: none did."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class CallError:
    """What a failed call answered."""

    type: str | None = None
    message: str | None = None
    status: int | None = None
    """HTTP status, or a process's exit code."""
    headers: dict[str, str] = field(default_factory=dict)
    body: Json | Absent = ABSENT

    def __repr__(self) -> str:
        """Say its status and no text."""
        return f"CallError(status={self.status})"


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ToolResult(Placed):
    """What a tool call answered. A call without one is `missing`."""

    kind: ClassVar[str] = "tool_result"
    call_id: str
    outcome: Outcome | None = None
    """As the recorder stated it, or as derived; None: not derived yet (`check.outcomes`)."""
    detail: str | None = None
    """More exactly than the outcome: `timeout`, `http_504`, `rate_limited`, ..."""
    result_raw: str | None = None
    """The exact text that came back."""
    result: Json | Absent = ABSENT
    """`parse_text(result_raw).value`, or the recorder's own structure."""
    error: CallError | None = None
    operation_id: str | None = None
    latency_ms: float | None = None


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Permission(Placed):
    """A decision whether a tool may be used."""

    kind: ClassVar[str] = "permission"
    decision: Decision
    tool: str | None = None
    args_digest: str | None = None
    """`sha256:` and hex of the arguments' RFC 8785 JSON."""
    scope: str | None = None
    actor: str | None = None
    basis: Basis = Basis.RECORDED


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class StateChange(Placed):
    """A change of the world that the recorder saw."""

    kind: ClassVar[str] = "state_change"
    name: str
    before: Json | Absent = ABSENT
    after: Json | Absent = ABSENT
    basis: Basis = Basis.RECORDED


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ContextChange(Placed):
    """The model's context was cut, compacted or handed over."""

    kind: ClassVar[str] = "context_change"
    change: Change
    before: Json | Absent = ABSENT
    after: Json | Absent = ABSENT


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Claim(Placed):
    """A text shown to a person, with the outcome that it claims."""

    kind: ClassVar[str] = "claim"
    text: str
    outcome: ClaimOutcome = ClaimOutcome.UNKNOWN
    basis: ClaimBasis = ClaimBasis.UNKNOWN
    final: bool = False
    """True for the last claim of the run."""


Event: TypeAlias = (
    SystemMessage
    | UserMessage
    | ModelRequest
    | ModelReply
    | ToolCall
    | ToolResult
    | Permission
    | StateChange
    | ContextChange
    | Claim
)

EVENT_TYPES: dict[str, type[Event]] = {
    cls.kind: cls
    for cls in (
        SystemMessage,
        UserMessage,
        ModelRequest,
        ModelReply,
        ToolCall,
        ToolResult,
        Permission,
        StateChange,
        ContextChange,
        Claim,
    )
}
"""Class by `kind`, in the order of the format's table."""

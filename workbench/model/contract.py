"""A contract: all clauses of one case, as values.

Source:
    design page 03. `casefile.contract` reads them from YAML or JSON, `check` judges them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from workbench.model.event import ClaimOutcome
from workbench.model.jsonvalue import ABSENT, Absent, Json, JsonMap

__all__ = [
    "After",
    "AnswerRule",
    "ArgsSchema",
    "AtMostAfter",
    "Before",
    "ClaimIs",
    "ClaimRules",
    "Clause",
    "Contract",
    "Evidence",
    "FinalState",
    "Finishes",
    "FixPlace",
    "ForbidCall",
    "ImmediatelyAfter",
    "Limit",
    "MaxCalls",
    "MinCalls",
    "MustCall",
    "NeverBetween",
    "OnlyCall",
    "Operator",
    "PermissionRule",
    "Predicate",
    "Selector",
    "StatePredicate",
    "StateRule",
    "Step",
    "SuccessRequires",
    "Unproven",
]


class FixPlace(StrEnum):
    """Where the incident can be prevented."""

    MODEL = "model"
    CODE = "code"


class Operator(StrEnum):
    """How a predicate compares."""

    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    IN = "in"
    NOT_IN = "not in"
    CONTAINS = "contains"
    MATCHES = "matches"
    EXISTS = "exists"
    ABSENT = "absent"


Step: TypeAlias = str | int
"""One step of a path: a key, a place in a list (-1 is the last), `*` or `**`.

A key that is itself `*`, `**` or a number is written as a JSON string and kept with a leading
backslash here (`\\*`), so that a step says what it means.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicate:
    """`path op literal` on a JSON value; an empty path is the whole value (`$`)."""

    text: str
    """As written."""
    path: tuple[Step, ...]
    operator: Operator
    literal: Json | Absent = ABSENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Selector:
    """Chooses tool calls."""

    text: str
    """As written, or a short form of it; for sentences."""
    tool: str
    """Glob; `*` also matches dots."""
    where: tuple[Predicate, ...] = ()
    result: tuple[Predicate, ...] = ()
    classes: tuple[str, ...] = ()
    """Outcomes, details, `executed` or `any`; empty: the clause's own stage."""
    agent: str | None = None
    """Glob; None: all agents."""
    by: str = "agent"
    """`agent`, `user`, `framework` or `any`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A predicate on the last completed result of a tool.

    In the short form `billing.get_operation.status == completed` the tool is the longest prefix
    that names a tool of the trace, so `tool` is None until judged and `predicate` holds it all.
    """

    text: str
    tool: str | None
    predicate: Predicate
    args: tuple[Predicate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StatePredicate:
    """`state.path op literal`: a predicate on the folded state.

    The parser drops the leading `state` step: `state.plan.status == paused` has the path
    `("plan", "status")`. The name of a `state_change` event is such a path, written with dots.
    """

    text: str
    predicate: Predicate


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimIs:
    """`claim == success`: what the last claim of the run claims."""

    text: str
    outcome: ClaimOutcome


StateRule: TypeAlias = Evidence | StatePredicate | ClaimIs
"""One entry of `states`, parsed by `casefile.contract` like every other predicate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MustCall:
    """At least one executed call."""

    id: str
    selector: Selector


@dataclass(frozen=True, slots=True, kw_only=True)
class ForbidCall:
    """No requested call."""

    id: str
    selector: Selector


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlyCall:
    """Every requested call is one of these."""

    id: str
    selectors: tuple[Selector, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MaxCalls:
    """At most `limit` requested calls."""

    id: str
    selector: Selector
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MinCalls:
    """At least `limit` executed calls."""

    id: str
    selector: Selector
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """Every attempt of `then` starts after some completed `first` ended."""

    id: str
    first: Selector
    then: Selector


@dataclass(frozen=True, slots=True, kw_only=True)
class After:
    """Every executed `first` has an executed `then` that starts after it ended."""

    id: str
    first: Selector
    then: Selector


@dataclass(frozen=True, slots=True, kw_only=True)
class NeverBetween:
    """No requested `never` after an `opens` ended and before the next `closes` starts."""

    id: str
    never: Selector
    opens: Selector
    closes: Selector


@dataclass(frozen=True, slots=True, kw_only=True)
class AtMostAfter:
    """Once a `first` ended, at most `limit` requested `then`."""

    id: str
    first: Selector
    then: Selector
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImmediatelyAfter:
    """The same agent's next requested call after each executed `first` is a `then`."""

    id: str
    first: Selector
    then: Selector


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgsSchema:
    """Arguments of every requested call of a tool accept this JSON Schema."""

    id: str
    selector: Selector
    schema: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessRequires:
    """What must hold at each claim of success."""

    id: str
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalState:
    """At least one of these named states is true at the end."""

    id: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRule:
    """What the final answer says; `rule` is the key under `answer`."""

    id: str
    rule: str
    """`contains`, `not_contains`, `matches`, `not_matches`, `json_schema`, `quotes_results`."""
    value: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """An upper bound of a measure of the run."""

    id: str
    measure: str
    """`tool_calls`, `model_calls`, `identical_calls`, `wall_time_ms`, `input_tokens`, ..."""
    bound: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionRule:
    """Each executed call that `grant` selects needs an earlier grant."""

    id: str
    grant: Selector
    covers: str
    """`same_args`, `same_tool` or `session`."""
    by: str | None = None
    """`other_actor`: not granted by the agent itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finishes:
    """The run ends in a claim, with no call left unanswered."""

    id: str


Clause: TypeAlias = (
    MustCall
    | ForbidCall
    | OnlyCall
    | MaxCalls
    | MinCalls
    | Before
    | After
    | NeverBetween
    | AtMostAfter
    | ImmediatelyAfter
    | ArgsSchema
    | SuccessRequires
    | FinalState
    | AnswerRule
    | Limit
    | PermissionRule
    | Finishes
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRules:
    """Who says "done": RE2 patterns by claimed outcome, and tools whose call is a claim."""

    patterns: dict[ClaimOutcome, tuple[str, ...]] = field(default_factory=dict)
    """Empty: the shipped defaults."""
    tools: dict[str, ClaimOutcome] = field(default_factory=dict)
    """Tool glob -> the outcome that a call of it claims."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unproven:
    """A clause that is allowed to be inconclusive on the recorded path."""

    clause: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """All clauses of one case, and the document that they were read from."""

    clauses: tuple[Clause, ...]
    claims: ClaimRules = ClaimRules()
    states: dict[str, tuple[StateRule, ...]] = field(default_factory=dict)
    """State name -> the parsed rules that all must hold; as written they are in `document`."""
    fix: FixPlace = FixPlace.MODEL
    unproven: tuple[Unproven, ...] = ()
    document: JsonMap = field(default_factory=dict)
    """The `contract` mapping as written, without `schema`, `fix` and `unproven`."""

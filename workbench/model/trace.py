"""A trace: the ordered record of one run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from workbench.model.event import Event, Outcome, ToolCall, ToolResult
from workbench.model.jsonvalue import Absent, Json, JsonMap
from workbench.model.quick_init import quick_init

__all__ = [
    "Call",
    "Effect",
    "Grade",
    "Imported",
    "Loss",
    "Losses",
    "RunStatus",
    "Source",
    "Tool",
    "Trace",
    "Versions",
    "calls_of",
    "renumbered",
]


class Effect(StrEnum):
    """What a tool may do."""

    PURE = "pure"
    READ = "read"
    WRITE = "write"


class RunStatus(StrEnum):
    """What the recorder or the importer's label rule says of the run."""

    OK = "ok"
    FAILED = "failed"
    UNKNOWN = "unknown"


class Grade(StrEnum):
    """What can be made of a trace, given what its recorder lost; best first."""

    REPLAYABLE = "replayable"
    NEEDS_FIXTURES = "needs_fixtures"
    """A person fills named gaps; exports as `proposed` only."""
    SKELETON = "skeleton"
    """Counts and order only: judged and counted, never exported."""
    UNUSABLE = "unusable"


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool that the run could use."""

    name: str
    description: str | None = None
    effect: Effect | None = None
    """None: not declared, so taken as `write` and shown as assumed."""
    schema: JsonMap | None = None
    """JSON Schema of the arguments."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """Versions of everything that made the run what it was."""

    prompt: str | None = None
    model: str | None = None
    tool_schemas: str | None = None
    corpus: str | None = None
    policy: str | None = None
    agent: str | None = None


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a trace was read from."""

    format: str | None = None
    file: str | None = None
    """Name of the file, without its folder."""
    place: str | None = None
    """Record in the file, e.g. `line 17`."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A flat, totally ordered list of the events of one run.

    `events[i].seq == i`; call ids are unique; a result comes after its call. `build`ers keep
    this by `renumbered`.
    """

    run_id: str
    versions: Versions = Versions()
    session: str | None = None
    tags: tuple[str, ...] = ()
    labels: JsonMap = field(default_factory=dict)
    """What others said of the run (reward, utility, feedback); never gates."""
    status: RunStatus = RunStatus.UNKNOWN
    source: Source | None = None
    tools: tuple[Tool, ...] = ()
    events: tuple[Event, ...] = ()

    def __repr__(self) -> str:
        """Say how long it is and no text: a notebook saves what is shown of a value."""
        return f"Trace({len(self.events)} events)"


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool call and its result: an interval of event positions."""

    request: ToolCall
    result: ToolResult | None = None
    end: int
    """`seq` of the result; the number of events of the trace when there is none."""

    @property
    def start(self) -> int:
        """`seq` of the call."""
        return self.request.seq

    @property
    def tool(self) -> str:
        """Name of the tool."""
        return self.request.tool

    @property
    def args(self) -> Json | Absent:
        """Parsed arguments, or `ABSENT`."""
        return self.request.args

    @property
    def outcome(self) -> Outcome:
        """How it ended; a result whose outcome was not derived counts as `ok` or `permanent`.

        `check.outcomes.resolve_outcomes` derives outcomes properly and runs first everywhere;
        this fallback sees only whether there is an error.
        """
        if self.result is None:
            return Outcome.MISSING
        if self.result.outcome is not None:
            return self.result.outcome
        return Outcome.OK if self.result.error is None else Outcome.PERMANENT

    @property
    def detail(self) -> str | None:
        """More exactly than the outcome."""
        return None if self.result is None else self.result.detail


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """One kind of thing that the recorder did not keep."""

    kind: str
    """`task_missing`, `results_missing`, `call_ids_synthesised`, `errors_redacted`, ..."""
    count: int = 1
    note: str = ""
    """What is missing and how it was bridged; no text of the trace."""
    fix: str = ""
    """What brings it back: the producer's setting, or a person's step; empty: nothing does."""
    caps: Grade = Grade.REPLAYABLE
    """The best grade that a trace with this loss can have."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Losses:
    """The loss report of one imported trace."""

    items: tuple[Loss, ...] = ()

    @property
    def grade(self) -> Grade:
        """The worst cap among the losses; `replayable` without any."""
        order = list(Grade)
        return max((loss.caps for loss in self.items), key=order.index, default=Grade.REPLAYABLE)


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """One run as an importer read it: its exact bytes, and the trace if there is one."""

    run_id: str = field(repr=False)
    raw: bytes = field(repr=False)
    """The source's bytes of the run; `cuts` concatenate to it."""
    cuts: tuple[int, ...] = (0,)
    """Start offsets in `raw` of its rows in the store, ascending, the first 0."""
    row_of_event: tuple[int, ...] = ()
    """For each event of the trace the row it came from, ascending."""
    trace: Trace | None = None
    losses: Losses = Losses()
    parse_error: str | None = None
    """Why there is no trace; no trace text."""
    made_of: tuple[str, ...] | None = None
    """Batches of the store whose waiting records it holds; None: nobody looked for any, and it
    stands beside what is stored of the run."""


def calls_of(trace: Trace) -> tuple[Call, ...]:
    """Return the trace's calls in the order they were requested, each with its result."""
    results = {e.call_id: e for e in trace.events if isinstance(e, ToolResult)}
    total = len(trace.events)
    return tuple(
        Call(request=e, result=(r := results.get(e.call_id)), end=total if r is None else r.seq)
        for e in trace.events
        if isinstance(e, ToolCall)
    )


def renumbered(events: Iterable[Event], *, keep_origin: bool = False) -> tuple[Event, ...]:
    """Number events from 0 without gaps.

    Args:
        events: in their order.
        keep_origin: remember each event's old `seq` as `origin_seq` unless it has one.
    """
    return tuple(
        replace(
            event,
            seq=seq,
            origin_seq=event.seq if keep_origin and event.origin_seq is None else event.origin_seq,
        )
        for seq, event in enumerate(events)
    )

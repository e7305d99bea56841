"""What recorders did not keep, why it matters, and what would bring it back.

One report for a run of the store, for a file of one run, and for a file of many: losses of the
same kind, wording and remedy are one line, with the number of runs that have it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from workbench.check.outcomes import assumed_tools
from workbench.errors import TraceFormatError
from workbench.model.trace import Grade, Loss
from workbench.review.declared import with_tools
from workbench.review.late import latest
from workbench.review.source import proposed_effect
from workbench.runner.reports.harmless import harmless

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace
    from workbench.store.handle import Store

__all__ = [
    "ASSUMED_FIX",
    "MEANINGS",
    "Checkup",
    "checkup_document",
    "checkup_lines",
    "loss_documents",
    "loss_lines",
    "stored_checkup",
]

MEANINGS: Final = {
    Grade.REPLAYABLE: "can be redacted, shrunk, exported and replayed",
    Grade.NEEDS_FIXTURES: "a person fills the gaps below; exports as `proposed` only",
    Grade.SKELETON: "counts and order only: can be judged, never exported",
    Grade.UNUSABLE: "no trace could be made of it; its bytes are stored as they are",
}
"""What can be made of a run of each grade."""

ASSUMED_FIX: Final = (
    "declare effects in workbench.toml, or give --tools FILE"
    ' ([tools."NAME"] effect = "read": docs/settings.md)'
)
_SHOWN: Final = 20


class _Kind(NamedTuple):
    """What makes two losses the same line."""

    kind: str
    note: str
    fix: str
    caps: Grade


@dataclass(slots=True)
class Checkup:
    """Collects the loss reports of runs."""

    tools: Sequence[Tool] = ()
    """What a person declared of tools."""
    run_id: str | None = None
    """The last run."""
    format: str | None = None
    """Of the last run that could be read."""
    events: int = 0
    grades: Counter[Grade] = field(default_factory=Counter)
    """Grade -> runs."""
    assumed: set[str] = field(default_factory=set)
    """Called tools whose effect nobody declared."""
    unreadable: dict[str, str] = field(default_factory=dict)
    """Run id -> why there is no trace."""
    _counts: Counter[_Kind] = field(default_factory=Counter)
    _runs: Counter[_Kind] = field(default_factory=Counter)

    def add(
        self, run_id: str, trace: Trace | None, losses: Losses, *, reason: str | None = None
    ) -> None:
        """Add one run.

        Args:
            run_id: the run.
            trace: as imported; None: there is none.
            losses: its report.
            reason: why there is no trace.
        """
        self.run_id = run_id
        self.grades[losses.grade if trace is not None else Grade.UNUSABLE] += 1
        for loss in losses.items:
            key = _Kind(loss.kind, loss.note, loss.fix, loss.caps)
            self._counts[key] += loss.count
            self._runs[key] += 1
        if trace is None:
            self.unreadable[run_id] = reason or "no trace could be made of it"
            return
        self.format = trace.source.format if trace.source else None
        self.events += len(trace.events)
        self.assumed.update(assumed_tools(with_tools(trace, self.tools), {}))

    def merge(self, other: Checkup) -> None:
        """Add the runs of another report."""
        self.run_id, self.format = other.run_id or self.run_id, other.format or self.format
        self.events += other.events
        self.grades += other.grades
        self.assumed |= other.assumed
        self.unreadable |= other.unreadable
        self._counts += other._counts
        self._runs += other._runs

    @property
    def runs(self) -> int:
        """How many runs were added."""
        return self.grades.total()

    @property
    def grade(self) -> Grade:
        """The worst grade."""
        return max(self.grades, key=list(Grade).index)

    @property
    def losses(self) -> tuple[tuple[Loss, int], ...]:
        """Each loss with the number of runs that have it: what costs most comes first."""
        order = list(Grade)
        keys = sorted(
            self._counts, key=lambda key: (-order.index(key.caps), -self._runs[key], key.kind)
        )
        return tuple(
            (
                Loss(kind=k.kind, count=self._counts[k], note=k.note, fix=k.fix, caps=k.caps),
                self._runs[k],
            )
            for k in keys
        )


def stored_checkup(store: Store, run_id: str, *, tools: Sequence[Tool] = ()) -> Checkup:
    """Return the report of a run of the store.

    Raises:
        RunNotFound: there is no such run.
        StoreError: its rows are damaged.
    """
    found = Checkup(tools=tools)
    try:
        trace, losses, _ = latest(store, run_id)
    except TraceFormatError:
        losses = store.losses(run_id)
        found.add(run_id, None, losses, reason=next((i.note for i in losses.items), None))
    else:
        found.add(run_id, trace, losses)
    return found


def loss_lines(loss: Loss, *, runs: int | None = None) -> Iterator[str]:
    """Say what is missing, what that costs, and what brings it back.

    Args:
        loss: as reported.
        runs: how many runs have it; None: there is one run only.
    """
    where = "" if runs is None else f" in {runs} run{'s' if runs != 1 else ''}"
    cap = "" if loss.caps is Grade.REPLAYABLE else f"  [at best {loss.caps.value}]"
    note = f": {loss.note}" if loss.note else ""
    yield harmless(f"{loss.kind} x{loss.count}{where}{note}{cap}")
    if loss.fix:
        yield harmless(f"  Fix: {loss.fix}")
    elif loss.caps is not Grade.REPLAYABLE:
        yield "  no setting of the recorder brings it back"


def checkup_lines(checkup: Checkup) -> Iterator[str]:
    """Yield the report as a person reads it; it holds no text of a trace but names of tools."""
    several = checkup.runs != 1
    if several:
        yield f"{checkup.runs} runs, {checkup.events} events"
        for grade in (g for g in Grade if checkup.grades[g]):
            yield f"  {checkup.grades[grade]:6} {grade.value}: {MEANINGS[grade]}"
    else:
        origin = f", {checkup.events} events from {checkup.format}" if checkup.format else ""
        yield harmless(f"{checkup.run_id}: {checkup.grade.value}{origin}")
        yield f"  {MEANINGS[checkup.grade]}"
    for run_id, reason in list(checkup.unreadable.items())[:_SHOWN]:
        yield harmless(f"  unreadable: {f'{run_id}: ' if several else ''}{reason}")
    for loss, runs in checkup.losses:
        if loss.kind != "unreadable":
            yield from (f"  {line}" for line in loss_lines(loss, runs=runs if several else None))
    if not checkup.losses and not checkup.unreadable:
        yield "  nothing was lost"
    yield from _assumed_lines(checkup)


def _assumed_lines(checkup: Checkup) -> Iterator[str]:
    if checkup.assumed:
        guesses = (f"{name} ({proposed_effect(name).value}?)" for name in sorted(checkup.assumed))
        yield harmless(f"  effect not declared, taken as write: {', '.join(guesses)}")
        yield f"    Fix: {ASSUMED_FIX}"


def checkup_document(checkup: Checkup) -> JsonMap:
    """Return the report for machines."""
    grades: JsonMap = {grade.value: n for grade, n in sorted(checkup.grades.items())}
    return {
        "run_id": checkup.run_id if checkup.runs == 1 else None,
        "format": checkup.format,
        "runs": checkup.runs,
        "events": checkup.events,
        "grade": checkup.grade.value,
        "means": MEANINGS[checkup.grade],
        "grades": grades,
        "unreadable": [
            {"run_id": run_id, "reason": reason} for run_id, reason in checkup.unreadable.items()
        ],
        "losses": loss_documents(checkup),
        "assumed_tools": [*sorted(checkup.assumed)],
    }


def loss_documents(checkup: Checkup) -> list[Json]:
    """Return the losses for machines."""
    return [
        {
            "kind": loss.kind,
            "count": loss.count,
            "runs": runs,
            "note": loss.note,
            "fix": loss.fix or None,
            "caps": loss.caps.value,
        }
        for loss, runs in checkup.losses
    ]

"""A trace file into the store, and what is worth saying about it.

Each file is one batch: all of it is stored, or nothing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from workbench.check.outcomes import assumed_tools
from workbench.ingest.joined import is_joinable, joined
from workbench.ingest.reader import file_digest, read_source
from workbench.model.trace import Grade
from workbench.review.source import with_tools
from workbench.store.append import Commit, SourceFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from workbench.model.trace import Imported, Tool
    from workbench.store.handle import Store

__all__ = ["Intake", "explain", "take_file"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """What one file brought."""

    commit: Commit
    grades: dict[str, int] = field(default_factory=dict)
    """Runs read, by grade; empty when the file was stored before."""
    assumed_tools: tuple[str, ...] = ()
    """Called tools whose effect nobody declared."""
    unreadable: tuple[str, ...] = ()
    """`run id: reason` of the records that could not be parsed and are stored raw."""
    explained: tuple[str, ...] = ()
    """What the run that was asked about lost."""

    @property
    def runs(self) -> int:
        """Runs that were added."""
        return 0 if self.commit.repeated else self.commit.runs

    @property
    def events(self) -> int:
        """Events of the runs that were added."""
        return 0 if self.commit.repeated else self.commit.events

    @property
    def is_useless(self) -> bool:
        """Whether the file was new, and no record in it could be parsed."""
        return not self.commit.repeated and sum(self.grades.values()) == len(self.unreadable)


def take_file(
    store: Store,
    path: Path,
    *,
    format: str = "auto",  # noqa: A002  named as the flag is
    tools: Sequence[Tool] = (),
    explain_run: str | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Intake:
    """Store the runs of a file.

    Args:
        store: where to.
        path: of the file.
        format: of the file; `auto`: recognised by content.
        tools: what a person declared of tools.
        explain_run: id of a run to say more about.
        on_progress: is told (bytes done, bytes in all).

    Raises:
        InputError: nothing was stored: no record is a trace, the file is damaged, ...
    """
    seen = _Seen(tools=tools, explain_run=explain_run)
    runs = _with_earlier(store, read_source(path, format=format, on_progress=on_progress))
    source = SourceFile(name=path.name, format=format, digest=file_digest(path))
    commit = store.append(seen.watch(runs), source=source)
    return Intake(
        commit=commit,
        grades=dict(seen.grades),
        assumed_tools=tuple(sorted(seen.assumed)),
        unreadable=tuple(seen.unreadable),
        explained=tuple(seen.explained),
    )


def _with_earlier(store: Store, runs: Iterator[Imported]) -> Iterator[Imported]:
    """Add to each run the records of it that an earlier file brought."""
    stored: frozenset[str] | None = None
    for run in runs:
        if not is_joinable(run):
            yield run
            continue
        if stored is None:
            stored = store.run_ids()
        yield joined(run, store.raw(run.run_id)) if run.run_id in stored else run


@dataclass(slots=True)
class _Seen:
    """Counts the runs on their way into the store."""

    tools: Sequence[Tool]
    explain_run: str | None
    grades: Counter[str] = field(default_factory=Counter)
    assumed: set[str] = field(default_factory=set)
    unreadable: list[str] = field(default_factory=list)
    explained: list[str] = field(default_factory=list)

    def watch(self, runs: Iterator[Imported]) -> Iterator[Imported]:
        for run in runs:
            self.grades[run.losses.grade.value] += 1
            if self.explain_run == run.run_id:
                self.explained.extend(explain(run))
            if run.trace is None:
                self.unreadable.append(f"{run.run_id}: {run.parse_error}")
                yield run
                continue
            trace = with_tools(run.trace, self.tools)
            self.assumed.update(assumed_tools(trace, {}))
            yield replace(run, trace=trace)


def explain(run: Imported) -> Iterator[str]:
    """Yield lines on what a run lost, how that was bridged, and what it costs."""
    yield f"{run.run_id}: {run.losses.grade.value}"
    if run.parse_error:
        yield f"  unreadable: {run.parse_error}"
    for loss in run.losses.items:
        cap = "" if loss.caps is Grade.REPLAYABLE else f"  [at best {loss.caps.value}]"
        yield f"  {loss.kind} x{loss.count}: {loss.note}{cap}"
    if not run.losses.items and not run.parse_error:
        yield "  nothing was lost"

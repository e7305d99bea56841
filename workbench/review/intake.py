"""A trace file into the store, and what is worth saying about it.

Each file is one batch: all of it is stored, or nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from workbench.ingest.reader import file_digest, read_source
from workbench.model.trace import Losses
from workbench.review.checkup import Checkup
from workbench.review.declared import with_tools_of
from workbench.review.late import again, with_earlier
from workbench.store.append import Commit, SourceFile
from workbench.store.batches import LateRecords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from workbench.model.trace import Imported, Tool
    from workbench.store.handle import Store

__all__ = ["Intake", "take_file"]

_LATE: Final = (
    "its records and those that are stored of the run make no trace together; they are kept "
    "beside the run, which stays as it was"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """What one file brought."""

    commit: Commit
    checkup: Checkup = field(default_factory=Checkup)
    """What the runs that were read lost; of none when the file was stored before."""
    explained: Checkup | None = None
    """What the run that was asked about lost; None: it is not among those that were read."""

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
        return not self.commit.repeated and self.checkup.runs == len(self.checkup.unreadable)


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
    digest = file_digest(path)

    def attempt() -> Intake:
        seen = _Seen(tools=tools, explain_run=explain_run, checkup=Checkup(tools=tools))
        runs = _with_earlier(store, read_source(path, format=format, on_progress=on_progress))
        source = SourceFile(name=path.name, format=format, digest=digest)
        commit = store.append(seen.watch(runs), source=source)
        return Intake(commit=commit, checkup=seen.checkup, explained=seen.explained)

    return again(attempt)


def _with_earlier(store: Store, runs: Iterator[Imported]) -> Iterator[Imported | LateRecords]:
    """Add to each run the records of it that an earlier file brought."""
    stored = store.run_ids()
    for run in runs:
        yield with_earlier(store, run, known=stored)


@dataclass(slots=True)
class _Seen:
    """Looks at the runs on their way into the store."""

    tools: Sequence[Tool]
    explain_run: str | None
    checkup: Checkup
    explained: Checkup | None = None

    def watch(self, runs: Iterator[Imported | LateRecords]) -> Iterator[Imported | LateRecords]:
        for run in runs:
            told = [self.checkup]
            if self.explain_run == run.run_id:
                self.explained = Checkup(tools=self.tools)
                told.append(self.explained)
            if isinstance(run, LateRecords):
                for checkup in told:
                    checkup.add(run.run_id, None, Losses(), reason=_LATE)
                yield run
                continue
            for checkup in told:
                checkup.add(run.run_id, run.trace, run.losses, reason=run.parse_error)
            yield with_tools_of(run, self.tools)

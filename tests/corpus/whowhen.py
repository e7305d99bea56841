"""Who&When: chats of several agents, each with the step at which it went wrong."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.ingest.reader import read_source
from workbench.model.trace import Effect, Trace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Blamed", "blamed_runs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Blamed:
    """A run and the event at which, as people said, it went wrong."""

    trace: Trace
    step: int
    """Position of the event that holds the labelled step's text."""


def blamed_runs(folder: Path) -> Iterator[Blamed]:
    """Yield every run of both halves of the collection; its programs only read."""
    for path in sorted(folder.glob("whowhen/*.jsonl.gz")):
        for run in read_source(path):
            assert run.trace is not None, run.parse_error
            tools = tuple(replace(tool, effect=Effect.READ) for tool in run.trace.tools)
            trace = replace(run.trace, tools=tools)
            yield Blamed(trace=trace, step=_labelled(trace))


def _labelled(trace: Trace) -> int:
    """Return the last event of the labelled step: its claim, its call or its result."""
    place = f"data.history.{trace.labels['mistake_step']}"
    return max(event.seq for event in trace.events if event.source_ref == place)

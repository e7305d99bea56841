"""Imported runs and sources, as small as a test needs them."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from tests.builders import a_call, a_claim, a_trace, a_user
from workbench.model.trace import Imported, Losses, RunStatus, Trace
from workbench.store import SourceFile

__all__ = ["a_run", "a_small_trace", "a_source", "an_import"]


def a_source(text: str = "source") -> SourceFile:
    """Return a source whose bytes were `text`."""
    digest = sha256(text.encode()).hexdigest()
    return SourceFile(name="runs.jsonl", format="trace1", digest=digest)


def a_small_trace(
    run_id: str = "run-1",
    *,
    at: str | None = None,
    status: RunStatus = RunStatus.UNKNOWN,
    tags: tuple[str, ...] = (),
) -> Trace:
    """Return a trace of six events: a message, a call with its result, a claim."""
    trace = a_trace(a_user(), a_call("billing.pause", outcome=None), a_claim(), run_id=run_id)
    events = (replace(trace.events[0], at=at), *trace.events[1:])
    return replace(trace, events=events, status=status, tags=tags)


def an_import(
    trace: Trace, *, raw: bytes | None = None, rows: int = 1, losses: Losses | None = None
) -> Imported:
    """Return a trace as an importer hands it over, its raw bytes cut into `rows` pieces."""
    raw = f"raw of {trace.run_id}".encode() if raw is None else raw
    step = max(1, len(raw) // rows)
    return Imported(
        run_id=trace.run_id,
        raw=raw,
        cuts=tuple(nth * step for nth in range(rows)),
        row_of_event=tuple(min(event.seq, rows - 1) for event in trace.events),
        trace=trace,
        losses=Losses() if losses is None else losses,
    )


def a_run(run_id: str = "run-1", *, raw: bytes | None = None, at: str | None = None) -> Imported:
    """Return a run of a small trace."""
    return an_import(a_small_trace(run_id, at=at), raw=raw)

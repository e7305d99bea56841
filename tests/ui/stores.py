"""Stores with runs for the views."""

from __future__ import annotations

from hashlib import sha256

from workbench.model.trace import Imported, Losses
from workbench.store.append import SourceFile
from workbench.store.handle import open_store

__all__ = ["a_store"]


def a_store(folder, *traces, losses=Losses()):  # noqa: B008  a frozen value
    """Return an open store with runs of these traces, each with these losses."""
    store = open_store(folder, clock=lambda: 1_800_000_000.0)
    ids = "\n".join(trace.run_id for trace in traces).encode("utf-8", "surrogatepass")
    source = SourceFile(name="runs.jsonl", format="trace1", digest=sha256(ids).hexdigest())
    runs = [
        Imported(
            run_id=trace.run_id,
            raw=f"raw of {trace.run_id}".encode("utf-8", "surrogatepass"),
            row_of_event=(0,) * len(trace.events),
            trace=trace,
            losses=losses,
        )
        for trace in traces
    ]
    store.append(runs, source=source)
    return store

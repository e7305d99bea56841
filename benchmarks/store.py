"""How long the store takes to keep a thousand runs."""

from __future__ import annotations

import json
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.figure import Figure, fastest_s
from workbench.casefile.codec import encode
from workbench.model.event import Claim, ModelReply, ToolCall, ToolResult, UserMessage
from workbench.model.trace import Imported, Trace, renumbered
from workbench.store import SourceFile, open_store

if TYPE_CHECKING:
    from workbench.model.event import Event
    from workbench.model.jsonvalue import JsonMap

__all__ = ["measure"]

_RUNS = 1000
_TURNS = 8
_TEXT = "The invoice of the last month was paid by card, and the plan ends in 30 days. " * 6


def measure() -> Figure:
    """Compare an append with JSON lines that are parsed and written by pyarrow, nothing kept safe."""
    runs = [_run(nth) for nth in range(_RUNS)]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        return Figure(
            what=f"store {_RUNS} runs ({sum(len(run.raw) for run in runs) / 1e6:.0f} MB)",
            ours_s=fastest_s(lambda: _append(root, runs), rounds=3),
            peer="parse and write with pyarrow",
            peer_s=fastest_s(lambda: _write(root, runs), rounds=3),
            bound=10,
        )


def _run(nth: int) -> Imported:
    events: list[Event] = [UserMessage(text=f"Is account A-{nth} paid? {_TEXT}")]
    for turn in range(1, _TURNS + 1):
        call_id = f"c{turn}"
        answer: JsonMap = {"account": f"A-{nth}", "state": "open", "note": _TEXT}
        events += [
            ModelReply(call_ids=(call_id,)),
            ToolCall(call_id=call_id, tool="billing.status", args={"id": f"A-{nth}"}, turn=turn),
            ToolResult(call_id=call_id, result_raw=json.dumps(answer), result=answer),
        ]
    events += [ModelReply(text=_TEXT), Claim(text=_TEXT, final=True)]
    trace = Trace(run_id=f"run-{nth:06}", events=renumbered(events))
    pieces = [json.dumps(encode(event)).encode() for event in trace.events]
    cuts = [0]
    for piece in pieces[:-1]:
        cuts.append(cuts[-1] + len(piece))
    return Imported(
        run_id=trace.run_id,
        raw=b"".join(pieces),
        cuts=tuple(cuts),
        row_of_event=tuple(range(len(pieces))),
        trace=trace,
    )


def _append(root: Path, runs: list[Imported]) -> None:
    with (
        tempfile.TemporaryDirectory(dir=root) as folder,
        open_store(Path(folder) / "store") as store,
    ):
        digest = sha256(b"benchmark").hexdigest()
        store.append(runs, source=SourceFile(name="runs", format="trace1", digest=digest))


def _write(root: Path, runs: list[Imported]) -> None:
    rows = []
    for run in runs:
        for start, end in zip(run.cuts, (*run.cuts[1:], len(run.raw)), strict=True):
            raw = run.raw[start:end]
            event = json.loads(raw)
            rows.append({"run_id": run.run_id, "kind": event["kind"], "raw": raw})
    table = pa.Table.from_pylist(rows)
    pq.write_table(table, root / "plain.parquet", compression="zstd", compression_level=3)

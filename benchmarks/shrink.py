"""How many oracle calls and how much time shrinking takes, beside textbook ddmin.

Generated agent traces of 20 to 20,000 events, each with one of eight kinds of fault, are shrunk

* as the product does it (`judge` explains itself),
* with an oracle that hides what it read (a signature and nothing more),
* by ddmin over the same units, with the same oracle, as the peer.

picire is not in the lock, so its algorithm is written out here; a peer that needs more than the
call limit, or more than the time limit, is cut off and shown as such.

Run: `python -m benchmarks.shrink [--sizes 20,200] [--json FILE]`

Source:
    A. Zeller, R. Hildebrandt (2002), Simplifying and Isolating Failure-Inducing Input, IEEE
    Trans. Softw. Eng. 28(2), 183-200: `ddmin`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.figure import Figure
from benchmarks.shrink_faults import FAULTS, Fault, a_faulty_trace
from workbench.casefile.contract import load_contract
from workbench.check.oracle import Oracle, recorded_oracle
from workbench.model.verdict import Verdict
from workbench.shrink import Budget, count_nodes, is_projection, shrink_trace
from workbench.shrink.space import Selection, Space

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from workbench.model.jsonvalue import JsonMap
    from workbench.model.trace import Trace

__all__ = ["ddmin", "main", "measure", "measure_all"]

SIZES = (20, 200, 2_000, 20_000)
PEER_CALLS = 3_000
PEER_SECONDS = 60.0


# --- oracles and the peer ------------------------------------------------------------


def hidden(trace: Trace, *, oracle: Oracle) -> Verdict:
    """Judge, and keep to itself what the verdict rests on."""
    verdict = oracle(trace)
    return Verdict(result=verdict.result, clauses=(), violations=(), signature=verdict.signature)


def slow(trace: Trace, *, oracle: Oracle, seconds: float) -> Verdict:
    """Judge as a replay with a real agent would: after a while."""
    time.sleep(seconds)
    return oracle(trace)


class _CutOffError(Exception):
    """The peer used up its calls or its time."""


def ddmin(items: Sequence[int], fails: Callable[[Sequence[int]], bool]) -> list[int]:
    """Return a 1-minimal sublist that still fails, by textbook ddmin."""
    left, parts = list(items), 2
    while len(left) >= 2:
        size = max(1, len(left) // parts)
        chunks = [left[at : at + size] for at in range(0, len(left), size)]
        smaller = next((chunk for chunk in chunks if fails(chunk)), None)
        if smaller is not None:
            left, parts = smaller, 2
            continue
        rests = ([i for i in left if i not in set(chunk)] for chunk in chunks)
        rest = next((rest for rest in rests if fails(rest)), None)
        if rest is not None:
            left, parts = rest, max(parts - 1, 2)
        elif parts >= len(left):
            break
        else:
            parts = min(len(left), parts * 2)
    return left


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one engine did with one trace."""

    engine: str
    fault: str
    size: int
    calls: int
    seconds: float
    events: int
    nodes: int
    least: int
    """Units that are left and could be dropped: the lower limit of calls is two more."""
    judge_seconds: float
    """One judging of the whole trace."""
    complete: bool


def run_ours(
    name: str, oracle: Oracle, fault: Fault, size: int, trace: Trace, judge_s: float
) -> Row:
    """Shrink as the product does."""
    started = time.perf_counter()
    shrunk = shrink_trace(trace, oracle, budget=Budget(calls=None, seconds=600))
    seconds = time.perf_counter() - started
    if not is_projection(shrunk.trace, trace):
        raise RuntimeError("the result is no projection")
    return Row(
        engine=name,
        fault=fault.name,
        size=size,
        calls=shrunk.calls,
        seconds=seconds,
        events=len(shrunk.trace.events),
        nodes=count_nodes(shrunk.trace),
        least=_units(shrunk.trace),
        judge_seconds=judge_s,
        complete=shrunk.minimal.behaviour,
    )


def _units(trace: Trace) -> int:
    return len(Space(trace, ()).layout.units)


def run_ddmin(oracle: Oracle, fault: Fault, size: int, trace: Trace, judge_s: float) -> Row:
    """Shrink by ddmin over the same units, closed in the same way."""
    space = Space(trace, ())
    target = oracle(trace).signature
    calls, best = 1, frozenset(range(len(space.layout.units)))
    started = time.perf_counter()

    def fails(units: Sequence[int]) -> bool:
        nonlocal calls, best
        if calls >= PEER_CALLS or time.perf_counter() - started > PEER_SECONDS:
            raise _CutOffError
        calls += 1
        closed = space.closed(units)
        same = oracle(space.candidate(Selection(units=closed)).trace).signature == target
        best = closed if same else best
        return same

    try:
        ddmin(sorted(best), fails)
        complete = True
    except _CutOffError:
        complete = False
    small = space.candidate(Selection(units=best)).trace
    return Row(
        engine="ddmin",
        fault=fault.name,
        size=size,
        calls=calls,
        seconds=time.perf_counter() - started,
        events=len(small.events),
        nodes=count_nodes(small),
        least=_units(small),
        judge_seconds=judge_s,
        complete=complete,
    )


def measure() -> Figure:
    """Compare with ddmin over all kinds of fault at 2,000 events."""
    rows = measure_all([2_000], 1)
    ours, peer = (
        sum(row.seconds for row in rows if row.engine == engine)
        for engine in ("explained", "ddmin")
    )
    return Figure(
        what="shrinking 8 faulty traces of 2,000 events",
        ours_s=ours,
        peer="textbook ddmin",
        peer_s=peer,
        bound=1.0,
    )


def measure_all(sizes: Sequence[int], seeds: int) -> list[Row]:
    """Run all engines over all faults and sizes."""
    rows: list[Row] = []
    for size in sizes:
        for fault in FAULTS:
            for seed in range(seeds if size <= 2_000 else 1):
                trace = a_faulty_trace(fault, size, seed)
                oracle = recorded_oracle(load_contract(fault.contract))
                started = time.perf_counter()
                oracle(trace)
                judge_s = time.perf_counter() - started
                rows.append(run_ours("explained", oracle, fault, size, trace, judge_s))
                blind = partial(hidden, oracle=oracle)
                rows.append(run_ours("hidden", blind, fault, size, trace, judge_s))
                if seed == 0:
                    rows.append(run_ddmin(oracle, fault, size, trace, judge_s))
        print(f"size {size} done", file=sys.stderr)
    return rows


def two_workers() -> tuple[float, float]:
    """Return seconds for an oracle of 50 ms that hides its reads, alone and on two workers."""
    fault = FAULTS[1]
    trace = a_faulty_trace(fault, 200, 0)
    oracle = partial(
        slow,
        oracle=partial(hidden, oracle=recorded_oracle(load_contract(fault.contract))),
        seconds=0.05,
    )
    started = time.perf_counter()
    alone = shrink_trace(trace, oracle)
    middle = time.perf_counter()
    with ThreadPoolExecutor(2) as executor:
        together = shrink_trace(trace, oracle, executor=executor, width=2)
    ended = time.perf_counter()
    if alone != together:
        raise RuntimeError("two workers changed the result")
    return middle - started, ended - middle


def table(rows: Sequence[Row]) -> str:
    """Return the figures as a Markdown table, one line an engine and size."""
    lines = [
        "| events | engine | calls, median | calls, most | over k | seconds, median | wall / (judge x calls) | events left | 1-minimal |",
        "|---:|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for size in sorted({row.size for row in rows}):
        for engine in ("explained", "hidden", "ddmin"):
            some = [row for row in rows if row.size == size and row.engine == engine]
            if some:
                lines.append(f"| {size:,} | {engine} | {_line(some)} |")
    return "\n".join(lines)


def _line(rows: Sequence[Row]) -> str:
    ratio = statistics.median(row.seconds / (row.judge_seconds * row.calls) for row in rows)
    cells = [
        f"{statistics.median(row.calls for row in rows):g}",
        f"{max(row.calls for row in rows)}",
        f"{statistics.median(row.calls - row.least for row in rows):+g}",
        f"{statistics.median(row.seconds for row in rows):.3f}",
        f"{ratio:.2f}",
        f"{statistics.median(row.events for row in rows):g}",
        f"{sum(row.complete for row in rows)}/{len(rows)}",
    ]
    return " | ".join(cells)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; 1 when a target of the design page is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(argv)
    rows = measure_all([int(size) for size in options.sizes.split(",")], options.seeds)
    print(table(rows))
    alone, together = two_workers()
    print(f"\n50 ms oracle, 200 events: {alone:.2f} s alone, {together:.2f} s on two workers")
    if options.json:
        options.json.write_text(json.dumps([_document(row) for row in rows], indent=1), "utf-8")
    missed = misses(rows)
    for sentence in missed:
        print(f"MISSED: {sentence}")
    return 1 if missed else 0


def _document(row: Row) -> JsonMap:
    return {name: getattr(row, name) for name in Row.__dataclass_fields__}


def misses(rows: Sequence[Row]) -> list[str]:
    """Return the targets of the page that these figures do not reach."""
    ours = [row for row in rows if row.engine == "explained"]
    found = [f"{row.calls} calls for {row.fault} at {row.size}" for row in ours if row.calls > 60]
    for size in sorted({row.size for row in ours}):
        some = [row for row in ours if row.size == size]
        over = statistics.median(row.calls - row.least for row in some)
        if over > 3:
            found.append(f"median calls are k {over:+g} at {size}")
        if size >= 20_000:
            slowest = max(row.seconds / (row.judge_seconds * row.calls) for row in some)
            if slowest > 10:
                found.append(f"wall is {slowest:.1f} x one judging a call at {size}")
    found += [
        f"{row.calls} calls with hidden reads for {row.fault} at {row.size}"
        for row in rows
        if row.engine == "hidden" and row.size == 2_000 and row.calls > 100
    ]
    found += [
        f"{r.fault} at {r.size} is not 1-minimal"
        for r in rows
        if r.engine != "ddmin" and not r.complete
    ]
    return found


if __name__ == "__main__":
    raise SystemExit(main())

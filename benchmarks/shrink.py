"""How many oracle calls and how much time shrinking takes, beside picire.

Generated agent traces of 20 to 20,000 events, each with one of eight kinds of fault, are shrunk

* as the product does it (`explained`: `judge` says what a verdict rests on),
* with an oracle that hides what it read (`hidden`: a signature and nothing more),
* by picire's DD over the same units, with the same oracle, as the peer.

A peer that needs more than 3,000 calls or 20 seconds is cut off and shown as such. shrinkray is
not measured: it needs Python 3.12, and this project runs on 3.11.

Run: `python -m benchmarks.shrink [--sizes 20,200] [--seeds N] [--json FILE] [--write]`
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.figure import Figure
from benchmarks.shrink_engines import ENGINES, Row, run, two_workers
from benchmarks.shrink_faults import FAULTS, a_faulty_trace
from benchmarks.shrink_plot import plot

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main", "measure", "measure_all", "misses"]

SIZES = (20, 200, 2_000, 20_000)
DOCS = Path(__file__).resolve().parent.parent / "docs"
_COLUMNS = (
    "events",
    "engine",
    "calls, median",
    "calls, most",
    "over k",
    "seconds, median",
    "wall / (judge x calls)",
    "events left",
    "nodes left",
    "1-minimal",
)
COMMAND = "python -m benchmarks.shrink --write"


def measure() -> Figure:
    """Compare with picire over all kinds of fault at 200 events."""
    rows = measure_all([200], 1)
    ours, peer = (
        sum(row.seconds for row in rows if row.engine == engine)
        for engine in ("explained", "picire")
    )
    return Figure(
        what="shrinking 8 faulty traces of 200 events",
        ours_s=ours,
        peer="picire",
        peer_s=peer,
        bound=1.0,
    )


def measure_all(sizes: Sequence[int], seeds: int) -> list[Row]:
    """Run all engines over all faults and sizes; the peer and 20,000 events for one seed."""
    rows: list[Row] = []
    for size in sizes:
        for fault in FAULTS:
            for seed in range(seeds if size <= 2_000 else 1):
                trace = a_faulty_trace(fault, size, seed)
                engines = ENGINES if seed == 0 else ENGINES[:2]
                rows.extend(run(engine, fault, size, trace) for engine in engines)
        print(f"size {size} done", file=sys.stderr)
    return rows


def table(rows: Sequence[Row]) -> str:
    """Return the figures as a Markdown table, one line an engine and size."""
    lines = [f"| {' | '.join(_COLUMNS)} |", "|---:|---|" + "---:|" * (len(_COLUMNS) - 2)]
    for size in sorted({row.size for row in rows}):
        for engine in ENGINES:
            some = [row for row in rows if row.size == size and row.engine == engine]
            if some:
                lines.append(f"| {size:,} | {engine} | {_cells(some)} |")
    return "\n".join(lines)


def _cells(rows: Sequence[Row]) -> str:
    ratio = statistics.median(row.seconds / (row.judge_seconds * row.calls) for row in rows)
    cells = [
        f"{statistics.median(row.calls for row in rows):g}",
        f"{max(row.calls for row in rows):,}",
        f"{statistics.median(row.calls - row.least for row in rows):+g}",
        f"{statistics.median(row.seconds for row in rows):.3f}",
        f"{ratio:.2f}",
        f"{statistics.median(row.events for row in rows):g}",
        f"{statistics.median(row.nodes for row in rows):g}",
        f"{sum(row.complete for row in rows)}/{len(rows)}",
    ]
    return " | ".join(cells)


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
        f"{row.fault} at {row.size} is not 1-minimal"
        for row in rows
        if row.engine != "picire" and not row.complete
    ]
    return found


def page(rows: Sequence[Row], slow: str, size: int) -> str:
    """Return `docs/shrinking-figures.md`."""
    return f"""# Figures of shrinking

Written by `{COMMAND}`; do not edit. Times are those of one machine; calls, events and
nodes are the same everywhere, but for what was cut off.

![Events left over oracle calls, for {size:,} events](shrinking.svg)

{table(rows)}

`explained`: the contract says what its verdict rests on. `hidden`: the same contract, which says
nothing. `picire`: its DD over the same units, closed in the same way; cut off after 3,000 calls or 20
seconds. It leaves less because it knows nothing of what the model had read just before, nor of the
end at which something turned out to be missing. `over k`: calls beyond the units that are left; the
lower limit is k + 2. shrinkray is not measured: it needs Python 3.12.

{slow}
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; 1 when a target of the design page is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--write", action="store_true", help="write table and plot into docs/")
    options = parser.parse_args(argv)
    sizes = [int(size) for size in options.sizes.split(",")]
    rows = measure_all(sizes, options.seeds)
    times = [two_workers(fault, a_faulty_trace(fault, 200, 0)) for fault in FAULTS]
    alone, together = (sum(some) for some in zip(*times, strict=True))
    slow = (
        f"An oracle of 50 ms that explains nothing, eight traces of 200 events: {alone:.1f} s alone, "
        f"{together:.1f} s on two workers. Half of the candidates are adopted there, and then what was"
        " judged ahead was judged in vain."
    )
    print(f"{table(rows)}\n\n{slow}")
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1), "utf-8")
    if options.write:
        size = max(size for size in sizes if size <= 2_000)
        (DOCS / "shrinking.svg").write_text(plot(rows, size=size), "utf-8")
        (DOCS / "shrinking-figures.md").write_text(page(rows, slow, size), "utf-8")
    missed = misses(rows)
    for sentence in missed:
        print(f"MISSED: {sentence}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())

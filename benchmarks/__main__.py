"""Measure every figure and print it; 1 if one is beyond its bound."""

from __future__ import annotations

from benchmarks import cases, contract, ingest, redact, runner, shrink, startup, store, ui

__all__ = ["main"]

BENCHMARKS = (
    startup.measure,
    cases.measure,
    cases.measure_seconds,
    runner.measure_self_test,
    runner.measure_http,
    runner.measure_worker,
    runner.measure_live,
    runner.measure_growth,
    contract.measure,
    redact.measure,
    shrink.measure,
    store.measure,
    ingest.measure,
    ui.measure,
)


def main() -> int:
    """Run all benchmarks, one after the other, on an idle machine if possible."""
    figures = []
    for measure in BENCHMARKS:
        figures.append(measure())
        print(figures[-1].line(), flush=True)
    return int(any(figure.ratio > figure.bound for figure in figures))


if __name__ == "__main__":
    raise SystemExit(main())

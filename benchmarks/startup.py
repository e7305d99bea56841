"""How long a person waits for `workbench --help`."""

from __future__ import annotations

import subprocess
import sys

from benchmarks.figure import Figure, fastest_s

__all__ = ["measure"]

_ROUNDS = 25


def measure() -> Figure:
    """Compare the start of the command with that of the bare interpreter."""
    return Figure(
        what="workbench --help",
        ours_s=fastest_s(lambda: _run("-m", "workbench", "--help"), rounds=_ROUNDS),
        peer="python -c pass",
        peer_s=fastest_s(lambda: _run("-c", "pass"), rounds=_ROUNDS),
        bound=3,
    )


def _run(*words: str) -> None:
    subprocess.run([sys.executable, *words], check=True, capture_output=True)

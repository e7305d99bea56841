"""Case files for the tests of the quarterly review."""

from __future__ import annotations

from tests.runner.cases import PAUSE, a_pause_case
from workbench.casefile.layout import format_case
from workbench.runner.repair import repair

__all__ = ["PROVEN", "TODAY", "put"]

TODAY = "2026-11-30"
PROVEN = format_case(repair(a_pause_case(), name="repaired", by="ann")).replace(
    "state: proposed", "state: active"
)
"""An active case that is red, green and killable; its review is due on 2027-02-28."""


def put(folder, name="a", text=PAUSE, **changes):
    """Write a case; `key=value` lines of it are replaced."""
    for key, value in {"id": name, **changes}.items():
        old = next(line for line in text.splitlines() if line.startswith(f"{key}:"))
        text = text.replace(old, f"{key}: {value}")
    path = folder / f"{name}.case.yaml"
    path.write_text(text, "utf-8")
    return path

"""`--traces DIR`: each trial as a `trace/1` file, under a name that any file system takes."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.casefile.files import write_over
from workbench.casefile.trace import trace_document

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workbench.runner.outcome import RunReport, TrialResult

__all__ = ["trace_file_names", "write_traces"]

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST: Final = 120
_DIGITS: Final = 8


def trace_file_names(trials: Iterable[TrialResult]) -> dict[str, str]:
    """Return the name of each trial's file by its run id.

    Letters, digits, `-`, `_` and dots between them; a name that had to be changed, or that
    differs from another in case only, ends in a digest of the run id.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for trial in trials:
        names[trial.run_id] = _name(trial.run_id, taken)
        taken.add(names[trial.run_id].casefold())
    return names


def _name(run_id: str, taken: set[str]) -> str:
    parts = [_UNSAFE.sub("_", part) or "_" for part in run_id.split(".")]
    plain = ".".join(parts)
    if plain == run_id and len(plain) <= _LONGEST and f"{plain}.json".casefold() not in taken:
        return f"{plain}.json"
    digest = hashlib.sha256(run_id.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return f"{plain[:_LONGEST]}-{digest}.json"


def write_traces(report: RunReport, folder: Path, *, beside: Path | None) -> dict[str, str]:
    """Write every trial's trace and return its path by run id.

    Args:
        report: of a run.
        folder: made if it is not there.
        beside: the results file: paths are relative to its folder; None: to the working folder.

    Raises:
        CaseFormatError: a file cannot be written.
    """
    trials = [trial for case in report.cases for trial in case.trials]
    start = Path.cwd() if beside is None else beside.absolute().parent
    paths: dict[str, str] = {}
    names = trace_file_names(trials)
    for trial in trials:
        target = folder / names[trial.run_id]
        text = json.dumps(trace_document(trial.trace), ensure_ascii=True, allow_nan=False, indent=1)
        write_over(target, f"{text}\n")
        paths[trial.run_id] = Path(os.path.relpath(target.absolute(), start)).as_posix()
    return paths

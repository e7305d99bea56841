"""`results.json` of a run comes back in: each trial that has a trace is a run again.

A trial that failed is an incident like any other: it can be shown, diagnosed and made a case.
Trials carry their case, path and verdict as labels, and the tags `trial` and `case:ID`. A
trial's own id names its place in a case and comes again with every run, so a run's id is that
and the first digits of its trace's digest.

Source:
    design page 09, "Reports".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from workbench.casefile.files import read_bytes
from workbench.errors import InputError
from workbench.ingest.files.source import document_of
from workbench.ingest.gather import Gathered
from workbench.ingest.imported import imported
from workbench.ingest.importers.native import FORMAT as NATIVE
from workbench.ingest.records.piece import digest_of
from workbench.ingest.records.shapes import map_in, text_in
from workbench.model.trace import RunStatus
from workbench.runner.outcome import CaseVerdict
from workbench.runner.reports.results import SCHEMA
from workbench.runner.reports.saved import load_results

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.ingest.files.source import SourceText
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Imported, Tool
    from workbench.runner.reports.saved import SavedRun, SavedTrial

__all__ = ["is_results_file", "runs_of_results"]

_HEAD_BYTES: Final = 4096
_MARK: Final = f'"{SCHEMA}"'.encode()
_STATUS: Final = {
    CaseVerdict.PASS: RunStatus.OK,
    CaseVerdict.FAIL: RunStatus.FAILED,
    CaseVerdict.INCONCLUSIVE: RunStatus.UNKNOWN,
}


def is_results_file(source: SourceText) -> bool:
    """Whether a file is a `results.json`: its schema stands at its beginning."""
    if source.document is None:
        return False
    head = source.document.raw[:_HEAD_BYTES]
    return _MARK in head and b'"schema"' in head.partition(_MARK)[0][-40:]


def runs_of_results(source: SourceText, *, tools: Sequence[Tool]) -> Iterator[Imported]:
    """Yield the trials of a `results.json` that have a trace.

    Raises:
        InputError: the file breaks its schema, no trial has a trace, or a trace cannot be read.
    """
    saved = load_results(source.path)
    trials = [trial for trial in saved.trials if trial.file is not None]
    if not trials:
        raise InputError(
            f"has {len(saved.trials)} trials and no trace of them",
            place=source.shown,
            fix="run again with `workbench run --results FILE --traces DIR`",
        )
    for trial in trials:
        trial.trace()  # so that the error comes before the first run
    broken = _broken_clauses(saved)
    for trial in trials:
        yield _run_of(trial, broken.get(trial.run_id, ()), file=source.path.name, tools=tools)


def _run_of(
    trial: SavedTrial, clauses: Sequence[Json], *, file: str, tools: Sequence[Tool]
) -> Imported:
    assert trial.file is not None  # noqa: S101  only such trials come here
    piece = document_of(read_bytes(trial.file))
    run = imported(Gathered(name=NATIVE.name, pieces=(piece,)), file=file, tools=tools)
    if run.trace is None:
        return run
    run_id = f"{trial.run_id}-{digest_of(run.raw)[:12]}"
    labels: JsonMap = {
        "case": trial.case_id,
        "case_digest": trial.case_digest,
        "path": trial.path,
        "verdict": trial.verdict.value,
    }
    trace = replace(
        run.trace,
        run_id=run_id,
        status=_STATUS[trial.verdict],
        tags=tuple(dict.fromkeys((*run.trace.tags, "trial", f"case:{trial.case_id}"))),
        labels={**run.trace.labels, **labels, **({"clauses": [*clauses]} if clauses else {})},
    )
    return replace(run, run_id=run_id, trace=trace)


def _broken_clauses(saved: SavedRun) -> dict[str, list[Json]]:
    """Return the clauses that each trial broke, by its run id."""
    found: dict[str, list[Json]] = {}
    cases = saved.document["cases"]
    for case in cases if isinstance(cases, list) else []:
        for trial in _listed(map_in(case).get("trials")):
            run_id = text_in(trial, "run_id") or ""
            names = {
                text_in(one, "clause") or "" for one in _listed(map_in(trial).get("violations"))
            }
            found[run_id] = [*sorted(names - {""})]
    return found


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []

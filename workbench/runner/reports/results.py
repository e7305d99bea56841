"""`results.json`: everything that a run showed, for machines."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Final

from workbench.casefile.codec import encode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.runner.outcome import CaseResult, RunReport, TrialResult

__all__ = ["SCHEMA", "results_document"]

SCHEMA: Final = "results/1"


def results_document(report: RunReport, *, trace_files: Mapping[str, str] | None = None) -> JsonMap:
    """Return the document.

    Args:
        report: of a run.
        trace_files: run id of a trial -> the file that its trace was written to.
    """
    files = trace_files or {}
    document = _plain(report, without=("cases",))
    document["cases"] = [_case(case, files) for case in report.cases]
    return {"schema": SCHEMA, **document}


def _case(case: CaseResult, files: Mapping[str, str]) -> JsonMap:
    document = _plain(case, without=("trials",))
    document["trials"] = [_trial(trial, files) for trial in case.trials]
    return document


def _trial(trial: TrialResult, files: Mapping[str, str]) -> JsonMap:
    return {**_plain(trial, without=("trace",)), "trace": files.get(trial.run_id)}


def _plain(value: RunReport | CaseResult | TrialResult, *, without: tuple[str, ...]) -> JsonMap:
    found: dict[str, Json] = {
        entry.name: encode(getattr(value, entry.name))
        for entry in fields(value)
        if entry.name not in without
    }
    return found

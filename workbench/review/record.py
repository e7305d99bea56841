"""`run --record`: the trials of a run become runs of the store, and their verdicts results.

A trial's trace is stored under an id of its own, so that the trials of every night stay apart;
what was judged travels as labels and tags.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.casefile.trace import trace_document
from workbench.model.trace import RunStatus
from workbench.review.intake import take_file
from workbench.runner.outcome import CaseVerdict
from workbench.store.handle import open_store
from workbench.store.records import TrialResult as StoredResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.model.trace import Trace
    from workbench.runner.outcome import CaseResult, RunReport, TrialResult

__all__ = ["record_trials"]

TAG: Final = "trial"
_STATUS: Final = {
    CaseVerdict.PASS: RunStatus.OK,
    CaseVerdict.FAIL: RunStatus.FAILED,
}


def record_trials(report: RunReport, *, store: str) -> int:
    """Append the trials of a run to a store and return how many there are.

    Args:
        report: of a run that knows when it started.
        store: folder of the store; made if it is not there.

    Raises:
        StoreError: nothing was added, or no results; see `store.errors`.
    """
    trials = list(_trials(report))
    if not trials:
        return 0
    with open_store(store) as opened, tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "trials.jsonl")
        lines = (json.dumps(trace_document(_as_run(report, *each))) for each in trials)
        file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        intake = take_file(opened, file, format="trace1")
        if not intake.commit.repeated:
            opened.record(_as_result(report, *each) for each in trials)
    return len(trials)


def _trials(report: RunReport) -> Iterator[tuple[CaseResult, TrialResult]]:
    for case in report.cases:
        for trial in case.trials:
            yield case, trial


def _as_run(report: RunReport, case: CaseResult, trial: TrialResult) -> Trace:
    return replace(
        trial.trace,
        run_id=f"{trial.run_id}@{report.started or report.agent}",
        status=_STATUS.get(trial.verdict, RunStatus.UNKNOWN),
        tags=(*trial.trace.tags, TAG, f"case:{case.id}"),
        labels={
            **trial.trace.labels,
            "case": case.id,
            "case_digest": case.digest,
            "layer": report.layer,
            "verdict": trial.verdict.value,
            "violations": [found.clause for found in trial.violations],
        },
    )


def _as_result(report: RunReport, case: CaseResult, trial: TrialResult) -> StoredResult:
    version = report.versions.get("agent")
    return StoredResult(
        case_id=case.id,
        case_digest=case.digest,
        version=version if isinstance(version, str) else None,
        verdict=trial.verdict.value,
        violations=tuple(
            {"clause": found.clause, "seq": found.seq, "sentence": found.sentence}
            for found in trial.violations
        ),
        duration_ms=trial.ms,
        tokens=trial.tokens,
    )

"""Where a failed trial parts from the path that it ran.

The path is replayed by the reference loop, without an agent, so what differs comes from the
user's code: with `fix: code` from the recorded path, else from an accepted one.

Source:
    design page 09, "First divergence".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.check.divergence import first_divergence
from workbench.replay.scripted import replay_path
from workbench.runner.outcome import CaseVerdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workbench.model.case import Case, Path
    from workbench.model.event import Event
    from workbench.model.jsonvalue import JsonMap
    from workbench.runner.outcome import TrialResult

__all__ = ["first_parting"]


def first_parting(case: Case, trials: Iterable[tuple[Path, TrialResult]]) -> JsonMap | None:
    """Return where the first failed trial that does part from its path parts from it.

    The document has `run_id`, `path`, `expect` of the path, `what` differs, `first` (of the path)
    and `second` (of the trial), each `{seq, kind}` or null where that one had ended, `downstream`
    (how many events of each may follow from it) and `sentence`. No text of a trace but names of
    tools. None: no trial failed, or each that did repeats its path.
    """
    for path, trial in trials:
        if trial.verdict is CaseVerdict.FAIL:
            found = _parting(case, path, trial)
            if found is not None:
                return found
    return None


def _parting(case: Case, path: Path, trial: TrialResult) -> JsonMap | None:
    found = first_divergence(replay_path(case, path), trial.trace, contract=case.contract)
    if found is None:
        return None
    return {
        "run_id": trial.run_id,
        "path": path.name,
        "expect": path.expect.value,
        "what": found.what,
        "first": _event(found.first),
        "second": _event(found.second),
        "downstream": [len(found.downstream_first), len(found.downstream_second)],
        "sentence": found.sentence,
    }


def _event(event: Event | None) -> JsonMap | None:
    return None if event is None else {"seq": event.seq, "kind": event.kind}

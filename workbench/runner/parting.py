"""Where a failed trial parts from the path that it ran.

The path is replayed by the reference loop, without an agent, so what differs comes from the
user's code: with `fix: code` from the recorded path, else from an accepted one. A live trial has
no path of its own: it is set beside the one that it follows longest, an accepted one first.

Source:
    design page 09, "First divergence".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.check.divergence import first_divergence
from workbench.replay.scripted import replay_path
from workbench.runner.beside import shown_beside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.check.divergence import Divergence
    from workbench.model.case import Case, Path
    from workbench.model.event import Event
    from workbench.model.jsonvalue import JsonMap
    from workbench.model.trace import Trace
    from workbench.runner.outcome import TrialResult

__all__ = ["partings"]


def partings(case: Case, trials: Sequence[TrialResult]) -> list[JsonMap | None]:
    """Return for each trial where it parts from its path; None: nowhere.

    A document has `run_id`, `path`, `expect` of the path, `what` differs, `first` (of the path)
    and `second` (of the trial), each `{seq, kind}` or null where that one had ended, `downstream`
    (how many events of each may follow from it), `sentence`, and what `runner.beside` shows. No
    text of a trace but names of tools.
    """
    paths = {path.name: path for path in (*case.accepted, case.recorded)} if trials else {}
    traces = {name: replay_path(case, path) for name, path in paths.items()}
    return [_parting(case, trial, paths, traces) for trial in trials]


def _parting(
    case: Case, trial: TrialResult, paths: dict[str, Path], traces: dict[str, Trace]
) -> JsonMap | None:
    names = [trial.path] if trial.path in paths else list(paths)
    named = any(event.agent is not None for event in trial.trace.events)
    best: tuple[Divergence, Path] | None = None
    for name in names:
        script = traces[name] if named else _nameless(traces[name])
        found = first_divergence(script, trial.trace, contract=case.contract)
        if found is None:
            return None
        if best is None or _reach(found) > _reach(best[0]):
            best = found, paths[name]
    if best is None:
        return None
    parting, path = best
    shown = shown_beside(traces[path.name], trial.trace, parting, claims=case.contract.claims)
    return {**_document(trial, parting, path), **shown}


def _nameless(script: Trace) -> Trace:
    """Return a path without the names of agents: the gateway knows none that is not reported."""
    return replace(script, events=tuple(replace(event, agent=None) for event in script.events))


def _reach(found: Divergence) -> float:
    """Return how far the path was followed."""
    return float("inf") if found.first is None else found.first.seq


def _document(trial: TrialResult, found: Divergence, path: Path) -> JsonMap:
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

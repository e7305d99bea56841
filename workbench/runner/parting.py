"""Where a failed trial parts from the path that it ran.

The path is replayed by the reference loop, without an agent, so what differs comes from the
user's code: with `fix: code` from the recorded path, else from an accepted one. A live trial has
no path of its own: it is set beside the accepted one that it follows longest.

Source:
    design page 09, "First divergence".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.check.divergence import first_divergence
from workbench.model.event import ToolCall
from workbench.model.jsonvalue import Absent
from workbench.replay.matching import Answered, FixtureTable
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
    traces = {
        name: _as_answered(case, replay_path(case, path), name) for name, path in paths.items()
    }
    return [_parting(case, trial, paths, traces) for trial in trials]


def _parting(
    case: Case, trial: TrialResult, paths: dict[str, Path], traces: dict[str, Trace]
) -> JsonMap | None:
    right = [path.name for path in case.accepted] or [case.recorded.name]
    names = [trial.path] if trial.path in paths else right
    named = any(event.agent is not None for event in trial.trace.events)
    seen = _as_answered(case, trial.trace, trial.path if trial.path in paths else None)
    found: list[tuple[Divergence, str]] = []
    for name in names:
        script = traces[name] if named else _nameless(traces[name])
        parting = first_divergence(script, seen, contract=case.contract)
        if parting is None:
            return None
        found.append((parting, name))
    longest, name = max(found, key=lambda entry: _reach(entry[0]))
    shown = shown_beside(traces[name], seen, longest, claims=case.contract.claims)
    return {**_document(trial, longest, paths[name]), **shown}


def _nameless(script: Trace) -> Trace:
    """Return a path without the names of agents: the gateway knows none that is not reported."""
    return replace(script, events=tuple(replace(event, agent=None) for event in script.events))


def _as_answered(case: Case, trace: Trace, path_name: str | None) -> Trace:
    """Give each call that a fixture answers the fixture's arguments.

    What a matcher leaves open (a key made anew in every run) is no difference.
    """
    table = FixtureTable(case, path_name)
    events: list[Event] = []
    for event in trace.events:
        if isinstance(event, ToolCall):
            given = event.args_raw or "" if isinstance(event.args, Absent) else event.args
            found = table.answer(event.tool, given)
            if isinstance(found, Answered) and not isinstance(found.fixture.args, str):
                event = replace(event, args=found.fixture.args)  # noqa: PLW2901
        events.append(event)
    return replace(trace, events=tuple(events))


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

"""Where a run comes from: a run id of the store, a trace file, or one run of a file.

Source:
    design page 00, "RUN is ...".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.casefile.contract import parse_predicate
from workbench.check.outcomes import OutcomeRule, assumed_tools, resolve_outcomes
from workbench.errors import InputError
from workbench.ingest.reader import load_run, read_tools
from workbench.model.event import ToolCall
from workbench.model.trace import Effect, Grade, Losses, Tool, Trace
from workbench.review.declared import with_tools
from workbench.review.late import latest
from workbench.runner.reports.saved import load_results
from workbench.store.handle import open_store

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from workbench.model.settings import Settings
    from workbench.runner.reports.saved import SavedTrial

__all__ = [
    "LoadedRun",
    "Lookup",
    "declared_tools",
    "find_run",
    "is_file",
    "outcome_rules",
    "proposed_effect",
    "trial_of",
]

_SHOWN = 5
_HEAD_BYTES = 200
_RESULTS = re.compile(rb'\s*\{\s*"schema"\s*:\s*"results/')
_READING = ("get", "list", "search", "read", "find", "lookup", "fetch", "show", "check", "query")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """What is needed to turn a reference into a run."""

    store: str
    """Folder or address of the store."""
    settings: Settings
    tools_file: Path | None = None
    """`--tools`: effects that a person declared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedRun:
    """One run with its outcomes derived, and what its recorder lost."""

    trace: Trace
    losses: Losses
    assumed_tools: tuple[str, ...]
    """Called tools whose effect nobody declared."""
    store_head: str | None = None
    """Version and digest of the store it came from; None: it came from a file."""

    @property
    def grade(self) -> Grade:
        """What can be made of the run."""
        return self.losses.grade

    @property
    def proposed_effects(self) -> tuple[tuple[str, Effect], ...]:
        """Assumed tools, each with the effect that its name suggests; a person confirms."""
        return tuple((name, proposed_effect(name)) for name in self.assumed_tools)

    @property
    def tool_by_call(self) -> dict[str, str]:
        """Tools of the calls, by call id."""
        return {e.call_id: e.tool for e in self.trace.events if isinstance(e, ToolCall)}


def proposed_effect(tool: str) -> Effect:
    """Guess an effect by name, for a person to confirm; a name alone never decides.

    >>> proposed_effect("billing.get_operation").value, proposed_effect("billing.pause").value
    ('read', 'write')
    """
    word = tool.rpartition(".")[2].lower().replace("-", "_").partition("_")[0]
    return Effect.READ if word in _READING else Effect.WRITE


def find_run(reference: str, lookup: Lookup) -> LoadedRun:
    """Return the run that `reference` names.

    Args:
        reference: a run id of the store, a trace file of one run, or `FILE#RUN_ID`. A name of a
            file that exists is a file.
        lookup: store, settings and declared tools.

    Raises:
        InputError: no such run or file, or the record could not be read.
    """
    tools = read_tools(lookup.tools_file) if lookup.tools_file is not None else ()
    if is_file(Path(reference)) or is_file(Path(reference.partition("#")[0])):
        imported = load_run(reference)
        if imported.trace is None:
            message = f"run {imported.run_id!r} cannot be read: {imported.parse_error}"
            raise InputError(message, fix="`workbench doctor FILE#RUN_ID` says what it lost")
        return _resolved(imported.trace, imported.losses, tools, lookup.settings, head=None)
    store = open_store(lookup.store, create=False)
    trace, losses, _ = latest(store, reference)
    return _resolved(trace, losses, tools, lookup.settings, head=str(store.head()))


def trial_of(reference: str) -> SavedTrial | None:
    """Return the trial that `RESULTS#RUN_ID` names; None: it names no file of results.

    Raises:
        InputError: the file of results has no such trial, or has several and none is named.
    """
    name, _, run_id = reference.partition("#")
    file = Path(name)
    if not is_file(file) or not _is_results(file):
        return None
    saved = load_results(file)
    if run_id:
        return saved.trial(run_id)
    if len(saved.trials) != 1:
        known = [trial.run_id for trial in saved.trials]
        shown = f"; name one of {', '.join(known[:_SHOWN])}" if known else ""
        message = f"has {len(known)} trials; expected one, or {file.name}#RUN_ID{shown}"
        raise InputError(message, place=saved.name)
    return saved.trials[0]


def _is_results(file: Path) -> bool:
    """Whether a file begins as `results.json` does: its schema is its first field."""
    with file.open("rb") as opened:
        return _RESULTS.match(opened.read(_HEAD_BYTES)) is not None


def is_file(path: Path) -> bool:
    """Whether there is such a file; a run id may be longer than a name of a file can be."""
    try:
        return path.is_file()
    except OSError:
        return False


def declared_tools(settings: Settings, tools: Iterable[Tool]) -> tuple[Tool, ...]:
    """Return what `workbench.toml` and `--tools` declare; the flag goes before."""
    found = {name: Tool(name=name, effect=effect) for name, effect in settings.effects.items()}
    return tuple((found | {tool.name: tool for tool in tools}).values())


def outcome_rules(settings: Settings) -> tuple[OutcomeRule, ...]:
    """Return the settings' `[[outcomes]]` with their predicates parsed."""
    return tuple(
        OutcomeRule(
            tool=rule.tool,
            when=tuple(parse_predicate(text) for text in rule.when),
            outcome=rule.outcome,
            detail=rule.detail,
        )
        for rule in settings.outcomes
    )


def _resolved(
    trace: Trace, losses: Losses, tools: Sequence[Tool], settings: Settings, *, head: str | None
) -> LoadedRun:
    known = with_tools(trace, declared_tools(settings, tools))
    return LoadedRun(
        trace=resolve_outcomes(known, rules=outcome_rules(settings)),
        losses=losses,
        assumed_tools=assumed_tools(known, {}),
        store_head=head,
    )

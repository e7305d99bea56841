"""An accepted path from a run of the mended agent, as the command `accept` takes it.

A trial of the case was only ever told what the case says; any other run is redacted under the
key of the case's draft first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from workbench.casefile.case import load_case
from workbench.model.settings import Settings
from workbench.redact.policy import DEFAULT_POLICY
from workbench.review.accept import accept_run, accept_trial
from workbench.review.source import Lookup, find_run, trial_of

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.case import Case
    from workbench.redact.policy import Policy
    from workbench.review.vault import Vault
    from workbench.store.handle import Store

__all__ = ["Mended"]

_NAME: Final = "accepted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """How runs of the mended agent are found and redacted."""

    settings: Settings = field(default_factory=Settings)
    policy: Policy = DEFAULT_POLICY
    ner: str = "auto"
    """`none` to go on without names in prose."""

    def accept(self, file: Path, reference: str, *, store: Store, vault: Vault, by: str) -> Case:
        """Add the way that a run took to a case, and write it.

        Args:
            file: of the case.
            reference: a run id of the store, a trace file, or `RESULTS#RUN_ID` of a trial.
            store: has the run, if no file does.
            vault: has the key that the incident was redacted with.
            by: who accepts it.

        Raises:
            InputError: no such case, run, trial or key.
            RefusedError: the run's way is not green, or a value of the incident is in it; the
                file is unchanged.
        """
        name = _free_name(load_case(file))
        trial = trial_of(reference)
        if trial is not None:
            return accept_trial(file, trial, name=name, by=by)
        run = find_run(reference, Lookup(store=str(store.root), settings=self.settings))
        return accept_run(
            file, run, vault=vault, name=name, by=by, policy=self.policy, ner=self.ner
        )


def _free_name(case: Case) -> str:
    """Return the first of `accepted`, `accepted-2`, … that no path has."""
    taken = {path.name for path in case.accepted}
    name, number = _NAME, 1
    while name in taken:
        number += 1
        name = f"{_NAME}-{number}"
    return name

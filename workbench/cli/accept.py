"""`workbench accept CASE FROM|--repair`: add an accepted path to a case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.cli.lookup import lookup_of
from workbench.cli.options import (
    keys_folder,
    print_json,
    relative,
    settings_of,
)
from workbench.errors import InputError
from workbench.redact.keys import read_key_file
from workbench.redact.policy import load_policy
from workbench.review.accept import accept_repair, accept_run, accept_trial
from workbench.review.source import find_run, trial_of
from workbench.review.vault import Vault

if TYPE_CHECKING:
    from argparse import Namespace

__all__ = ["execute"]


def execute(options: Namespace) -> int:
    """Add the path; 0 added, 1 it would not be green, 4 no such case or run."""
    if options.repair == (options.run is not None):
        message = "needs either FROM or --repair"
        raise InputError(message, place="accept", fix="workbench accept CASE --repair")
    trial = None if options.repair else trial_of(options.run)
    if options.repair:
        case = accept_repair(options.case, name=options.name, by=options.by)
    elif trial is not None:
        case = accept_trial(options.case, trial, name=options.name, by=options.by)
    else:
        case = accept_run(
            options.case,
            find_run(options.run, lookup_of(options)),
            vault=Vault(keys_folder(settings_of())),
            key=None if options.key_file is None else read_key_file(options.key_file),
            name=options.name,
            by=options.by,
            policy=None if options.policy is None else load_policy(options.policy),
            ner="none" if options.without_ner else "auto",
        )
    path = case.accepted[-1]
    if options.json:
        print_json({"case": relative(options.case), "path": path.name, "turns": len(path.turns)})
    else:
        print(
            f"{relative(options.case)}: path {path.name} is accepted ({len(path.turns)} turns, green)"
        )
    return 0

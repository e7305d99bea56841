"""`workbench make RUN -o CASES`: all steps, headless."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from workbench.casefile.contract import load_contract
from workbench.cli.details import details_of
from workbench.cli.export import today
from workbench.cli.lookup import lookup_of
from workbench.cli.options import (
    complain,
    keys_folder,
    print_json,
    relative,
    settings_of,
)
from workbench.cli.progress import Progress, redaction_progress, search_progress
from workbench.cli.redact import redaction_document
from workbench.redact.places import parse_glob
from workbench.redact.policy import load_policy
from workbench.review.make import Made, make_case, surest_suggestion
from workbench.review.source import find_run
from workbench.review.summary import render_case, render_redaction, render_suggestion
from workbench.review.vault import Vault
from workbench.runner.reports.harmless import harmless

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from workbench.model.contract import Contract
    from workbench.model.jsonvalue import JsonMap
    from workbench.model.trace import Trace
    from workbench.model.verdict import Suggestion

__all__ = ["execute"]


def execute(options: Namespace) -> int:
    """Make the case; 1 when a step that protects refuses; then nothing was written."""
    details = details_of(options, today=today())
    policy = None if options.policy is None else load_policy(options.policy)
    for place in options.trigger:
        parse_glob(place)
    with Progress(stream=sys.stderr) as progress:
        progress.step(f"reading {harmless(options.run)}")
        run = find_run(options.run, lookup_of(options))
    contract = _contract(run.trace, options)
    with Progress(stream=sys.stderr) as progress:
        made = make_case(
            run,
            contract,
            details,
            options.out,
            vault=Vault(keys_folder(settings_of())),
            date=today(),
            policy=policy,
            ner="none" if options.without_ner else "auto",
            trigger=options.trigger,
            on_progress=redaction_progress(progress),
            on_step=search_progress(progress),
        )
    if options.json:
        print_json(
            {"case": relative(made.path), "state": made.case.state.value, "steps": [*_steps(made)]}
        )
    else:
        _print(made)
    return 0


def _contract(trace: Trace, options: Namespace) -> Contract:
    if options.contract is not None:
        return load_contract(options.contract, claims=settings_of().claims)
    suggestion = surest_suggestion(trace, on_unsure=_offer)
    text = json.dumps(suggestion.contract, ensure_ascii=False)
    complain(f"contract taken from {suggestion.detector}: {text}")
    return load_contract(suggestion.contract)


def _offer(found: Sequence[Suggestion]) -> None:
    """Show what a person may choose from, with its evidence."""
    for suggestion in found:
        complain(render_suggestion(suggestion))


def _steps(made: Made) -> list[JsonMap]:
    note = made.case.shrink
    assert note is not None  # noqa: S101  `make` always shrinks
    return [
        {"step": "redact", **redaction_document(made.redaction)},
        {"step": "shrink", "events": [*note.events], "oracle_calls": note.oracle_calls},
        {"step": "export", "case": relative(made.path)},
    ]


def _print(made: Made) -> None:
    print(render_redaction(made.redaction))
    note = made.case.shrink
    assert note is not None  # noqa: S101  `make` always shrinks
    print(f"\n{note.events[0]} -> {note.events[1]} events in {note.oracle_calls} oracle calls")
    print(render_case(made.case, relative(made.path)))

"""`workbench shrink DRAFT|RUN -o DRAFT`: the least that still fails in the same way."""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from typing import TYPE_CHECKING

from workbench.casefile.codec import encode
from workbench.casefile.contract import load_contract
from workbench.casefile.draft import save_draft
from workbench.casefile.files import require_target
from workbench.cli.drafts import draft_in, require_same_clauses
from workbench.cli.flags.shrink import STIMULUS
from workbench.cli.lookup import lookup_of
from workbench.cli.options import keys_folder, print_json, relative, settings_of
from workbench.cli.progress import Progress, search_progress
from workbench.errors import InputError
from workbench.review.draft import draft_id, open_draft
from workbench.review.shrink import OracleKind, shrink_draft
from workbench.review.source import find_run
from workbench.review.summary import render_shrunk
from workbench.review.vault import Vault
from workbench.runner.reports.harmless import harmless
from workbench.shrink import Budget, Texts

if TYPE_CHECKING:
    from argparse import Namespace
    from concurrent.futures import Executor

    from workbench.model.draft import Draft

__all__ = ["execute"]


def execute(options: Namespace) -> int:
    """Shrink and write the draft; 2 when interrupted, with what was reached so far."""
    require_target(options.out)
    with Progress(stream=sys.stderr) as progress, _executor(options.jobs) as executor:
        progress.step(f"reading {harmless(options.run)}")
        draft = _draft_of(options)
        events = len(draft.trace.events)
        small, shrunk = shrink_draft(
            draft,
            kind=OracleKind(options.oracle),
            lock=options.lock,
            budget=Budget(calls=options.budget_calls),
            executor=executor,
            width=options.jobs,
            journal=options.journal,
            texts=Texts.WORDS if options.texts else Texts.WHOLE,
            stimulus=STIMULUS[options.stimulus],
            on_step=search_progress(progress),
        )
    save_draft(small, options.out)
    note = small.shrink
    assert note is not None  # noqa: S101  `shrink_draft` has just written it
    if options.json:
        print_json(
            {
                "events": [events, len(small.trace.events)],
                "nodes": None if note.nodes is None else [*note.nodes],
                "oracle_calls": shrunk.calls,
                "minimal": encode(note.minimal),
                "why_stopped": shrunk.why_stopped,
                "signature": encode(shrunk.verdict.signature),
                "also_seen": encode(shrunk.also_seen),
                "out": relative(options.out),
            }
        )
    else:
        print(render_shrunk(small, shrunk))
        print(f"draft {small.draft} is in {relative(options.out)}")
    return 2 if shrunk.why_stopped == "interrupted" else 0


def _draft_of(options: Namespace) -> Draft:
    draft = draft_in(options.run)
    if draft is not None:
        require_same_clauses(draft, options.contract)
        return draft
    if options.contract is None:
        message = "is missing; a run has no contract of its own"
        raise InputError(message, place="--contract", fix="--contract FILE")
    run = find_run(options.run, lookup_of(options))
    contract = load_contract(options.contract, claims=settings_of().claims)
    key = Vault(keys_folder(settings_of())).key(draft_id(run.trace, contract))
    return open_draft(run, contract, key=key)


def _executor(jobs: int) -> Executor | nullcontext[None]:
    return ProcessPoolExecutor(max_workers=jobs) if jobs > 1 else nullcontext()

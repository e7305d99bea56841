"""`workbench redact RUN --contract C -o DRAFT`: pseudonyms in, and the failure proven."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.casefile.contract import load_contract
from workbench.casefile.draft import load_draft, save_draft
from workbench.casefile.files import load_mapping, require_target, write_private
from workbench.cli.drafts import draft_in, require_same_clauses
from workbench.cli.lookup import lookup_of
from workbench.cli.options import (
    keys_folder,
    print_json,
    relative,
    settings_of,
)
from workbench.cli.progress import Progress, redaction_progress
from workbench.errors import InputError
from workbench.redact.keys import read_key_file
from workbench.redact.policy import load_policy
from workbench.review.draft import draft_id, open_draft
from workbench.review.redact import draft_key, redact_into
from workbench.review.source import find_run
from workbench.review.summary import are_long_lists, long_lists, render_redaction
from workbench.review.vault import Vault
from workbench.runner.reports.harmless import harmless

if TYPE_CHECKING:
    from argparse import Namespace

    from workbench.model.draft import Draft
    from workbench.model.jsonvalue import JsonMap
    from workbench.redact.policy import Policy
    from workbench.redact.redaction import Redaction

__all__ = ["execute", "redaction_document"]


def execute(options: Namespace) -> int:
    """Redact and write the draft; 1 when a step that protects refuses."""
    vault = Vault(keys_folder(settings_of()))
    if options.forget_key:
        return _forget(Path(options.run), vault, options)
    if options.out is None:
        message = "is missing; the redacted draft goes into a file"
        raise InputError(message, place="-o", fix="-o NAME.draft.json")
    require_target(options.out)
    _require_lists(_lists_beside(options.out))
    policy = None if options.policy is None else load_policy(options.policy)
    with Progress(stream=sys.stderr) as progress:
        progress.step(f"reading {harmless(options.run)}")
        raw, key = _opened(options, vault, policy)
        draft, redaction = redact_into(
            vault,
            raw,
            key=key,
            policy=policy,
            ner="none" if options.without_ner else "auto",
            trigger=options.trigger,
            on_progress=redaction_progress(progress),
        )
    save_draft(draft, options.out)
    lists = _listed(redaction, options.out)
    if options.json:
        print_json({**redaction_document(redaction), "out": relative(options.out)})
    else:
        print(render_redaction(redaction, lists=lists))
        print(f"draft {draft.draft} is in {relative(options.out)}")
    return 0


def _lists_beside(draft: Path) -> Path:
    return draft.with_suffix(".lists.json")


def _require_lists(path: Path) -> None:
    """Refuse to replace what is there, unless an earlier redaction wrote it.

    Raises:
        InputError: it is something else.
    """
    require_target(path)
    if not path.exists():
        return
    try:
        is_ours = are_long_lists(load_mapping(path)[0])
    except InputError:
        is_ours = False
    if not is_ours:
        message = "is there, and holds no lists of a redaction; they would replace it"
        raise InputError(message, place=relative(path), fix="move it away, or choose another -o")


def _listed(redaction: Redaction, out: Path) -> str:
    """Write beside the draft the lists that are too long for a terminal; return that file's name.

    Those of an earlier redaction go: they are of another draft.
    """
    lists, path = long_lists(redaction), _lists_beside(out)
    if not lists:
        path.unlink(missing_ok=True)
        return ""
    write_private(path, lists)
    return relative(path)


def _forget(path: Path, vault: Vault, options: Namespace) -> int:
    draft, lists = load_draft(path).draft, _lists_beside(path)
    shared = vault.is_shared(draft)
    vault.forget(draft)
    if options.json:
        print_json({"forgotten": draft, "shared_key_stays": shared})
        return 0
    print(f"the key of {draft} is gone; no path can be accepted with its pseudonyms any more")
    if shared:
        print("it was the key that cases share, which stays: delete shared-by-cases to forget it")
    if lists.exists():
        print(f"its pseudonyms and places stay in {relative(lists)}: delete it as well")
    return 0


def _opened(options: Namespace, vault: Vault, policy: Policy | None) -> tuple[Draft, bytes]:
    """Return the raw draft to redact, with its key."""
    given = None if options.key_file is None else read_key_file(options.key_file)
    draft = draft_in(options.run)
    if draft is not None:
        require_same_clauses(draft, options.contract)
        if given is not None:
            return draft, given
        vault.known_key(draft.draft)  # a raw draft has one, or it is of another machine
        return draft, draft_key(vault, draft.draft, policy)
    if options.contract is None:
        message = "is missing; a run has no contract of its own"
        raise InputError(message, place="--contract", fix="--contract FILE")
    run = find_run(options.run, lookup_of(options))
    contract = load_contract(options.contract, claims=settings_of().claims)
    key = given or draft_key(vault, draft_id(run.trace, contract), policy)
    return open_draft(run, contract, key=key, incident=options.incident), key


def redaction_document(redaction: Redaction) -> JsonMap:
    """Return what `--json` says of a redaction."""
    return {
        "findings": redaction.findings,
        "clusters": redaction.clusters,
        "facts_kept": [_fact(note.at, note.fact) for note in redaction.facts_kept],
        "facts_lost": [_fact(note.at, note.fact) for note in redaction.facts_lost],
        "trigger_facts_lost": [_fact(n.at, n.fact) for n in redaction.trigger_facts_lost],
        "signature_same": redaction.signature_same,
        "residue_hits": redaction.residue.hits,
        "unreviewed": redaction.unreviewed,
    }


def _fact(at: str, fact: str) -> JsonMap:
    return {"at": at, "fact": fact}

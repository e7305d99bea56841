"""A draft's trace and contract redacted, what reaches the case first.

Source:
    design page 05, "Only what survives needs eyes".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.casefile.codec import encode
from workbench.casefile.place import step_key
from workbench.errors import InputError
from workbench.redact.redaction import Redaction, note_of, require_safe
from workbench.redact.run import redact_trace
from workbench.review.shrink import minimal_raw

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workbench.model.draft import Draft
    from workbench.model.jsonvalue import Json
    from workbench.model.trace import Trace
    from workbench.redact.policy import Policy
    from workbench.redact.residue import Needle
    from workbench.redact.survey import OnProgress
    from workbench.review.vault import Vault

__all__ = ["draft_key", "redact_draft", "redact_into", "surviving_places"]

_WHOLE = ("run_id", "tags", "versions", "tools", "contract")
"""What reaches every case beside the events."""


def surviving_places(minimal: Trace) -> frozenset[str]:
    """Return the places of the raw trace whose values reach the case.

    Args:
        minimal: what the raw trace shrinks to; its events know their old positions.

    >>> from workbench.model.event import UserMessage
    >>> from workbench.model.trace import Trace
    >>> kept = Trace(run_id="r", events=(UserMessage(seq=0, origin_seq=4, text="hi"),))
    >>> sorted(surviving_places(kept) - set(_WHOLE))
    ['#4.text']
    """
    return frozenset((*_WHOLE, *_leaves_of(minimal)))


def _leaves_of(minimal: Trace) -> Iterator[str]:
    for event in minimal.events:
        root = f"#{event.seq if event.origin_seq is None else event.origin_seq}"
        document = encode(event)
        assert isinstance(document, dict)  # noqa: S101  an event is a mapping
        for name, value in document.items():
            if name not in ("seq", "origin_seq", "kind"):
                yield from _leaves(value, f"{root}.{name}")


def _leaves(value: Json, key: str) -> Iterator[str]:
    if isinstance(value, dict) and value:
        for name, item in value.items():
            yield from _leaves(item, step_key(key, name))
    else:
        yield key  # a list is one place: cutting it moves what is behind the cut


def draft_key(vault: Vault, draft: str, policy: Policy | None) -> bytes:
    """Return the key of a draft: its own, or the one that cases share where the policy says so.

    Raises:
        InputError: the draft has another key, or the folder of keys cannot be used.
    """
    shares = policy is not None and policy.share_across_cases
    return vault.shared_key(draft) if shares else vault.key(draft)


def redact_into(  # noqa: PLR0913  see `redact_trace`
    vault: Vault,
    draft: Draft,
    *,
    key: bytes,
    policy: Policy | None = None,
    ner: str = "auto",
    trigger: Sequence[str] = (),
    on_progress: OnProgress = lambda _step, _done, _total: None,
) -> tuple[Draft, Redaction]:
    """Redact a draft and keep what it replaced; see `redact_draft`.

    A policy that shares across cases gives what other such cases replaced the same pseudonyms here.
    """
    shares = policy is not None and policy.share_across_cases and vault.is_shared(draft.draft)
    known = vault.shared_needles() if shares else ()
    done, redaction = redact_draft(
        draft,
        key=key,
        policy=policy,
        ner=ner,
        trigger=trigger,
        known=known,
        on_progress=on_progress,
    )
    vault.keep(draft.draft, redaction.needles)
    if shares:
        vault.keep_shared(redaction.needles)
    return done, redaction


def redact_draft(  # noqa: PLR0913  see `redact_trace`
    draft: Draft,
    *,
    key: bytes,
    policy: Policy | None = None,
    ner: str = "auto",
    trigger: Sequence[str] = (),
    known: Sequence[Needle] = (),
    on_progress: OnProgress = lambda _step, _done, _total: None,
) -> tuple[Draft, Redaction]:
    """Return the draft redacted, and what a person must know about it.

    Args:
        draft: raw.
        key: of the draft.
        policy: declared fields, decisions and triggers.
        ner: `auto`, or `none` to go on without names in prose.
        trigger: more places of the trigger.
        known: what is replaced in other cases under the same key, by the same pseudonyms here.
        on_progress: see `redact_trace`.

    Raises:
        InputError: the draft was redacted or shrunk before; or see `redact_trace`.
        RefusedError: a fact of the trigger is lost, a value is still there, or the trace fails
            in another way.
    """
    if draft.redaction is not None:
        message = "was redacted already"
        raise InputError(message, place=draft.draft, fix="redact the run, not the draft")
    if draft.shrink is not None:
        message = "holds a raw trace that was shrunk; redaction comes before"
        raise InputError(message, place=draft.draft, fix="redact the run, then shrink the draft")
    on_progress("what reaches the case", 0, 0)
    survivors = surviving_places(minimal_raw(draft.trace, draft.contract))
    redaction = redact_trace(
        draft.trace,
        contract=draft.contract,
        policy=policy,
        key=key,
        survivors=survivors,
        ner=ner,
        trigger=trigger,
        known=known,
        on_progress=on_progress,
    )
    require_safe(redaction)
    assert redaction.contract is not None  # noqa: S101  one was given
    source = replace(
        draft.source,
        run_id=redaction.trace.run_id,
        incident=draft.source.incident,
    )
    done = replace(
        draft,
        source=source,
        trace=redaction.trace,
        contract=redaction.contract,
        redaction=note_of(redaction),
        trigger=redaction.trigger,
    )
    return done, redaction

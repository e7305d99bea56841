"""A draft's trace made small, and what of a raw trace would survive that.

Redaction comes before the shrink that is exported, but it wants to know first what will reach
the case: only those values need a person's eyes. So the raw trace is shrunk once in memory.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from workbench.check.oracle import recorded_oracle
from workbench.errors import InputError, RefusedError
from workbench.model.case import CaseSource, Header, SourceKind, Stimulus
from workbench.replay.oracle import replay_oracle
from workbench.shrink import Budget, Shrunk, Texts, moved_places, shrink_note, shrink_trace

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Executor

    from workbench.check.oracle import Oracle
    from workbench.model.contract import Contract
    from workbench.model.draft import Draft
    from workbench.model.trace import Trace
    from workbench.shrink import Step

__all__ = ["OracleKind", "minimal_raw", "oracle_of", "shrink_draft"]


class OracleKind(StrEnum):
    """Who says whether a candidate still fails."""

    RECORDED = "recorded"
    """The contract on the trace."""
    REPLAY = "replay"
    """The contract on a replay of the case that the trace would become."""


def oracle_of(kind: OracleKind, draft: Draft) -> Oracle:
    """Return the oracle of a draft."""
    if kind is OracleKind.RECORDED:
        return recorded_oracle(draft.contract)
    header = Header(
        id="candidate",
        title="candidate",
        owner="nobody",
        review_date="2000-01-01",
        source=CaseSource(kind=SourceKind.INCIDENT, run_id=draft.source.run_id),
        signature=draft.raw_signature,
        fix=draft.contract.fix,
        unproven=draft.contract.unproven,
    )
    return replay_oracle(draft.contract, header)


def minimal_raw(trace: Trace, contract: Contract, *, lock: Sequence[str] = ()) -> Trace:
    """Return what a raw trace would shrink to; nothing of it leaves the process."""
    return shrink_trace(trace, recorded_oracle(contract), lock=lock).trace


def shrink_draft(  # noqa: PLR0913  the command's flags, keyword-only
    draft: Draft,
    *,
    kind: OracleKind = OracleKind.RECORDED,
    lock: Sequence[str] = (),
    budget: Budget | None = None,
    executor: Executor | None = None,
    width: int = 4,
    journal: str | os.PathLike[str] | None = None,
    on_step: Callable[[Step], None] | None = None,
    texts: Texts = Texts.WHOLE,
    around: Callable[[Oracle], Oracle] | None = None,
    stimulus: Stimulus = Stimulus.KEPT_BY_FLOW,
) -> tuple[Draft, Shrunk]:
    """Return the draft with its trace shrunk, and how that went.

    `around` makes of the oracle the one that is asked, e.g. one that can be left at once; for the
    other arguments see `shrink_trace`.

    Raises:
        InputError: the draft was shrunk before, the trace has nothing to shrink, or the stimulus
            cannot be reduced in the way that was asked for.
        RefusedError: the trace no longer fails with the raw signature.
    """
    if stimulus is not Stimulus.KEPT_BY_FLOW:
        raise InputError(
            f"is {stimulus.value}; only trials with a live oracle could show what the model did not"
            " need to see, and there is no live oracle yet",
            place="--stimulus",
            fix="--stimulus flow keeps what the kept calls and claims got their values from",
        )
    if draft.shrink is not None:
        message = "was shrunk already"
        raise InputError(message, place=draft.draft, fix="shrink the draft that `redact` wrote")
    oracle = oracle_of(kind, draft)
    shrunk = shrink_trace(
        draft.trace,
        oracle if around is None else around(oracle),
        target=draft.raw_signature,
        lock=(*lock, *draft.trigger),
        budget=Budget() if budget is None else budget,
        executor=executor,
        width=width,
        journal=journal,
        on_step=on_step,
        texts=texts,
    )
    if shrunk.verdict.signature != draft.raw_signature:
        message = "the shrunk trace fails in another way"
        raise RefusedError(message, fix="report it; the draft is unchanged")
    return _with_shrunk(draft, shrunk), shrunk


def _with_shrunk(draft: Draft, shrunk: Shrunk) -> Draft:
    """Return the draft with the small trace, and every place where its value is now.

    An event keeps its number from the raw trace; a place in a list that was cut moves.
    """
    ledger = () if draft.redaction is None else draft.redaction.ledger
    places = {note.at for note in draft.trigger} | {at for entry in ledger for at in entry.at}
    moved = moved_places(sorted(places), before=draft.trace, after=shrunk.trace)
    trigger = (replace(note, at=at) for note in draft.trigger if (at := moved[note.at]) is not None)
    left = (replace(entry, at=_moved(entry.at, moved)) for entry in ledger)
    redaction = draft.redaction
    if redaction is not None:
        redaction = replace(redaction, ledger=tuple(entry for entry in left if entry.at))
    return replace(
        draft,
        trace=shrunk.trace,
        trigger=tuple(trigger),
        redaction=redaction,
        shrink=shrink_note(shrunk, draft.trace),
    )


def _moved(places: tuple[str, ...], moved: Mapping[str, str | None]) -> tuple[str, ...]:
    return tuple(at for place in places if (at := moved[place]) is not None)

"""What a person sees and decides, as values: clusters with their contexts, decisions, undo.

A decision is a record in the policy, so the same policy gives the same redaction headless. Nothing
here draws a widget; raw values are in the returned values, in memory only, and in no text form.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from workbench.errors import InputError
from workbench.redact.facts import facts_of
from workbench.redact.places import Survivors
from workbench.redact.policy import Decision, DecisionWord, Strategy
from workbench.redact.run import open_run
from workbench.redact.substitute import shown_place
from workbench.redact.trigger import matches_any

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from workbench.model.contract import Contract
    from workbench.model.trace import Trace
    from workbench.redact.policy import Policy
    from workbench.redact.redaction import Redaction
    from workbench.redact.residue import Needle
    from workbench.redact.run import Run
    from workbench.redact.survey import Spot

__all__ = ["Cluster", "Context", "Look", "OpenText", "decide", "look", "undo"]

_WIDTH: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A value where it stands."""

    at: str
    before: str = field(repr=False)
    value: str = field(repr=False)
    after: str = field(repr=False)
    pseudonym: str
    type: str
    detector: str
    score: float
    stays: str | None = None
    """`rejected` or `retained`; None: it is replaced."""
    text: str = field(default="", repr=False)
    """The whole text that it stands in."""
    start: int = 0
    """Where in `text` it begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Variants of one value, on which one decision is taken."""

    name: str
    """`c1`, `c2`, ... in order of the first place."""
    type: str
    contexts: tuple[Context, ...]
    facts_kept: tuple[str, ...]
    facts_lost: tuple[str, ...]
    on_trigger: bool
    surviving: bool
    """Whether a member reaches the case; such clusters are shown first."""
    decision: Decision | None = None
    """The last one that is about it."""

    @property
    def places(self) -> tuple[str, ...]:
        """Where its members stand, each place once."""
        return tuple(dict.fromkeys(context.at for context in self.contexts))


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenText:
    """A free text that reaches the case, and that neither a detector nor a person has settled."""

    places: tuple[str, ...]
    """All places of the same text."""
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A redaction with what a person needs in order to judge it."""

    redaction: Redaction
    clusters: tuple[Cluster, ...]
    """Those that reach the case first."""
    policy: Policy
    open_texts: tuple[OpenText, ...] = ()


def look(  # noqa: PLR0913  as `redact_trace`
    trace: Trace,
    *,
    contract: Contract | None = None,
    policy: Policy,
    key: bytes,
    survivors: Collection[str] | None = None,
    ner: str = "auto",
    trigger: Collection[str] = (),
    known: Sequence[Needle] = (),
) -> Look:
    """Redact a trace and say of each cluster what a person needs; see `redact_trace`."""
    run = open_run(
        trace, contract=contract, policy=policy, key=key, ner=ner, trigger=trigger, known=known
    )
    redaction = run.redaction(survivors)
    kept = None if survivors is None else Survivors(survivors)
    found = [
        _cluster(f"c{nth}", spots, run, kept) for nth, spots in enumerate(_grouped(run), start=1)
    ]
    return Look(
        redaction=redaction,
        clusters=tuple(sorted(found, key=lambda c: (not c.surviving, not c.on_trigger))),
        policy=run.policy,
        open_texts=_open_texts(run, redaction),
    )


def _open_texts(run: Run, redaction: Redaction) -> tuple[OpenText, ...]:
    keys = run.keys(run.assigned[0])
    places: dict[str, dict[str, None]] = {}
    text_at: dict[str, str] = {}
    for _, leaf in run.survey.leaves:
        if not leaf.is_key:
            at = shown_place(leaf.path, keys)
            places.setdefault(leaf.text, {}).setdefault(at)
            text_at.setdefault(at, leaf.text)
    texts = [text_at[at] for at in redaction.unseen if at in text_at]
    return tuple(OpenText(places=tuple(places[text]), text=text) for text in texts)


def _grouped(run: Run) -> list[list[Spot]]:
    names = run.assigned[0].clusters
    found: dict[str, list[Spot]] = {}
    for spot in run.survey.spots:
        found.setdefault(names.get(spot.text, spot.text), []).append(spot)
    return list(found.values())


def _cluster(name: str, spots: list[Spot], run: Run, kept: Survivors | None) -> Cluster:
    assignment = run.assigned[0]
    values = {s.text: s.finding.type for s in spots if s.stays is None}
    lost = {fact for text in values for fact in assignment.lost.get(text, ())}
    facts = {fact for text, kind in values.items() for fact in facts_of(text, kind)}
    decisions = [d for d in run.policy.decisions if _is_about(d, spots, run)]
    return Cluster(
        name=name,
        type=max(spots, key=lambda s: s.finding.score).finding.type,
        contexts=tuple(_context(spot, run) for spot in spots),
        facts_kept=tuple(sorted(facts - lost)),
        facts_lost=tuple(sorted(lost)),
        on_trigger=any(run.triggers.covers(s.leaf.path) for s in spots),
        surviving=kept is None or any(kept.cover(s.leaf.path) for s in spots),
        decision=decisions[-1] if decisions else None,
    )


def _is_about(decision: Decision, spots: list[Spot], run: Run) -> bool:
    return any(
        (decision.type is None or decision.type == s.finding.type)
        and matches_any(decision.globs(), s.leaf.path, run.kinds)
        for s in spots
    )


def _context(spot: Spot, run: Run) -> Context:
    assignment, text = run.assigned[0], spot.leaf.text
    start, end = spot.finding.start, spot.finding.end
    return Context(
        at=shown_place(spot.leaf.path, run.keys(assignment)),
        before=text[max(0, start - _WIDTH) : start],
        value=spot.text,
        after=text[end : end + _WIDTH],
        pseudonym=spot.text if spot.stays else assignment.pseudonyms[spot.text],
        type=spot.finding.type,
        detector=spot.finding.detector,
        score=spot.finding.score,
        stays=spot.stays,
        text=text,
        start=start,
    )


def decide(
    policy: Policy,
    cluster: Cluster,
    word: DecisionWord,
    *,
    by: str,
    reason: str | None = None,
    strategy: Strategy | None = None,
) -> Policy:
    """Return the policy with one more decision, on all places of a cluster.

    Args:
        policy: so far.
        cluster: as `look` showed it.
        word: what was decided.
        by: who.
        reason: why; a value that is retained needs one.
        strategy: of an accepted replacement.

    Raises:
        InputError: nobody is named, a reason is missing, or a strategy is given for what stays.
    """
    if not by.strip():
        raise InputError("nobody is named for the decision", key="by", fix="give a name")
    if word is DecisionWord.RETAINED and not (reason or "").strip():
        message = "a value is retained without a reason"
        raise InputError(message, key="reason", fix="say why it must stay")
    if strategy is not None and word is not DecisionWord.ACCEPTED:
        message = f"a strategy is given for what is {word}"
        raise InputError(message, key="strategy", fix="accept the replacement with the strategy")
    first, *others = cluster.places
    types = {context.type for context in cluster.contexts}
    decision = Decision(
        at=first,
        also=tuple(others),
        decision=word,
        by=by,
        reason=reason,
        type=cluster.type if len(types) == 1 else None,
        strategy=strategy,
    )
    return replace(policy, decisions=(*policy.decisions, decision))


def undo(policy: Policy) -> Policy:
    """Return the policy without its last decision.

    Raises:
        InputError: there is none.
    """
    if not policy.decisions:
        message = "there is no decision to take back"
        raise InputError(message, key="decisions", fix="go on; every decision was taken back")
    return replace(policy, decisions=policy.decisions[:-1])

"""What is in a document: its slots, the findings in their leaves, and which values those are.

Two rounds: detectors on every leaf, then the values they found searched for in every leaf. The result
is the spans of each slot and the distinct values behind them.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from workbench.errors import RefusedError
from workbench.redact.assign import Pin, Unit, Value
from workbench.redact.detect import Models, find_in_leaf, read_prose_ahead
from workbench.redact.echoes import PART, Echoes
from workbench.redact.exact import Exact
from workbench.redact.finding import Family, Finding, family_of, merged
from workbench.redact.occurrences import Occurrences
from workbench.redact.places import PlaceGlob, parse_glob, place_text
from workbench.redact.policy import Decision, DecisionWord, Policy, find_declared
from workbench.redact.scaffold import labels_of, without_labels
from workbench.redact.skeleton import folded
from workbench.redact.slots import Place, Slot, leaves_of
from workbench.redact.trigger import matches_any
from workbench.redact.wording import COMMON_WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from workbench.redact.leaves import Leaf
    from workbench.redact.residue import Needle

__all__ = ["OnProgress", "Spot", "Survey", "survey"]

OnProgress: TypeAlias = "Callable[[str, int, int], None]"
"""Is told what is looked for, in how many texts that was done, and in how many it will be; 0: as a whole."""

_STAYS: Final = frozenset({DecisionWord.REJECTED, DecisionWord.RETAINED})
_IDENTIFIER: Final = re.compile(r"[a-z][a-zA-Z0-9]*(?:[_-][a-zA-Z0-9]+)*|[a-zA-Z]*[a-z][A-Z]\w*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A finding at its place."""

    slot: int
    leaf: Leaf
    finding: Finding
    stays: str | None = None
    """Why it is not replaced: `rejected` or `retained`."""
    reason: str | None = None

    @property
    def text(self) -> str:
        """The raw value."""
        return self.leaf.text[self.finding.start : self.finding.end]

    @property
    def is_part(self) -> bool:
        """Whether it is a literal that is only a part of a value."""
        return self.finding.detector == PART

    def __repr__(self) -> str:
        return f"Spot({place_text(self.leaf.path[:1])}, {self.finding.type})"


@dataclass(slots=True)
class Survey:
    """Everything found in a document."""

    slots: list[Slot]
    leaves: list[tuple[int, Leaf]] = field(default_factory=list)
    spots: list[Spot] = field(default_factory=list)
    protected: frozenset[str] = frozenset()
    known: tuple[Needle, ...] = ()
    """What another redaction of the same draft replaced."""

    def values(self) -> list[Value]:
        """Return the distinct values to be replaced, each with its surest type, and the known ones."""
        counts: Counter[str] = Counter()
        types: dict[str, tuple[float, str]] = {}
        for spot in self.spots:
            if spot.stays is None:
                counts[spot.text] += 1
                one = (spot.finding.score, spot.finding.type)
                types[spot.text] = max(types.get(spot.text, one), one)
        found = {t: Value(text=t, type=types[t][1], count=n) for t, n in counts.items()}
        found |= {n.text: _pinned(n) for n in self.known if n.pseudonym}
        return [found[text] for text in sorted(found)]


def _pinned(needle: Needle) -> Value:
    units = tuple(Unit(*unit) for unit in needle.units)
    pin = Pin(pseudonym=needle.pseudonym, draws=needle.draws, units=units)
    return Value(text=needle.text, type=needle.label, count=needle.count, pin=pin)


class _Rules:
    """The policy's globs, parsed, with the kinds of events they may name."""

    def __init__(self, policy: Policy, kinds: dict[str, tuple[str, str | None]]) -> None:
        self._kinds = kinds
        self.fields = [(parse_glob(text), kind) for text, kind in policy.fields.items()]
        self.retain = [(parse_glob(r.at), r.reason) for r in policy.retain]
        self.decisions = [(glob, d) for d in policy.decisions for glob in d.globs()]

    def matches(self, glob: PlaceGlob, place: Place) -> bool:
        return matches_any((glob,), place, self._kinds)

    def declared_type(self, place: Place) -> str | None:
        return next((kind for glob, kind in self.fields if self.matches(glob, place)), None)

    def stays(self, place: Place, kind: str) -> tuple[str, str | None] | None:
        """Return why a finding at a place is not replaced."""
        for glob, reason in self.retain:
            if self.matches(glob, place):
                return "retained", reason
        for glob, decision in self.decisions:
            if (
                decision.decision in _STAYS
                and _is_about(decision, kind)
                and self.matches(glob, place)
            ):
                return decision.decision.value, decision.reason
        return None


def _is_about(decision: Decision, kind: str) -> bool:
    return decision.type is None or decision.type == kind


def survey(  # noqa: PLR0913  see `redact_trace`
    slots: list[Slot],
    *,
    models: Models,
    policy: Policy,
    kinds: dict[str, tuple[str, str | None]],
    words: Iterable[str] = (),
    known: Sequence[Needle] = (),
    on_progress: OnProgress = lambda _step, _done, _total: None,
) -> Survey:
    """Find everything personal in the slots of a document.

    Args:
        slots: of the trace and of its contract.
        models: which models read prose.
        policy: what a person declared.
        kinds: see `trigger.kinds_of`.
        words: texts that are structure: tool names, property names, enum words.
        known: what another redaction of the same draft replaced; replaced here too.
        on_progress: see `OnProgress`.

    Raises:
        RefusedError: a detector ran out of time on a text that nobody has decided about.
    """
    found = Survey(slots=slots, known=tuple(known))
    found.leaves = [(n, leaf) for n, slot in enumerate(slots) for leaf in leaves_of(slot)]
    found.protected = _protected(found.leaves, words)
    rules = _Rules(policy, kinds)
    leaves = [leaf for _, leaf in found.leaves]
    read_prose_ahead(leaves, models, on_progress=partial(on_progress, "names in prose"))
    detect = partial(_detected, models=models, policy=policy, rules=rules)
    first: _First = []
    for n, leaf in found.leaves:
        first.append((n, leaf, _kept(detect(leaf), leaf, found.protected)))
        on_progress("values in texts", len(first), len(leaves))
    _refuse_unchecked(first, rules)
    again = _search_again(first, found, rules)
    echoes = Echoes()
    for done, (n, leaf, findings) in enumerate(first, start=1):
        on_progress("the same values elsewhere", done, len(first))
        is_literal = leaf.path[0] == "contract"
        heard = echoes.of(leaf) if is_literal else ()
        own = (f for f in findings if f.type != "UNCHECKED")
        spots = [
            _spot(n, leaf, one, rules.stays(leaf.path, one.type))
            for one in merged([*own, *again(leaf), *heard])
        ]
        found.spots += spots
        if not is_literal:
            echoes.tell(leaf, [s.finding for s in spots if s.stays is None])
    return found


_NAME_AT_MOST: Final = 72
"""No longer text is a single name."""

_First: TypeAlias = list[tuple[int, "Leaf", list[Finding]]]


def _search_again(
    first: _First, found: Survey, rules: _Rules
) -> Callable[[Leaf], tuple[Finding, ...]]:
    """Return a search for every value that is known after the first round."""
    values = {
        (leaf.text[f.start : f.end], f.type)
        for _, leaf, findings in first
        for f in findings
        if f.type != "UNCHECKED" and rules.stays(leaf.path, f.type) is None
    }
    values |= {(needle.text, needle.label) for needle in found.known}
    known = Occurrences(protected=found.protected)
    whole = {
        leaf.text for _, leaf, _ in first if not leaf.is_key and len(leaf.text) <= _NAME_AT_MOST
    }
    known.learn(values, alone=whole)
    exact = Exact(values)
    cache: dict[tuple[str, bool, bool], tuple[Finding, ...]] = {}

    def search(leaf: Leaf) -> tuple[Finding, ...]:
        key = (leaf.text, leaf.is_key, leaf.is_number)
        if key not in cache:
            cache[key] = (*known.find(leaf), *exact.find(leaf))
        return cache[key]

    return search


def _spot(slot: int, leaf: Leaf, finding: Finding, stays: tuple[str, str | None] | None) -> Spot:
    why, reason = stays or (None, None)
    return Spot(slot=slot, leaf=leaf, finding=finding, stays=why, reason=reason)


def _protected(leaves: list[tuple[int, Leaf]], words: Iterable[str]) -> frozenset[str]:
    """Return folded texts that are structure: given words, labels, and keys that look like names of fields."""
    keys = {leaf.text for _, leaf in leaves if leaf.is_key}
    plain = {key for key in keys if _IDENTIFIER.fullmatch(key)}
    labels = {label for _, leaf in leaves if not leaf.is_key for label in labels_of(leaf.text)}
    return frozenset(folded(word).strip() for word in (*words, *plain, *labels) if word.strip())


def _detected(leaf: Leaf, *, models: Models, policy: Policy, rules: _Rules) -> Iterator[Finding]:
    yield from find_in_leaf(leaf, models)
    if policy.patterns:
        yield from find_declared(policy, leaf.text)
    kind = None if leaf.is_key else rules.declared_type((*leaf.path, *leaf.hints))
    if kind is not None and any(c.isalnum() for c in leaf.text):
        yield Finding(start=0, end=len(leaf.text), type=kind, score=1.0, detector="declared field")


def _kept(findings: Iterable[Finding], leaf: Leaf, protected: frozenset[str]) -> list[Finding]:
    """Leave out plain words of the structure, and words in keys that a model took for names."""
    kept = []
    for one in without_labels(findings, leaf.text):
        if family_of(one.type) in (Family.WORDS, Family.DOMAIN):
            text = folded(leaf.text[one.start : one.end]).strip()
            plain = one.score < 0.7 and (leaf.is_key or text in COMMON_WORDS)
            if text in protected or plain:
                continue
        kept.append(one)
    return kept


def _refuse_unchecked(first: _First, rules: _Rules) -> None:
    places = [
        place_text(leaf.path[:2])
        for _, leaf, findings in first
        if any(f.type == "UNCHECKED" for f in findings)
        and rules.stays(leaf.path, "UNCHECKED") is None
    ]
    if places:
        raise RefusedError(
            f"detectors ran out of time on {len(places)} texts",
            reasons=tuple(f"{place} was not read to its end" for place in places[:5]),
            fix="retain the place with a reason in redaction.yaml, or drop the event from the source",
        )

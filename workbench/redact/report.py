"""What redaction kept and lost: facts, unread prose, residue."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import jsonschema_rs

from workbench.model.event import ToolCall
from workbench.model.jsonvalue import ABSENT, JsonMap
from workbench.redact.cues import looks_like_prose
from workbench.redact.demands import unmet
from workbench.redact.exact import is_one_word, is_searched
from workbench.redact.facts import facts_of
from workbench.redact.leaves import Edit, Leaf, apply_edits
from workbench.redact.places import Survivors, parse_glob
from workbench.redact.policy import DecisionWord, Policy
from workbench.redact.residue import Hit, Needle, scan
from workbench.redact.substitute import shown_place
from workbench.redact.trigger import Triggers, matches_any, root_of
from workbench.redact.views import fold_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from workbench.model.trace import Trace
    from workbench.redact.assign import Assignment
    from workbench.redact.slots import Place
    from workbench.redact.survey import Spot, Survey

__all__ = [
    "FactNote",
    "Facts",
    "compare_facts",
    "compare_schemas",
    "find_residue",
    "needles_of",
    "residue_notes",
    "unreviewed_places",
]

_LEAF_LIMIT: Final = 4000
_HIDDEN: Final = "..."
"""Shown for a key that is, or holds, a value which should be gone."""
_OF_PROSE: Final = (
    "leading_",
    "trailing_",
    "valid:json",
    "valid:url",
    "direction:",
    "form:",
    "invisible",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactNote:
    """A fact of a value, at one of its places."""

    at: str
    type: str
    fact: str


@dataclass(slots=True)
class Facts:
    """All facts of the values of a document."""

    kept: list[FactNote] = field(default_factory=list)
    lost: list[FactNote] = field(default_factory=list)
    trigger_lost: list[FactNote] = field(default_factory=list)


def compare_facts(
    survey: Survey,
    assignment: Assignment,
    *,
    triggers: Triggers,
    policy: Policy,
    keys: Mapping[str, str],
) -> Facts:
    """Compare the facts of every replaced value, and of every leaf of the trigger."""
    spots = [s for s in survey.spots if s.stays is None]
    hot = {assignment.clusters[s.text] for s in spots if triggers.covers(s.leaf.path)}
    words = (d for d in policy.decisions if d.decision is DecisionWord.ACCEPTED)
    accepted = [glob for d in words for glob in d.globs()]
    found = Facts()
    seen: set[str] = set()
    for spot in spots:
        if spot.text in seen:
            continue
        seen.add(spot.text)
        at, kind = shown_place(spot.leaf.path, keys), spot.finding.type
        lost = assignment.lost.get(spot.text, ())
        found.kept += [
            FactNote(at=at, type=kind, fact=f)
            for f in sorted(facts_of(spot.text, kind))
            if f not in lost
        ]
        if matches_any(accepted, spot.leaf.path, triggers.kinds):
            continue
        notes = [FactNote(at=at, type=kind, fact=f) for f in lost]
        found.lost += notes
        if assignment.clusters[spot.text] in hot:
            found.trigger_lost += notes
    _compare_leaves(spots, assignment, found, triggers=triggers, keys=keys)
    declared = [
        _note(spot, fact, keys)
        for spot, fact in unmet(spots, assignment.pseudonyms, policy, triggers.kinds)
    ]
    found.lost += [note for note in declared if note not in found.lost]
    found.trigger_lost += declared
    return found


def _note(spot: Spot, fact: str, keys: Mapping[str, str]) -> FactNote:
    return FactNote(at=shown_place(spot.leaf.path, keys), type=spot.finding.type, fact=fact)


def _compare_leaves(
    spots: list[Spot],
    assignment: Assignment,
    found: Facts,
    *,
    triggers: Triggers,
    keys: Mapping[str, str],
) -> None:
    """Compare whole leaves of the trigger: what is around a value belongs to it there."""
    by_leaf: dict[int, tuple[Leaf, list[Spot]]] = {}
    for spot in spots:
        if triggers.covers(spot.leaf.path):
            by_leaf.setdefault(id(spot.leaf), (spot.leaf, []))[1].append(spot)
    for leaf, members in by_leaf.values():
        if len(leaf.text) > _LEAF_LIMIT or (len(members) == 1 and members[0].text == leaf.text):
            continue
        edits = [
            Edit(s.finding.start, s.finding.end, assignment.pseudonyms[s.text]) for s in members
        ]
        lost = facts_of(leaf.text) - facts_of(apply_edits(leaf.text, edits))
        if looks_like_prose(leaf.text):
            lost = frozenset(f for f in lost if f.startswith(_OF_PROSE))
        notes = [
            FactNote(at=shown_place(leaf.path, keys), type=members[0].finding.type, fact=f)
            for f in sorted(lost)
        ]
        found.lost += notes
        found.trigger_lost += notes


def compare_schemas(before: Trace, after: Trace, triggers: Triggers) -> Facts:
    """Check that the tools' schemas accept and refuse the same calls."""
    found = Facts()
    old, new = _validators(before), _validators(after)
    pairs = zip(before.events, after.events, strict=True)
    for left, right in pairs:
        if not (isinstance(left, ToolCall) and isinstance(right, ToolCall)) or left.tool not in old:
            continue
        if left.args is ABSENT or right.args is ABSENT:
            continue
        held = old[left.tool].is_valid(left.args)
        note = FactNote(
            at=f"{root_of(left)}.args",
            type="schema",
            fact="valid:schema" if held else "invalid:schema",
        )
        if new[left.tool].is_valid(right.args) is held:
            found.kept.append(note)
            continue
        found.lost.append(note)
        if triggers.covers((root_of(left), "args")):
            found.trigger_lost.append(note)
    return found


def _validators(trace: Trace) -> dict[str, jsonschema_rs.Validator]:
    found = {}
    for tool in trace.tools:
        if tool.schema is not None:
            try:
                found[tool.name] = jsonschema_rs.validator_for(tool.schema, validate_formats=True)
            except (ValueError, jsonschema_rs.ValidationError):
                continue  # no schema: nothing to compare
    return found


def unreviewed_places(
    survey: Survey,
    *,
    policy: Policy,
    kinds: dict[str, tuple[str, str | None]],
    survivors: Collection[str] | None,
    keys: dict[str, str],
) -> tuple[str, ...]:
    """Return where the surviving free texts are that nothing settled and no person has seen.

    A text is settled when findings cover all its letters and digits, or when a person has seen an equal
    one. Of equal texts the first place is named.
    """
    read = [glob for d in policy.decisions if d.decision is DecisionWord.SEEN for glob in d.globs()]
    known = {leaf.text for _, leaf in survey.leaves if matches_any(read, leaf.path, kinds)}
    seen = [glob for d in policy.decisions for glob in d.globs()]
    seen += [parse_glob(r.at) for r in policy.retain if r.by]
    kept = None if survivors is None else Survivors(survivors)
    by_leaf: dict[int, list[Spot]] = {}
    for spot in survey.spots:
        by_leaf.setdefault(id(spot.leaf), []).append(spot)
    open_texts: dict[str, str] = {}
    for _, leaf in survey.leaves:
        if leaf.is_key or leaf.is_number or not looks_like_prose(leaf.text):
            continue
        if leaf.text in known:
            continue
        kind, tool = kinds.get(str(leaf.path[0]), (None, None))
        if kept is not None and not kept.cover(leaf.path, kind=kind, tool=tool):
            continue
        if matches_any(seen, leaf.path, kinds) or _is_covered(leaf, by_leaf.get(id(leaf), [])):
            continue
        open_texts.setdefault(leaf.text, shown_place(leaf.path, keys))
    return tuple(open_texts.values())


def _is_covered(leaf: Leaf, spots: list[Spot]) -> bool:
    rest = apply_edits(leaf.text, [Edit(s.finding.start, s.finding.end, "") for s in spots])
    return not any(c.isalnum() for c in rest)


def needles_of(survey: Survey, assignment: Assignment) -> list[Needle]:
    """Return every value that is replaced in a document, with what stands for it."""
    found: dict[str, Needle] = {}
    values = {value.text: value for value in survey.values()}
    for spot in survey.spots:
        value = values.get(spot.text)
        text = spot.text.strip()
        if spot.stays is not None or text in found or value is None or spot.is_part:
            continue
        found[text] = Needle(
            text=text,
            exact_case=is_one_word(text, value.type),
            label=value.type,
            searched=is_searched(text, value.type),
            pseudonym=assignment.pseudonyms[spot.text].strip(),
            count=value.count,
            draws=assignment.draws.get(spot.text, ()),
            units=assignment.units.get(spot.text, ()),
        )
    return list(found.values())


def residue_notes(
    hits: Iterable[Hit],
    needles: Sequence[Needle],
    *,
    survey: Survey,
    texts: Sequence[str],
    keys: Mapping[str, str],
) -> tuple[str, ...]:
    """Say of each value that is still there where it was found, and where it is left.

    Args:
        hits: those that do not block are left out.
        needles: the hits' values.
        survey: of the document.
        texts: the new text of each of its slots.
        keys: replaced keys with their pseudonyms.
    """
    views: dict[int, list[str]] = {}
    for hit in hits:
        if hit.blocking:
            views.setdefault(hit.needle, []).append(hit.view)
    found_at = {spot.text.strip(): spot.leaf.path for spot in reversed(survey.spots)}
    cores = [fold_text(needles[number].text) for number in views]

    def shown(place: Place) -> str:
        steps = (_HIDDEN if _holds(str(step), cores) else step for step in place)
        return shown_place(tuple(steps), keys)

    notes = []
    for number, names in views.items():
        needle = needles[number]
        core = [fold_text(needle.text)]
        slots = zip(survey.slots, texts, strict=True)
        left = next((slot.place for slot, text in slots if _holds(text, core)), None)
        note = f"{needle.label} of {shown(found_at[needle.text])}"
        note += "" if left is None else f" stands at {shown(left)} too"
        notes.append(f"{note}, in view {', '.join(names)}")
    return tuple(notes)


def _holds(text: str, cores: Iterable[str]) -> bool:
    folded = fold_text(text)
    return any(core in folded for core in cores)


def find_residue(document: JsonMap, needles: list[Needle]) -> tuple[Hit, ...]:
    """Scan the redacted document for every replaced value."""
    return scan(json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass"), needles)

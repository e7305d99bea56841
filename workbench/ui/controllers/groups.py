"""Findings that are alike, so that a person takes them in and decides on them together.

Alike are values of one type in one part of what one tool (or the user, or the system) says: the
first names of all passengers, the lines of an address. Texts are alike if they are of one sort.
A group is small enough to be read whole, and what lost facts stands alone. Only what is safe is
done to a group: its values are accepted, its texts are seen; what stays raw is decided one by one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from workbench.redact.places import like_places, place_text
from workbench.ui.controllers.findings import detail_of, text_type

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.redact.desk import Context
    from workbench.redact.places import PlaceGlob
    from workbench.ui.controllers.diff import Lines
    from workbench.ui.controllers.findings import Finding

__all__ = ["MAX_MEMBERS", "Group", "groups_of", "raw_values", "shown_whole"]

MAX_MEMBERS: Final = 12
_MAX_CHARACTERS: Final = 4_000
"""Of all texts of a group: two pages."""
_SAMPLES: Final = 2
"""Contexts of a value, each at another sort of place: a field, and what was said about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Two or more findings that are alike."""

    name: str
    """`g` and the name of its first finding."""
    type: str
    """Of its values, or the sort of its texts."""
    where: str
    """Glob of the places that make them alike."""
    members: tuple[Finding, ...]

    @property
    def is_of_texts(self) -> bool:
        """Whether they are texts to be read, not values."""
        return self.members[0].cluster is None

    def left(self, names: Collection[str]) -> Group | None:
        """Return what of it is among some findings; None: fewer than two are."""
        members = tuple(member for member in self.members if member.name in names)
        return replace(self, members=members) if len(members) > 1 else None

    def row(self) -> JsonMap:
        """Return its line of the list; no raw value."""
        return {
            "name": self.name,
            "of": "text" if self.is_of_texts else "value",
            "type": self.type,
            "where": self.where,
            "members": [member.name for member in self.members],
        }


def groups_of(
    findings: Sequence[Finding], kinds: Mapping[str, tuple[str, str | None]]
) -> tuple[Group, ...]:
    """Return the groups of what reaches the case, in the order of their first findings.

    Args:
        findings: decided or not, so that groups stay as they are while people decide.
        kinds: root of a place -> kind of its event and its tool.
    """
    alike: dict[tuple[bool, str, str], list[Finding]] = {}
    for finding in findings:
        if _may_join(finding):
            key = finding.cluster is None, _type(finding), _where(finding, kinds)
            alike.setdefault(key, []).append(finding)
    order = {finding.name: nth for nth, finding in enumerate(findings)}
    found = [
        Group(name=f"g{members[0].name}", type=kind, where=where, members=members)
        for (_, kind, where), same in alike.items()
        for members in _portions(same)
        if len(members) > 1
    ]
    return tuple(sorted(found, key=lambda group: order[group.members[0].name]))


def shown_whole(
    member: Finding, lines: Lines, kinds: Mapping[str, tuple[str, str | None]]
) -> JsonMap:
    """Return what is shown of a member: a text in full, a value once at each sort of place."""
    if member.cluster is None:
        return detail_of(member, lines, 0)
    samples = _samples(member, kinds)
    return {
        "hunks": lines.hunks(samples),
        "of": len(member.cluster.contexts),
        "more": len(member.cluster.contexts) - len(samples),
    }


def raw_values(member: Finding, kinds: Mapping[str, tuple[str, str | None]]) -> list[Json]:
    """Return a member's value at each place that is shown."""
    return [context.value for context in _samples(member, kinds)]


def _may_join(finding: Finding) -> bool:
    if finding.cluster is None:
        return _length(finding) <= _MAX_CHARACTERS
    now = finding.now or finding.cluster
    return finding.cluster.surviving and not finding.stays and not now.facts_lost


def _type(finding: Finding) -> str:
    return text_type(finding) if finding.cluster is None else finding.cluster.type


def _where(finding: Finding, kinds: Mapping[str, tuple[str, str | None]]) -> str:
    """Return the object in which a finding is a field first; of what only texts hold: the texts."""
    likes = [like_places(at, kinds) for at in finding.places]
    like = next(filter(_is_field, likes), likes[0])
    text = place_text(like.steps[:-1] if _is_field(like) else like.steps)
    return text if like.subject is None else f"{like.subject}:{text}"


def _is_field(like: PlaceGlob) -> bool:
    """Whether a place is a field of an object, not a text of an event or an item of a list."""
    return len(like.steps) > 1 and like.steps[-1] != "*"


def _portions(findings: Iterable[Finding]) -> Iterator[tuple[Finding, ...]]:
    """Cut findings into portions that a person can take in."""
    portion: list[Finding] = []
    characters = 0
    for finding in findings:
        characters += _length(finding)
        if portion and (len(portion) == MAX_MEMBERS or characters > _MAX_CHARACTERS):
            yield tuple(portion)
            portion, characters = [], _length(finding)
        portion.append(finding)
    yield tuple(portion)


def _length(finding: Finding) -> int:
    return sum(len(text.text) for text in finding.texts)


def _samples(member: Finding, kinds: Mapping[str, tuple[str, str | None]]) -> tuple[Context, ...]:
    assert member.cluster is not None  # noqa: S101  texts are shown in full
    first: dict[str, Context] = {}
    for context in member.cluster.contexts:
        first.setdefault(like_places(context.at, kinds).text, context)
    return tuple(islice(first.values(), _SAMPLES))

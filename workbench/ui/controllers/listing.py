"""What one look at a draft found, as people see it: findings, groups of them, and each in detail.

Raw values are masked in everything that is returned, but for `raw` ones, which are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.errors import InputError, RefusedError
from workbench.redact.redaction import require_safe
from workbench.ui.controllers.diff import Lines
from workbench.ui.controllers.findings import (
    detail_of,
    findings_of,
    is_open,
    progress_in_words,
    progress_of,
    row_of,
)
from workbench.ui.controllers.groups import groups_of, shown_whole
from workbench.ui.controllers.redaction_log import is_about

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.redact.desk import Look
    from workbench.store.records import Decision as Entry
    from workbench.ui.controllers.decided import Taken
    from workbench.ui.controllers.findings import Finding
    from workbench.ui.controllers.groups import Group

__all__ = ["Listing", "listing_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The list of one look."""

    base: Look
    """By the policy alone; it gives the list its order and its names."""
    now: Look
    """With all decisions."""
    findings: tuple[Finding, ...]
    """Everything to decide on; what reaches the case first."""
    alike: tuple[Group, ...]
    """All groups, with what is decided already."""
    kinds: Mapping[str, tuple[str, str | None]]
    """Root of a place -> kind of its event and its tool."""
    lines: Lines = field(repr=False)

    def finding(self, name: str) -> Finding:
        """Return a finding.

        Raises:
            InputError: there is none of that name.
        """
        for finding in self.findings:
            if finding.name == name:
                return finding
        raise InputError("is no finding of this list", key=name[:12], fix="choose one of the list")

    def group(self, name: str, decided: Taken) -> Group:
        """Return what is left of a group.

        Raises:
            InputError: there is none of that name, or fewer than two of it are left.
        """
        for group in self.groups(decided):
            if group.name == name:
                return group
        raise InputError("is no group of this list", key=name[:12], fix="choose one of the list")

    def groups(self, decided: Taken) -> tuple[Group, ...]:
        """Return what is alike and not decided yet, two or more findings each."""
        still_open = {finding.name for finding in self.findings if is_open(finding, decided)}
        left = (group.left(still_open) for group in self.alike)
        return tuple(group for group in left if group is not None)

    def about(self, entries: Sequence[Entry], decided: Taken) -> str | None:
        """Return the finding that decisions were about; of several the group, if it is open."""
        names = {f.name for f in self.findings if any(is_about(entry, f) for entry in entries)}
        groups = self.groups(decided) if len(entries) > 1 else ()
        for group in groups:
            if not names.isdisjoint(member.name for member in group.members):
                return group.name
        return next((f.name for f in self.findings if f.name in names), None)

    def rows(self, decided: Taken) -> list[Json]:
        """Return a line for each finding; no raw value."""
        return [row_of(finding, decided) for finding in self.findings]

    def detail(self, finding: Finding, decided: Taken, start: int) -> JsonMap:
        """Return what is shown of one finding."""
        return {**row_of(finding, decided), **detail_of(finding, self.lines, start)}

    def group_detail(self, group: Group, decided: Taken) -> JsonMap:
        """Return what is shown of a group: each of its members."""
        shown: list[Json] = [
            {**row_of(member, decided), **shown_whole(member, self.lines, self.kinds)}
            for member in group.members
        ]
        return {**group.row(), "kind": "group", "shown": shown}

    def figures(self, decided: Taken) -> JsonMap:
        """Return how far the decisions are, and what they come to."""
        found = self.base.redaction
        return {
            **progress_of(self.findings, decided),
            "surviving": found.surviving,
            "values": found.values,
            "unreviewed": self.now.redaction.unreviewed,
            "refusals": _refusals(self.now),
        }

    def in_words(self, decided: Taken) -> str:
        """Say how many findings are decided, as the view says it."""
        return progress_in_words(self.findings, decided)


def listing_of(base: Look, now: Look, kinds: Mapping[str, tuple[str, str | None]]) -> Listing:
    """Return the list of a look; see `Listing`."""
    findings = findings_of(base, now)
    return Listing(
        base=base,
        now=now,
        findings=findings,
        alike=groups_of(findings, kinds),
        kinds=kinds,
        lines=Lines(now),
    )


def _refusals(now: Look) -> list[Json]:
    """Return why the redaction could not be written as it is."""
    try:
        require_safe(now.redaction)
    except RefusedError as error:
        return [*error.reasons]
    return []

"""Which run a record of a grouped format belongs to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from workbench.ingest.records.format import Format
    from workbench.model.jsonvalue import Json

__all__ = ["RunKey", "RunKeys"]

RunKey: TypeAlias = tuple[str, str]
"""Name of the format, and the key of the run in it."""


@dataclass(slots=True)
class RunKeys:
    """Says of each record which run it belongs to; asked in the order of the file."""

    first: dict[str, str] = field(default_factory=dict)
    """Format -> key of the first record that has one; records before it go there."""
    _current: dict[str, str] = field(default_factory=dict)
    _joined: dict[RunKey, RunKey] = field(default_factory=dict)
    """Key -> another key of the same run, which came earlier."""

    def again(self) -> RunKeys:
        """Return what was learned of the file, for another reading from its start."""
        return RunKeys(first=self.first, _joined=self._joined)

    def of(self, entry: Format, record: Json) -> RunKey | None:
        """Return the run of a record; None: no record so far had a key."""
        assert entry.run_of is not None  # noqa: S101  only grouped formats are asked
        found = entry.run_of(record)
        if found is None:
            key = self._current.get(entry.name, self.first.get(entry.name))
            return None if key is None else self.root((entry.name, key))
        keys = (found,) if isinstance(found, str) else found
        for other in keys[1:]:
            self._join((entry.name, keys[0]), (entry.name, other))
        self._current[entry.name] = keys[0]
        return self.root((entry.name, keys[0]))

    def root(self, run: RunKey) -> RunKey:
        """Return the one key that stands for all keys of a run."""
        way = []
        while run in self._joined:
            way.append(run)
            run = self._joined[run]
        self._joined.update(dict.fromkeys(way, run))
        return run

    def _join(self, one: RunKey, other: RunKey) -> None:
        first, second = self.root(one), self.root(other)
        if first != second:
            self._joined[second] = first

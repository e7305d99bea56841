"""Which run a record of a grouped format belongs to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from workbench.ingest.format import Format
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

    def of(self, entry: Format, record: Json) -> RunKey | None:
        """Return the run of a record; None: no record so far had a key."""
        assert entry.run_of is not None  # noqa: S101  only grouped formats are asked
        key = entry.run_of(record)
        if key is None:
            key = self._current.get(entry.name, self.first.get(entry.name))
            return None if key is None else (entry.name, key)
        self._current[entry.name] = key
        return entry.name, key

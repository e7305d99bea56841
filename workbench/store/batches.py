"""What the log says of batches: the order in which they came, and which records came late.

Records of a run that is there already are stored alone, as event rows without a row of the run,
so that a run in a thousand batches is not stored a thousand times. They wait until the run is
stored once more as a whole, made of all of them; the entry of that batch names the run and the
version of the log that its writer had read. What others committed after that version waits on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.store.log import read_entry

if TYPE_CHECKING:
    from workbench.store.delta import DeltaFolder
    from workbench.store.log import Entry

__all__ = ["BatchLog", "LateRecords", "late_in"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LateRecords:
    """Records of a run that is stored already."""

    run_id: str
    raw: bytes
    """Their exact bytes, not empty."""


@dataclass(slots=True)
class BatchLog:
    """Follows the log of the traces."""

    version_by_batch: dict[str, int] = field(default_factory=dict)
    _up_to: int = -1
    _late: dict[str, dict[str, int]] = field(default_factory=dict)
    """Run id -> batches of its waiting records -> their versions, in their order."""

    def follow(self, table: DeltaFolder) -> None:
        """Read the entries that are new."""
        for version in range(self._up_to + 1, table.version + 1):
            entry = read_entry(table.path, version)
            wb = entry.wb
            if wb is None or "batch_id" not in wb:
                continue
            batch_id = str(wb["batch_id"])
            self.version_by_batch[batch_id] = version
            for run_id, _ in sorted(late_in(entry)):
                self._late.setdefault(run_id, {})[batch_id] = version
            read = wb.get("read")
            for run_id in _names(wb.get("joined")):
                self._join(run_id, read if isinstance(read, int) else version)
        self._up_to = table.version

    def _join(self, run_id: str, read: int) -> None:
        """Let go of what came up to a version."""
        rest = {batch: at for batch, at in self._late.pop(run_id, {}).items() if at > read}
        if rest:
            self._late[run_id] = rest

    @property
    def waiting(self) -> frozenset[str]:
        """Runs, as their column holds the ids, with records that wait."""
        return frozenset(self._late)

    def late_of(self, run_id: str) -> tuple[str, ...]:
        """Return the batches of a run's waiting records, in their order."""
        return tuple(self._late.get(run_id, ()))


def late_in(entry: Entry) -> set[tuple[str, str]]:
    """Return run id and batch of the late records that an entry adds."""
    wb = entry.wb or {}
    return {(run_id, str(wb.get("batch_id"))) for run_id in _names(wb.get("late"))}


def _names(value: object) -> list[str]:
    return [str(name) for name in value] if isinstance(value, list) else []

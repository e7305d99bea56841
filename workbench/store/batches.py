"""What the log says of batches: the order in which they came, and which records came late.

Records of a run that is there already are stored alone, as event rows without a row of the run,
so that a run in a thousand batches is not stored a thousand times. They wait until the run is
stored once more as a whole; the entry of that batch names the run and the batches whose records
it holds. What the run was not made of waits on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.store.log import read_entry

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from workbench.model.jsonvalue import JsonMap
    from workbench.store.delta import DeltaFolder
    from workbench.store.log import Entry

__all__ = ["BatchLog", "Kept", "LateRecords", "late_in"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LateRecords:
    """Records of a run that is stored already."""

    run_id: str
    raw: bytes
    """Their exact bytes, not empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What is stored of a run."""

    whole: bytes
    """The exact bytes of its latest version."""
    late: dict[str, bytes]
    """The exact bytes that wait to be joined to it, by batch, in their order."""

    @property
    def parts(self) -> tuple[bytes, ...]:
        """All of them, in their order."""
        return (self.whole, *self.late.values())


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
            for run_id, batches in _joined(wb, self._late):
                self._join(run_id, batches)
        self._up_to = table.version

    def _join(self, run_id: str, batches: Collection[str]) -> None:
        """Let go of what a run was made of."""
        rest = {name: at for name, at in self._late.pop(run_id, {}).items() if name not in batches}
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


def _joined(
    wb: JsonMap, late: Mapping[str, Mapping[str, int]]
) -> Iterator[tuple[str, Collection[str]]]:
    """Yield the runs that an entry says were put together, with the batches they are made of.

    Entries used to name the runs, and the newest version of the log that their writer had read.
    """
    joined, read = wb.get("joined"), wb.get("read")
    if isinstance(joined, dict):
        for run_id, batches in joined.items():
            yield run_id, _names(batches)
    elif isinstance(read, int):
        for run_id in _names(joined):
            yield run_id, [name for name, at in late.get(run_id, {}).items() if at <= read]


def _names(value: object) -> list[str]:
    return [str(name) for name in value] if isinstance(value, list) else []

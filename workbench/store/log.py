"""The log of a Delta table, entry by entry, as it lies on the disk.

Every entry that we write carries `wb` in its commitInfo: what it is, the batch, the sha256 of
each file it adds, and `prev`, the sha256 of the entry before it. Entries are read here without
the engine, because the engine trusts checkpoints.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import JsonMap

__all__ = ["LOG_FOLDER", "Entry", "Head", "entry_path", "newest_version", "read_entry"]

LOG_FOLDER: Final = "_delta_log"

_NAME_LENGTH: Final = len("00000000000000000000.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The newest entry of the log: who keeps it elsewhere can tell a cut or rewritten log."""

    version: int
    digest: str
    """sha256 of the entry's bytes, hex."""

    def __str__(self) -> str:
        return f"{self.version}-{self.digest}"

    @classmethod
    def parse(cls, text: str) -> Head:
        """Read what `str` wrote.

        Raises:
            ValueError: if it did not.
        """
        version, _, digest = text.partition("-")
        return cls(version=int(version), digest=digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One log entry."""

    version: int
    digest: str
    """sha256 of its bytes, hex."""
    problem: str | None = None
    """Why it cannot be read; the rest is empty then."""
    operation: str | None = None
    wb: JsonMap | None = None
    """What we wrote into it; None: another tool made the commit."""
    adds: tuple[JsonMap, ...] = ()
    removes: tuple[JsonMap, ...] = ()
    metadata: tuple[JsonMap, ...] = ()
    protocols: int = 0

    @property
    def kind(self) -> str | None:
        """`create`, `append`, ...; None: not ours."""
        return None if self.wb is None else str(self.wb.get("kind"))

    @property
    def prev(self) -> object:
        """What it says the entry before it is."""
        return None if self.wb is None else self.wb.get("prev")

    @property
    def files(self) -> dict[str, str]:
        """Digest by path of what it adds."""
        found = None if self.wb is None else self.wb.get("files")
        return {path: str(digest) for path, digest in (found or {}).items()}  # type: ignore[union-attr]


@dataclass(slots=True)
class _Actions:
    operation: str | None = None
    wb: JsonMap | None = None
    adds: list[JsonMap] = field(default_factory=list)
    removes: list[JsonMap] = field(default_factory=list)
    metadata: list[JsonMap] = field(default_factory=list)
    protocols: int = 0

    def take(self, name: str, body: JsonMap) -> None:
        match name:
            case "commitInfo":
                self.operation = str(body.get("operation"))
                self.wb = _own(body.get("wb"))
            case "add":
                self.adds.append(body)
            case "remove":
                self.removes.append(body)
            case "metaData":
                self.metadata.append(body)
            case "protocol":
                self.protocols += 1
            case _:
                pass  # txn and domain metadata change no row


def entry_path(table: Path, version: int) -> Path:
    """Return where an entry lies."""
    return table / LOG_FOLDER / f"{version:020d}.json"


def newest_version(table: Path) -> int:
    """Return the number of the newest entry on the disk; -1: there is none."""
    folder = table / LOG_FOLDER
    if not folder.is_dir():
        return -1
    names = [path.stem for path in folder.glob("*.json") if len(path.name) == _NAME_LENGTH]
    return max((int(name) for name in names if name.isdecimal()), default=-1)


def read_entry(table: Path, version: int) -> Entry:
    """Read an entry; a damaged one comes back with its `problem`.

    Raises:
        FileNotFoundError: if there is none.
    """
    data = entry_path(table, version).read_bytes()
    digest = sha256(data).hexdigest()
    if not data.strip():
        return Entry(version=version, digest=digest, problem="is empty")
    found = _Actions()
    try:
        for line in data.splitlines():
            for name, body in json.loads(line).items():
                found.take(name, body)
    except (ValueError, AttributeError, RecursionError):
        return Entry(version=version, digest=digest, problem="is torn or no JSON")
    return Entry(
        version=version,
        digest=digest,
        operation=found.operation,
        wb=found.wb,
        adds=tuple(found.adds),
        removes=tuple(found.removes),
        metadata=tuple(found.metadata),
        protocols=found.protocols,
    )


def _own(text: object) -> JsonMap | None:
    if not isinstance(text, str):
        return None
    value: Any = json.loads(text)
    return value if isinstance(value, dict) else None

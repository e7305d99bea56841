"""Ways to do harm to a store behind its back."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from workbench.store.log import entry_path, newest_version, read_entry

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["edit_entry", "flip_byte", "forge_part", "only_part", "with_column"]


def only_part(table: Path, record: str, *, nth: int = 0) -> Path:
    """Return the part file of the `nth` commit that holds this kind of row."""
    paths = read_entry(table, nth + 1).files
    (found,) = (path for path in paths if path.startswith(f"record={record}/"))
    return table / found


def flip_byte(path: Path) -> None:
    """Change one byte in the middle; the size stays."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def edit_entry(
    table: Path, version: int, change: Callable[[str, dict[str, Any]], None], *, rechain: bool
) -> None:
    """Change the actions of a log entry in place.

    Args:
        table: the table's folder.
        version: of the entry.
        change: gets name and body of each action; `wb` of commitInfo is unpacked.
        rechain: also compute `prev` anew in every later entry, as an insider would.
    """
    _rewrite(table, version, change)
    for later in range(version + 1, newest_version(table) + 1) if rechain else ():
        prev = sha256(entry_path(table, later - 1).read_bytes()).hexdigest()
        _rewrite(table, later, lambda _, body, prev=prev: _set_prev(body, prev))  # type: ignore[misc]


def _set_prev(body: dict[str, Any], prev: str) -> None:
    if "wb" in body:
        body["wb"]["prev"] = prev


def _rewrite(table: Path, version: int, change: Callable[[str, dict[str, Any]], None]) -> None:
    path = entry_path(table, version)
    lines = []
    for line in path.read_bytes().splitlines():
        ((name, body),) = json.loads(line).items()
        if "wb" in body:
            body["wb"] = json.loads(body["wb"])
        change(name, body)
        if "wb" in body:
            body["wb"] = json.dumps(body["wb"])
        lines.append(json.dumps({name: body}))
    path.write_text("\n".join(lines))


def forge_part(table: Path, part: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    """Rewrite the rows of a part and everything in the log that would tell."""
    rows = pq.ParquetFile(part).read()
    pq.write_table(change(rows), part)
    name = part.relative_to(table).as_posix()
    size, digest = part.stat().st_size, sha256(part.read_bytes()).hexdigest()

    def adjust(action: str, body: dict[str, Any]) -> None:
        if action == "add" and body["path"] == name:
            body["size"] = size
        if name in body.get("wb", {}).get("files", {}):
            body["wb"]["files"][name] = digest

    for version in range(1, newest_version(table) + 1):
        edit_entry(table, version, adjust, rechain=True)


def with_column(name: str, values: list[Any]) -> Callable[[pa.Table], pa.Table]:
    """Return a change that puts other values into a column."""

    def change(rows: pa.Table) -> pa.Table:
        at = rows.schema.get_field_index(name)
        entry = rows.schema.field(at)
        return rows.set_column(at, entry, pa.array(values, entry.type))

    return change

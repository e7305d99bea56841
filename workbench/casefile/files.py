"""Reading and writing our documents: size first, whole files only, errors that name the file."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from workbench.casefile.codec import Place, describe
from workbench.casefile.strict_json import load_json
from workbench.casefile.strict_yaml import load_yaml
from workbench.errors import CaseFormatError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["as_document", "load_mapping", "read_bytes", "shown_path", "write_new", "write_private"]

MAX_JSON_BYTES: Final = 1 << 30


def shown_path(path: Path) -> str:
    """Return a path for messages: relative to the working folder, else its name alone."""
    try:
        return path.absolute().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.name


def as_document(source: Mapping[str, Json], *, name: str) -> tuple[JsonMap, Place]:
    """Return a mapping that a caller built as plain JSON of our own, with its place.

    Raises:
        CaseFormatError: JSON cannot say it.
    """
    try:
        value = json.loads(json.dumps(dict(source), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise CaseFormatError(
            f"is no plain JSON ({type(error).__name__})",
            place=name,
            fix="use mappings, lists, texts, finite numbers, true, false and None",
        ) from None
    return cast("JsonMap", value), Place(name=name)


def read_bytes(path: Path, *, limit: int = MAX_JSON_BYTES) -> bytes:
    """Return a file's bytes.

    Raises:
        CaseFormatError: it cannot be read, or is larger than `limit` bytes.
    """
    name = shown_path(path)
    try:
        size = path.stat().st_size
        if size > limit:
            raise CaseFormatError(
                f"is {size} bytes long; expected at most {limit}",
                place=name,
                fix="check that it is the file you mean",
            )
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise CaseFormatError(
            f"cannot be read: {reason.lower()}", place=name, fix="check the path"
        ) from None


def load_mapping(path: Path) -> tuple[JsonMap, Place]:
    """Read a document that is a mapping: JSON by its suffix, else YAML.

    Raises:
        CaseFormatError: unreadable, outside the strict subset, or no mapping.
    """
    data = read_bytes(path)
    load = load_json if path.suffix == ".json" else load_yaml
    value, place = load(data, name=shown_path(path))
    if not isinstance(value, dict):
        raise place.error(
            "", f"is {describe(value)}; expected a mapping", fix="check that it is the right file"
        )
    return value, place


def write_new(path: Path, text: str) -> None:
    """Write a new file, all of it or nothing.

    Raises:
        CaseFormatError: the file exists, or cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = _written(path, text.encode("utf-8"), mode=0o644)
        try:
            os.link(temporary, path)
        finally:
            temporary.unlink()
    except OSError as error:
        if path.exists():
            raise CaseFormatError(
                "exists already; a new file was expected",
                place=shown_path(path),
                fix="choose another name, or delete the old file",
            ) from None
        raise _unwritable(path, error) from None


def write_private(path: Path, document: JsonMap) -> None:
    """Write or replace a JSON file that only its owner may read, all of it or nothing.

    Raises:
        CaseFormatError: it cannot be written.
    """
    text = json.dumps(document, allow_nan=False, indent=1)
    try:
        _written(path, f"{text}\n".encode(), mode=0o600).replace(path)
    except OSError as error:
        raise _unwritable(path, error) from None


def _written(path: Path, data: bytes, *, mode: int) -> Path:
    """Write bytes beside `path` and return where."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
    except OSError:
        Path(name).unlink()
        raise
    return Path(name)


def _unwritable(path: Path, error: OSError) -> CaseFormatError:
    reason = error.strerror or type(error).__name__
    return CaseFormatError(
        f"cannot be written: {reason.lower()}", place=shown_path(path), fix="check the folder"
    )

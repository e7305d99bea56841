"""Reading and writing our documents: size first, whole files only, errors that name the file."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from workbench.casefile.place import Place, describe
from workbench.casefile.strict_json import load_json
from workbench.casefile.strict_yaml import load_yaml
from workbench.errors import CaseFormatError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workbench.model.jsonvalue import Json, JsonMap

__all__ = [
    "append_text",
    "as_document",
    "load_mapping",
    "read_bytes",
    "require_file",
    "require_room",
    "require_target",
    "shown_path",
    "write_new",
    "write_over",
    "write_private",
]

MAX_JSON_BYTES: Final = 1 << 30


def shown_path(path: Path) -> str:
    """Return a path for messages: relative to the working folder, else its name alone."""
    if not path.is_absolute():
        return path.as_posix()
    here = Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else path.name


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


def read_bytes(path: Path, *, limit: int = MAX_JSON_BYTES, name: str | None = None) -> bytes:
    """Return a file's bytes.

    Args:
        path: the file.
        limit: bytes that it may have.
        name: for errors, when the caller knows it.

    Raises:
        CaseFormatError: it cannot be read, or is larger than `limit` bytes.
    """
    name = name or shown_path(path)
    try:
        size = require_file(path, name).st_size
        if size > limit:
            raise CaseFormatError(
                f"is {size} bytes long; expected at most {limit}",
                place=name,
                fix="check that it is the file you mean",
            )
        return path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: no path at all
        raise CaseFormatError(
            f"cannot be read: {_reason(error)}", place=name, fix="check the path"
        ) from None


def _reason(error: OSError | ValueError) -> str:
    return (getattr(error, "strerror", None) or type(error).__name__).lower()


def require_file(path: Path, name: str) -> os.stat_result:
    """Refuse what is there but is no file; return what the system says of the file.

    A pipe has no end while somebody holds it and is empty when it is read again; a device may
    have no end at all.

    Raises:
        OSError: nothing is there.
        CaseFormatError: it is something else.
    """
    found = path.stat()
    what = _kind(found)
    if what == "a folder":
        raise CaseFormatError("is a folder; expected a file", place=name, fix="give its files")
    if what is not None:
        raise CaseFormatError(
            f"is {what}; expected a file", place=name, fix="write its content into a file first"
        )
    return found


def _kind(found: os.stat_result) -> str | None:
    """Return what stands at a path when that is no file."""
    mode = found.st_mode
    if stat.S_ISREG(mode):
        return None
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a pipe" if stat.S_ISFIFO(mode) else "a device or socket"


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
    _replace(path, f"{text}\n", mode=0o600)


def write_over(path: Path, text: str) -> None:
    """Write or replace a file, all of it or nothing; missing folders are made.

    Raises:
        CaseFormatError: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from None
    _replace(path, text, mode=0o644)


def append_text(path: Path, text: str) -> None:
    """Append to a file that others write as well, e.g. the summary of a CI step.

    Raises:
        CaseFormatError: it cannot be written.
    """
    _refuse_other(path)
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise _unwritable(path, error) from None


def _replace(path: Path, text: str, *, mode: int) -> None:
    _refuse_other(path)
    try:
        _written(path, text.encode(), mode=mode).replace(path)
    except OSError as error:
        raise _unwritable(path, error) from None


def _refuse_other(path: Path) -> None:
    """Refuse to put a file where a folder or a device is: /dev/null must stay what it is."""
    what = _kind(path.stat()) if path.exists() else None
    if what is not None:
        raise CaseFormatError(
            f"cannot be written: is {what}", place=shown_path(path), fix="name a file"
        )


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


def require_target(path: Path) -> None:
    """Refuse a file that cannot be written, before the work whose result goes into it.

    Raises:
        CaseFormatError: its folder is not there or takes no file, or the path is a folder.
    """
    _refuse_other(path)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise _unwritable(path, error) from None
    os.close(handle)
    Path(name).unlink()


def require_room(folder: Path) -> None:
    """Refuse a folder that takes no file, before the work whose result goes into it.

    Args:
        folder: missing ones are made only when the result is written.

    Raises:
        CaseFormatError: it is a file, or it, or what it would be made in, takes no file.
    """
    there = next(path for path in (folder, *folder.absolute().parents) if os.path.lexists(path))
    try:
        handle, name = tempfile.mkstemp(dir=there, prefix=".room.")
    except OSError as error:
        raise _unwritable(there, error) from None
    os.close(handle)
    Path(name).unlink()


def _unwritable(path: Path, error: OSError) -> CaseFormatError:
    folder = shown_path(path.parent)
    fix = "check the path, the disk and the rights of its folder"
    return CaseFormatError(
        f"cannot be written: {_reason(error)}",
        place=shown_path(path),
        fix=fix if path.parent.is_dir() else f"make the folder {folder} first",
    )

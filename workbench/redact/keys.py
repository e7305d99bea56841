"""Keys of drafts: 32 random bytes each, outside the repository and the store.

A key lies in `$WORKBENCH_KEYS`, else in `~/.local/share/incident-workbench/keys`, in a file named after its
draft that only its owner can read. Forgetting a key is for good: no further path can be accepted under the same pseudonyms.
"""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from workbench.errors import InputError

__all__ = [
    "KEPT_ELSEWHERE",
    "KEY_BYTES",
    "forget_key",
    "keep_key",
    "key_folder",
    "load_key",
    "new_key",
    "read_key_file",
    "shown_folder",
]

KEY_BYTES: Final = 32
_READABLE: Final = "check your rights in the folder of keys, or set WORKBENCH_KEYS to another one"
KEPT_ELSEWHERE: Final = (
    "type the command where the run was redacted, since [folders] keys in the workbench.toml there "
    "names the folder, or set WORKBENCH_KEYS to it"
)
"""What to do when a key or values were kept in another folder than the one looked in."""
_DRAFT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")


def key_folder() -> Path:
    """Return the folder of all keys; it need not exist."""
    given = os.environ.get("WORKBENCH_KEYS")
    if given:
        return Path(given)
    return Path.home() / ".local" / "share" / "incident-workbench" / "keys"


def shown_folder(folder: Path | None) -> str:
    """Return the folder that was looked in for an error, from the home folder on."""
    there = (folder or key_folder()).absolute()
    try:
        return f"~/{there.relative_to(Path.home())}"
    except (ValueError, RuntimeError):  # elsewhere, or there is no home
        return str(there)


def _path(draft: str, folder: Path | None) -> Path:
    if not _DRAFT.fullmatch(draft):
        raise InputError(
            f"is {len(draft)} characters that are no draft id",
            key="draft",
            fix="use an id like d-5b1e07",
        )
    return (folder or key_folder()) / draft


def new_key(draft: str, *, folder: Path | None = None) -> bytes:
    """Make, save and return the key of a new draft.

    Args:
        draft: its id.
        folder: of the keys; None: see `key_folder`.

    Raises:
        InputError: the draft has a key already, or the folder cannot be written.
    """
    key = secrets.token_bytes(KEY_BYTES)
    keep_key(draft, key, folder=folder)
    return key


def keep_key(draft: str, key: bytes, *, folder: Path | None = None) -> None:
    """Save a key as that of a new draft.

    Raises:
        InputError: the draft has a key already, or the folder cannot be written.
    """
    path = _path(draft, folder)
    _make_folder(path.parent)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(key)
    except FileExistsError:
        raise InputError(
            f"draft {draft} has a key already", fix="load it, or use a new id"
        ) from None
    except OSError as error:
        raise _unwritable(error) from error


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(error) from error


def _unwritable(error: OSError) -> InputError:
    return InputError(
        f"the folder of keys cannot be written: {(error.strerror or 'no reason given').lower()}",
        fix="set WORKBENCH_KEYS to a folder of yours",
    )


def load_key(draft: str, *, folder: Path | None = None) -> bytes:
    """Return the key of a draft.

    Raises:
        InputError: there is none, it was forgotten, or the file is no key.
    """
    path = _path(draft, folder)
    try:
        return _checked(path.read_bytes(), f"the key of draft {draft}")
    except FileNotFoundError:
        raise InputError(
            f"draft {draft} has no key in {shown_folder(folder)}; it was forgotten, or made elsewhere",
            fix=f"{KEPT_ELSEWHERE}; or give --key-file; or start a new draft from the run",
        ) from None
    except OSError as error:
        raise InputError(
            f"the key of draft {draft} cannot be read: {error.strerror}", fix=_READABLE
        ) from error


def read_key_file(path: Path) -> bytes:
    """Return the key in a file: 32 bytes, or 64 hex digits.

    Raises:
        InputError: the file cannot be read or is no key.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"the key file cannot be read: {error.strerror}",
            place=path.name,
            fix="check the path and your rights",
        ) from error
    text = data.strip()
    if len(text) == 2 * KEY_BYTES:
        with suppress(ValueError):
            data = bytes.fromhex(text.decode("ascii", "replace"))
    return _checked(data, "the key file")


def _checked(data: bytes, what: str) -> bytes:
    if len(data) != KEY_BYTES:
        raise InputError(
            f"{what} has {len(data)} bytes; expected {KEY_BYTES}, or {2 * KEY_BYTES} hex digits",
            fix=f"make one with: head -c {KEY_BYTES} /dev/urandom > FILE",
        )
    return data


def forget_key(draft: str, *, folder: Path | None = None) -> None:
    """Overwrite and delete the key of a draft, for good.

    Raises:
        InputError: there is none.
    """
    path = _path(draft, folder)
    try:
        with path.open("r+b") as file:
            file.write(bytes(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        path.unlink()
    except FileNotFoundError:
        raise InputError(
            f"draft {draft} has no key in {shown_folder(folder)}",
            fix="if it was made elsewhere, forget it there; else nothing is left to forget",
        ) from None
    except OSError as error:
        raise InputError(
            f"the key of draft {draft} cannot be deleted: {error.strerror}", fix=_READABLE
        ) from error

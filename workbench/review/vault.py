"""The values that a draft's redaction replaced, kept beside its key for the last look.

Whoever exports a draft later must still be able to search the final bytes for them, also in a
title or a reason that a person typed. They lie where the key lies: on this machine, readable by
their owner alone, and they are forgotten with the key.
"""

from __future__ import annotations

import json
import os
import re
from hashlib import sha256
from typing import TYPE_CHECKING

from workbench.casefile.codec import decode, encode
from workbench.casefile.files import write_private
from workbench.casefile.place import Place, describe
from workbench.errors import CaseFormatError, InputError
from workbench.redact.keys import (
    KEPT_ELSEWHERE,
    forget_key,
    keep_key,
    key_folder,
    load_key,
    new_key,
    shown_folder,
)
from workbench.redact.residue import Needle

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["Vault"]

_SHARED = "shared-by-cases"
"""What the key is kept as that drafts share when their policies ask for it."""
_SUFFIX = ".values"
_WRITTEN = ".written"
_DRAFT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")


class Vault:
    """Keys and replaced values of drafts, in one folder."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or key_folder()

    def key(self, draft: str) -> bytes:
        """Return the key of a draft, a new one if it has none.

        Raises:
            InputError: the folder cannot be read or written.
        """
        if (self._folder / draft).exists():
            return load_key(draft, folder=self._folder)
        return new_key(draft, folder=self._folder)

    def shared_key(self, draft: str) -> bytes:
        """Return the key that cases share, and make it that of a draft.

        Raises:
            InputError: the draft has another key, or the folder cannot be read or written.
        """
        key = self.key(_SHARED)
        if not (self._folder / draft).exists():
            keep_key(draft, key, folder=self._folder)
        elif load_key(draft, folder=self._folder) != key:
            message = f"draft {draft} has a key of its own, and its policy shares one"
            fix = f"workbench redact {draft}.json --forget-key, and redact again; or drop the line"
            raise InputError(message, key="share_across_cases", fix=fix)
        return key

    def is_shared(self, draft: str) -> bool:
        """Whether a draft's key is the one that cases share."""
        paths = [self._folder / name for name in (draft, _SHARED)]
        return all(path.is_file() for path in paths) and (
            load_key(draft, folder=self._folder) == load_key(_SHARED, folder=self._folder)
        )

    def shared_needles(self) -> tuple[Needle, ...]:
        """Return what was replaced in the cases that share a key; empty: there are none yet.

        Raises:
            InputError: it cannot be read.
        """
        return self.needles(_SHARED) if self._path(_SHARED).is_file() else ()

    def keep_shared(self, needles: Iterable[Needle]) -> None:
        """Keep what a draft replaced for the cases that share its key; what is known stays as it is."""
        known = self.shared_needles()
        seen = {needle.text for needle in known}
        self.keep(_SHARED, (*known, *(needle for needle in needles if needle.text not in seen)))

    def known_key(self, draft: str) -> bytes:
        """Return the key of a draft.

        Raises:
            InputError: it has none, or it was forgotten.
        """
        return load_key(draft, folder=self._folder)

    def keep(self, draft: str, needles: Iterable[Needle]) -> None:
        """Keep what a draft's redaction replaced; what was kept before is forgotten."""
        rows = [encode(needle) for needle in needles]
        path = self._path(draft)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(rows, file)
        except OSError as error:
            message = f"the values of draft {draft} cannot be kept ({error.strerror})"
            raise InputError(message, fix="set WORKBENCH_KEYS to a folder of yours") from None

    def needles(self, draft: str) -> tuple[Needle, ...]:
        """Return what a draft's redaction replaced.

        Raises:
            InputError: it is not here; the case could not be searched.
        """
        try:
            rows = json.loads(self._path(draft).read_text("utf-8"))
            return decode(tuple[Needle, ...], rows, place=Place(name="values"))
        except (OSError, ValueError, CaseFormatError):
            message = (
                f"the values that draft {draft} replaced are not in {shown_folder(self._folder)}"
            )
            raise InputError(
                message, fix=f"{KEPT_ELSEWHERE}; or redact the run again here"
            ) from None

    def note_written(self, draft: str, data: bytes) -> None:
        """Note the bytes of the case file that an export of a draft wrote last.

        Raises:
            InputError: it cannot be written.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(self._path(draft, _WRITTEN), {"sha256": sha256(data).hexdigest()})

    def wrote(self, draft: str, data: bytes) -> bool:
        """Whether these bytes are what an export of a draft wrote last, on this machine."""
        try:
            noted = json.loads(self._path(draft, _WRITTEN).read_text("utf-8"))
        except (OSError, ValueError):
            return False
        return bool(noted == {"sha256": sha256(data).hexdigest()})

    def forget(self, draft: str) -> None:
        """Delete key and values of a draft, for good.

        Raises:
            InputError: there is no key; values without one are gone all the same.
        """
        for suffix in (_SUFFIX, _WRITTEN):
            self._path(draft, suffix).unlink(missing_ok=True)
        forget_key(draft, folder=self._folder)

    def _path(self, draft: str, suffix: str = _SUFFIX) -> Path:
        if not _DRAFT.fullmatch(draft):
            message = f"is {describe(draft)}; expected a draft's id"
            raise InputError(message, key="draft", fix="use an id like d-5b1e07")
        return self._folder / f"{draft}{suffix}"

"""What can go wrong with a store, and how failures of the disk are told apart.

* StoreError
  * StoreCorrupt        a file is not what the log says it is
  * ChainBroken         a log entry is damaged or does not extend the one before it
  * CommitContention    other writers won every try
  * SchemaTooNew        a newer workbench wrote the store
  * StoreReadOnly       the folder cannot be written
  * StoreFull           there is no room for what is to be written
  * RunNotFound         no run of that id (also an `UnknownRunError`)

Messages of pyarrow, deltalake and DuckDB may quote cells, so none of them is passed on.
"""

from __future__ import annotations

import errno
import re

from workbench.errors import StoreError, UnknownRunError

__all__ = [
    "ChainBroken",
    "CommitContention",
    "RunNotFound",
    "SchemaTooNew",
    "StoreCorrupt",
    "StoreFull",
    "StoreReadOnly",
    "disk_failure",
]

_READ_ONLY = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NUMBER_IN_TEXT = re.compile(r"\b(?:os error |errno:? )(\d+)", re.IGNORECASE)


class StoreCorrupt(StoreError):  # noqa: N818  the name that the design gives it
    """A file of the store is not what the log says it is.

    Attributes:
        path: the file, relative to the store.
        want: what the log promises.
        got: what is there.
    """

    def __init__(self, path: str, *, want: str, got: str) -> None:
        super().__init__(
            f"holds {got}; expected {want}",
            place=path,
            fix="run `workbench store verify`, then restore the file from a copy",
        )
        self.path = path
        self.want = want
        self.got = got


class ChainBroken(StoreError):  # noqa: N818
    """A log entry is damaged, or does not extend the entry before it.

    Attributes:
        version: number of the entry.
    """

    def __init__(self, version: int, *, place: str, problem: str) -> None:
        super().__init__(
            f"{problem}; nothing may be added after it",
            place=place,
            fix="run `workbench store verify`, then restore the log from a copy",
        )
        self.version = version


class RunNotFound(StoreError, UnknownRunError):  # noqa: N818
    """No run of that id is in the store.

    Attributes:
        run_id: what was asked for.
        nearest: the stored id that looks most like it, if any does.
    """

    def __init__(self, run_id: str, *, nearest: str | None = None) -> None:
        super().__init__(
            f"holds no run {run_id!r}",
            place="store",
            fix="`workbench runs` lists the runs"
            if nearest is None
            else f"did you mean {nearest}?",
        )
        self.run_id = run_id
        self.nearest = nearest


class CommitContention(StoreError):  # noqa: N818
    """Other writers took every version that we tried to write."""

    def __init__(self, tries: int) -> None:
        super().__init__(
            f"no free version after {tries} tries; nothing was added",
            place="store",
            fix="run it again; fewer writers at once",
        )


class RunsChanged(StoreError):  # noqa: N818
    """Another writer stored runs that were read to be put together; what was made is stale."""

    def __init__(self, runs: int) -> None:
        super().__init__(
            f"holds {runs} runs that another writer changed meanwhile; nothing was added",
            place="store",
            fix="run it again",
        )


class SchemaTooNew(StoreError):  # noqa: N818
    """A newer workbench wrote the store."""

    def __init__(self, found: str, *, known: int) -> None:
        super().__init__(
            f"is of store format {found}; expected at most {known}",
            place="store",
            fix="update incident-workbench",
        )


class StoreReadOnly(StoreError):  # noqa: N818
    """The folder of the store cannot be written."""

    def __init__(self) -> None:
        super().__init__(
            "cannot be written; nothing was added",
            place="store",
            fix="give yourself the right to write to the folder, or name another with --store",
        )


class StoreFull(StoreError):  # noqa: N818
    """There is no room for what is to be written."""

    def __init__(self) -> None:
        super().__init__(
            "has no room left; nothing was added",
            place="store",
            fix="free space, or name a folder on another disk with --store",
        )


def disk_failure(error: BaseException) -> StoreError | None:
    """Return what a failed write means for the store; None: it is no failure of the disk.

    The number of the error is looked up in the message where a library keeps only that.
    """
    number = error.errno if isinstance(error, OSError) else None
    if number is None:
        found = _NUMBER_IN_TEXT.search(str(error))
        number = int(found[1]) if found else None
    if number in _READ_ONLY:
        return StoreReadOnly()
    if number in _FULL:
        return StoreFull()
    return None

"""What a failed write means."""

from __future__ import annotations

import errno

import pytest

from workbench.errors import InputError, StoreError
from workbench.store import StoreFull, StoreReadOnly
from workbench.store.errors import disk_failure


@pytest.mark.parametrize(
    ("error", "want"),
    [
        (OSError(errno.EACCES, "denied"), StoreReadOnly),
        (OSError(errno.EROFS, "read-only"), StoreReadOnly),
        (OSError(errno.ENOSPC, "full"), StoreFull),
        (OSError(errno.EDQUOT, "quota"), StoreFull),
        (OSError("[Errno 28] No space left on device"), StoreFull),
        (Exception("Generic error: Permission denied (os error 13)"), StoreReadOnly),
        (Exception("write: File too large (os error 27)"), StoreFull),
    ],
)
def test_a_failure_of_the_disk_is_told_by_its_number(
    error: Exception, want: type[StoreError]
) -> None:
    """Deltalake keeps it in the text only."""
    failure = disk_failure(error)

    assert type(failure) is want
    assert isinstance(failure, InputError)
    assert failure.fix


@pytest.mark.parametrize("error", [OSError(errno.EIO, "io"), ValueError("28"), OSError("gone")])
def test_another_failure_stays_what_it_is(error: Exception) -> None:
    """A wrong advice is worse than none."""
    assert disk_failure(error) is None

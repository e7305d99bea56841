"""An open store in a folder of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from workbench.store import Store, open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Yield an empty store."""
    with open_store(tmp_path / "store", clock=lambda: 1_800_000_000.0) as opened:
        yield opened

"""What the log says of records that came late."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.store.runs import a_run, a_source
from workbench.store.batches import LateRecords
from workbench.store.delta import open_table
from workbench.store.tables import TRACES

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import JsonMap
    from workbench.store import Store


def commit(root: Path, meta: JsonMap) -> None:
    """Add an entry without rows, as another version of this program would."""
    table = open_table(root, TRACES)
    table.commit(
        [],
        batch_id="f" * 64,
        meta={"kind": "append", **meta},
        clock=lambda: 0.0,
        check=lambda: None,
    )


@pytest.mark.parametrize(("read", "left"), [(1, 1), (2, 0), (9, 0)])
def test_entries_that_named_a_version_are_still_understood(
    store: Store, read: int, left: int
) -> None:
    """Stores outlive the program that wrote them."""
    store.append([a_run("a")], source=a_source("1"))
    store.append([LateRecords(run_id="a", raw=b"late")], source=a_source("2"))

    commit(store.root, {"joined": ["a", "b"], "read": read})

    assert len(store.kept("a").late) == left


@pytest.mark.parametrize("joined", [None, ["a"], "a", {"a": None}, {"a": ["0" * 64]}, 3])
def test_an_entry_that_names_no_batch_lets_nothing_go(store: Store, joined: object) -> None:
    """Records wait until it is sure that a run holds them."""
    store.append([a_run("a")], source=a_source("1"))
    store.append([LateRecords(run_id="a", raw=b"late")], source=a_source("2"))

    commit(store.root, {"joined": joined})  # type: ignore[dict-item]

    assert store.waiting() == {"a"}
    assert store.pieces("a")[1:] == (b"late",)

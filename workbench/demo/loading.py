"""Put the bundled incident into a store that has not got it yet; `make lab` does so.

Runs of somebody's own stay as they are beside it.
"""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

from workbench.demo.steps import RUN_ID
from workbench.model.wording import counted
from workbench.review.intake import take_file
from workbench.store.handle import open_store

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["load_demo"]


def load_demo(folder: Path) -> str:
    """Put the bundled incident into a store, and say what was done.

    Args:
        folder: of the store; it is made if it is absent.

    Raises:
        StoreError: the folder holds something else, or cannot be written.
    """
    store = open_store(folder)
    name, here = store.root.name, store.runs().column("run_id").to_pylist()
    others = len(here) - (RUN_ID in here)
    beside = f", beside {counted(others, 'other run')}" if others else ""
    if RUN_ID in here:
        return f"{name} has the bundled incident, {RUN_ID}, already{beside}; nothing is added"
    with resources.as_file(resources.files("workbench.demo") / "incident.json") as file:
        take_file(store, file)
    return f"{name} has the bundled incident, {RUN_ID}, now{beside}"

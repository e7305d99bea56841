"""Put the bundled incident into a store that has no run yet; `make lab` does so.

A run cannot be taken back out of a store, so one that holds runs of somebody's own is left as it is.
"""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

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
    name, runs = store.root.name, store.runs().num_rows
    if runs:
        return f"{name} has {counted(runs, 'run')} already; nothing is added"
    with resources.as_file(resources.files("workbench.demo") / "incident.json") as file:
        take_file(store, file)
    return f"{name} has the bundled incident now"

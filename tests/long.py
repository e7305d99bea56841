"""Which part of a long suite runs: a seeded sample, or all of it with `WORKBENCH_LONG=1`."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["is_long", "sample"]

Item = TypeVar("Item")


def is_long() -> bool:
    """Whether the long suites run whole (`make test-all`)."""
    return os.environ.get("WORKBENCH_LONG") == "1"


def sample(items: Sequence[Item], n: int, seed: int) -> list[Item]:
    """Return `n` of the items in their order, the same ones for the same seed; all when long.

    >>> sample("abcdefgh", 3, 1) == sample("abcdefgh", 3, 1)
    True
    """
    if is_long() or len(items) <= n:
        return list(items)
    chosen = random.Random(seed).sample(range(len(items)), n)  # noqa: S311  a sample, no secret
    return [items[at] for at in sorted(chosen)]

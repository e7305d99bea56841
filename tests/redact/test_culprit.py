"""Which replacement changed what the contract answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from workbench.redact.assign import Assignment
from workbench.redact.culprit import find_culprits

if TYPE_CHECKING:
    from collections.abc import Collection

pytestmark = pytest.mark.desk


def an_assignment(count: int) -> Assignment:
    """So many clusters of one value."""
    names = {f"v{n}": f"c{n:03d}" for n in range(count)}
    return Assignment(pseudonyms=names, clusters=names, lost={})


@pytest.mark.parametrize("guilty", [{"c007"}, {"c000"}, {"c063"}, {"c003", "c050"}])
def test_a_smallest_guilty_set_is_found_in_few_tries(guilty: set[str]) -> None:
    """Judging costs time, so halves are tried before single values."""
    tries = 0

    def keeps(clusters: Collection[str]) -> bool:
        nonlocal tries
        tries += 1
        return not guilty <= set(clusters)

    assert set(find_culprits(an_assignment(64), keeps)) == guilty
    assert tries <= 60 * len(guilty)


def test_when_nothing_can_be_left_out_all_are_named() -> None:
    """Several replacements may be needed together."""
    assert len(find_culprits(an_assignment(3), lambda clusters: len(clusters) < 3)) == 3

"""Tokens and costs in the names of every recorder, and nothing that none of them said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from workbench.ingest.events.usage import cost_in, usage_of
from workbench.model.event import Usage

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json

pytestmark = pytest.mark.desk


@pytest.mark.parametrize(
    ("value", "cost"),
    [
        (0.0125, 0.0125),
        (2, 2.0),
        ("0.0007", 0.0007),
        (0, None),
        ("", None),
        ("free", None),
        (True, None),
        (None, None),
        (-1.0, None),
        (float("nan"), None),
        (float("inf"), None),
        (10**400, None),
        ([0.1], None),
    ],
)
def test_a_cost_is_a_number_above_zero(value: Json, cost: float | None) -> None:
    """Recorders without a price write 0; a bound on costs must not hold because of it."""
    assert cost_in({"cost": value}, "other", "cost") == cost


def test_a_cost_without_tokens_is_kept() -> None:
    """Some recorders know only what was paid."""
    assert usage_of(None, cost_usd=0.5) == Usage(cost_usd=0.5)
    assert usage_of({}) is None
    assert usage_of("many") is None


def test_what_stands_beside_tokens_gives_way_to_what_the_recorder_says_elsewhere() -> None:
    """The observation's own cost is what its tool shows."""
    usage: Json = {"prompt_tokens": 5, "cost": 0.25}  # as OpenRouter answers

    assert usage_of(usage) == Usage(input_tokens=5, cost_usd=0.25)
    assert usage_of(usage, cost_usd=0.5) == Usage(input_tokens=5, cost_usd=0.5)

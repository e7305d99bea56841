"""Oracles: does a trace still fail, and how."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from workbench.check.judge import judge
from workbench.model.trace import Trace
from workbench.model.verdict import Verdict

if TYPE_CHECKING:
    from workbench.model.contract import Contract

__all__ = ["Oracle", "recorded_oracle"]

Oracle: TypeAlias = Callable[[Trace], Verdict]


def recorded_oracle(contract: Contract) -> Oracle:
    """Return the oracle that judges a trace as it was recorded; it can be pickled."""
    return partial(judge, contract=contract)
